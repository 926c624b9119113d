// The rules that the kernel is compiled for by themselves, and those that it is not.
#pragma once

#include "lanes/kernel.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::playout::RELAYSOW_LEVEL {
namespace {

constexpr int mark = 0x80, counted = 0x7F;

// What is known of the rules when this is compiled, which makes the lanes a tenth faster: whether
// pits have marks at least, or all but the size of a board.
template <bool with_marks>
struct SomeRules {
    static constexpr bool marks = with_marks, by_lane = false;
    INLINE static Options of(const Options& x) {
        Options rules = x;
        rules.marks = marks;
        return rules;
    }
};
INLINE Options on_board(const Options& x) {
    Options rules{};
    rules.pits = x.pits;
    rules.ring_rows = rules.rows = rules.round = x.ring_rows;
    return rules;
}
struct GiuthiRules {
    static constexpr bool marks = false, by_lane = false;
    INLINE static Options of(const Options& x) {
        Options rules = on_board(x);
        rules.minimum_lift = 2;
        rules.chain = Chain::run_over_gaps;
        rules.reversed = rules.either = rules.moves_again = rules.passes = rules.compares = true;
        return rules;
    }
};
struct EnGeheRules {
    static constexpr bool marks = false, by_lane = false;
    INLINE static Options of(const Options& x) {
        Options rules = on_board(x);
        rules.guard = x.guard;
        rules.minimum_lift = 1;
        rules.always_captures = rules.compares = true;
        return rules;
    }
};
struct KiothiRules {
    static constexpr bool marks = true, by_lane = false;
    INLINE static Options of(const Options& x) {
        Options rules = on_board(x);
        rules.minimum_lift = 1;
        rules.bonus = Bonus::three;
        rules.any_lift = rules.marks = rules.checks_first_lap = true;
        rules.always_captures = rules.compares = true;
        return rules;
    }
};

template <class Known>
bool are_of(const Options& rules) {
    static_assert(alignof(Options) == 1, "bytes only: none between them are compared");
    const Options known = Known::of(rules);
    return __builtin_memcmp(&known, &rules, sizeof(Options)) == 0;
}

// Calls what is compiled for the lanes' rules.
template <class Call>
INLINE void by_rules(const Options& x, const Call& call) {
    if (are_of<GiuthiRules>(x)) return call(GiuthiRules{});
    if (are_of<EnGeheRules>(x)) return call(EnGeheRules{});
    if (are_of<KiothiRules>(x)) return call(KiothiRules{});
    if (x.marks) return call(SomeRules<true>{});
    call(SomeRules<false>{});
}

}  // namespace
}  // namespace relaysow::playout::RELAYSOW_LEVEL
