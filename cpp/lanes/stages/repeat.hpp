// The rule of repetition: whether a position has occurred before, and how far back that is sought.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

INLINE size_t slot_of(const Lanes& lanes, uint64_t row) {
    return static_cast<size_t>(row & lanes.log.mask);
}
INLINE uint8_t* prints_of(const Lanes& lanes, uint64_t row) {
    return lanes.log.prints + slot_of(lanes, row) * 2 * L;
}
// The newest row of positions of the log, where rings are rows of bytes.
INLINE uint8_t* newest_positions(const Lanes& lanes, const LaneRules& rules) {
    return lanes.log.positions +
           slot_of(lanes, lanes.log.now) * static_cast<size_t>(rules.rows) * L;
}

// The fingerprint of each lane's position: sums of sums of its bytes, so that their order counts.
struct Fingerprint {
    V sum, first = all(0), second = all(0);

    INLINE explicit Fingerprint(const Lanes& lanes)
        : sum(where(mask(lanes.turn.mover), all(0x35))) {}
    INLINE void take(V row) {
        sum = add(sum, row);
        first = add(first, sum);
        second = add(second, first);
    }
};

// Returns whether the position of `lane` in the newest row of the log stands in an older row as
// well, from below `row` down to the lane's last capture.
template <class FixedRules>
RARE bool came_before(const Lanes& lanes, int lane, uint64_t row) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const Log& log = lanes.log;
    const size_t row_bytes =
        static_cast<size_t>(FixedRules::by_lane ? +lane_bytes : rules.rows) * L;
    const size_t step = FixedRules::by_lane ? 1 : L;
    const size_t bytes = static_cast<size_t>(rules.rows) * step;
    const size_t first = static_cast<size_t>(lane) * (FixedRules::by_lane ? lane_bytes : 1);
    const uint8_t* print = prints_of(lanes, log.now) + lane;
    const uint8_t* position = log.positions + slot_of(lanes, log.now) * row_bytes + first;
    while (row-- > log.segment[lane]) {
        const size_t slot = slot_of(lanes, row);
        const uint8_t* other = log.prints + slot * 2 * L + lane;
        if (other[0] != print[0] || other[L] != print[L]) continue;
        const uint64_t other_mover = log.movers[slot] ^ lanes.turn.mover;
        if (!(log.chose[slot] >> lane & 1) || (other_mover >> lane & 1)) continue;
        other = log.positions + slot * row_bytes + first;
        size_t at = 0;
        while (at < bytes && position[at] == other[at]) at += step;
        if (at >= bytes) return true;
    }
    return false;
}

// Tells anew how far back repetition is sought in all lanes at once until the next look: as far as
// the histories of all lanes but a few reach.  A longer history is the driver's from now on.
void look_back(Lanes& lanes) {
    constexpr int few = 1, longest = 96;
    Log& log = lanes.log;
    const uint64_t until = log.now + 2 * turns_between_looks - 1;
    alignas(64) uint8_t since[L];  // the last capture, in looks
    for (int lane = 0; lane < L; ++lane) {
        const uint64_t looks = (until - log.segment[lane]) / turns_between_looks;
        since[lane] = static_cast<uint8_t>(looks < 255 ? looks : 255);
    }
    constexpr int most = longest / turns_between_looks;
    const uint64_t busy = lanes.phase.lapping | lanes.phase.choosing;
    const V looks = where(mask(busy & ~log.history_is_drivers), load(since));
    const uint64_t long_ones = bits(below(all(most), looks));
    if (long_ones | log.history_is_drivers) {
        lanes.driver.look_back(lanes.driver.context, long_ones);
    }
    int back = 0;
    do {
        ++back;
        log.beyond_window = ~log.history_is_drivers & bits(below(all(back), looks));
    } while (count_bits(log.beyond_window) > few && back < most);
    log.window = static_cast<uint64_t>(back) * turns_between_looks;
}

// Returns those of the `able` lanes whose position has occurred before; `first` and `second` are
// its fingerprint, which is recorded.
//
// The fingerprints of the rows of the window are compared in all lanes at once, and the positions
// only where some fingerprint is the same.  A lane whose history reaches beyond the window compares
// the rows before it as well; a history that the driver keeps is compared there.
template <class FixedRules>
uint64_t find_repeated(Lanes& lanes, uint64_t able, V first, V second) {
    const Log& log = lanes.log;
    V unlike = all(0xFF);  // the least difference from a row
    const auto compare = [&](uint64_t row, uint64_t end) __attribute__((always_inline)) {
        const uint8_t* print = prints_of(lanes, row);
#pragma GCC unroll 4
        for (; row != end; ++row, print += 2 * L) {
            unlike = smaller(unlike, (first ^ load(print)) | (second ^ load(print + L)));
        }
    };
    const uint64_t begin = log.now - log.window, wraps = log.now & ~log.mask;
    if (begin < wraps) compare(begin, wraps);
    compare(begin < wraps ? wraps : begin, log.now);
    store(prints_of(lanes, log.now), first);
    store(prints_of(lanes, log.now) + L, second);
    uint64_t repeated = 0;
    const uint64_t kept_here = able & ~log.history_is_drivers;
    for (uint64_t left = kept_here & bits(~nonzero(unlike)); left; left &= left - 1) {
        const int lane = first_bit(left);
        if (came_before<FixedRules>(lanes, lane, log.now)) repeated |= uint64_t{1} << lane;
    }
    for (uint64_t left = kept_here & log.beyond_window; left; left &= left - 1) {
        const int lane = first_bit(left);
        if (came_before<FixedRules>(lanes, lane, log.now - log.window)) {
            repeated |= uint64_t{1} << lane;
        }
    }
    const uint64_t drivers = able & log.history_is_drivers;
    return drivers ? repeated | lanes.driver.repeated(lanes.driver.context, drivers) : repeated;
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
