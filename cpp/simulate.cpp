// Many games from one position, played by threads; results are one row a game.
#include "simulate.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "chance.hpp"
#include "moves.hpp"
#include "repetition.hpp"
#include "sowing.hpp"

namespace relaysow {
namespace {

struct GameRow {
    std::array<int, 2> scores{};
    int winner = -2;
    std::int32_t moves = 0, turns = 0, captures = 0;
    std::int64_t laps = 0, longest = 0, first_move = -1;
    End end = End::cut;
};

constexpr int no_move = -1;

// Plays single games from the start of a plan.  One player a thread.
template <class B>
class GamePlayer {
public:
    GamePlayer(const SimulationPlan& plan, const Poll& poll)
        : plan_(plan),
          rules_(plan.rules),
          referee_(plan.rules, poll),
          start_(board_as<B>(plan.rules, plan.start)),
          compares_(plan.rules.repetition != Repetition::off),
          by_turn_(compares_ && plan.rules.repetition_scope == RepetitionScope::turn) {
        if (start_.drawn || start_.redistributions < 2) return;
        const Candidates<B> candidates(rules_, start_);
        std::int64_t legal = 0;
        candidates.any([&](Sow move) {
            legal_number_.push_back(legal);
            legal += is_legal(referee_, start_, boards_[1], move);
            return false;
        });
    }

    GameRow play(std::uint64_t game) {
        Chance chance(plan_.seed, game);
        GameRow row;
        boards_[0] = start_;
        now_ = 0;
        bool new_turn = true;
        history_.clear();
        for (;;) {
            B& board = boards_[now_];
            if (board.drawn) return finished(row, board, {End::endless, Sweep::nobody});
            if (board.redistributions < 2) {
                if (row.moves == plan_.max_moves) return cut(row, board);
                const Redistributions<B> moves(rules_, board);
                const Natural number = chance.below(moves.count());
                if (row.moves == 0 && number.fits_63_bits()) {
                    row.first_move = static_cast<std::int64_t>(number.low64());
                }
                redistribute(rules_, board, moves[number]);
                ++row.moves;
                ++row.turns;
                continue;
            }
            if (rules_.end == EndRule::row_empty && board.row_seeds(rules_, board.mover) == 0) {
                return finished(row, board, {End::row_empty, Sweep::opponent});
            }
            // Whether the mover can move is proved by the sowing he draws; a player who cannot
            // draws no words.
            const Chance before_draw = chance;
            if (by_turn_ && new_turn) turn_.clear();
            if (by_turn_) turn_.add(board);
            excluded_ = false;
            const int number = plan_.policies[board.mover] == Policy::random
                                   ? choose_at_random(board, chance)
                                   : choose_greedily(board, chance);
            if (number == no_move) {
                chance = before_draw;
                const bool has_duties = board.direction != Duty::none || board.barred != no_pit;
                const bool own_free_move =
                    (has_duties || excluded_) &&
                    can_move(referee_, board, board.mover, Duty::none, no_pit);
                const Verdict verdict = judge_stuck(referee_, board, own_free_move);
                if (verdict.end != End::running) return finished(row, board, verdict);
                new_turn = true;
                continue;
            }
            if (compares_ && (!by_turn_ || new_turn) && !history_.add(board)) {
                return repeated(row, board);
            }
            if (row.moves == plan_.max_moves) return cut(row, board);
            if (row.moves == 0) row.first_move = legal_number_[static_cast<std::size_t>(number)];
            ++row.moves;
            row.turns += new_turn;
            if (sown_.laps.end != SowingEnd::endless) {
                const auto laps = static_cast<std::int64_t>(sown_.laps.count);
                row.laps += laps;
                if (laps > row.longest) row.longest = laps;
            }
            if (sown_.captured > 0) {
                ++row.captures;
                history_.clear();
            }
            new_turn = !sown_.moves_again;
            now_ ^= 1;
        }
    }

private:
    // Sows a candidate into the other board; whether it is legal.
    RELAYSOW_INLINE bool try_move(const B& board, Sow move) {
        NoTrace trace;
        B& next = boards_[now_ ^ 1];
        sow(referee_, board, next, move, trace, sown_);
        if (!sown_.legal) return false;
        if (by_turn_ && sown_.moves_again && turn_.contains(next)) {
            excluded_ = true;
            return false;
        }
        return true;
    }

    int choose_at_random(const B& board, Chance& chance) {
        const Candidates<B> candidates(rules_, board);
        if (candidates.empty()) return no_move;
        const int count = candidates.count();
        const int number = chance.below(count);
        if (try_move(board, candidates[number])) [[likely]]
            return number;
        left_.clear();
        for (int i = 0; i < count; ++i) {
            if (i != number) left_.push_back(i);
        }
        while (!left_.empty()) {
            const auto at = left_.begin() + chance.below(static_cast<int>(left_.size()));
            const int next = *at;
            if (try_move(board, candidates[next])) return next;
            left_.erase(at);
        }
        return no_move;
    }

    int choose_greedily(const B& board, Chance& chance) {
        const Candidates<B> candidates(rules_, board);
        left_.clear();
        int most = 0, number = 0;
        candidates.any([&](Sow move) {
            if (try_move(board, move)) {
                if (sown_.captured > most) {
                    most = sown_.captured;
                    left_.clear();
                }
                if (sown_.captured == most) left_.push_back(number);
            }
            ++number;
            return false;
        });
        if (left_.empty()) return no_move;
        number = left_[static_cast<std::size_t>(chance.below(static_cast<int>(left_.size())))];
        try_move(board, candidates[number]);
        return number;
    }

    GameRow& finished(GameRow& row, const B& board, Verdict verdict) const {
        row.end = verdict.end;
        row.scores = final_stores(rules_, board, verdict.sweep);
        const bool drawn =
            row.scores[0] == row.scores[1] || verdict.end == End::endless ||
            (verdict.end == End::repetition && rules_.repetition == Repetition::draw);
        row.winner = drawn ? -1 : row.scores[1] > row.scores[0];
        return row;
    }
    GameRow& repeated(GameRow& row, const B& board) const {
        return finished(row, board,
                        {End::repetition,
                         rules_.repetition == Repetition::score ? Sweep::own_rows : Sweep::nobody});
    }
    GameRow& cut(GameRow& row, const B& board) const {
        row.scores = final_stores(rules_, board, Sweep::nobody);
        return row;
    }

    const SimulationPlan& plan_;
    const Rules& rules_;
    const Referee<B> referee_;
    const B start_;
    const bool compares_, by_turn_;
    std::vector<std::int64_t> legal_number_;  // of each candidate of the start
    History<B> history_;                      // of the game since its last capture
    History<B> turn_;                         // of this turn, where the scope is the turn
    std::vector<int> left_;
    B boards_[2];  // the position, and where a move from it is tried
    std::size_t now_ = 0;
    Sown sown_;
    bool excluded_ = false;  // some move repeats a position of this turn
};

struct Stopped {};

// Threads joined at the latest when they go out of scope (std::jthread is not everywhere yet).
struct Threads : std::vector<std::thread> {
    void join() {
        for (std::thread& thread : *this) thread.join();
        clear();
    }
    ~Threads() { join(); }
};

// What the threads of one simulation share.
class SharedWork {
public:
    static constexpr std::size_t chunk = 64;

    SharedWork(const SimulationPlan& plan, const SimulationColumns& columns)
        : plan_(plan), columns_(columns), chunk_done_((plan.games + chunk - 1) / chunk) {}

    template <class B>
    void play_all() {
        const Poll poll{[](void* self) {
                            if (static_cast<SharedWork*>(self)->stop_.load()) throw Stopped{};
                        },
                        this};
        GamePlayer<B> player(plan_, poll);
        for (;;) {
            const std::size_t number = next_chunk_.fetch_add(1, std::memory_order_relaxed);
            if (number >= chunk_done_.size()) return;
            const std::size_t from = number * chunk;
            const std::size_t to = plan_.games - from < chunk ? plan_.games : from + chunk;
            for (std::size_t game = from; game < to; ++game) {
                poll();
                write(game, player.play(plan_.first_game + game));
            }
            chunk_done_[number] = 1;
            games_done_.fetch_add(to - from, std::memory_order_relaxed);
        }
    }

    void run_worker() noexcept {
        try {
            on_narrowest(plan_.rules, plan_.start, [&]<class B>(const B&) { play_all<B>(); });
        } catch (const Stopped&) {
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            stop_ = true;
        }
        const std::lock_guard lock(mutex_);
        ++workers_done_;
        all_done_.notify_all();
    }

    std::size_t run(const std::function<bool(std::size_t)>& tick) {
        Threads threads;
        const auto started = static_cast<std::size_t>(plan_.threads);
        try {
            while (threads.size() < started) threads.emplace_back([this] { run_worker(); });
        } catch (...) {
            stop_ = true;
            throw;
        }
        std::unique_lock lock(mutex_);
        while (!all_done_.wait_for(lock, std::chrono::milliseconds(50),
                                   [&] { return workers_done_ == started; })) {
            lock.unlock();
            if (!stop_ && !tick(games_done_.load())) stop_ = true;
            lock.lock();
        }
        lock.unlock();
        threads.join();
        if (error_) std::rethrow_exception(error_);
        std::size_t whole = 0;
        while (whole < chunk_done_.size() && chunk_done_[whole] != 0) ++whole;
        return whole * chunk < plan_.games ? whole * chunk : plan_.games;
    }

private:
    void write(std::size_t at, const GameRow& row) const {
        columns_.scores[2 * at] = static_cast<std::int16_t>(row.scores[0]);
        columns_.scores[2 * at + 1] = static_cast<std::int16_t>(row.scores[1]);
        columns_.winner[at] = static_cast<std::int8_t>(row.winner);
        columns_.moves[at] = row.moves;
        columns_.turns[at] = row.turns;
        columns_.laps[at] = row.laps;
        columns_.captures[at] = row.captures;
        columns_.longest[at] = row.longest;
        columns_.end[at] = static_cast<std::uint8_t>(row.end);
        columns_.first_move[at] = row.first_move;
    }

    const SimulationPlan& plan_;
    const SimulationColumns& columns_;
    std::vector<std::uint8_t> chunk_done_;
    std::atomic<std::size_t> next_chunk_{0}, games_done_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable all_done_;
    std::size_t workers_done_ = 0;
    std::exception_ptr error_;
};

}  // namespace

std::size_t simulate(const SimulationPlan& plan, const SimulationColumns& columns,
                     const std::function<bool(std::size_t)>& tick) {
    return SharedWork(plan, columns).run(tick);
}

}  // namespace relaysow
