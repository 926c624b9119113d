// En Gehé on long rings, each lane's ring in one piece.
//
// A lap on a long ring fills few of its pits: with the ring in one piece it is the addition of a
// few ones, lane after lane.  No lane waits for another's lap, so turns are taken when most lanes
// wait.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/stages/choose.hpp"
#include "lanes/stages/count.hpp"
#include "lanes/stages/draw.hpp"
#include "lanes/stages/repeat.hpp"
#include "lanes/stages/requests.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

struct ByLaneRules : EnGeheRules {
    static constexpr bool by_lane = true;
};

// On shorter rings laps of all lanes by rows of pits are as fast.
enum : int { shortest_by_lane = L == 16 ? 62 : 48 };

enum : int { stretch_pits = 32 };  // pits that are sown, or copied, at once
typedef uint8_t Stretch __attribute__((vector_size(stretch_pits)));

struct alignas(64) OnesAndZeros {
    uint8_t of[2 * stretch_pits];
    constexpr OnesAndZeros() : of() {
        for (int k = 0; k < stretch_pits; ++k) of[k] = 1;
    }
};
constexpr OnesAndZeros ones_and_zeros;

// A stretch begins at any pit.
INLINE void read_stretch(Stretch& pits, const uint8_t* from) {
    __builtin_memcpy(&pits, from, stretch_pits);
}
INLINE void write_stretch(uint8_t* to, const Stretch& pits) {
    __builtin_memcpy(to, &pits, stretch_pits);
}

// Adds a one to each pit of a stretch but those at its end that are left out.
INLINE void add_ones(uint8_t* pits, size_t left_out) {
    Stretch held, ones;
    read_stretch(held, pits);
    read_stretch(ones, ones_and_zeros.of + left_out);
    held += ones;
    write_stretch(pits, held);
}
INLINE size_t out_of_stretch(int count) {
    return static_cast<size_t>(count < stretch_pits ? stretch_pits - count : 0);
}
RARE void add_many_ones(uint8_t* pits, int count) {
    for (; count > 0; count -= stretch_pits, pits += stretch_pits) {
        add_ones(pits, out_of_stretch(count));
    }
}

// Returns whether some pit of a stretch has one of these bits.
INLINE bool has_bits(const Stretch& pits, int in_pit) {
    uint64_t words[stretch_pits / 8];
    __builtin_memcpy(words, &pits, sizeof words);
    uint64_t all_pits = 0;
    for (const uint64_t word : words) all_pits |= word;
    return all_pits & static_cast<uint64_t>(in_pit) * 0x0101010101010101;
}

INLINE size_t first_lane(uint64_t which) { return static_cast<size_t>(first_bit(which)); }

// Sows laps, lane after lane, until enough lanes wait.
void sow_by_lane(Lanes& lanes, unsigned& steps_left) {
    const LaneRules rules = ByLaneRules::of(lanes.rules);
    const int R = rules.ring_rows;
    const V size = all(R), one = all(1), most = all(stretch_pits);
    uint64_t lapping = lanes.phase.lapping, ended = lanes.phase.ended, left_to_scalar = 0;
    V laps = load(lanes.sowing.laps), pit = load(lanes.sowing.pit), hand = load(lanes.sowing.hand);
    alignas(64) uint8_t begins[L], ends[L], straight[L], left_out[L], beyond[L], content[L];
    alignas(64) uint16_t begin[L], last[L];  // pits among those of all lanes
    store(content, all(0));
    uint8_t* const rings = lanes.rings.now;
    const int few = count_bits(lapping | ended | lanes.phase.choosing) - enough_waiting(lanes);
    do {
        M act = mask(lapping);
        // A hand that goes round more than once is left to the driver.
        if (const uint64_t too_full = bits(act & below(size, hand))) {
            left_to_scalar |= too_full;
            lapping &= ~too_full;
            act = mask(lapping);
        }
        // A lap fills the pits ahead, and goes on from the beginning of the ring with the rest.
        V end = add(pit, hand);
        const V ahead = smaller(hand, sub(all(R - 1), pit)), over_the_end = sub(hand, ahead);
        const M wraps = nonzero(over_the_end);
        end = choose(wraps, sub(end, size), end);
        store(begins, add(pit, one));
        store(ends, end);
        store(left_out, sub(most, smaller(ahead, most)));
        for (int lane = 0; lane < L; ++lane) {
            begin[lane] = static_cast<uint16_t>(lane * lane_bytes + begins[lane]);
            last[lane] = static_cast<uint16_t>(lane * lane_bytes + ends[lane]);
        }
        for (uint64_t left = lapping; left; left &= left - 1) {
            const size_t lane = first_lane(left);
            // Read before the lap is written: a load of what was just stored would wait.
            const int held = rings[last[lane]] + 1;
            content[lane] = static_cast<uint8_t>(held);
            add_ones(rings + begin[lane], left_out[lane]);
            rings[last[lane]] = held == 1;  // else it is lifted
        }
        store(beyond, over_the_end);
        for (uint64_t left = bits(act & wraps); left; left &= left - 1) {
            const size_t lane = first_lane(left);
            add_ones(rings + lane * lane_bytes, out_of_stretch(beyond[lane]));
            rings[last[lane]] = content[lane] == 1;
        }
        if (const uint64_t long_laps = bits(act & below(most, larger(ahead, over_the_end)))) {
            store(straight, ahead);
            for (uint64_t left = long_laps; left; left &= left - 1) {
                const size_t lane = first_lane(left);
                add_many_ones(rings + begin[lane] + stretch_pits, straight[lane] - stretch_pits);
                add_many_ones(rings + lane * lane_bytes + stretch_pits,
                              beyond[lane] - stretch_pits);
                rings[last[lane]] = content[lane] == 1;
            }
        }
        hand = load(content);
        pit = choose(act, end, pit);
        laps = add_where(act, laps, one);
        const uint64_t done = bits(act & equal(hand, one));
        ended |= done;
        lapping &= ~done;
    } while (--steps_left && count_bits(lapping) > few);
    store(lanes.sowing.pit, pit);
    store(lanes.sowing.hand, hand);
    store(lanes.sowing.laps, laps);
    lanes.phase.lapping = lapping;
    lanes.phase.ended = ended;
    serve(lanes, left_to_scalar, Request::left_to_scalar);
}

// Captures and counts after the sowings that have ended, and gives the turn on.
void end_sowings_by_lane(Lanes& lanes) {
    const LaneRules rules = ByLaneRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    const M end = mask(lanes.phase.ended), in_north = at_most(all(n), load(lanes.sowing.pit));
    const uint64_t tries = lanes.phase.ended & ~(bits(in_north) ^ lanes.turn.mover);
    alignas(64) uint8_t own[L], facing[L], faced[L];
    store(own, load(lanes.sowing.pit));
    store(facing, sub(all(R - 1), load(lanes.sowing.pit)));
    store(faced, all(0));
    uint8_t* const rings = lanes.rings.now;
    for (uint64_t left = tries; left; left &= left - 1) {
        const size_t lane = first_lane(left);
        uint8_t* const ring = rings + lane * lane_bytes;
        uint8_t& seeds = ring[facing[lane]];
        faced[lane] = seeds;
        ring[own[lane]] = seeds == 0;
        seeds = 0;
    }
    const V seeds = load(faced);
    const M taken = nonzero(seeds);
    count_sowings<ByLaneRules>(lanes, lanes.phase.ended, end, taken,
                               add_where(taken, seeds, all(1)), 0);
}

// Returns which bit of the word has `number` others below it.
INLINE int bit_at(uint64_t word, int number) {
#if defined(__BMI2__)
    return first_bit(__builtin_ia32_pdep_di(uint64_t{1} << number, word));
#else
    while (number-- > 0) word &= word - 1;
    return first_bit(word);
#endif
}

// What is seen of the rings on the way through them.
struct RingsSeen {
    alignas(64) uint8_t home[L];              // where the mover's row begins
    alignas(64) uint8_t count[L];             // candidates
    alignas(64) uint8_t first[L], second[L];  // the fingerprint
    uint64_t candidates[L];                   // a bit for each pit of the mover's row
    Stretch every_pit{};                      // the bits that are in some pit
};

// Records the rings of these lanes in the log, and looks at them.
INLINE void look_at_rings(const Lanes& lanes, uint64_t choosing, uint8_t* log, RingsSeen& seen) {
    const LaneRules rules = ByLaneRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    store(seen.home, where(mask(lanes.turn.mover), all(n)));
    store(seen.count, all(0));
    alignas(64) uint16_t print[L];
    Stretch every_pit{};
    const uint64_t row = ~uint64_t{0} >> (64 - n);
    for (uint64_t left = choosing; left; left &= left - 1) {
        const size_t lane = first_lane(left);
        const uint8_t* const ring = lanes.rings.now + lane * lane_bytes;
        for (int k = 0; k < R; k += stretch_pits) {
            Stretch pits;
            read_stretch(pits, ring + k);
            write_stretch(log + lane * lane_bytes + k, pits);
            every_pit |= pits;
        }
        uint64_t filled = 0;
        for (int k = 0; k < 64; k += L) {
            filled |= bits(nonzero(load_anywhere(ring + seen.home[lane] + k))) << k;
        }
        filled &= row;
        seen.candidates[lane] = filled;
        seen.count[lane] = static_cast<uint8_t>(count_bits(filled));
        // Which pits are filled is not all of a position, but seldom the same in another.
        print[lane] = static_cast<uint16_t>(filled * 0x9E3779B97F4A7C15u >> 48);
    }
    seen.every_pit = every_pit;
    for (int lane = 0; lane < L; ++lane) {
        seen.first[lane] = static_cast<uint8_t>(print[lane] >> 8);
        seen.second[lane] = static_cast<uint8_t>(print[lane]);
    }
}

// Returns those of these lanes in which some pit has one of these bits.
INLINE uint64_t lanes_with_bits(const Lanes& lanes, uint64_t which, int in_pit) {
    uint64_t found = 0;
    for (uint64_t left = which; left; left &= left - 1) {
        const size_t lane = first_lane(left);
        Stretch pits{};
        for (int k = 0; k < lanes.rules.ring_rows; k += stretch_pits) {
            Stretch some;
            read_stretch(some, lanes.rings.now + lane * lane_bytes + k);
            pits |= some;
        }
        if (has_bits(pits, in_pit)) found |= uint64_t{1} << lane;
    }
    return found;
}

// Draws a candidate for each lane `deciding`, and lifts its seeds.
INLINE void decide_by_lane(Lanes& lanes, uint64_t deciding, const RingsSeen& seen) {
    const M decide = mask(deciding);
    alignas(64) uint8_t drawing[L], from[L], lift[L];
    store(drawing, where(decide, all(0xFF)));
    draw(lanes, drawing);
    for (uint64_t left = deciding; left; left &= left - 1) {
        const size_t lane = first_lane(left);
        const int own = bit_at(seen.candidates[lane], lanes.choice.drawn[lane]);
        uint8_t* const row = lanes.rings.now + lane * lane_bytes + seen.home[lane];
        from[lane] = static_cast<uint8_t>(own);
        lift[lane] = row[own];
        row[own] = 0;
    }
    const V pit = choose(decide, add(load(seen.home), load(from)), load(lanes.sowing.pit));
    const V hand = choose(decide, load(lift), load(lanes.sowing.hand));
    store(lanes.sowing.pit, pit);
    store(lanes.sowing.hand, hand);
    begin_sowings(lanes, decide, pit, hand, load(lanes.choice.drawn));
    lanes.choice.redrawn &= ~deciding;
    begin_laps(lanes, deciding);
}

// Takes a turn in all lanes that are not `lapping`.
void take_turns_by_lane(Lanes& lanes) {
    const LaneRules rules = ByLaneRules::of(lanes.rules);
    Log& log = lanes.log;
    if (lanes.phase.ended) end_sowings_by_lane(lanes);
    const uint64_t choosing = lanes.phase.choosing;
    const size_t slot = slot_of(lanes, log.now);
    RingsSeen seen;
    look_at_rings(lanes, choosing, log.positions + slot * (size_t{lane_bytes} * L), seen);
    store(lanes.choice.candidates, load(seen.count));
    const uint64_t able = bits(nonzero(load(lanes.choice.candidates))) & choosing;
    const uint64_t stuck = choosing & ~able;
    uint64_t undecided = 0;
    if (has_bits(seen.every_pit, rules.overflow_bits)) {
        undecided = lanes_with_bits(lanes, able, rules.overflow_bits);
    }
    const uint64_t limited = able & at_limit(lanes);
    log.chose[slot] = able;
    log.movers[slot] = lanes.turn.mover;
    if (log.now % turns_between_looks == 0) look_back(lanes);
    const uint64_t repeated =
        find_repeated<ByLaneRules>(lanes, able, load(seen.first), load(seen.second));
    const uint64_t held_back = stuck | undecided | limited | repeated;
    decide_by_lane(lanes, able & ~held_back, seen);
    lanes.phase.choosing = 0;
    ++log.now;
    if (held_back) serve_held_back(lanes, stuck, repeated, undecided, limited);
    end_turn(lanes);
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
