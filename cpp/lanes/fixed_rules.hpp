// Rules that are fixed when the kernel is compiled: those of the three games, and the rest.
#pragma once

#include "lanes/kernel.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

constexpr int protected_bit = 0x80, seed_bits = 0x7F;

// What is fixed of the rules when this is compiled, which makes the lanes a tenth faster: whether
// pits have protection at least, or all but the size of a board.
template <bool with_protection>
struct SomeRules {
    static constexpr bool has_protection = with_protection, by_lane = false;
    INLINE static LaneRules of(const LaneRules& played) {
        LaneRules rules = played;
        rules.has_protection = has_protection;
        return rules;
    }
};
INLINE LaneRules on_board(const LaneRules& played) {
    LaneRules rules{};
    rules.pits = played.pits;
    rules.ring_rows = rules.rows = rules.pits_a_round = played.ring_rows;
    return rules;
}
struct GiuthiRules {
    static constexpr bool has_protection = false, by_lane = false;
    INLINE static LaneRules of(const LaneRules& played) {
        LaneRules rules = on_board(played);
        rules.minimum_lift = 2;
        rules.chain = Chain::run_over_gaps;
        rules.reversed = rules.either = rules.moves_again = rules.passes = rules.compares = true;
        return rules;
    }
};
struct EnGeheRules {
    static constexpr bool has_protection = false, by_lane = false;
    INLINE static LaneRules of(const LaneRules& played) {
        LaneRules rules = on_board(played);
        rules.overflow_bits = played.overflow_bits;
        rules.minimum_lift = 1;
        rules.always_captures = rules.compares = true;
        return rules;
    }
};
struct KiothiRules {
    static constexpr bool has_protection = true, by_lane = false;
    INLINE static LaneRules of(const LaneRules& played) {
        LaneRules rules = on_board(played);
        rules.minimum_lift = 1;
        rules.bonus = Bonus::three;
        rules.any_lift = rules.has_protection = rules.checks_first_lap = true;
        rules.always_captures = rules.compares = true;
        return rules;
    }
};

template <class FixedRules>
bool matches(const LaneRules& played) {
    static_assert(alignof(LaneRules) == 1, "bytes only: none between them are compared");
    const LaneRules fixed = FixedRules::of(played);
    return __builtin_memcmp(&fixed, &played, sizeof(LaneRules)) == 0;
}

// Calls what is compiled for the rules that the lanes play.
template <class Action>
INLINE void with_fixed_rules(const LaneRules& played, const Action& call) {
    if (matches<GiuthiRules>(played)) return call(GiuthiRules{});
    if (matches<EnGeheRules>(played)) return call(EnGeheRules{});
    if (matches<KiothiRules>(played)) return call(KiothiRules{});
    if (played.has_protection) return call(SomeRules<true>{});
    call(SomeRules<false>{});
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
