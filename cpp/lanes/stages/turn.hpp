// Takes the turns of whole games: serves the lanes whose sowing has ended or whose mover is to
// choose.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/stages/capture.hpp"
#include "lanes/stages/choose.hpp"
#include "lanes/stages/count.hpp"
#include "lanes/stages/draw.hpp"
#include "lanes/stages/repeat.hpp"
#include "lanes/stages/requests.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// What is to be put back into the pits in which sowings have ended.
struct PutBack {
    V seeds = all(0), pit = all(0xFF);
};

// What is seen of all rings on the way through their pits.
struct View {
    V candidates = all(0);    // in one direction
    V every_pit = all(0);     // the bits that are in some pit
    V own_pits = all(0);      // the bits of the seeds in some pit of the own row
    V duty, barred;           // the mover's duties
    Fingerprint fingerprint;  // of the position

    INLINE explicit View(const Lanes& lanes) : fingerprint(lanes) {}
};

// Ends sowings.  Returns what is to be put back; sowings that capture too much for lanes are left
// to the driver.
template <class FixedRules>
INLINE PutBack end_and_serve_sowings(Lanes& lanes) {
    PutBack back;
    const uint64_t ended = lanes.phase.ended;
    const uint64_t left_to_scalar = end_sowings<FixedRules>(lanes, back.seeds);
    back.pit = choose(mask(ended & ~left_to_scalar), load(lanes.sowing.pit), back.pit);
    serve(lanes, left_to_scalar, Request::left_to_scalar);
    return back;
}

// Turns the rings to their movers, records them in the log, and looks at them: all in one way
// through the pits.  `sums` get the candidates in the pits of the own row up to each; they are no
// part of the view, all of which the compiler would then keep in memory.
template <class FixedRules>
INLINE void turn_to_movers(Lanes& lanes, bool restores, const PutBack& back, V* sums, View& view) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    uint8_t* const ring = lanes.rings.now;
    uint8_t* const log = newest_positions(lanes, rules);
    view.barred = rules.pit_duty ? load(ring + (R + 1) * L) : all(0);
    view.duty = rules.direction_duty ? load(ring + R * L) : all(0);
    const M turns = mask(lanes.turn.mover ^ lanes.rings.viewer);
    lanes.rings.viewer = lanes.turn.mover;
    for (int j = 0; j < n; ++j) {
        V near = load(ring + j * L), far = load(ring + (n + j) * L);
        if (restores) {
            near = choose(equal(back.pit, all(j)), back.seeds, near);
            far = choose(equal(back.pit, all(n + j)), back.seeds, far);
        }
        V mine = choose(turns, far, near);
        const V other = choose(turns, near, far);
        store(ring + j * L, mine);
        store(ring + (n + j) * L, other);
        store(log + j * L, mine);
        store(log + (n + j) * L, other);
        view.fingerprint.take(mine);
        view.fingerprint.take(other);
        view.every_pit = view.every_pit | mine | other;
        if (rules.has_protection) mine = mine & all(seed_bits);
        view.own_pits = view.own_pits | mine;
        const M lifts = liftable(rules, mine, view.barred, j);
        view.candidates = add_capped(lifts, view.candidates, rules.any_lift ? mine : all(1));
        sums[j] = view.candidates;
    }
    for (int i = R; i < rules.rows; ++i) {
        const V duties = load(ring + i * L);
        store(log + i * L, duties);
        view.fingerprint.take(duties);
    }
}

// Takes a turn in all lanes that are not `lapping`.
template <class FixedRules>
void take_turns(Lanes& lanes) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    Log& log = lanes.log;
    PutBack back;
    const bool restores = lanes.phase.ended != 0;
    if (restores) back = end_and_serve_sowings<FixedRules>(lanes);
    const uint64_t choosing = lanes.phase.choosing;
    V sums[64];
    View view(lanes);
    turn_to_movers<FixedRules>(lanes, restores, back, sums, view);
    const uint64_t able = bits(nonzero(view.candidates)) & choosing;
    uint64_t stuck = choosing & ~able;
    uint64_t passing = 0;
    if (stuck && rules.passes) {
        const uint64_t plain = ~bits(nonzero(view.duty | view.barred));
        passing = stuck & ~lanes.turn.passed & plain;
        if (rules.row_empty_ends) passing &= bits(nonzero(view.own_pits));
        stuck &= ~passing;
    }
    uint64_t undecided =
        rules.overflow_bits ? able & bits(bits_in(view.every_pit, all(rules.overflow_bits))) : 0;
    if (rules.most_candidates) {
        undecided |= able & bits(below(all(rules.most_candidates), view.candidates));
    }
    const uint64_t limited = able & at_limit(lanes);
    log.chose[slot_of(lanes, log.now)] = able;
    log.movers[slot_of(lanes, log.now)] = lanes.turn.mover;
    if (rules.compares && log.now % turns_between_looks == 0) look_back(lanes);
    const uint64_t repeated = rules.compares
                                  ? find_repeated<FixedRules>(lanes, able, view.fingerprint.first,
                                                              view.fingerprint.second)
                                  : 0;
    const uint64_t held_back = stuck | undecided | limited | repeated;
    const uint64_t deciding = able & ~held_back;
    Undecided after_all;
    lanes.choice.redrawn &= ~deciding;
    if (deciding) {
        after_all = decide<FixedRules>(lanes, deciding, sums, view.candidates, view.duty,
                                       rules.checks_first_lap);
    }
    lanes.phase.choosing = choosing & ~able & ~stuck;
    lanes.turn.mover ^= passing;
    lanes.turn.passed |= passing;
    lanes.turn.begins |= passing;
    ++log.now;
    if (held_back | after_all.none_legal | after_all.overdrawn) {
        serve_held_back(lanes, stuck, repeated, undecided, limited);
        serve(lanes, after_all.none_legal, Request::none_legal);
        serve(lanes, after_all.overdrawn, Request::overdrawn);
    }
    end_turn(lanes);
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
