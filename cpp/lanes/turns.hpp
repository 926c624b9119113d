// What the lanes do in a turn however their rings lie in memory.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

void serve(Lanes& lanes, uint64_t which, Request request) {
    for (; which; which &= which - 1)
        lanes.driver.serve(lanes.driver.context, first_bit(which), request);
}

// Serves the choosing lanes that are held back from deciding, each for one reason.
void serve_held_back(Lanes& lanes, uint64_t stuck, uint64_t repeated, uint64_t undecided,
                     uint64_t limited) {
    serve(lanes, stuck, Request::stuck);
    serve(lanes, repeated, Request::repeated);
    serve(lanes, undecided & ~(repeated | limited), Request::undecided);
    serve(lanes, limited & ~repeated, Request::limit);
}

// How many of the lanes that play must wait before they are served.
INLINE int enough_waiting(const Lanes& lanes) {
    const int playing = count_bits(lanes.phase.lapping | lanes.phase.ended | lanes.phase.choosing);
    const int enough = (playing * lanes.pace.patience + 63) / 64;
    return enough < 1 ? 1 : enough;
}

// A sowing that goes on for long is left to the driver.
void leave_long_sowings(Lanes& lanes) {
    for (uint64_t left = lanes.phase.lapping; left; left &= left - 1) {
        const int lane = first_bit(left);
        if (lanes.sowing.laps[lane] >= lanes.pace.steps_to_long)
            lanes.driver.serve(lanes.driver.context, lane, Request::left_to_scalar);
    }
}

// Counts the sowings that `ended` and hands over, but to those who move `again`.
template <class FixedRules>
void count_sowings(Lanes& lanes, uint64_t ended, M end, M own_taken, V captured, uint64_t again) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const uint64_t taking = bits(own_taken);
    if (taking) {
        alignas(64) uint8_t taken[2][L];
        const M north = mask(lanes.turn.mover);
        store(taken[0], where(~north, captured));
        store(taken[1], where(north, captured));
        for (int player = 0; player < 2; ++player) {
            for (int lane = 0; lane < L; ++lane) {
                lanes.counts.stores[player][lane] =
                    static_cast<uint16_t>(lanes.counts.stores[player][lane] + taken[player][lane]);
            }
        }
        store(lanes.counts.captures, add_where(own_taken, load(lanes.counts.captures), all(1)));
        for (uint64_t left = taking; left; left &= left - 1) {
            const int lane = first_bit(left);
            lanes.log.segment[lane] = lanes.log.now;
        }
        lanes.step.captured |= taking;
        lanes.log.history_is_drivers &= ~taking;
        lanes.log.beyond_window &= ~taking;
    }
    store(lanes.counts.moves, add_where(end, load(lanes.counts.moves), all(1)));
    store(lanes.counts.turns,
          add_where(mask(ended & lanes.turn.begins), load(lanes.counts.turns), all(1)));
    const V laps = where(end, load(lanes.sowing.laps));
    store(lanes.counts.longest, larger(load(lanes.counts.longest), laps));
    alignas(64) uint8_t sown[L];
    store(sown, laps);
    for (int lane = 0; lane < L; ++lane) {
        lanes.counts.lap_sum[lane] = static_cast<uint16_t>(lanes.counts.lap_sum[lane] + sown[lane]);
    }
    if (rules.direction_duty || rules.pit_duty) {
        const M more = mask(again);
        if (rules.direction_duty) {
            uint8_t* duty = lanes.rings.now + rules.ring_rows * L;
            const V opposite = choose(mask(lanes.choice.from_clockwise), all(1), all(2));
            store(duty, choose(end, where(more, opposite), load(duty)));
        }
        if (rules.pit_duty) {
            uint8_t* barred = lanes.rings.now + (rules.ring_rows + 1) * L;
            const V origin = add(load(lanes.choice.from), all(1));
            store(barred, choose(end, where(more, origin), load(barred)));
        }
    }
    lanes.turn.begins = (lanes.turn.begins & ~ended) | (ended & ~again);
    lanes.turn.mover ^= ended & ~again;
    lanes.turn.passed &= ~ended;
    lanes.choice.refused &= ~ended;
    lanes.phase.choosing |= ended;
    lanes.phase.ended = 0;
}

// Whether the position of `lane` in the log's newest row stands in an older row as well, from `row`
// down to the lane's last capture.
template <class FixedRules>
RARE bool came_before(const Lanes& lanes, int lane, uint64_t row) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const auto slot = [&](uint64_t number) { return static_cast<size_t>(number & lanes.log.mask); };
    const size_t row_bytes =
        static_cast<size_t>(FixedRules::by_lane ? +lane_bytes : rules.rows) * L;
    const size_t step = FixedRules::by_lane ? 1 : L;
    const size_t bytes = static_cast<size_t>(rules.rows) * step;
    const size_t first = static_cast<size_t>(lane) * (FixedRules::by_lane ? lane_bytes : 1);
    const uint8_t* print = lanes.log.prints + slot(lanes.log.now) * 2 * L + lane;
    const uint8_t* position = lanes.log.positions + slot(lanes.log.now) * row_bytes + first;
    while (row-- > lanes.log.segment[lane]) {
        const size_t s = slot(row);
        const uint8_t* other = lanes.log.prints + s * 2 * L + lane;
        if (other[0] != print[0] || other[L] != print[L]) continue;
        if (!(lanes.log.chose[s] >> lane & 1) ||
            ((lanes.log.movers[s] ^ lanes.turn.mover) >> lane & 1))
            continue;
        other = lanes.log.positions + s * row_bytes + first;
        size_t at = 0;
        while (at < bytes && position[at] == other[at]) at += step;
        if (at >= bytes) return true;
    }
    return false;
}

// Until the next look, back as far as all lanes' histories but a few reach, repetition is sought in
// all lanes at once; a longer history is the driver's from now on.
void look_back(Lanes& lanes) {
    constexpr int few = 1, longest = 96;
    const uint64_t until = lanes.log.now + 2 * turns_between_looks - 1;
    alignas(64) uint8_t since[L];  // its last capture, in looks
    for (int lane = 0; lane < L; ++lane) {
        const uint64_t looks = (until - lanes.log.segment[lane]) / turns_between_looks;
        since[lane] = static_cast<uint8_t>(looks < 255 ? looks : 255);
    }
    constexpr int most = longest / turns_between_looks;
    const uint64_t busy = lanes.phase.lapping | lanes.phase.choosing;
    const V looks = where(mask(busy & ~lanes.log.history_is_drivers), load(since));
    const uint64_t long_ones = bits(below(all(most), looks));
    if (long_ones | lanes.log.history_is_drivers)
        lanes.driver.look_back(lanes.driver.context, long_ones);
    int back = 0;
    do {
        ++back;
        lanes.log.beyond_window = ~lanes.log.history_is_drivers & bits(below(all(back), looks));
    } while (count_bits(lanes.log.beyond_window) > few && back < most);
    lanes.log.window = static_cast<uint64_t>(back) * turns_between_looks;
}

// Of the `able` lanes those whose position came before; `h2` and `h3` are its fingerprint.
template <class FixedRules>
uint64_t find_repeated(Lanes& lanes, uint64_t able, V h2, V h3) {
    const auto prints = [&](uint64_t row) {
        return lanes.log.prints + static_cast<size_t>(row & lanes.log.mask) * 2 * L;
    };
    V unlike = all(0xFF);  // least difference from a row
    const auto compare = [&](uint64_t row, uint64_t end) __attribute__((always_inline)) {
        const uint8_t* print = prints(row);
#pragma GCC unroll 4
        for (; row != end; ++row, print += 2 * L) {
            unlike = smaller(unlike, (h2 ^ load(print)) | (h3 ^ load(print + L)));
        }
    };
    const uint64_t begin = lanes.log.now - lanes.log.window,
                   wraps = lanes.log.now & ~lanes.log.mask;
    if (begin < wraps) compare(begin, wraps);
    compare(begin < wraps ? wraps : begin, lanes.log.now);
    store(prints(lanes.log.now), h2);
    store(prints(lanes.log.now) + L, h3);
    uint64_t repeated = 0;
    const uint64_t met = bits(~nonzero(unlike));
    for (uint64_t left = able & ~lanes.log.history_is_drivers & met; left; left &= left - 1) {
        const int lane = first_bit(left);
        if (came_before<FixedRules>(lanes, lane, lanes.log.now)) repeated |= uint64_t{1} << lane;
    }
    for (uint64_t left = able & ~lanes.log.history_is_drivers & lanes.log.beyond_window; left;
         left &= left - 1) {
        const int lane = first_bit(left);
        if (came_before<FixedRules>(lanes, lane, lanes.log.now - lanes.log.window))
            repeated |= uint64_t{1} << lane;
    }
    const uint64_t drivers = able & lanes.log.history_is_drivers;
    return drivers ? repeated | lanes.driver.repeated(lanes.driver.context, drivers) : repeated;
}

// One word of chance for each lane whose byte in `drawing` is 0xFF.
void draw(Lanes& lanes, const uint8_t* __restrict drawing) {
    for (int lane = 0; lane < L; ++lane) {
        const uint32_t take =
            static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(drawing[lane])));
        const uint32_t a = lanes.choice.chance[0][lane], b = lanes.choice.chance[1][lane];
        const uint32_t c = lanes.choice.chance[2][lane] ^ a, d = lanes.choice.chance[3][lane] ^ b;
        const uint32_t sum = a + lanes.choice.chance[3][lane];
        const uint32_t word = (sum << 7 | sum >> 25) + a;
        const uint32_t keep = ~take;
        lanes.choice.chance[0][lane] = (take & (a ^ d)) | (keep & a);
        lanes.choice.chance[1][lane] = (take & (b ^ c)) | (keep & b);
        lanes.choice.chance[2][lane] =
            (take & (c ^ b << 9)) | (keep & lanes.choice.chance[2][lane]);
        lanes.choice.chance[3][lane] =
            (take & (d << 11 | d >> 21)) | (keep & lanes.choice.chance[3][lane]);
        const uint32_t count = lanes.choice.candidates[lane];
        const uint32_t high = (word >> 16) * count, low = (word & 0xFFFF) * count;
        lanes.choice.drawn[lane] = static_cast<uint8_t>((high + (low >> 16)) >> 16);
    }
}

// Notes the move that is made where `decide`.
INLINE void begin_sowings(Lanes& lanes, M decide, V pit, V hand, V number) {
    store(lanes.choice.from, choose(decide, pit, load(lanes.choice.from)));
    store(lanes.choice.lift, choose(decide, hand, load(lanes.choice.lift)));
    store(lanes.sowing.laps, where(~decide, load(lanes.sowing.laps)));
    store(lanes.choice.chosen, choose(decide, number, load(lanes.choice.chosen)));
}
INLINE void begin_laps(Lanes& lanes, uint64_t deciding) {
    lanes.sowing.crossed &= ~deciding;
    for (uint64_t left = lanes.choice.first_move_unnamed & deciding; left; left &= left - 1) {
        const int lane = first_bit(left);
        lanes.choice.first_number[lane] = lanes.choice.chosen[lane];
    }
    lanes.choice.first_move_unnamed &= ~deciding;
    lanes.phase.lapping |= deciding;
}

INLINE uint64_t at_limit(const Lanes& lanes) {
    return bits(equal(load(lanes.counts.moves), load(lanes.counts.limit))) &
           ~bits(equal(load(lanes.counts.limit), all(255)));
}

INLINE void end_turn(Lanes& lanes) {
    if (--lanes.counts.turns_to_flush == 0) {
        lanes.counts.turns_to_flush = lanes.counts.turns_between_flushes;
        lanes.driver.flush(lanes.driver.context);
    }
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
