// Draws again where the first lap of what was drawn is illegal: it ends in an occupied own pit.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/stages/draw.hpp"
#include "lanes/stages/lap.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Returns what is in these pits of the own row, and nothing for other pits.
template <class FixedRules>
INLINE V held_in(const Lanes& lanes, V pit) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    V held = all(0);
    for (int j = 0; j < rules.pits; ++j) {
        held = choose(equal(pit, all(j)), load(lanes.rings.now + j * L), held);
    }
    return rules.has_protection ? held & all(seed_bits) : held;
}

// Returns the lanes whose move may end its first lap where it does.
template <class FixedRules>
INLINE M first_laps_legal(const Lanes& lanes, M decide, V pit, V hand, M cw) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    M in_one_round = decide;
    V seeds = where(decide, hand);
    take_out_rounds(mask(every_lane), all(rules.pits_a_round), seeds,
                    [&](M more) { in_one_round = in_one_round & ~more; });
    const V last = LapEnd(cw, pit, seeds, all(rules.ring_rows)).pit;
    const V held = held_in<FixedRules>(lanes, last);
    const M empty = ~nonzero(held) | (equal(last, pit) & equal(held, hand));
    return at_most(all(rules.pits), last) | (in_one_round & empty);
}

// Lanes whose choice is the driver's after all.
struct Undecided {
    uint64_t none_legal = 0;  // The first lap of no candidate is legal.
    uint64_t overdrawn = 0;   // Those of the `most_struck` candidates drawn are illegal.
};

// Draws again where the first lap is illegal, among the candidates that are not struck out.
template <class FixedRules>
Undecided draw_legal(Lanes& lanes, M decide, const CandidateSums& among, V& number, V& pit, V& hand,
                     M& cw) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const V candidates = load(lanes.choice.candidates), never = all(0xFF);
    V struck[most_struck + 1];  // rising
    int strikes = 0;
    struck[0] = never;
    Undecided undecided;
    if (!rules.any_lift) hand = held_in<FixedRules>(lanes, pit);
    M illegal = decide & ~first_laps_legal<FixedRules>(lanes, decide, pit, hand, cw);
    while (bits(illegal)) {
        V now = choose(illegal, number, never);
        for (int k = 0; k < strikes; ++k) {
            const V fewer = smaller(struck[k], now);
            now = larger(struck[k], now);
            struck[k] = fewer;
        }
        struck[strikes] = now;
        struck[++strikes] = never;
        const M none_left = illegal & equal(candidates, all(strikes));
        undecided.none_legal |= bits(none_left);
        illegal = illegal & ~none_left;
        if (!bits(illegal) || strikes == most_struck) break;
        alignas(64) uint8_t drawing[L];
        store(drawing, where(illegal, never));
        store(lanes.choice.candidates, sub(candidates, all(strikes)));
        draw(lanes, drawing);
        V next = load(lanes.choice.drawn), next_pit, next_hand = hand;
        for (int k = 0; k < strikes; ++k) next = add_where(at_most(struck[k], next), next, all(1));
        M next_cw;
        among.find(rules, next, next_pit, next_hand, next_cw);
        if (!rules.any_lift) next_hand = held_in<FixedRules>(lanes, next_pit);
        number = choose(illegal, next, number);
        pit = choose(illegal, next_pit, pit);
        hand = choose(illegal, next_hand, hand);
        cw = (illegal & next_cw) | (cw & ~illegal);
        illegal = illegal & ~first_laps_legal<FixedRules>(lanes, illegal, pit, hand, cw);
    }
    store(lanes.choice.candidates, candidates);
    for (int k = 0; k <= strikes; ++k) {
        uint8_t* const kept = lanes.choice.struck_first[k];
        store(kept, choose(decide, struck[k], load(kept)));
    }
    undecided.overdrawn = bits(illegal);
    return undecided;
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
