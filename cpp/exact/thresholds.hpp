// Exact values: the thresholds of a position on the lead, and what its moves make of them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "play/board.hpp"
#include "play/moves.hpp"
#include "play/redistributions.hpp"
#include "play/sowing.hpp"
#include "play/verdict.hpp"
#include "rules/rules.hpp"

namespace relaysow {

// The least leads (own store less the other's) with which the player to move can force a win, and
// at least a draw.  `never` and `always` stand for +∞ and −∞.
struct Thresholds {
    static constexpr std::int16_t never = 16'384, always = -16'384;

    std::int16_t win = never, draw = never;

    friend bool operator==(const Thresholds&, const Thresholds&) = default;

    // +1, 0 or −1 for the player to move.
    int result(int lead) const { return lead >= win ? 1 : lead >= draw ? 0 : -1; }
};

// A game drawn whatever the lead.
inline constexpr Thresholds drawn_at_any_lead{Thresholds::never, Thresholds::always};

// Under `repetition="draw"` endless play is a draw, under `"stores"` the lead decides.  From there
// the values are iterated: play that ends can only add to what each side can force.
constexpr Thresholds endless_play(const Rules& rules) {
    return rules.repetition == Repetition::stores ? Thresholds{1, 0} : drawn_at_any_lead;
}

// The values of a move that gains `gain` seeds and ends the game.
constexpr Thresholds after_end(int gain) {
    return {static_cast<std::int16_t>(1 - gain), static_cast<std::int16_t>(-gain)};
}

// The values of a move that captures so much and leads to a position of the given values, of the
// same player to move or of the other.
constexpr Thresholds after_move(Thresholds next, bool same_mover, int captured) {
    constexpr auto less = [](int threshold, int seeds) {
        const bool infinite = threshold >= Thresholds::never || threshold <= Thresholds::always;
        return static_cast<std::int16_t>(infinite ? threshold : threshold - seeds);
    };
    if (same_mover) return {less(next.win, captured), less(next.draw, captured)};
    return {less(-next.draw, captured - 1), less(-next.win, captured - 1)};
}

constexpr void take_better(Thresholds& best, Thresholds move) {
    best.win = std::min(best.win, move.win);
    best.draw = std::min(best.draw, move.draw);
}

// Why these rules give positions no values of their own, as the option and its value, or nullptr.
constexpr const char* refused_option(const Rules& rules) {
    if (rules.repetition == Repetition::score) return "repetition='score'";
    if (rules.repetition == Repetition::off) return "repetition='off'";
    return nullptr;
}

// Calls `f(after, captured, verdict)` for the position after every legal move in order, passes
// taken.
template <class B, class F>
void each_successor(const SowingContext<B>& context, const B& board, F&& f) {
    const Rules& rules = context.rules;
    B after;
    if (board.redistributions < 2) {
        const Redistributions<B> moves(rules, board);
        for (Natural number; number < moves.count(); number += Natural(1)) {
            after = board;
            redistribute(rules, after, moves[number]);
            const Verdict verdict = settle(context, after);
            f(after, 0, verdict);
        }
        return;
    }
    Candidates<B>(rules, board).any([&](Sow move) {
        NoTrace trace;
        Sown sown;
        sow(context, board, after, move, trace, sown);
        if (sown.legal) {
            const Verdict verdict = settle(context, after);
            f(after, sown.captured, verdict);
        }
        return false;
    });
}

// The values of a move after which the game is over.
template <class B>
Thresholds values_at_end(const Rules& rules, const B& before, const B& after, Verdict verdict) {
    if (verdict.end == End::endless) return drawn_at_any_lead;
    const auto stores = final_stores(rules, after, verdict.sweep);
    const int south = stores[0] - before.stores[0], north = stores[1] - before.stores[1];
    return after_end(before.mover == 0 ? south - north : north - south);
}

}  // namespace relaysow
