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
#include "lanes/lanes.hpp"
#include "lanes/long_history.hpp"
#include "play/player.hpp"
#include "play/simulation_plan.hpp"
#include "play/verdict.hpp"

namespace relaysow::playout {

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
    Lockstep(const SimulationPlan& plan, const Poll& poll, GameSource& games, const Level& level)
        : plan_(plan),
          rules_(plan.rules),
          player_(plan, poll),
          games_(games),
          run_(level.run),
          lanes_(static_cast<std::size_t>(level.lanes)),
          ring_((most_rows + 1) * most_lanes),  // pits are read and written past the last ring
          log_(fewest_log_rows * lane_bytes_of(plan.rules) * lanes_.size(), false),
          prints_(fewest_log_rows * 2 * lanes_.size()),
          chose_(fewest_log_rows),
          movers_(fewest_log_rows) {
        set_up(level);
    }

    void play() {
        for (int lane = 0; lane < x.lanes; ++lane) begin_game(lane);
        run_(x);
    }

    const LapCounts& counts() const { return counts_; }

private:
    struct Lane {
        std::size_t game = 0;
        GameRow row;
        std::int64_t laps_apart = 0;
        B board;              // before the move, where the log may not hold it any longer
        LongHistory history;  // of a deep lane
    };
    // A position takes its pits and duties, or a ring in one piece.
    static std::size_t lane_bytes_of(const Rules& rules) {
        return std::max<std::size_t>(static_cast<std::size_t>(rules.ring()) + 2, lane_bytes);
    }
    // The log has as many rows as the longest history takes, unless that is too many.
    static constexpr std::size_t fewest_log_rows = 128, most_log_bytes = std::size_t{1} << 24;
    static constexpr std::size_t most_kept_bytes = std::size_t{1} << 20;  // of one lane
    void set_up(const Level& level) {
        const int seeds =
            player_.start().row_seeds(rules_, 0) + player_.start().row_seeds(rules_, 1);
        set_rules(x, rules_, static_cast<int>(lanes_.size()));
        const bool wide = !counts_fit(rules_, seeds);
        x.guard = static_cast<std::uint8_t>(!wide ? 0 : x.marks ? 0x40 : 0x80);
        x.most_candidates = most_candidates(rules_, seeds);
        // At most twice as many laps add to a pit before they are the driver's.
        x.steps_to_long = wide && x.marks ? 30 : 60;
        // Turns cost more where first laps may be illegal: many are drawn again.
        x.by_lane = level.by_lane(x);
        x.patience = x.by_lane ? 48 : x.checks_first_lap ? 54 : 42;
        x.driver.context = this;
        x.driver.attend = [](void* self, int lane, Call call) {
            static_cast<Lockstep*>(self)->attend(lane, call);
        };
        x.driver.repeated = [](void* self, std::uint64_t lanes) {
            return static_cast<Lockstep*>(self)->repeated(lanes);
        };
        x.driver.flush = [](void* self) {
            auto& lockstep = *static_cast<Lockstep*>(self);
            for (int lane = 0; lane < lockstep.x.lanes; ++lane) lockstep.flush(lane);
        };
        x.driver.look_back = [](void* self, std::uint64_t lanes) {
            static_cast<Lockstep*>(self)->look_back(lanes);
        };
        x.driver.poll = [](void* self) { static_cast<Lockstep*>(self)->games_.poll(); };
        x.ring = ring_.begin();
        show_log();
        x.now = most_log_bytes;  // there are older rows, of the longest log too
        x.turns_between_flushes = x.turns_to_flush = 120;
    }

    // Keeps the histories that begin to be long, and makes room for them in the log in time.
    void look_back(std::uint64_t lanes) {
        std::uint64_t longest = 0;
        for (std::uint64_t left = lanes | x.deep; left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            if ((x.deep & bit(lane)) == 0) deepen(lane);
            longest = std::max(longest, x.now - x.segment[lane]);
        }
        const std::size_t rows = chose_.size();
        if (4 * longest <= 3 * rows) return;
        if (2 * rows * ring_bytes(x) <= most_log_bytes) return lengthen_log();
        for (std::uint64_t left = x.deep; left != 0; left &= left - 1) {
            keep_oldest(std::countr_zero(left));
        }
    }

    // Keeps what the log will not hold until the next look.
    void keep_oldest(int lane) {
        LongHistory& history = at(lane).history;
        const std::size_t bytes = x.rows + 1u;
        const std::uint64_t held = x.now - x.log_mask + turns_between_looks;
        for (std::size_t k = history.kept().size() / bytes;
             k < history.size() && history.row(k, x.now) < held; ++k) {
            const LoggedPosition oldest(x, history.row(k, x.now), lane);
            for (std::size_t at = 0; at < bytes; ++at) history.keep(oldest[at]);
        }
    }

    void lengthen_log() {
        const std::size_t rows = chose_.size(), row_bytes = ring_bytes(x);
        const std::size_t print_bytes = 2 * lanes_.size();
        Memory log(2 * rows * row_bytes, false), prints(2 * rows * print_bytes);
        std::vector<std::uint64_t> chose(2 * rows), movers(2 * rows);
        for (std::uint64_t row = x.now - rows + 1; row <= x.now; ++row) {
            const std::size_t from = row & (rows - 1), to = row & (2 * rows - 1);
            std::memcpy(log.begin() + to * row_bytes, x.log + from * row_bytes, row_bytes);
            std::memcpy(prints.begin() + to * print_bytes, x.prints + from * print_bytes,
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
        x.log = log_.begin();
        x.prints = prints_.begin();
        x.chose = chose_.data();
        x.movers = movers_.data();
        x.log_mask = chose_.size() - 1;
    }

    Lane& at(int lane) { return lanes_[static_cast<std::size_t>(lane)]; }

    // ------------------------------------------------------------------- positions of a lane

    // A pit counted on from the lane's viewer, in the ring; and back.
    int turned(int lane, int pit) const {
        return playout::turned(x, pit, (x.viewer & bit(lane)) != 0);
    }

    B position(int lane) const {
        B board = read_lane<B>(x, x.ring, lane, (x.viewer & bit(lane)) != 0);
        board.mover = (x.mover & bit(lane)) != 0;
        return board;
    }

    B before_move(int lane) {
        if ((x.refused & bit(lane)) != 0) return at(lane).board;
        std::uint64_t row = x.now;
        do {
            --row;
        } while (!chose(x, row, lane));
        return logged<B>(x, row, lane);
    }

    bool fits(const B& board) const {
        return std::all_of(board.ring, board.ring + x.ring_rows,
                           [&](int seeds) { return seeds <= bits_of_a_pit(x.marks); });
    }

    void write(int lane, const B& board) { write_lane(x, lane, board); }

    // ------------------------------------------------------------------------ a lane's games

    // Adds the small counts, which are then zero.
    void flush(int lane) {
        GameRow& row = at(lane).row;
        row.moves += x.moves[lane];
        row.turns += x.turns[lane];
        row.captures += x.captures[lane];
        row.laps += x.lap_sum[lane];
        row.longest = std::max(row.longest, std::int64_t{x.longest[lane]});
        x.moves[lane] = x.turns[lane] = x.longest[lane] = x.captures[lane] = 0;
        x.lap_sum[lane] = 0;
        x.limit[lane] =
            static_cast<std::uint8_t>(std::min<std::int64_t>(255, plan_.max_moves - row.moves));
    }

    void begin_game(int lane) {
        Lane& game = at(lane);
        forget_history(lane);
        while (games_.next(game.game)) {
            game.row = {};
            game.laps_apart = 0;
            Chance chance(plan_.seed, plan_.first_game + game.game);
            B board = player_.start();
            if (!player_.redistribute_all(board, chance, game.row)) {
                player_.cut(game.row, board);
            } else if (fits(board)) {
                keep_chance(x, lane, chance);
                x.first_number[lane] = 0;
                x.fresh |= bit(lane);
                x.new_turn |= bit(lane);
                flush(lane);
                write(lane, board);
                choose_next(lane);
                return;
            } else {
                play_apart(lane);
            }
            count(lane);
        }
    }

    void count(int lane) {
        const Lane& game = at(lane);
        counts_.laps += static_cast<std::uint64_t>(game.row.laps);
        counts_.apart += static_cast<std::uint64_t>(game.laps_apart);
        games_.write(game.game, game.row);
    }

    void end_game(int lane) {
        count(lane);
        retire(lane);
        begin_game(lane);
    }

    void play_apart(int lane) {
        Lane& game = at(lane);
        flush(lane);
        game.row = player_.play(plan_.first_game + game.game);
        game.laps_apart = game.row.laps;
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
            row.first_move = player_.legal_number(static_cast<int>(x.first_number[lane]));
        }
    }

    std::uint16_t print(std::uint64_t row, int lane) const {
        const std::uint8_t* at = x.prints + (row & x.log_mask) * 2 * lanes_.size() + lane;
        return static_cast<std::uint16_t>(at[0] | at[x.lanes] << 8);
    }

    void deepen(int lane) {
        LongHistory& history = at(lane).history;
        history.clear();
        for (std::uint64_t row = x.segment[lane]; row < x.now; ++row) {
            if (chose(x, row, lane)) history.add(print(row, lane), row);
        }
        x.deep |= bit(lane);
    }

    std::uint64_t repeated(std::uint64_t lanes) {
        std::uint64_t found = 0;
        for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            LongHistory& history = at(lane).history;
            const std::uint16_t now = print(x.now, lane);
            const LoggedPosition newest(x, x.now, lane);
            const auto same = [&](std::size_t k) {
                const std::size_t at = k * newest.size();
                if (at < history.kept().size()) return newest.is(history.kept().data() + at);
                const std::uint64_t row = history.row(k, x.now);
                return newest.is(LoggedPosition(x, row, lane));
            };
            if (is_too_long(lane) || history.holds(now, same)) {
                found |= bit(lane);
            } else {
                history.add(now, x.now);
            }
        }
        return found;
    }

    // Too long a history is left to the player, who plays the game again.
    bool is_too_long(int lane) {
        if ((x.deep & bit(lane)) == 0) return false;
        const LongHistory& history = at(lane).history;
        return history.size() == LongHistory::most || history.kept().size() > most_kept_bytes;
    }

    void forget_history(int lane) {
        x.old &= ~bit(lane);
        x.deep &= ~bit(lane);
        x.segment[lane] = x.now;
    }

    // The lane is in no stage.
    void retire(int lane) {
        for (std::uint64_t* lanes :
             {&x.lapping, &x.ended, &x.choosing, &x.passed, &x.refused, &x.fresh}) {
            *lanes &= ~bit(lane);
        }
    }

    // The mover in the lane's ring is to choose.
    void choose_next(int lane) {
        const std::uint64_t fresh = x.fresh & bit(lane);
        retire(lane);
        x.fresh |= fresh;
        x.choosing |= bit(lane);
    }

    void go_on(int lane, const B& board) {
        if (!fits(board)) return replay(lane);
        write(lane, board);
        choose_next(lane);
    }

    // ------------------------------------------------------------- what the kernel leaves here

    void attend(int lane, Call call) {
        x.lapping &= ~bit(lane);
        switch (call) {
            case Call::stuck:
                return cannot_move(lane, position(lane));
            case Call::repeated:
                return came_again(lane);
            case Call::limit:
                return reach_limit(lane, position(lane));
            case Call::none_legal:
                take_back_draws(lane, x.count[lane]);
                return none_is_legal(lane, position(lane));
            case Call::overdrawn:
                take_back_draws(lane, most_struck);
                return decide(lane, position(lane));
            case Call::undecided:
                return decide(lane, position(lane));
            case Call::forbidden:
            case Call::endless:
            case Call::capped:
                return refuse(lane, before_move(lane), call);
            case Call::astray:
                return sow_apart(lane, before_move(lane));
        }
    }

    // The position did, or its history is too long to tell.
    void came_again(int lane) {
        if (is_too_long(lane)) return replay(lane);
        finish(lane, position(lane), judge_repetition(rules_));
    }

    void replay(int lane) {
        play_apart(lane);
        end_game(lane);
    }

    // There were candidates, but none is legal: the position is none in which a move is to be
    // chosen.
    void none_is_legal(int lane, const B& board) {
        if ((x.deep & bit(lane)) != 0) at(lane).history.take_back();
        for (std::uint64_t row = x.now; row > 0 && x.now - row <= x.log_mask;) {
            if (chose(x, --row, lane)) {
                x.chose[row & x.log_mask] &= ~bit(lane);
                break;
            }
        }
        cannot_move(lane, board);
    }

    // A player who cannot move draws no words.
    void take_back_draws(int lane, int words) {
        Chance drawn = lane_chance(x, lane);
        while (words-- > 0) drawn.undo_word();
        keep_chance(x, lane, drawn);
    }

    void cannot_move(int lane, B board) {
        Verdict verdict = judge_at_sight(rules_, board);
        if (verdict.end == End::running) verdict = judge_stuck(player_.context(), board);
        if (verdict.end != End::running) return finish(lane, board, verdict);
        x.new_turn |= bit(lane);
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
        Chance drawn = lane_chance(x, lane);
        const int number = player_.choose_at_random(board, drawn);
        if (number == no_move) return none_is_legal(lane, board);
        keep_chance(x, lane, drawn);
        take(lane, number);
    }

    void sow_apart(int lane, const B& board) {
        const int number = x.chosen[lane];
        const Candidates<B> candidates(rules_, board);
        if (player_.try_move(board, candidates[number])) return take(lane, number);
        refuse(lane, board, Call::endless);
    }

    // The move that the player tried last is made.
    void take(int lane, int number) {
        Lane& game = at(lane);
        if ((x.fresh & bit(lane)) != 0) x.first_number[lane] = static_cast<std::uint64_t>(number);
        x.fresh &= ~bit(lane);
        const Sown& sown = player_.sown();
        flush(lane);
        ++game.row.moves;
        game.row.turns += (x.new_turn & bit(lane)) != 0;
        flush(lane);  // sets the limit anew
        if (sown.laps.end != SowingEnd::endless) {
            const auto laps = static_cast<std::int64_t>(sown.laps.count);
            game.row.laps += laps;
            game.laps_apart += laps;
            game.row.longest = std::max(game.row.longest, laps);
        }
        if (sown.captured > 0) {
            ++game.row.captures;
            forget_history(lane);
        }
        set(x.new_turn, lane, !sown.moves_again);
        const B board = player_.next();
        if (board.drawn) return finish(lane, board, {End::endless, Sweep::nobody});
        go_on(lane, board);
    }

    // The chosen move is illegal, or what `endless` says of it if it never ends.
    void refuse(int lane, const B& board, Call call) {
        Lane& game = at(lane);
        const Candidates<B> candidates(rules_, board);
        const bool never_ends = call == Call::endless || call == Call::capped;
        if (never_ends && rules_.endless != Endless::illegal) {
            return take_endless(lane, board, call == Call::capped);
        }
        Chance drawn = lane_chance(x, lane);
        std::uint64_t(&struck)[4] = x.struck[lane];
        const auto strike = [&](int number) {
            struck[number / 64] |= std::uint64_t{1} << number % 64;
        };
        if ((x.redrawn & bit(lane)) == 0) {
            std::fill_n(struck, 4, 0);
            for (int k = 0; x.checks_first_lap && x.struck_first[k][lane] != 0xFF; ++k) {
                strike(x.struck_first[k][lane]);
            }
        }
        x.redrawn |= bit(lane);
        if ((x.refused & bit(lane)) == 0) {
            game.board = board;
        }
        x.refused |= bit(lane);
        strike(x.chosen[lane]);
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
        keep_chance(x, lane, drawn);
        x.chosen[lane] = static_cast<std::uint8_t>(number);
        if (game.row.moves + x.moves[lane] == 0) x.first_number[lane] = x.chosen[lane];
        begin_sowing(lane, board, candidates[number]);
    }

    void begin_sowing(int lane, B board, Sow move) {
        lift_protection(rules_, board, move.pit, board.mover);
        board.ring[move.pit] =
            static_cast<typename B::seeds_type>(board.ring[move.pit] - move.lift);
        write(lane, board);
        x.pit[lane] = x.from[lane] = static_cast<std::uint8_t>(turned(lane, move.pit));
        x.hand[lane] = x.lift[lane] = static_cast<std::uint8_t>(move.lift);
        x.laps[lane] = 0;
        x.crossed &= ~bit(lane);
        set(x.clockwise, lane, move.direction == Direction::cw);
        set(x.from_clockwise, lane, move.direction == Direction::cw);
        x.lapping |= bit(lane);
    }

    void take_endless(int lane, B board, bool capped) {
        Lane& game = at(lane);
        flush(lane);
        ++game.row.moves;
        game.row.turns += (x.new_turn & bit(lane)) != 0;
        flush(lane);
        if (capped) {
            const auto laps = static_cast<std::int64_t>(rules_.max_laps);
            game.row.laps += laps;
            game.row.longest = std::max(game.row.longest, laps);
        }
        x.new_turn |= bit(lane);
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
    std::vector<Lane> lanes_;
    Memory ring_, log_, prints_;
    std::vector<std::uint64_t> chose_, movers_;
    LapCounts counts_;
    Lanes x{};
};

}  // namespace relaysow::playout
