// Plays games in the lanes of the kernel, and does for them what the kernel leaves to it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "lanes/instruction_sets.hpp"
#include "lanes/lane_boards.hpp"
#include "lanes/long_history.hpp"
#include "play/player.hpp"
#include "play/simulation_plan.hpp"
#include "play/verdict.hpp"

namespace relaysow::lanes {

// Whether the kernel plays games of this plan at all.
inline bool plays(const SimulationPlan& plan) {
    const AnyBoard& start = plan.start;
    const int seeds = start.row_seeds(plan.rules, 0) + start.row_seeds(plan.rules, 1);
    return plan.policies[0] == Policy::random && plan.policies[1] == Policy::random &&
           !start.drawn && lanes_play(plan.rules, seeds);
}

// `GameSource` has `bool next(std::size_t& game)`, which gives the games to play one after the
// other, `void write(std::size_t game, const GameRow&)` and `void poll()`.
template <class B, class GameSource>
class Lockstep {
public:
    Lockstep(const SimulationPlan& plan, const Poll& poll, GameSource& games,
             const InstructionSet& instruction_set)
        : plan_(plan),
          rules_(plan.rules),
          player_(plan, poll),
          games_(games),
          run_(instruction_set.run),
          lane_games_(static_cast<std::size_t>(instruction_set.width)),
          ring_((most_rows + 1) * most_lanes),  // pits are read and written past the last ring
          log_(fewest_log_rows * lane_bytes_of(plan.rules) * lane_games_.size(), false),
          prints_(fewest_log_rows * 2 * lane_games_.size()),
          chose_(fewest_log_rows),
          movers_(fewest_log_rows) {
        set_up(instruction_set);
    }

    void play() {
        for (int lane = 0; lane < lanes_.width; ++lane) begin_game(lane);
        run_(lanes_);
    }

    const LapCounts& counts() const { return counts_; }

private:
    struct LaneGame {
        std::size_t game = 0;
        GameRow row;
        std::int64_t laps_on_scalar = 0;
        B board;              // before the move, where the log may not hold it any longer
        LongHistory history;  // where the history is the driver's
    };
    // A position takes its pits and duties, or a ring in one piece.
    static std::size_t lane_bytes_of(const Rules& rules) {
        return std::max<std::size_t>(static_cast<std::size_t>(rules.ring()) + 2, lane_bytes);
    }
    // The log has as many rows as the longest history takes, unless that is too many.
    static constexpr std::size_t fewest_log_rows = 128, most_log_bytes = std::size_t{1} << 24;
    static constexpr std::size_t most_kept_bytes = std::size_t{1} << 20;  // of one lane
    void set_up(const InstructionSet& instruction_set) {
        const int seeds =
            player_.start().row_seeds(rules_, 0) + player_.start().row_seeds(rules_, 1);
        set_rules(lanes_, rules_, static_cast<int>(lane_games_.size()));
        const bool wide = !counts_fit(rules_, seeds);
        lanes_.rules.overflow_bits =
            static_cast<std::uint8_t>(!wide                         ? 0
                                      : lanes_.rules.has_protection ? 0x40
                                                                    : 0x80);
        lanes_.rules.most_candidates = most_candidates(rules_, seeds);
        // At most twice as many laps add to a pit before they are the driver's.
        lanes_.pace.steps_to_long = wide && lanes_.rules.has_protection ? 30 : 60;
        // Turns cost more where first laps may be illegal: many are drawn again.
        lanes_.rings.by_lane = instruction_set.by_lane(lanes_.rules);
        lanes_.pace.patience = lanes_.rings.by_lane ? 48 : lanes_.rules.checks_first_lap ? 54 : 42;
        lanes_.driver.context = this;
        lanes_.driver.serve = [](void* self, int lane, Request request) {
            static_cast<Lockstep*>(self)->serve(lane, request);
        };
        lanes_.driver.repeated = [](void* self, std::uint64_t lanes) {
            return static_cast<Lockstep*>(self)->repeated(lanes);
        };
        lanes_.driver.flush = [](void* self) {
            auto& lockstep = *static_cast<Lockstep*>(self);
            for (int lane = 0; lane < lockstep.lanes_.width; ++lane) lockstep.flush(lane);
        };
        lanes_.driver.look_back = [](void* self, std::uint64_t lanes) {
            static_cast<Lockstep*>(self)->look_back(lanes);
        };
        lanes_.driver.poll = [](void* self) { static_cast<Lockstep*>(self)->games_.poll(); };
        lanes_.rings.now = ring_.begin();
        show_log();
        lanes_.log.now = most_log_bytes;  // there are older rows, of the longest log too
        lanes_.counts.turns_between_flushes = lanes_.counts.turns_to_flush = 120;
    }

    // Keeps the histories that begin to be long, and makes room for them in the log in time.
    void look_back(std::uint64_t lanes) {
        std::uint64_t longest = 0;
        for (std::uint64_t left = lanes | lanes_.log.history_is_drivers; left != 0;
             left &= left - 1) {
            const int lane = std::countr_zero(left);
            if ((lanes_.log.history_is_drivers & bit(lane)) == 0) take_over_history(lane);
            longest = std::max(longest, lanes_.log.now - lanes_.log.segment[lane]);
        }
        const std::size_t rows = chose_.size();
        if (4 * longest <= 3 * rows) return;
        if (2 * rows * ring_bytes(lanes_) <= most_log_bytes) return lengthen_log();
        for (std::uint64_t left = lanes_.log.history_is_drivers; left != 0; left &= left - 1) {
            keep_oldest(std::countr_zero(left));
        }
    }

    // Keeps what the log will not hold until the next look.
    void keep_oldest(int lane) {
        LongHistory& history = at(lane).history;
        const std::size_t bytes = lanes_.rules.rows + 1u;
        const std::uint64_t held = lanes_.log.now - lanes_.log.mask + turns_between_looks;
        for (std::size_t k = history.kept().size() / bytes;
             k < history.size() && history.row(k, lanes_.log.now) < held; ++k) {
            const LoggedPosition oldest(lanes_, history.row(k, lanes_.log.now), lane);
            for (std::size_t at = 0; at < bytes; ++at) history.keep(oldest[at]);
        }
    }

    void lengthen_log() {
        const std::size_t rows = chose_.size(), row_bytes = ring_bytes(lanes_);
        const std::size_t print_bytes = 2 * lane_games_.size();
        Memory log(2 * rows * row_bytes, false), prints(2 * rows * print_bytes);
        std::vector<std::uint64_t> chose(2 * rows), movers(2 * rows);
        for (std::uint64_t row = lanes_.log.now - rows + 1; row <= lanes_.log.now; ++row) {
            const std::size_t from = row & (rows - 1), to = row & (2 * rows - 1);
            std::memcpy(log.begin() + to * row_bytes, lanes_.log.positions + from * row_bytes,
                        row_bytes);
            std::memcpy(prints.begin() + to * print_bytes, lanes_.log.prints + from * print_bytes,
                        print_bytes);
            chose[to] = chose_[from];
            movers[to] = movers_[from];
        }
        log_.swap(log);
        prints_.swap(prints);
        chose_.swap(chose);
        movers_.swap(movers);
        show_log();
    }

    void show_log() {
        lanes_.log.positions = log_.begin();
        lanes_.log.prints = prints_.begin();
        lanes_.log.chose = chose_.data();
        lanes_.log.movers = movers_.data();
        lanes_.log.mask = chose_.size() - 1;
    }

    LaneGame& at(int lane) { return lane_games_[static_cast<std::size_t>(lane)]; }

    // ------------------------------------------------------------------- positions of a lane

    // A pit counted on from the lane's viewer, in the ring; and back.
    int seen_from_viewer(int lane, int pit) const {
        return seen_from(lanes_, pit, (lanes_.rings.viewer & bit(lane)) != 0);
    }

    B position(int lane) const {
        B board =
            read_lane<B>(lanes_, lanes_.rings.now, lane, (lanes_.rings.viewer & bit(lane)) != 0);
        board.mover = (lanes_.turn.mover & bit(lane)) != 0;
        return board;
    }

    B before_move(int lane) {
        if ((lanes_.choice.refused & bit(lane)) != 0) return at(lane).board;
        std::uint64_t row = lanes_.log.now;
        do {
            --row;
        } while (!chose(lanes_, row, lane));
        return logged<B>(lanes_, row, lane);
    }

    bool fits(const B& board) const {
        return std::all_of(board.ring, board.ring + lanes_.rules.ring_rows, [&](int seeds) {
            return seeds <= bits_of_a_pit(lanes_.rules.has_protection);
        });
    }

    void write(int lane, const B& board) { write_lane(lanes_, lane, board); }

    // ------------------------------------------------------------------------ a lane's games

    // Adds the small counts, which are then zero.
    void flush(int lane) {
        GameRow& row = at(lane).row;
        const auto sum = [](auto had, auto more) { return static_cast<decltype(had)>(had + more); };
        const auto larger = [](auto had, auto other) {
            return std::max<decltype(had)>(had, other);
        };
#define COUNTED_IN_LANES(type, name, add_up)               \
    row.name = add_up(row.name, lanes_.counts.name[lane]); \
    lanes_.counts.name[lane] = 0;
#include "play/result_columns.def"
        lanes_.counts.limit[lane] =
            static_cast<std::uint8_t>(std::min<std::int64_t>(255, plan_.max_moves - row.moves));
    }

    // Counts a move that the driver makes.  Returns its laps.
    std::int64_t count_move(int lane, const Sown& sown) {
        GameRow& row = at(lane).row;
        flush(lane);
        const std::int64_t laps = row.laps;
        row.count(sown, (lanes_.turn.begins & bit(lane)) != 0);
        flush(lane);  // sets the limit anew
        return row.laps - laps;
    }

    void begin_game(int lane) {
        LaneGame& game = at(lane);
        forget_history(lane);
        while (games_.next(game.game)) {
            game.row = {};
            game.laps_on_scalar = 0;
            Chance chance(plan_.seed, plan_.first_game + game.game);
            B board = player_.start();
            if (!player_.redistribute_all(board, chance, game.row)) {
                player_.cut(game.row, board);
            } else if (fits(board)) {
                keep_chance(lanes_, lane, chance);
                lanes_.choice.first_number[lane] = 0;
                lanes_.choice.first_move_unnamed |= bit(lane);
                lanes_.turn.begins |= bit(lane);
                flush(lane);
                write(lane, board);
                choose_next(lane);
                return;
            } else {
                play_on_scalar(lane);
            }
            count(lane);
        }
    }

    void count(int lane) {
        const LaneGame& game = at(lane);
        counts_.laps += static_cast<std::uint64_t>(game.row.laps);
        counts_.on_scalar += static_cast<std::uint64_t>(game.laps_on_scalar);
        games_.write(game.game, game.row);
    }

    void end_game(int lane) {
        count(lane);
        retire(lane);
        begin_game(lane);
    }

    void play_on_scalar(int lane) {
        LaneGame& game = at(lane);
        flush(lane);
        game.row = player_.play(plan_.first_game + game.game);
        game.laps_on_scalar = game.row.laps;
    }

    void finish(int lane, const B& board, Verdict verdict) {
        flush(lane);
        name_first_move(lane);
        player_.finished(at(lane).row, board, verdict);
        end_game(lane);
    }

    void name_first_move(int lane) {
        GameRow& row = at(lane).row;
        if (player_.start().redistributions == 2 && row.moves > 0) {
            row.first_move =
                player_.legal_number(static_cast<int>(lanes_.choice.first_number[lane]));
        }
    }

    std::uint16_t print(std::uint64_t row, int lane) const {
        const std::uint8_t* at =
            lanes_.log.prints + (row & lanes_.log.mask) * 2 * lane_games_.size() + lane;
        return static_cast<std::uint16_t>(at[0] | at[lanes_.width] << 8);
    }

    void take_over_history(int lane) {
        LongHistory& history = at(lane).history;
        history.clear();
        for (std::uint64_t row = lanes_.log.segment[lane]; row < lanes_.log.now; ++row) {
            if (chose(lanes_, row, lane)) history.add(print(row, lane), row);
        }
        lanes_.log.history_is_drivers |= bit(lane);
    }

    std::uint64_t repeated(std::uint64_t lanes) {
        std::uint64_t found = 0;
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            LongHistory& history = at(lane).history;
            const std::uint16_t now = print(lanes_.log.now, lane);
            const LoggedPosition newest(lanes_, lanes_.log.now, lane);
            const auto same = [&](std::size_t k) {
                const std::size_t at = k * newest.size();
                if (at < history.kept().size()) return newest.is(history.kept().data() + at);
                const std::uint64_t row = history.row(k, lanes_.log.now);
                return newest.is(LoggedPosition(lanes_, row, lane));
            };
            if (is_too_long(lane) || history.holds(now, same)) {
                found |= bit(lane);
            } else {
                history.add(now, lanes_.log.now);
            }
        }
        return found;
    }

    // Too long a history is left to the player, who plays the game again.
    bool is_too_long(int lane) {
        if ((lanes_.log.history_is_drivers & bit(lane)) == 0) return false;
        const LongHistory& history = at(lane).history;
        return history.size() == LongHistory::most || history.kept().size() > most_kept_bytes;
    }

    void forget_history(int lane) {
        lanes_.log.beyond_window &= ~bit(lane);
        lanes_.log.history_is_drivers &= ~bit(lane);
        lanes_.log.segment[lane] = lanes_.log.now;
    }

    // The lane is in no stage.
    void retire(int lane) {
        for (std::uint64_t* lanes :
             {&lanes_.phase.lapping, &lanes_.phase.ended, &lanes_.phase.choosing,
              &lanes_.turn.passed, &lanes_.choice.refused, &lanes_.choice.first_move_unnamed}) {
            *lanes &= ~bit(lane);
        }
    }

    // The mover in the lane's ring is to choose.
    void choose_next(int lane) {
        const std::uint64_t unnamed = lanes_.choice.first_move_unnamed & bit(lane);
        retire(lane);
        lanes_.choice.first_move_unnamed |= unnamed;
        lanes_.phase.choosing |= bit(lane);
    }

    void go_on(int lane, const B& board) {
        if (!fits(board)) return replay(lane);
        write(lane, board);
        choose_next(lane);
    }

    // ------------------------------------------------------------- what the kernel leaves here

    void serve(int lane, Request request) {
        lanes_.phase.lapping &= ~bit(lane);
        switch (request) {
            case Request::stuck:
                return cannot_move(lane, position(lane));
            case Request::repeated:
                return came_again(lane);
            case Request::limit:
                return reach_limit(lane, position(lane));
            case Request::none_legal:
                take_back_draws(lane, lanes_.choice.candidates[lane]);
                return none_is_legal(lane, position(lane));
            case Request::overdrawn:
                take_back_draws(lane, most_struck);
                return decide(lane, position(lane));
            case Request::undecided:
                return decide(lane, position(lane));
            case Request::forbidden:
            case Request::endless:
            case Request::capped:
                return refuse(lane, before_move(lane), request);
            case Request::left_to_scalar:
                return sow_on_scalar(lane, before_move(lane));
        }
    }

    // The position did, or its history is too long to tell.
    void came_again(int lane) {
        if (is_too_long(lane)) return replay(lane);
        finish(lane, position(lane), judge_repetition(rules_));
    }

    void replay(int lane) {
        play_on_scalar(lane);
        end_game(lane);
    }

    // There were candidates, but none is legal: the position is none in which a move is to be
    // chosen.
    void none_is_legal(int lane, const B& board) {
        if ((lanes_.log.history_is_drivers & bit(lane)) != 0) at(lane).history.take_back();
        for (std::uint64_t row = lanes_.log.now;
             row > 0 && lanes_.log.now - row <= lanes_.log.mask;) {
            if (chose(lanes_, --row, lane)) {
                lanes_.log.chose[row & lanes_.log.mask] &= ~bit(lane);
                break;
            }
        }
        cannot_move(lane, board);
    }

    // A player who cannot move draws no words.
    void take_back_draws(int lane, int words) {
        Chance drawn = lane_chance(lanes_, lane);
        while (words-- > 0) drawn.undo_word();
        keep_chance(lanes_, lane, drawn);
    }

    void cannot_move(int lane, B board) {
        Verdict verdict = judge_at_sight(rules_, board);
        if (verdict.end == End::running) verdict = judge_stuck(player_.context(), board);
        if (verdict.end != End::running) return finish(lane, board, verdict);
        lanes_.turn.begins |= bit(lane);
        go_on(lane, board);
    }

    void reach_limit(int lane, const B& board) {
        if (!can_move(player_.context(), board, board.mover, board.direction, board.barred)) {
            return none_is_legal(lane, board);
        }
        flush(lane);
        name_first_move(lane);
        player_.cut(at(lane).row, board);
        end_game(lane);
    }

    void decide(int lane, const B& board) {
        Chance drawn = lane_chance(lanes_, lane);
        const int number = player_.choose_at_random(board, drawn);
        if (number == no_move) return none_is_legal(lane, board);
        keep_chance(lanes_, lane, drawn);
        take(lane, number);
    }

    void sow_on_scalar(int lane, const B& board) {
        const int number = lanes_.choice.chosen[lane];
        const Candidates<B> candidates(rules_, board);
        if (player_.try_move(board, candidates[number])) return take(lane, number);
        refuse(lane, board, Request::endless);
    }

    // The move that the player tried last is made.
    void take(int lane, int number) {
        LaneGame& game = at(lane);
        if ((lanes_.choice.first_move_unnamed & bit(lane)) != 0)
            lanes_.choice.first_number[lane] = static_cast<std::uint64_t>(number);
        lanes_.choice.first_move_unnamed &= ~bit(lane);
        const Sown& sown = player_.sown();
        game.laps_on_scalar += count_move(lane, sown);
        if (sown.captured > 0) forget_history(lane);
        set(lanes_.turn.begins, lane, !sown.moves_again);
        const B board = player_.next();
        if (board.drawn) return finish(lane, board, {End::endless, Sweep::nobody});
        go_on(lane, board);
    }

    // The chosen move is illegal, or what `endless` says of it if it never ends.
    void refuse(int lane, const B& board, Request request) {
        LaneGame& game = at(lane);
        const Candidates<B> candidates(rules_, board);
        const bool never_ends = request == Request::endless || request == Request::capped;
        if (never_ends && rules_.endless != Endless::illegal) {
            return take_endless(lane, board, request == Request::capped);
        }
        Chance drawn = lane_chance(lanes_, lane);
        std::uint64_t (&struck)[4] = lanes_.choice.struck[lane];
        const auto strike = [&](int number) {
            struck[number / 64] |= std::uint64_t{1} << number % 64;
        };
        if ((lanes_.choice.redrawn & bit(lane)) == 0) {
            std::fill_n(struck, 4, 0);
            for (int k = 0;
                 lanes_.rules.checks_first_lap && lanes_.choice.struck_first[k][lane] != 0xFF;
                 ++k) {
                strike(lanes_.choice.struck_first[k][lane]);
            }
        }
        lanes_.choice.redrawn |= bit(lane);
        if ((lanes_.choice.refused & bit(lane)) == 0) {
            game.board = board;
        }
        lanes_.choice.refused |= bit(lane);
        strike(lanes_.choice.chosen[lane]);
        int left = candidates.count(), number = 0;
        for (const std::uint64_t word : struck) left -= std::popcount(word);
        if (left == 0) {
            take_back_draws(lane, candidates.count());
            return none_is_legal(lane, board);
        }
        const auto is_struck = [&] { return (struck[number / 64] >> number % 64 & 1) != 0; };
        for (int others = drawn.below(left); others > 0 || is_struck(); ++number) {
            others -= !is_struck();
        }
        keep_chance(lanes_, lane, drawn);
        lanes_.choice.chosen[lane] = static_cast<std::uint8_t>(number);
        if (game.row.moves + lanes_.counts.moves[lane] == 0)
            lanes_.choice.first_number[lane] = lanes_.choice.chosen[lane];
        begin_sowing(lane, board, candidates[number]);
    }

    void begin_sowing(int lane, B board, Sow move) {
        lift_protection(rules_, board, move.pit, board.mover);
        board.ring[move.pit] =
            static_cast<typename B::seeds_type>(board.ring[move.pit] - move.lift);
        write(lane, board);
        lanes_.sowing.pit[lane] = lanes_.choice.from[lane] =
            static_cast<std::uint8_t>(seen_from_viewer(lane, move.pit));
        lanes_.sowing.hand[lane] = lanes_.choice.lift[lane] = static_cast<std::uint8_t>(move.lift);
        lanes_.sowing.laps[lane] = 0;
        lanes_.sowing.crossed &= ~bit(lane);
        set(lanes_.sowing.clockwise, lane, move.direction == Direction::cw);
        set(lanes_.choice.from_clockwise, lane, move.direction == Direction::cw);
        lanes_.phase.lapping |= bit(lane);
    }

    void take_endless(int lane, B board, bool capped) {
        Sown sown;
        sown.laps.end = capped ? SowingEnd::capped : SowingEnd::endless;
        sown.laps.count = rules_.max_laps;
        count_move(lane, sown);
        lanes_.turn.begins |= bit(lane);
        board.drop_duties();
        if (rules_.endless == Endless::draw) {
            return finish(lane, board, {End::endless, Sweep::nobody});
        }
        board.mover = static_cast<std::uint8_t>(1 - board.mover);
        go_on(lane, board);
    }

    const SimulationPlan& plan_;
    const Rules& rules_;
    GamePlayer<B> player_;
    GameSource& games_;
    const Kernel run_;
    std::vector<LaneGame> lane_games_;
    Memory ring_, log_, prints_;
    std::vector<std::uint64_t> chose_, movers_;
    LapCounts counts_;
    Lanes lanes_{};
};

}  // namespace relaysow::lanes
