// How a game ends: who cannot move, who gets what is left, who has won.
#pragma once

#include <array>
#include <cstdint>

#include "play/board.hpp"
#include "play/moves.hpp"
#include "play/sowing.hpp"
#include "rules/rules.hpp"

namespace relaysow {

enum class End : std::uint8_t { both_stuck, row_empty, swept, repetition, endless, cut, running };
inline constexpr std::array end_names{"both_stuck", "row_empty", "swept",
                                      "repetition", "endless",   "cut"};

// Who adds to their store what is left on the ring at the end.
enum class Sweep : std::uint8_t { nobody, own_rows, opponent };

struct Verdict {
    End end = End::running;
    Sweep sweep = Sweep::nobody;
};

inline constexpr Verdict running{};

// Judges whether the game is over before the mover looks for a move.
template <class B>
Verdict judge_at_sight(const Rules& rules, const B& board) {
    if (board.drawn) return {End::endless, Sweep::nobody};
    if (rules.end == EndRule::row_empty && board.row_seeds(rules, board.mover) == 0) {
        return {End::row_empty, Sweep::opponent};
    }
    return running;
}

// Judges a mover who cannot move.  The end rule decides whether the game ends or the mover passes;
// a pass is made on `board`.
template <class B>
Verdict judge_stuck(const SowingContext<B>& context, B& board) {
    const Rules& rules = context.rules;
    const int mover = board.mover;
    const bool other_can = can_move(context, board, 1 - mover, Duty::none, no_pit);
    switch (rules.end) {
        case EndRule::able_player_sweeps:
            return other_can ? Verdict{End::swept, Sweep::opponent}
                             : Verdict{End::both_stuck, Sweep::own_rows};
        case EndRule::last_mover_sweeps:
            return {End::swept, Sweep::opponent};
        case EndRule::row_empty:
            if (board.row_seeds(rules, 1 - mover) == 0) {
                board.mover = static_cast<std::uint8_t>(1 - mover);
                board.drop_duties();
                board.passed = true;
                return {End::row_empty, Sweep::opponent};
            }
            break;
        case EndRule::both_stuck:
            break;
    }
    // Duties lapse when the turn passes: without them the mover may have a move after all.
    if (!other_can &&
        !(board.has_duties() && can_move(context, board, mover, Duty::none, no_pit))) {
        return {End::both_stuck, Sweep::own_rows};
    }
    if (other_can) board.mover = static_cast<std::uint8_t>(1 - mover);
    board.drop_duties();
    board.passed = true;
    return running;
}

// Judges the player to move.  Makes a forced pass on `board`, and tells whether the game is over.
template <class B>
Verdict settle(const SowingContext<B>& context, B& board) {
    if (board.redistributions < 2 && !board.drawn) return running;
    const Verdict verdict = judge_at_sight(context.rules, board);
    if (verdict.end != End::running ||
        can_move(context, board, board.mover, board.direction, board.barred)) {
        return verdict;
    }
    return judge_stuck(context, board);
}

// Judges a game in which a position has come again.
constexpr Verdict judge_repetition(const Rules& rules) {
    return {End::repetition,
            rules.repetition == Repetition::score ? Sweep::own_rows : Sweep::nobody};
}

// Returns the stores at the end.
template <class B>
std::array<int, 2> final_stores(const Rules& rules, const B& board, Sweep sweep) {
    std::array<int, 2> stores{board.stores[0], board.stores[1]};
    const int south = board.row_seeds(rules, 0);
    const int north = board.row_seeds(rules, 1);
    switch (sweep) {
        case Sweep::nobody:
            break;
        case Sweep::own_rows:
            stores[0] += south;
            stores[1] += north;
            break;
        case Sweep::opponent:
            stores[static_cast<std::size_t>(1 - board.mover)] += south + north;
            break;
    }
    return stores;
}

// Returns who has won a game that ended so, with these final stores: 0, 1, or −1 for a draw.
constexpr int winner_of(const Rules& rules, End end, const std::array<int, 2>& stores) {
    const bool drawn = stores[0] == stores[1] || end == End::endless ||
                       (end == End::repetition && rules.repetition == Repetition::draw);
    return drawn ? -1 : stores[1] > stores[0];
}

}  // namespace relaysow
