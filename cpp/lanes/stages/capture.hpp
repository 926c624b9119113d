// Captures after the sowings that have ended in an empty pit.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/stages/count.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// What is captured: the seeds, and the lanes where the mover also takes the own last seed, or would
// if the rules did not leave it where it fell.
struct Captured {
    V seeds = all(0);
    M takers = none();
};

// Captures what the last pits face.
template <class FixedRules>
INLINE void capture_faced(Lanes& lanes, M tries, Captured& captured) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows;
    uint8_t* const ring = lanes.rings.now;
    alignas(64) uint8_t faced[L];
    store(faced, all(0));
    for (uint64_t left = bits(tries); left; left &= left - 1) {
        const int lane = first_bit(left);
        faced[lane] = ring[(R - 1 - lanes.sowing.pit[lane]) * L + lane];
    }
    const V seeds = load(faced);
    const M takes =
        rules.has_protection ? below(sub(seeds, all(1)), all(seed_bits)) : nonzero(seeds);
    for (uint64_t left = bits(takes); left; left &= left - 1) {
        const int lane = first_bit(left);
        ring[(R - 1 - lanes.sowing.pit[lane]) * L + lane] = 0;
    }
    captured.seeds = where(takes, seeds);
    captured.takers = rules.lone_taken ? tries : takes;
}

// Captures what the last pits face, and what the pits of their chains face: first those of chains
// that run up the row, then those of chains that run down it.
template <class FixedRules>
INLINE void capture_chain(Lanes& lanes, M tries, Captured& captured) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    const Chain chain = rules.chain;
    const bool clockwise_too = rules.either || rules.reversed;
    uint8_t* const ring = lanes.rings.now;
    const M cw = mask(lanes.sowing.clockwise);
    const V pit = load(lanes.sowing.pit);
    M takes[64], open[64], empty[64], starts[64];
    M carried = none();
    const M lone = rules.lone_taken ? mask(every_lane) : none();
    // Returns the lanes whose chain, begun here or carried on to here, takes what this pit faces.
    const auto step = [&](int j, M start) __attribute__((always_inline)) {
        const M alive = (start | carried) & empty[j];
        const M take = alive & open[j];
        carried = chain == Chain::run_over_gaps ? alive : chain == Chain::run ? take : start & take;
        return take;
    };
    for (int j = 0; j < n; ++j) {
        const V mine = load(ring + j * L), faced = load(ring + (R - 1 - j) * L);
        open[j] = rules.has_protection ? below(sub(faced, all(1)), all(seed_bits)) : nonzero(faced);
        empty[j] = ~bits_in(mine, all(rules.has_protection ? seed_bits : 0xFF));
        starts[j] = tries & equal(pit, all(j)) & (open[j] | lone);
        captured.takers = captured.takers | starts[j];
        takes[j] = step(j, starts[j] & ~cw);
    }
    carried = none();
    for (int j = n; j-- > 0;) {
        const M take = clockwise_too ? takes[j] | step(j, starts[j] & cw) : takes[j];
        uint8_t* facing = ring + (R - 1 - j) * L;
        const V faced = load(facing);
        captured.seeds = add_capped(take, captured.seeds, faced);
        store(facing, where(~take, faced));
    }
}

INLINE bool capturable(bool has_protection, int seeds) {
    return has_protection ? seeds > 0 && seeds < protected_bit : seeds > 0;
}

// Captures the bonus.  Returns the lanes that capture more than a byte counts.
template <class FixedRules>
INLINE uint64_t capture_bonus(Lanes& lanes, M tries, Captured& captured) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    uint8_t* const ring = lanes.rings.now;
    const V pit = load(lanes.sowing.pit);
    uint64_t too_many = 0;
    alignas(64) uint8_t taken[L];
    store(taken, captured.seeds);
    // A bonus follows a capture of what is faced alone: that is more than the own seed, if it is
    // taken.
    const V faced_too = all(rules.capturing_stays ? 0xFF : 0xFE);
    const uint64_t leftmost = bits(tries & equal(pit, all(0)) & bits_in(captured.seeds, faced_too));
    for (uint64_t left = leftmost; left; left &= left - 1) {
        const int lane = first_bit(left);
        const int faced = R - 1;
        int run = 0;
        while (run < n - 1 &&
               capturable(rules.has_protection, ring[(faced - 1 - run) * L + lane])) {
            ++run;
        }
        if (rules.bonus == Bonus::three) run = run >= 3 ? 3 : 0;
        if (rules.bonus == Bonus::up_to_three && run > 3) run = 3;
        for (int k = 1; k <= run; ++k) {
            uint8_t& seeds = ring[(faced - k) * L + lane];
            if (seeds > 0xFF - taken[lane]) too_many |= uint64_t{1} << lane;
            taken[lane] = static_cast<uint8_t>(taken[lane] + seeds);
            seeds = 0;
        }
    }
    captured.seeds = load(taken);
    return too_many;
}

// Captures and counts after the sowings that have ended, and gives the turn on.  `restored` gets
// what is to be put back into the pits where they ended.  Returns the lanes whose sowing is left to
// the driver, because it captures more than a byte counts.
template <class FixedRules>
uint64_t end_sowings(Lanes& lanes, V& restored) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    uint64_t ended = lanes.phase.ended, too_many = 0;
    M end = mask(ended);
    const M own = end & below(load(lanes.sowing.pit), all(rules.pits));
    const M tries = rules.always_captures ? own : own & mask(lanes.sowing.crossed);
    uint64_t again = rules.moves_again ? bits(own) & ~lanes.sowing.crossed : 0;
    Captured captured;
    if (bits(tries)) {
        if (rules.chain == Chain::none) {
            capture_faced<FixedRules>(lanes, tries, captured);
        } else {
            capture_chain<FixedRules>(lanes, tries, captured);
        }
    }
    if (rules.overflow_bits) too_many = bits(equal(captured.seeds, all(0xFF)));
    if (!rules.capturing_stays) {
        captured.seeds = add_where(captured.takers, captured.seeds, all(1));
    }
    if (rules.bonus != Bonus::none) too_many |= capture_bonus<FixedRules>(lanes, tries, captured);
    if (too_many) {
        ended &= ~too_many;
        again &= ended;
        end = mask(ended);
        captured.takers = captured.takers & end;
        captured.seeds = where(end, captured.seeds);
    }
    count_sowings<FixedRules>(lanes, ended, end, captured.takers, captured.seeds, again);
    restored = where(end, load(lanes.sowing.hand_as_held));
    if (!rules.capturing_stays) {
        const V protection_alone = restored & all(rules.has_protection ? protected_bit : 0);
        restored = choose(captured.takers, protection_alone, restored);
    }
    return too_many;
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
