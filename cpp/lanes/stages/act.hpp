// Single moves: draws actions, compares them with what was sown, and takes sowings back.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/stages/choose.hpp"
#include "lanes/stages/draw.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Puts the rings of these lanes back to what they were before the moves.
template <class FixedRules>
void take_back(Lanes& lanes, uint64_t which) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const M back = mask(which);
    for (int i = 0; i < rules.rows; ++i) {
        uint8_t* const now = lanes.rings.now + i * L;
        store(now, choose(back, load(lanes.rings.before + i * L), load(now)));
    }
}

// Draws a candidate in each lane that is `choosing` and lifts its seeds; writes all lanes' actions.
template <class FixedRules>
void choose_moves(Lanes& lanes, int64_t* __restrict actions) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int n = rules.pits, R = rules.ring_rows;
    const V duty = rules.direction_duty ? load(lanes.rings.now + R * L) : all(0);
    const V barred = rules.pit_duty ? load(lanes.rings.now + (R + 1) * L) : all(0);
    V sums[64];
    V sum = all(0);
    for (int j = 0; j < n; ++j) {
        V mine = load(lanes.rings.now + j * L);
        if (rules.has_protection) mine = mine & all(seed_bits);
        sum = add_where(liftable(rules, mine, barred, j), sum, rules.any_lift ? mine : all(1));
        sums[j] = sum;
    }
    const uint64_t deciding = lanes.phase.choosing;
    lanes.phase.choosing = 0;
    decide<FixedRules>(lanes, deciding, sums, sum, duty, false);
    alignas(64) uint8_t own[L], more[L], clockwise[L], drawn[L];
    store(own, load(lanes.choice.from));
    store(more, rules.any_lift ? sub(load(lanes.choice.lift), all(1)) : all(0));
    store(clockwise, where(mask(lanes.choice.from_clockwise), all(rules.either)));
    store(drawn, where(mask(deciding), all(0xFF)));
    const int lifts = lanes.step.lifts, ways = lanes.step.ways;
    for (int lane = 0; lane < L; ++lane) {
        const int action = (own[lane] * lifts + more[lane]) * ways + clockwise[lane];
        lanes.step.action[lane] = action & static_cast<int8_t>(drawn[lane]);
    }
    for (int lane = 0; lane < L; ++lane) actions[lane] = lanes.step.action[lane];
}

// Returns the lanes whose action differs from what was sown.
uint64_t differ(const Lanes& lanes, const int64_t* actions) {
#if defined(__AVX512BW__)
    uint64_t differing = 0;
    for (int lane = 0; lane < L; lane += 8) {
        const __m256i sown =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes.step.action + lane));
        const __mmask8 unlike = _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(actions + lane),
                                                         _mm512_maskz_cvtepi32_epi64(0xFF, sown));
        differing |= static_cast<uint64_t>(unlike) << lane;
    }
    return differing;
#else
    alignas(64) uint8_t unlike[L];
    for (int lane = 0; lane < L; ++lane) unlike[lane] = actions[lane] != lanes.step.action[lane];
    return bits(nonzero(load(unlike)));
#endif
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
