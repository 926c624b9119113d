// Proves that a mover has a legal move, without sowing it to its end.
//
// A sowing whose first lap ends in an empty pit is finite.  One that never ends comes back to where
// it began if it can be undone in one way only; so the state in which it began, its pit to be
// lifted, must be what a lap of at least two seeds leads to.  That lap was lifted from the nearest
// empty pit behind, which is then no neighbour.  The lap before it in turn ended there; where laps
// turn round it came over what has now one seed more.  On a ring without empty pits the lap went
// all round from one of the emptiest pits, and left more in its last unless that is the same; then
// no neighbour behind was empty before.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Returns the seeds in a pit, without the bit of protection.
template <class FixedRules>
INLINE V seeds_in(const Lanes& lanes, int pit) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const V held = load(lanes.rings.now + pit * L);
    return rules.has_protection ? held & all(seed_bits) : held;
}

// What is proved of the candidates in the row that begins at pit `first`.
template <class FixedRules>
struct LegalProof {
    const LaneRules rules;
    const int R = rules.ring_rows, n = rules.pits, first;
    V seen[128];
    M empty[128], can[64];  // the pits that are empty, and those that can be lifted
    M some_empty = none(), some_can = none(), proved = none();
    uint64_t wanted = 0;

    INLINE LegalProof(const Lanes& lanes, int first_pit)
        : rules(FixedRules::of(lanes.rules)), first(first_pit) {
        for (int k = 0; k < R; ++k) {
            seen[k] = seeds_in<FixedRules>(lanes, k);
            empty[k] = ~nonzero(seen[k]);
            some_empty = some_empty | empty[k];
        }
        for (int j = 0; j < n; ++j) {
            can[j] = at_most(all(rules.minimum_lift), seen[first + j]);
            some_can = some_can | can[j];
        }
    }

    // The row of the ring for a pit that is counted on from `first`.
    INLINE int near(int k) const {
        k += first;
        return k < 0 ? k + R : k < R ? k : k - R;
    }

    // Whether more lanes than one still lack a proof: for one alone the driver sows.
    INLINE bool missing() const { return count_bits(wanted & ~bits(proved)) > 1; }

    // By the rules every candidate is legal.
    INLINE void by_rules() {
        for (int j = 0; j < n; ++j) proved = proved | can[j];
    }

    // No lap of two seeds leads to a pit with an empty neighbour behind it.  Laps come over higher
    // indices, lower ones, or either.
    INLINE void by_empty_neighbours() {
        const bool higher = rules.either || rules.reversed, lower = rules.either || !rules.reversed;
        for (int j = 0; j < n; ++j) {
            M behind = none();
            if (higher) behind = behind | empty[near(j + 1)];
            if (lower) behind = behind | empty[near(j - 1)];
            proved = proved | (can[j] & behind);
        }
    }

    // Nor does one, on a ring without empty pits, lead to one of the emptiest beside another.
    INLINE void by_emptiest_neighbours() {
        V fewest = seen[0];
        for (int k = 1; k < R; ++k) fewest = choose(at_most(seen[k], fewest), seen[k], fewest);
        for (int j = 0; j < n; ++j) {
            M beside = equal(seen[near(j - 1)], fewest);
            if (rules.either) beside = beside | equal(seen[near(j + 1)], fewest);
            proved = proved | (can[j] & equal(seen[first + j], fewest) & beside & ~some_empty);
        }
    }

    // Where laps turn round, no two laps lead to a pit if the nearest empty pit behind it is two or
    // three away and has one seed beside it: the lap before came over that.
    INLINE void by_laps_that_turn() {
        const bool lower = rules.either || !rules.reversed;
        const V one = all(1);
        for (int away = 2; away <= 3 && away < R - 1 && missing(); ++away) {
            for (int j = 0; j < n; ++j) {
                M up = can[j] & empty[near(j + away)] & equal(seen[near(j + away - 1)], one);
                M down = can[j] & empty[near(j - away)] & equal(seen[near(j - away + 1)], one);
                for (int k = 1; k < away - 1; ++k) {
                    up = up & ~empty[near(j + k)];
                    down = down & ~empty[near(j - k)];
                }
                proved = proved | up;
                if (lower) proved = proved | down;
            }
        }
    }

    // A lap of up to five seeds that ends in an empty pit is a whole sowing.
    INLINE void by_short_sowings() {
        for (int lift = rules.any_lift ? 1 : rules.minimum_lift;
             lift <= 5 && lift < R - 1 && missing(); ++lift) {
            const V enough = all(lift < rules.minimum_lift ? rules.minimum_lift : lift);
            for (int j = 0; j < n; ++j) {
                const V mine = seen[first + j];
                const M lifts = rules.any_lift ? at_most(enough, mine) : equal(mine, enough);
                M ends = empty[near(j + lift)];
                if (rules.either) ends = ends | empty[near(j - lift)];
                proved = proved | (lifts & ends);
            }
        }
    }
};

// Returns the `wanted` lanes in which some candidate of the row that begins at pit `first` is seen
// to be legal; others may have a legal one as well.  `able` gets the lanes with a candidate.
template <class FixedRules>
uint64_t prove_legal(const Lanes& lanes, uint64_t wanted, int first, uint64_t& able) {
    LegalProof<FixedRules> proof(lanes, first);
    const LaneRules& rules = proof.rules;
    able = bits(proof.some_can);
    proof.wanted = wanted & able;
    const bool free_first_lap = !rules.checks_first_lap;
    if (rules.endless_is_legal && free_first_lap) proof.by_rules();
    if (lanes.step.proves_backward && free_first_lap && proof.missing()) {
        proof.by_empty_neighbours();
        if (proof.wanted & ~bits(proof.some_empty)) proof.by_emptiest_neighbours();
        if (rules.reversed) proof.by_laps_that_turn();
    }
    proof.by_short_sowings();
    return bits(proof.proved) & proof.wanted;
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
