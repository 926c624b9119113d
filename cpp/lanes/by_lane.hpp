// En Gehé on long rings, each lane's ring in one piece.
//
// A lap on a long ring fills few of its pits: with the ring in one piece it is the addition of a
// few ones, lane after lane.  No lane waits for another's lap, so turns are taken when most lanes
// wait.
#pragma once

#include "lanes/turns.hpp"

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

// From and to anywhere.
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
    for (; count > 0; count -= stretch_pits, pits += stretch_pits)
        add_ones(pits, out_of_stretch(count));
}

// Whether some pit of a stretch has one of these bits.
INLINE bool has_bits(const Stretch& pits, int in_pit) {
    uint64_t words[stretch_pits / 8];
    __builtin_memcpy(words, &pits, sizeof words);
    uint64_t all_pits = 0;
    for (const uint64_t word : words) all_pits |= word;
    return all_pits & static_cast<uint64_t>(in_pit) * 0x0101010101010101;
}

INLINE size_t first_lane(uint64_t lanes) { return static_cast<size_t>(first_bit(lanes)); }

// Sows laps in all lanes that do until few are left.
void sow_by_lane(Lanes& lanes, unsigned& steps_left) {
    const LaneRules rules = ByLaneRules::of(lanes.rules);
    const int R = rules.ring_rows;
    const V size = all(R), one = all(1), most = all(stretch_pits);
    uint64_t lapping = lanes.phase.lapping, over = lanes.phase.ended, left_to_scalar = 0;
    V laps = load(lanes.sowing.laps), pit = load(lanes.sowing.pit), hand = load(lanes.sowing.hand);
    alignas(64) uint8_t begins[L], ends[L], straight[L], left_out[L], beyond[L], content[L];
    alignas(64) uint16_t begin[L], last[L];  // pits among those of all lanes
    store(content, all(0));
    uint8_t* const rings = lanes.rings.now;
    const int few = count_bits(lapping | over | lanes.phase.choosing) - enough_waiting(lanes);
    do {
        M act = mask(lapping);
        if (const uint64_t too_many = bits(act & below(size, hand))) {
            left_to_scalar |= too_many;
            lapping &= ~too_many;
            act = mask(lapping);
        }
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
        over |= done;
        lapping &= ~done;
    } while (--steps_left && count_bits(lapping) > few);
    store(lanes.sowing.pit, pit);
    store(lanes.sowing.hand, hand);
    store(lanes.sowing.laps, laps);
    lanes.phase.lapping = lapping;
    lanes.phase.ended = over;
    serve(lanes, left_to_scalar, Request::left_to_scalar);
}

// Captures and hands over after the sowings that ended.
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

// The number of the bit that `number` others are below.
INLINE int bit_at(uint64_t word, int number) {
#if defined(__BMI2__)
    return first_bit(__builtin_ia32_pdep_di(uint64_t{1} << number, word));
#else
    while (number-- > 0) word &= word - 1;
    return first_bit(word);
#endif
}

// Serves the lanes whose sowing ended or whose mover is to choose.
void take_turns_by_lane(Lanes& lanes) {
    const LaneRules rules = ByLaneRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    if (lanes.phase.ended) end_sowings_by_lane(lanes);
    const uint64_t choosing = lanes.phase.choosing;
    const size_t slot = static_cast<size_t>(lanes.log.now & lanes.log.mask);
    uint8_t* const log = lanes.log.positions + slot * (size_t{lane_bytes} * L);
    alignas(64) uint8_t home[L], count[L];
    alignas(64) uint16_t print[L];
    uint64_t candidates[L];
    store(home, where(mask(lanes.turn.mover), all(n)));
    store(count, all(0));
    Stretch fullest{};
    uint8_t* const rings = lanes.rings.now;
    const uint64_t row = ~uint64_t{0} >> (64 - n);
    for (uint64_t left = choosing; left; left &= left - 1) {
        const size_t lane = first_lane(left);
        const uint8_t* const ring = rings + lane * lane_bytes;
        for (int k = 0; k < R; k += stretch_pits) {
            Stretch pits;
            read_stretch(pits, ring + k);
            write_stretch(log + lane * lane_bytes + k, pits);
            fullest |= pits;
        }
        uint64_t filled = 0;
        for (int k = 0; k < 64; k += L) {
            filled |= bits(nonzero(load_anywhere(ring + home[lane] + k))) << k;
        }
        filled &= row;
        candidates[lane] = filled;
        count[lane] = static_cast<uint8_t>(count_bits(filled));
        // Which pits are filled is not all of a position, but seldom the same in another.
        print[lane] = static_cast<uint16_t>(filled * 0x9E3779B97F4A7C15u >> 48);
    }
    alignas(64) uint8_t high[L], low[L];
    for (int lane = 0; lane < L; ++lane) {
        high[lane] = static_cast<uint8_t>(print[lane] >> 8);
        low[lane] = static_cast<uint8_t>(print[lane]);
    }
    store(lanes.choice.candidates, load(count));
    const uint64_t able = bits(nonzero(load(lanes.choice.candidates))) & choosing,
                   stuck = choosing & ~able;
    uint64_t undecided = 0;
    if (has_bits(fullest, rules.overflow_bits)) {
        for (uint64_t left = able; left; left &= left - 1) {
            const size_t lane = first_lane(left);
            Stretch pits{};
            for (int k = 0; k < R; k += stretch_pits) {
                Stretch some;
                read_stretch(some, rings + lane * lane_bytes + k);
                pits |= some;
            }
            if (has_bits(pits, rules.overflow_bits)) undecided |= uint64_t{1} << lane;
        }
    }
    const uint64_t limited = able & at_limit(lanes);
    lanes.log.chose[slot] = able;
    lanes.log.movers[slot] = lanes.turn.mover;
    if (lanes.log.now % turns_between_looks == 0) look_back(lanes);
    const uint64_t repeated = find_repeated<ByLaneRules>(lanes, able, load(high), load(low));
    const uint64_t held_back = stuck | undecided | limited | repeated;
    const uint64_t deciding = able & ~held_back;
    const M decide = mask(deciding);
    alignas(64) uint8_t drawing[L], from[L], lift[L];
    store(drawing, where(decide, all(0xFF)));
    draw(lanes, drawing);
    for (uint64_t left = deciding; left; left &= left - 1) {
        const size_t lane = first_lane(left);
        const auto own = static_cast<size_t>(bit_at(candidates[lane], lanes.choice.drawn[lane]));
        uint8_t& held = rings[lane * lane_bytes + home[lane] + own];
        from[lane] = static_cast<uint8_t>(own);
        lift[lane] = held;
        held = 0;
    }
    const V pit = choose(decide, add(load(home), load(from)), load(lanes.sowing.pit));
    const V hand = choose(decide, load(lift), load(lanes.sowing.hand));
    store(lanes.sowing.pit, pit);
    store(lanes.sowing.hand, hand);
    begin_sowings(lanes, decide, pit, hand, load(lanes.choice.drawn));
    lanes.choice.redrawn &= ~deciding;
    begin_laps(lanes, deciding);
    lanes.phase.choosing = 0;
    ++lanes.log.now;
    if (held_back) serve_held_back(lanes, stuck, repeated, undecided, limited);
    end_turn(lanes);
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
