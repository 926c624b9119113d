// What the lanes do in a turn however their rings lie in memory.
#pragma once

#include "lanes/known_rules.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::playout::RELAYSOW_LEVEL {
namespace {

void attend(Lanes& x, uint64_t lanes, Call call) {
    for (; lanes; lanes &= lanes - 1) x.driver.attend(x.driver.context, first_bit(lanes), call);
}

// Those that are set aside where lanes choose: each has but one reason.
void attend_aside(Lanes& x, uint64_t stuck, uint64_t repeated, uint64_t undecided,
                  uint64_t limited) {
    attend(x, stuck, Call::stuck);
    attend(x, repeated, Call::repeated);
    attend(x, undecided & ~(repeated | limited), Call::undecided);
    attend(x, limited & ~repeated, Call::limit);
}

// How many of the lanes that play must wait before they are served.
INLINE int enough_waiting(const Lanes& x) {
    const int playing = count_bits(x.lapping | x.ended | x.choosing);
    const int enough = (playing * x.patience + 63) / 64;
    return enough < 1 ? 1 : enough;
}

// A sowing that goes on for long is left to the driver.
void leave_long_sowings(Lanes& x) {
    for (uint64_t left = x.lapping; left; left &= left - 1) {
        const int lane = first_bit(left);
        if (x.laps[lane] >= x.steps_to_long) x.driver.attend(x.driver.context, lane, Call::astray);
    }
}

// Counts the sowings that `ended` and hands over, but to those who move `again`.
template <class Known>
void count_sowings(Lanes& x, uint64_t ended, M end, M own_taken, V captured, uint64_t again) {
    const Options rules = Known::of(x);
    const uint64_t taking = bits(own_taken);
    if (taking) {
        alignas(64) uint8_t taken[2][L];
        const M north = mask(x.mover);
        store(taken[0], where(~north, captured));
        store(taken[1], where(north, captured));
        for (int player = 0; player < 2; ++player) {
            for (int lane = 0; lane < L; ++lane) {
                x.stores[player][lane] =
                    static_cast<uint16_t>(x.stores[player][lane] + taken[player][lane]);
            }
        }
        store(x.captures, add_where(own_taken, load(x.captures), all(1)));
        for (uint64_t left = taking; left; left &= left - 1) {
            const int lane = first_bit(left);
            x.segment[lane] = x.now;
        }
        x.captured |= taking;
        x.deep &= ~taking;
        x.old &= ~taking;
    }
    store(x.moves, add_where(end, load(x.moves), all(1)));
    store(x.turns, add_where(mask(ended & x.new_turn), load(x.turns), all(1)));
    const V laps = where(end, load(x.laps));
    store(x.longest, larger(load(x.longest), laps));
    alignas(64) uint8_t sown[L];
    store(sown, laps);
    for (int lane = 0; lane < L; ++lane) {
        x.lap_sum[lane] = static_cast<uint16_t>(x.lap_sum[lane] + sown[lane]);
    }
    if (rules.direction_duty || rules.pit_duty) {
        const M more = mask(again);
        if (rules.direction_duty) {
            uint8_t* duty = x.ring + rules.ring_rows * L;
            const V turned = choose(mask(x.from_clockwise), all(1), all(2));
            store(duty, choose(end, where(more, turned), load(duty)));
        }
        if (rules.pit_duty) {
            uint8_t* barred = x.ring + (rules.ring_rows + 1) * L;
            const V origin = add(load(x.from), all(1));
            store(barred, choose(end, where(more, origin), load(barred)));
        }
    }
    x.new_turn = (x.new_turn & ~ended) | (ended & ~again);
    x.mover ^= ended & ~again;
    x.passed &= ~ended;
    x.refused &= ~ended;
    x.choosing |= ended;
    x.ended = 0;
}

// Whether the position of `lane` in the log's newest row stands in an older row as well, from `row`
// down to the lane's last capture.
template <class Known>
RARE bool came_before(const Lanes& x, int lane, uint64_t row) {
    const Options rules = Known::of(x);
    const auto slot = [&](uint64_t number) { return static_cast<size_t>(number & x.log_mask); };
    const size_t row_bytes = static_cast<size_t>(Known::by_lane ? +lane_bytes : rules.rows) * L;
    const size_t step = Known::by_lane ? 1 : L;
    const size_t bytes = static_cast<size_t>(rules.rows) * step;
    const size_t first = static_cast<size_t>(lane) * (Known::by_lane ? lane_bytes : 1);
    const uint8_t* print = x.prints + slot(x.now) * 2 * L + lane;
    const uint8_t* position = x.log + slot(x.now) * row_bytes + first;
    while (row-- > x.segment[lane]) {
        const size_t s = slot(row);
        const uint8_t* other = x.prints + s * 2 * L + lane;
        if (other[0] != print[0] || other[L] != print[L]) continue;
        if (!(x.chose[s] >> lane & 1) || ((x.movers[s] ^ x.mover) >> lane & 1)) continue;
        other = x.log + s * row_bytes + first;
        size_t at = 0;
        while (at < bytes && position[at] == other[at]) at += step;
        if (at >= bytes) return true;
    }
    return false;
}

// Until the next look, back as far as all lanes' histories but a few reach, repetition is sought in
// all lanes at once; a longer history is the driver's from now on.
void look_back(Lanes& x) {
    constexpr int few = 1, longest = 96;
    const uint64_t until = x.now + 2 * turns_between_looks - 1;
    alignas(64) uint8_t since[L];  // its last capture, in looks
    for (int lane = 0; lane < L; ++lane) {
        const uint64_t looks = (until - x.segment[lane]) / turns_between_looks;
        since[lane] = static_cast<uint8_t>(looks < 255 ? looks : 255);
    }
    constexpr int most = longest / turns_between_looks;
    const uint64_t busy = x.lapping | x.choosing;
    const V looks = where(mask(busy & ~x.deep), load(since));
    const uint64_t long_ones = bits(below(all(most), looks));
    if (long_ones | x.deep) x.driver.look_back(x.driver.context, long_ones);
    int back = 0;
    do {
        ++back;
        x.old = ~x.deep & bits(below(all(back), looks));
    } while (count_bits(x.old) > few && back < most);
    x.recent = static_cast<uint64_t>(back) * turns_between_looks;
}

// Of the `able` lanes those whose position came before; `h2` and `h3` are its fingerprint.
template <class Known>
uint64_t find_repeated(Lanes& x, uint64_t able, V h2, V h3) {
    const auto prints = [&](uint64_t row) {
        return x.prints + static_cast<size_t>(row & x.log_mask) * 2 * L;
    };
    V unlike = all(0xFF);  // least difference from a row
    const auto compare = [&](uint64_t row, uint64_t end) __attribute__((always_inline)) {
        const uint8_t* print = prints(row);
#pragma GCC unroll 4
        for (; row != end; ++row, print += 2 * L) {
            unlike = smaller(unlike, (h2 ^ load(print)) | (h3 ^ load(print + L)));
        }
    };
    const uint64_t begin = x.now - x.recent, wraps = x.now & ~x.log_mask;
    if (begin < wraps) compare(begin, wraps);
    compare(begin < wraps ? wraps : begin, x.now);
    store(prints(x.now), h2);
    store(prints(x.now) + L, h3);
    uint64_t repeated = 0;
    const uint64_t met = bits(~nonzero(unlike));
    for (uint64_t left = able & ~x.deep & met; left; left &= left - 1) {
        const int lane = first_bit(left);
        if (came_before<Known>(x, lane, x.now)) repeated |= uint64_t{1} << lane;
    }
    for (uint64_t left = able & ~x.deep & x.old; left; left &= left - 1) {
        const int lane = first_bit(left);
        if (came_before<Known>(x, lane, x.now - x.recent)) repeated |= uint64_t{1} << lane;
    }
    const uint64_t deep = able & x.deep;
    return deep ? repeated | x.driver.repeated(x.driver.context, deep) : repeated;
}

// One word of chance for each lane whose byte in `drawing` is 0xFF.
void draw(Lanes& x, const uint8_t* __restrict drawing) {
    for (int lane = 0; lane < L; ++lane) {
        const uint32_t take =
            static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(drawing[lane])));
        const uint32_t a = x.chance[0][lane], b = x.chance[1][lane];
        const uint32_t c = x.chance[2][lane] ^ a, d = x.chance[3][lane] ^ b;
        const uint32_t sum = a + x.chance[3][lane];
        const uint32_t word = (sum << 7 | sum >> 25) + a;
        const uint32_t keep = ~take;
        x.chance[0][lane] = (take & (a ^ d)) | (keep & a);
        x.chance[1][lane] = (take & (b ^ c)) | (keep & b);
        x.chance[2][lane] = (take & (c ^ b << 9)) | (keep & x.chance[2][lane]);
        x.chance[3][lane] = (take & (d << 11 | d >> 21)) | (keep & x.chance[3][lane]);
        const uint32_t count = x.count[lane];
        const uint32_t high = (word >> 16) * count, low = (word & 0xFFFF) * count;
        x.number[lane] = static_cast<uint8_t>((high + (low >> 16)) >> 16);
    }
}

// Notes the move that is made where `decide`.
INLINE void begin_sowings(Lanes& x, M decide, V pit, V hand, V number) {
    store(x.from, choose(decide, pit, load(x.from)));
    store(x.lift, choose(decide, hand, load(x.lift)));
    store(x.laps, where(~decide, load(x.laps)));
    store(x.chosen, choose(decide, number, load(x.chosen)));
}
INLINE void begin_laps(Lanes& x, uint64_t deciding) {
    x.crossed &= ~deciding;
    for (uint64_t left = x.fresh & deciding; left; left &= left - 1) {
        const int lane = first_bit(left);
        x.first_number[lane] = x.chosen[lane];
    }
    x.fresh &= ~deciding;
    x.lapping |= deciding;
}

INLINE uint64_t at_limit(const Lanes& x) {
    return bits(equal(load(x.moves), load(x.limit))) & ~bits(equal(load(x.limit), all(255)));
}

INLINE void end_turn(Lanes& x) {
    if (--x.turns_to_flush == 0) {
        x.turns_to_flush = x.turns_between_flushes;
        x.driver.flush(x.driver.context);
    }
}

}  // namespace
}  // namespace relaysow::playout::RELAYSOW_LEVEL
