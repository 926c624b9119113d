// Draws candidates by the generators of the games, which draw as `Chance` does.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Takes one word of the generator of each lane whose byte in `drawing` is 0xFF, and draws one of
// the lane's candidates by it.
void draw(Lanes& lanes, const uint8_t* __restrict drawing) {
    Choice& choice = lanes.choice;
    for (int lane = 0; lane < L; ++lane) {
        const uint32_t take =
            static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(drawing[lane])));
        const uint32_t a = choice.chance[0][lane], b = choice.chance[1][lane];
        const uint32_t c = choice.chance[2][lane] ^ a, d = choice.chance[3][lane] ^ b;
        const uint32_t sum = a + choice.chance[3][lane];
        const uint32_t word = (sum << 7 | sum >> 25) + a;
        const uint32_t keep = ~take;
        choice.chance[0][lane] = (take & (a ^ d)) | (keep & a);
        choice.chance[1][lane] = (take & (b ^ c)) | (keep & b);
        choice.chance[2][lane] = (take & (c ^ b << 9)) | (keep & choice.chance[2][lane]);
        choice.chance[3][lane] = (take & (d << 11 | d >> 21)) | (keep & choice.chance[3][lane]);
        const uint32_t count = choice.candidates[lane];
        const uint32_t high = (word >> 16) * count, low = (word & 0xFFFF) * count;
        choice.drawn[lane] = static_cast<uint8_t>((high + (low >> 16)) >> 16);
    }
}

// The candidates that a decision is among.
struct CandidateSums {
    const V* sums;  // of the candidates in the pits of the own row up to each
    M both;         // lanes that may sow either way
    V duty;

    // Finds the moves of these numbers.  Without `any_lift` it leaves out what is lifted.
    INLINE void find(const LaneRules& rules, V number, V& pit, V& hand, M& cw) const {
        const V wanted = choose(both, halved(number), number), one = all(1);
        cw = (both & bits_in(number, one)) | equal(duty, all(2));
        V before = all(0);
        pit = all(0);
        for (int j = 0; j < rules.pits; ++j) {
            const M passed_over = at_most(sums[j], wanted);
            pit = add_where(passed_over, pit, one);
            if (rules.any_lift) before = choose(passed_over, sums[j], before);
        }
        if (rules.any_lift) hand = sub(add(wanted, one), before);
    }
};

// Returns the lanes that may lift from the j-th pit of the own row, which holds `mine` seeds.
INLINE M liftable(const LaneRules& rules, V mine, V barred, int j) {
    const M lifts = at_most(all(rules.minimum_lift), mine);
    return rules.pit_duty ? lifts & ~equal(barred, all(j + 1)) : lifts;
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
