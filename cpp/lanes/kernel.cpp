// Many games side by side in byte lanes: laps, captures and choices of all lanes by masks.
//
// Compiled once for every instruction set, RELAYSOW_INSTRUCTION_SET, in a namespace of its own.  It
// uses nothing inline from elsewhere: the linker could hand a copy for one instruction set to
// others.
#include "lanes/kernel.hpp"

#include "lanes/by_lane.hpp"
#include "lanes/fixed_rules.hpp"
#include "lanes/turns.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Sows laps in all lanes that do until enough of them wait for the driver or for the next stage.
template <class FixedRules>
struct RowSowing {
    static constexpr bool has_protection = FixedRules::has_protection;
    Lanes& lanes;
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    const V size = all(R), pits_a_round = all(rules.pits_a_round), one = all(1);
    uint64_t lapping = lanes.phase.lapping, over = lanes.phase.ended, refused[3] = {0, 0, 0};
    M act = mask(lapping), cw = mask(lanes.sowing.clockwise), crossed = mask(lanes.sowing.crossed);
    V pit = load(lanes.sowing.pit), hand = load(lanes.sowing.hand), laps = load(lanes.sowing.laps),
      as_held = load(lanes.sowing.hand_as_held);
    const int enough = enough_waiting(lanes);
    uint64_t out = 0;

    INLINE explicit RowSowing(Lanes& all_lanes) : lanes(all_lanes) {}

    INLINE bool step() {
        if (rules.overflow_bits) {
            const uint64_t too_many = bits(act & below(pits_a_round, hand));
            if (too_many) {
                refused[2] |= too_many;
                out |= too_many;
                act = act & ~mask(too_many);
                lapping &= ~too_many;
            }
        }
        V rounds = all(0), seeds = hand;
        for (M more = act & below(pits_a_round, seeds); bits(more);
             more = act & below(pits_a_round, seeds)) {
            rounds = add_where(more, rounds, one);
            seeds = sub(seeds, where(more, pits_a_round));
        }
        const V room = choose(cw, pit, sub(all(n - 1), pit));
        crossed = crossed | (act & below(room, hand));
        V last = choose(cw, sub(pit, seeds), add(pit, seeds));
        const M wraps = at_most(size, last);
        last = choose(wraps, choose(cw, add(last, size), sub(last, size)), last);
        // The pits sown are those of an interval, or where that wraps all but those of one.
        V begin = choose(wraps ^ cw, last, pit);
        begin = add_where(~cw, begin, one);
        V length = where(act, choose(wraps, sub(size, seeds), seeds));
        const V outside = where(act, add_where(wraps, rounds, one));
        const V change = choose(wraps, all(-1), one);  // inside
        V at = sub(all(0), begin);  // of each pit, from where the interval begins
        V at_last = choose(act, sub(last, begin), sub(size, begin));  // idle: never met
        V onward = one;
        const V at_pit = sub(pit, begin);
        const bool skips = rules.skipped && bits(nonzero(rounds));
        // Where no lane goes all round, as on long rings, one comparison tells what is sown:
        // counted down instead of up, those not in an interval are below its complement.
        const bool plain = R > 32 && !bits(act & at_most(pits_a_round, hand));
        if (plain) {
            const M around = act & wraps;
            const auto mirrored = [&](V v) { return choose(around, sub(all(-1), v), v); };
            at = mirrored(at);
            at_last = mirrored(at_last);
            length = choose(around, sub(all(0), length), length);
            onward = choose(around, all(-1), one);
        }
        uint8_t* here = lanes.rings.now;
        const auto rows = [&](int pits, V keep) __attribute__((always_inline)) {
            const auto lift = [&](V now) __attribute__((always_inline)) {
                if constexpr (has_protection) {
                    const M lifted = equal(at, at_last);
                    as_held = choose(lifted, now, as_held);
                    now = choose(lifted, now & keep, now);
                } else {
                    lift_where_equal(at, at_last, now, as_held);
                }
                store(here, now);
                at = add(at, onward);
                here += L;
            };
            if (plain) {
#pragma GCC unroll 4
                for (int i = 0; i < pits; ++i) {
                    lift(add_where(below(at, length), load(here), one));
                }
            } else {
#pragma GCC unroll 4
                for (int i = 0; i < pits; ++i) {
                    V now = add_where(below(at, length), add(load(here), outside), change);
                    if (skips) now = sub(now, where(equal(at, at_pit), rounds));
                    lift(now);
                }
            }
        };
        if constexpr (has_protection) {
            rows(n, all(0));
            rows(n, all(rules.owner_lifts ? protected_bit : 0));
        } else {
            rows(R, all(0));
        }
        hand = choose(act, has_protection ? as_held & all(seed_bits) : as_held, hand);
        const M first = equal(laps, all(0));
        laps = add_where(act, laps, one);
        pit = choose(act, last, pit);
        const M done = act & equal(hand, one);
        M going = act & ~done;
        if (rules.checks_first_lap) {
            const M bad = going & first & below(pit, all(n));
            refused[0] |= bits(bad);
            going = going & ~bad;
        }
        if (rules.max_laps) {
            const M bad = going & equal(laps, all(rules.max_laps));
            refused[1] |= bits(bad);
            going = going & ~bad;
        }
        if (rules.reversed) cw = cw ^ going;
        act = going;
        const uint64_t still = bits(act);
        over |= bits(done);
        out |= lapping & ~still & ~over;
        lapping = still;
        return lapping && count_bits(over | lanes.phase.choosing | out) < enough;
    }

    INLINE void end() {
        store(lanes.sowing.pit, pit);
        store(lanes.sowing.hand, hand);
        store(lanes.sowing.hand_as_held, as_held);
        store(lanes.sowing.laps, laps);
        lanes.phase.lapping = lapping;
        lanes.phase.ended = over;
        lanes.sowing.clockwise = bits(cw);
        lanes.sowing.crossed = bits(crossed);
        serve(lanes, refused[0], Request::forbidden);
        serve(lanes, refused[1], Request::capped);
        serve(lanes, refused[2], Request::left_to_scalar);
    }
};

template <class FixedRules>
void sow(Lanes& lanes, unsigned& steps_left) {
    RowSowing<FixedRules> sowing(lanes);
    bool goes_on;
    do {
        goes_on = sowing.step();
    } while (--steps_left && goes_on);
    sowing.end();
}

// The same in two groups, a step of each in turn: while one's wait for their own results, the
// other's go on.
template <class FixedRules>
void sow_both(Lanes& lanes, Lanes& beside) {
    RowSowing<FixedRules> first(lanes), second(beside);
    bool first_goes_on = lanes.phase.lapping != 0, second_goes_on = beside.phase.lapping != 0;
    unsigned steps_left = lanes.pace.steps_to_long;
    for (; steps_left && first_goes_on && second_goes_on; --steps_left) {
        first_goes_on = first.step();
        second_goes_on = second.step();
    }
    for (; steps_left && first_goes_on; --steps_left) first_goes_on = first.step();
    for (; steps_left && second_goes_on; --steps_left) second_goes_on = second.step();
    first.end();
    second.end();
}

INLINE bool capturable(bool has_protection, int seeds) {
    return has_protection ? seeds > 0 && seeds < protected_bit : seeds > 0;
}

// Captures, counts and hands over after the sowings that ended.  `restored` gets, for the pits
// where they ended, what is to be put back.  Returns lanes whose sowing is left to the driver: it
// captures more than a byte counts.
template <class FixedRules>
uint64_t end_sowings(Lanes& lanes, V& restored) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    const Chain chain = rules.chain;
    const bool has_protection = rules.has_protection,
               clockwise_too = rules.either || rules.reversed;
    uint8_t* const ring = lanes.rings.now;
    uint64_t ended = lanes.phase.ended, left_to_scalar = 0;
    M end = mask(ended);
    const M cw = mask(lanes.sowing.clockwise);
    const V pit = load(lanes.sowing.pit);
    const M own = end & below(pit, all(n));
    const M tries = rules.always_captures ? own : own & mask(lanes.sowing.crossed);
    uint64_t again = rules.moves_again ? bits(own) & ~lanes.sowing.crossed : 0;
    V captured = all(0);
    M own_taken = none();
    const uint64_t trying = bits(tries);
    if (chain == Chain::none && trying) {
        alignas(64) uint8_t faced[L];
        store(faced, all(0));
        for (uint64_t left = trying; left; left &= left - 1) {
            const int lane = first_bit(left);
            faced[lane] = ring[(R - 1 - lanes.sowing.pit[lane]) * L + lane];
        }
        const V seeds = load(faced);
        const M takes = has_protection ? below(sub(seeds, all(1)), all(seed_bits)) : nonzero(seeds);
        for (uint64_t left = bits(takes); left; left &= left - 1) {
            const int lane = first_bit(left);
            ring[(R - 1 - lanes.sowing.pit[lane]) * L + lane] = 0;
        }
        captured = where(takes, seeds);
        own_taken = rules.lone_taken ? tries : takes;
    } else if (trying) {
        M takes[64], open[64], empty[64], starts[64];
        M carried = none();
        const M lone = rules.lone_taken ? mask(every_lane) : none();
        const auto step = [&](int j, M start) __attribute__((always_inline)) {
            const M alive = (start | carried) & empty[j];
            const M take = alive & open[j];
            carried = chain == Chain::run_over_gaps ? alive
                      : chain == Chain::run         ? take
                                                    : start & take;
            return take;
        };
        for (int j = 0; j < n; ++j) {
            const V mine = load(ring + j * L), faced = load(ring + (R - 1 - j) * L);
            open[j] = has_protection ? below(sub(faced, all(1)), all(seed_bits)) : nonzero(faced);
            empty[j] = ~bits_in(mine, all(has_protection ? seed_bits : 0xFF));
            starts[j] = tries & equal(pit, all(j)) & (open[j] | lone);
            own_taken = own_taken | starts[j];
            takes[j] = step(j, starts[j] & ~cw);
        }
        carried = none();
        for (int j = n; j-- > 0;) {
            const M take = clockwise_too ? takes[j] | step(j, starts[j] & cw) : takes[j];
            uint8_t* facing = ring + (R - 1 - j) * L;
            const V faced = load(facing);
            captured = add_capped(take, captured, faced);
            store(facing, where(~take, faced));
        }
    }
    if (rules.overflow_bits) left_to_scalar = bits(equal(captured, all(0xFF)));
    if (!rules.capturing_stays) captured = add_where(own_taken, captured, all(1));
    if (rules.bonus != Bonus::none) {
        alignas(64) uint8_t taken[L];
        store(taken, captured);
        // Only after a capture of what is faced: more than the own seed, if that is taken.
        const V faced_too = all(rules.capturing_stays ? 0xFF : 0xFE);
        const uint64_t leftmost = bits(tries & equal(pit, all(0)) & bits_in(captured, faced_too));
        for (uint64_t left = leftmost; left; left &= left - 1) {
            const int lane = first_bit(left);
            const int faced = R - 1;
            int run = 0;
            while (run < n - 1 && capturable(has_protection, ring[(faced - 1 - run) * L + lane]))
                ++run;
            if (rules.bonus == Bonus::three) run = run >= 3 ? 3 : 0;
            if (rules.bonus == Bonus::up_to_three && run > 3) run = 3;
            for (int k = 1; k <= run; ++k) {
                uint8_t& seeds = ring[(faced - k) * L + lane];
                if (seeds > 0xFF - taken[lane]) left_to_scalar |= uint64_t{1} << lane;
                taken[lane] = static_cast<uint8_t>(taken[lane] + seeds);
                seeds = 0;
            }
        }
        captured = load(taken);
    }
    if (left_to_scalar) {
        ended &= ~left_to_scalar;
        again &= ended;
        end = mask(ended);
        own_taken = own_taken & end;
        captured = where(end, captured);
    }
    count_sowings<FixedRules>(lanes, ended, end, own_taken, captured, again);
    restored = where(end, load(lanes.sowing.hand_as_held));
    if (!rules.capturing_stays) {
        restored = choose(own_taken, restored & all(protected_bit & (has_protection ? 0xFF : 0)),
                          restored);
    }
    return left_to_scalar;
}

// What is in these pits of the own row; nothing in others.
template <class FixedRules>
INLINE V held_in(const Lanes& lanes, V pit) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    V held = all(0);
    for (int j = 0; j < rules.pits; ++j) {
        held = choose(equal(pit, all(j)), load(lanes.rings.now + j * L), held);
    }
    return rules.has_protection ? held & all(seed_bits) : held;
}

// Lanes whose move may end its first lap where it does.
template <class FixedRules>
INLINE M first_laps_legal(const Lanes& lanes, M decide, V pit, V hand, M cw) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int n = rules.pits;
    const V size = all(rules.ring_rows), pits_a_round = all(rules.pits_a_round);
    M in_one_round = decide;
    V seeds = where(decide, hand);
    for (M more = below(pits_a_round, seeds); bits(more); more = below(pits_a_round, seeds)) {
        in_one_round = in_one_round & ~more;
        seeds = sub(seeds, where(more, pits_a_round));
    }
    V last = choose(cw, sub(pit, seeds), add(pit, seeds));
    last = choose(at_most(size, last), choose(cw, add(last, size), sub(last, size)), last);
    const V held = held_in<FixedRules>(lanes, last);
    const M empty = ~nonzero(held) | (equal(last, pit) & equal(held, hand));
    return at_most(all(n), last) | (in_one_round & empty);
}

// The candidates that a decision is among.
struct CandidateSums {
    const V* sums;  // of candidates in the pits of the own row up to each
    M both;         // lanes that may sow either way
    V duty;

    // The moves of these numbers; without `any_lift` what is lifted is left out.
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

// Lanes whose choice is the driver's after all.
struct Undecided {
    uint64_t none_legal;  // the first lap of no candidate is legal
    uint64_t overdrawn;   // that of none of `most_struck` drawn
};

// Draws again where the first lap is illegal.
template <class FixedRules>
Undecided draw_legal(Lanes& lanes, M decide, const CandidateSums& among, V& number, V& pit, V& hand,
                     M& cw) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const V candidates = load(lanes.choice.candidates), never = all(0xFF);
    V struck[most_struck + 1];  // rising
    int strikes = 0;
    struck[0] = never;
    Undecided undecided{0, 0};
    if (!rules.any_lift) hand = held_in<FixedRules>(lanes, pit);
    M illegal = decide & ~first_laps_legal<FixedRules>(lanes, decide, pit, hand, cw);
    while (bits(illegal)) {
        V now = choose(illegal, number, never);
        for (int k = 0; k < strikes; ++k) {
            const V fewer = smaller(struck[k], now);
            now = larger(struck[k], now);
            struck[k] = fewer;
        }
        struck[strikes] = now;
        struck[++strikes] = never;
        const M none_left = illegal & equal(candidates, all(strikes));
        undecided.none_legal |= bits(none_left);
        illegal = illegal & ~none_left;
        if (!bits(illegal) || strikes == most_struck) break;
        alignas(64) uint8_t drawing[L];
        store(drawing, where(illegal, never));
        store(lanes.choice.candidates, sub(candidates, all(strikes)));
        draw(lanes, drawing);
        V next = load(lanes.choice.drawn), next_pit, next_hand = hand;
        for (int k = 0; k < strikes; ++k) next = add_where(at_most(struck[k], next), next, all(1));
        M next_cw;
        among.find(rules, next, next_pit, next_hand, next_cw);
        if (!rules.any_lift) next_hand = held_in<FixedRules>(lanes, next_pit);
        number = choose(illegal, next, number);
        pit = choose(illegal, next_pit, pit);
        hand = choose(illegal, next_hand, hand);
        cw = (illegal & next_cw) | (cw & ~illegal);
        illegal = illegal & ~first_laps_legal<FixedRules>(lanes, illegal, pit, hand, cw);
    }
    store(lanes.choice.candidates, candidates);
    for (int k = 0; k <= strikes; ++k) {
        store(lanes.choice.struck_first[k],
              choose(decide, struck[k], load(lanes.choice.struck_first[k])));
    }
    undecided.overdrawn = bits(illegal);
    return undecided;
}

// Draws a candidate for each lane `deciding` and lifts its seeds; `sums` are the candidates in the
// pits of the own row up to each.  It may `draw_again` if the first lap is illegal.
template <class FixedRules>
INLINE Undecided decide(Lanes& lanes, uint64_t deciding, const V* sums, V sum, V duty,
                        bool draws_again) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int n = rules.pits;
    const bool has_protection = rules.has_protection, any_lift = rules.any_lift;
    uint8_t* const ring = lanes.rings.now;
    const M decide = mask(deciding);
    alignas(64) uint8_t drawing[L];
    store(drawing, where(decide, all(0xFF)));
    const M both = rules.either ? ~nonzero(duty) : none();
    store(lanes.choice.candidates, add_where(both, sum, sum));
    draw(lanes, drawing);
    const CandidateSums among{sums, both, duty};
    V number = load(lanes.choice.drawn), own_pit, lifted = all(0);
    M cw;
    among.find(rules, number, own_pit, lifted, cw);
    Undecided undecided{0, 0};
    if (draws_again)
        undecided = draw_legal<FixedRules>(lanes, decide, among, number, own_pit, lifted, cw);
    const V pit = choose(decide, own_pit, load(lanes.sowing.pit));
    V hand = choose(decide, lifted, load(lanes.sowing.hand));
    const uint64_t clockwise = bits(cw) & deciding;
    deciding &= ~(undecided.none_legal | undecided.overdrawn);
    const M decided = mask(deciding);
    store(lanes.sowing.pit, pit);
    if (n <= 16) {
        for (int j = 0; j < n; ++j) {
            const M here = decided & equal(own_pit, all(j));
            const V held = load(ring + j * L);
            if (any_lift) {
                const V seeds = has_protection ? held & all(seed_bits) : held;
                store(ring + j * L, choose(here, sub(seeds, lifted), held));
            } else {
                hand = choose(here, held, hand);
                store(ring + j * L, where(~here, held));
            }
        }
        if (has_protection && !any_lift) hand = choose(decide, hand & all(seed_bits), hand);
        store(lanes.sowing.hand, hand);
    } else {
        store(lanes.sowing.hand, hand);
        const int seeds_of = has_protection ? seed_bits : 0xFF;
        for (uint64_t left = deciding; left; left &= left - 1) {
            const int lane = first_bit(left);
            uint8_t& held = ring[lanes.sowing.pit[lane] * L + lane];
            const int seeds = held & seeds_of;
            if (!any_lift) lanes.sowing.hand[lane] = static_cast<uint8_t>(seeds);
            held = static_cast<uint8_t>(seeds - lanes.sowing.hand[lane]);
        }
        hand = load(lanes.sowing.hand);
    }
    begin_sowings(lanes, decide, pit, hand, number);
    lanes.sowing.clockwise = (lanes.sowing.clockwise & ~deciding) | clockwise;
    lanes.choice.from_clockwise = (lanes.choice.from_clockwise & ~deciding) | clockwise;
    begin_laps(lanes, deciding);
    return undecided;
}

// Serves the lanes whose sowing ended or whose mover is to choose.
template <class FixedRules>
void take_turns(Lanes& lanes) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    const bool has_protection = rules.has_protection, any_lift = rules.any_lift,
               pit_duty = rules.pit_duty;
    uint8_t* const ring = lanes.rings.now;
    const size_t slot = static_cast<size_t>(lanes.log.now & lanes.log.mask);
    V restored = all(0), where_restored = all(0xFF);
    const bool restores = lanes.phase.ended != 0;
    if (restores) {
        const uint64_t ended = lanes.phase.ended,
                       left_to_scalar = end_sowings<FixedRules>(lanes, restored);
        where_restored =
            choose(mask(ended & ~left_to_scalar), load(lanes.sowing.pit), where_restored);
        serve(lanes, left_to_scalar, Request::left_to_scalar);
    }
    const uint64_t choosing = lanes.phase.choosing;
    uint8_t* log = lanes.log.positions + slot * static_cast<size_t>(rules.rows) * L;
    V sums[64];  // of candidates in the pits of the own row up to each
    V sum = all(0), fullest = all(0), in_row = all(0);
    V h1 = where(mask(lanes.turn.mover), all(0x35)), h2 = all(0), h3 = all(0);
    const V least = all(rules.minimum_lift);
    const V barred = pit_duty ? load(ring + (R + 1) * L) : all(0);
    const V duty = rules.direction_duty ? load(ring + R * L) : all(0);
    const M turns = mask(lanes.turn.mover ^ lanes.rings.viewer);
    lanes.rings.viewer = lanes.turn.mover;
    for (int j = 0; j < n; ++j) {
        V near = load(ring + j * L), far = load(ring + (n + j) * L);
        if (restores) {
            near = choose(equal(where_restored, all(j)), restored, near);
            far = choose(equal(where_restored, all(n + j)), restored, far);
        }
        V mine = choose(turns, far, near);
        const V other = choose(turns, near, far);
        store(ring + j * L, mine);
        store(ring + (n + j) * L, other);
        store(log + j * L, mine);
        store(log + (n + j) * L, other);
        h1 = add(h1, mine);
        h2 = add(h2, h1);
        h3 = add(h3, h2);
        h1 = add(h1, other);
        h2 = add(h2, h1);
        h3 = add(h3, h2);
        fullest = fullest | mine | other;
        if (has_protection) mine = mine & all(seed_bits);
        in_row = in_row | mine;
        M lifts = at_most(least, mine);
        if (pit_duty) lifts = lifts & ~equal(barred, all(j + 1));
        sum = add_capped(lifts, sum, any_lift ? mine : all(1));
        sums[j] = sum;
    }
    for (int i = R; i < rules.rows; ++i) {
        const V r = load(ring + i * L);
        store(log + i * L, r);
        h1 = add(h1, r);
        h2 = add(h2, h1);
        h3 = add(h3, h2);
    }
    const uint64_t able = bits(nonzero(sum)) & choosing;
    uint64_t stuck = choosing & ~able;
    uint64_t passing = 0;
    if (stuck && rules.passes) {
        const uint64_t plain = ~bits(nonzero(duty | barred));
        passing = stuck & ~lanes.turn.passed & plain;
        if (rules.row_empty_ends) passing &= bits(nonzero(in_row));
        stuck &= ~passing;
    }
    uint64_t undecided =
        rules.overflow_bits ? able & bits(bits_in(fullest, all(rules.overflow_bits))) : 0;
    if (rules.most_candidates) undecided |= able & bits(below(all(rules.most_candidates), sum));
    const uint64_t limited = able & at_limit(lanes);
    lanes.log.chose[slot] = able;
    lanes.log.movers[slot] = lanes.turn.mover;
    if (rules.compares && lanes.log.now % turns_between_looks == 0) look_back(lanes);
    const uint64_t repeated = rules.compares ? find_repeated<FixedRules>(lanes, able, h2, h3) : 0;
    const uint64_t held_back = stuck | undecided | limited | repeated;
    const uint64_t deciding = able & ~held_back;
    Undecided after_all{0, 0};
    lanes.choice.redrawn &= ~deciding;
    if (deciding)
        after_all = decide<FixedRules>(lanes, deciding, sums, sum, duty, rules.checks_first_lap);
    lanes.phase.choosing = choosing & ~able & ~stuck;
    lanes.turn.mover ^= passing;
    lanes.turn.passed |= passing;
    lanes.turn.begins |= passing;
    ++lanes.log.now;
    if (held_back | after_all.none_legal | after_all.overdrawn) {
        serve_held_back(lanes, stuck, repeated, undecided, limited);
        serve(lanes, after_all.none_legal, Request::none_legal);
        serve(lanes, after_all.overdrawn, Request::overdrawn);
    }
    end_turn(lanes);
}

// Plays all games by these two stages.
template <class Sow, class TakeTurns>
INLINE void play(Lanes& lanes, const Sow& sow, const TakeTurns& take_turns) {
    unsigned steps_left = lanes.pace.steps_to_long;
    while (lanes.phase.lapping | lanes.phase.ended | lanes.phase.choosing) {
        if (lanes.phase.lapping) {
            sow(lanes, steps_left);
        } else {
            steps_left -= 1;
        }
        if (steps_left == 0) {
            steps_left = lanes.pace.steps_to_long;
            lanes.driver.poll(lanes.driver.context);
            leave_long_sowings(lanes);
        }
        if (lanes.phase.ended | lanes.phase.choosing) take_turns(lanes);
    }
}

// ------------------------------------------------------------------------------- single moves

template <class FixedRules>
void take_back(Lanes& lanes, uint64_t which) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const M back = mask(which);
    for (int i = 0; i < rules.rows; ++i) {
        store(lanes.rings.now + i * L,
              choose(back, load(lanes.rings.before + i * L), load(lanes.rings.now + i * L)));
    }
}

template <class FixedRules>
void choose_moves(Lanes& lanes, int64_t* __restrict actions) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int n = rules.pits, R = rules.ring_rows;
    const V least = all(rules.minimum_lift);
    const V duty = rules.direction_duty ? load(lanes.rings.now + R * L) : all(0);
    const V barred = rules.pit_duty ? load(lanes.rings.now + (R + 1) * L) : all(0);
    V sums[64];
    V sum = all(0);
    for (int j = 0; j < n; ++j) {
        V mine = load(lanes.rings.now + j * L);
        if (rules.has_protection) mine = mine & all(seed_bits);
        M lifts = at_most(least, mine);
        if (rules.pit_duty) lifts = lifts & ~equal(barred, all(j + 1));
        sum = add_where(lifts, sum, rules.any_lift ? mine : all(1));
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

template <class FixedRules>
void sow_moves(Lanes& lanes, Lanes* beside) {
    if (beside != nullptr) {
        sow_both<FixedRules>(lanes, *beside);
        leave_long_sowings(*beside);
    } else if (lanes.phase.lapping) {
        unsigned steps_left = lanes.pace.steps_to_long;
        sow<FixedRules>(lanes, steps_left);
    }
    leave_long_sowings(lanes);
}

template <class FixedRules>
INLINE V seeds_in(const Lanes& lanes, int pit) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const V held = load(lanes.rings.now + pit * L);
    return rules.has_protection ? held & all(seed_bits) : held;
}

// The choosing lanes in which some candidate is seen to be legal; others may be as well.
//
// A sowing whose first lap ends in an empty pit is finite.  One that never ends comes back to where
// it began if it can be undone in one way only; so the state in which it began, its pit to be
// lifted, must be what a lap of at least two seeds leads to.  That lap was lifted from the nearest
// empty pit behind, which is then no neighbour.  The lap before it in turn ended there; where laps
// turn round it came over what has now one seed more.  On a ring without empty pits the lap went
// all round from one of the emptiest pits, and left more in its last unless that is the same; then
// no neighbour behind was empty before.
template <class FixedRules>
uint64_t prove_legal(const Lanes& lanes, uint64_t wanted, int first, uint64_t& able) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    V seen[128];
    M empty[128], can[64];
    M proved = none(), some_empty = none();
    const V least = all(rules.minimum_lift);
    for (int k = 0; k < R; ++k) {
        seen[k] = seeds_in<FixedRules>(lanes, k);
        empty[k] = ~nonzero(seen[k]);
        some_empty = some_empty | empty[k];
    }
    M any = none();
    for (int j = 0; j < n; ++j) {
        can[j] = at_most(least, seen[first + j]);
        any = any | can[j];
    }
    able = bits(any);
    wanted &= able;
    const auto near = [R, first](int k) {
        k += first;
        return k < 0 ? k + R : k < R ? k : k - R;
    };
    const auto missing = [&] { return count_bits(wanted & ~bits(proved)) > 1; };
    const bool free_first_lap = !rules.checks_first_lap;
    if (rules.endless_is_legal && free_first_lap) {
        for (int j = 0; j < n; ++j) proved = proved | can[j];
    }
    if (lanes.step.proves_backward && free_first_lap && missing()) {
        // Where the lap that led here came from: over higher indices, lower ones, or either.
        const bool higher = rules.either || rules.reversed, lower = rules.either || !rules.reversed;
        for (int j = 0; j < n; ++j) {
            M behind = none();
            if (higher) behind = behind | empty[near(j + 1)];
            if (lower) behind = behind | empty[near(j - 1)];
            proved = proved | (can[j] & behind);
        }
        if (wanted & ~bits(some_empty)) {
            V fewest = seen[0];
            for (int k = 1; k < R; ++k) {
                fewest = choose(at_most(seen[k], fewest), seen[k], fewest);
            }
            for (int j = 0; j < n; ++j) {
                M beside = equal(seen[near(j - 1)], fewest);
                if (rules.either) beside = beside | equal(seen[near(j + 1)], fewest);
                proved = proved | (can[j] & equal(seen[first + j], fewest) & beside & ~some_empty);
            }
        }
        if (rules.reversed) {
            for (int away = 2; away <= 3 && away < R - 1 && missing(); ++away) {
                const V one = all(1);
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
    }
    for (int lift = rules.any_lift ? 1 : rules.minimum_lift; lift <= 5 && lift < R - 1 && missing();
         ++lift) {
        const V enough = all(lift < rules.minimum_lift ? rules.minimum_lift : lift);
        for (int j = 0; j < n; ++j) {
            const V mine = seen[first + j];
            const M lifts = rules.any_lift ? at_most(enough, mine) : equal(mine, enough);
            M ends = empty[near(j + lift)];
            if (rules.either) ends = ends | empty[near(j - lift)];
            proved = proved | (lifts & ends);
        }
    }
    return bits(proved) & wanted;
}

template <class FixedRules>
void land(Lanes& lanes) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int n = rules.pits, R = rules.ring_rows;
    V restored = all(0), where_restored = all(0xFF);
    if (lanes.phase.ended) {
        where_restored = choose(mask(lanes.phase.ended), load(lanes.sowing.pit), where_restored);
        end_sowings<FixedRules>(lanes, restored);
    }
    const auto show_to_movers = [&] {
        const M turns = mask(lanes.turn.mover ^ lanes.rings.viewer);
        lanes.rings.viewer = lanes.turn.mover;
        for (int j = 0; j < n; ++j) {
            uint8_t *const near_row = lanes.rings.now + j * L, *const far_row =
                                                                   lanes.rings.now + (n + j) * L;
            const V near = load(near_row) | where(equal(where_restored, all(j)), restored);
            const V far = load(far_row) | where(equal(where_restored, all(n + j)), restored);
            store(near_row, choose(turns, far, near));
            store(far_row, choose(turns, near, far));
        }
        where_restored = all(0xFF);
    };
    show_to_movers();
    uint64_t able, wanted = lanes.phase.choosing;
    if (rules.direction_duty) wanted &= ~bits(nonzero(load(lanes.rings.now + R * L)));
    if (rules.pit_duty) wanted &= ~bits(nonzero(load(lanes.rings.now + (R + 1) * L)));
    lanes.phase.choosing &= ~prove_legal<FixedRules>(lanes, wanted, 0, able);
    const uint64_t stuck = rules.passes && !rules.row_empty_ends ? wanted & ~able : 0;
    if (stuck) {
        const uint64_t passing = prove_legal<FixedRules>(lanes, stuck, n, able);
        lanes.turn.mover ^= passing;
        show_to_movers();
        lanes.turn.passed |= passing;
        lanes.phase.choosing &= ~passing;
    }
    alignas(64) uint8_t moved[L], kept[L];
    store(moved, where(mask(lanes.step.moved), all(1)));
    store(kept, where(~mask(lanes.step.captured), all(0xFF)));
    for (int lane = 0; lane < L; ++lane) {
        lanes.step.moves[lane] += moved[lane];
        lanes.step.since_capture[lane] =
            (lanes.step.since_capture[lane] + moved[lane]) & static_cast<int8_t>(kept[lane]);
    }
}

template <class FixedRules>
uint64_t note(Lanes& lanes, uint64_t choosers) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const size_t slot = static_cast<size_t>(lanes.log.now & lanes.log.mask);
    uint8_t* log = lanes.log.positions + slot * static_cast<size_t>(rules.rows) * L;
    V h1 = where(mask(lanes.turn.mover), all(0x35)), h2 = all(0), h3 = all(0), fullest = all(0);
    for (int i = 0; i < rules.rows; ++i) {
        const V r = load(lanes.rings.now + i * L);
        store(lanes.rings.before + i * L, r);
        store(log + i * L, r);
        if (i < rules.ring_rows) fullest = fullest | r;
        h1 = add(h1, r);
        h2 = add(h2, h1);
        h3 = add(h3, h2);
    }
    lanes.step.overfull =
        rules.overflow_bits ? bits(bits_in(fullest, all(rules.overflow_bits))) : 0;
    if (lanes.log.now % turns_between_looks == 0) {
        lanes.log.beyond_window = 0;
        for (int lane = 0; lane < L; ++lane) {
            const bool beyond =
                lanes.log.segment[lane] + lanes.log.window < lanes.log.now + turns_between_looks;
            lanes.log.beyond_window |= static_cast<uint64_t>(beyond) << lane;
        }
    }
    lanes.log.chose[slot] = choosers;
    lanes.log.movers[slot] = lanes.turn.mover;
    return rules.compares ? find_repeated<FixedRules>(lanes, choosers, h2, h3) : 0;
}

template <class FixedRules>
void note_alone(Lanes& lanes, int lane) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const size_t slot = static_cast<size_t>(lanes.log.now & lanes.log.mask);
    uint8_t* log = lanes.log.positions + slot * static_cast<size_t>(rules.rows) * L;
    const uint64_t bit = uint64_t{1} << lane;
    unsigned h1 = lanes.turn.mover & bit ? 0x35 : 0, h2 = 0, h3 = 0;
    for (int i = 0; i < rules.rows; ++i) {
        const uint8_t r = lanes.rings.now[i * L + lane];
        lanes.rings.before[i * L + lane] = log[i * L + lane] = r;
        h1 += r;
        h2 += h1;
        h3 += h2;
    }
    lanes.log.chose[slot] |= bit;
    lanes.log.movers[slot] = (lanes.log.movers[slot] & ~bit) | (lanes.turn.mover & bit);
    lanes.log.prints[slot * 2 * L + lane] = static_cast<uint8_t>(h2);
    lanes.log.prints[slot * 2 * L + L + lane] = static_cast<uint8_t>(h3);
}

// Makes of eight rows of sixteen lanes' bytes eight pairs of lanes, each lane's eight bytes in one
// piece.
INLINE void transpose(const uint8_t* rows, __m128i* pairs) {
    __m128i a[8], b[8], c[8];
    for (int i = 0; i < 8; ++i) {
        a[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + i * L));
    }
    for (int i = 0; i < 4; ++i) {
        b[i] = _mm_unpacklo_epi8(a[2 * i], a[2 * i + 1]);
        b[4 + i] = _mm_unpackhi_epi8(a[2 * i], a[2 * i + 1]);
    }
    for (int half = 0; half < 8; half += 4) {
        c[half] = _mm_unpacklo_epi16(b[half], b[half + 1]);
        c[half + 1] = _mm_unpackhi_epi16(b[half], b[half + 1]);
        c[half + 2] = _mm_unpacklo_epi16(b[half + 2], b[half + 3]);
        c[half + 3] = _mm_unpackhi_epi16(b[half + 2], b[half + 3]);
        pairs[half] = _mm_unpacklo_epi32(c[half], c[half + 2]);
        pairs[half + 1] = _mm_unpackhi_epi32(c[half], c[half + 2]);
        pairs[half + 2] = _mm_unpacklo_epi32(c[half + 1], c[half + 3]);
        pairs[half + 3] = _mm_unpackhi_epi32(c[half + 1], c[half + 3]);
    }
}

template <class FixedRules>
void show(const Lanes& lanes, const Shown& to) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits;
    alignas(64) uint8_t rows[128 * L];
    for (int k = 0; k < R; ++k) store(rows + k * L, seeds_in<FixedRules>(lanes, k));
    const __m128i zero = _mm_setzero_si128();
    for (int done = 0; done < R; done += 8) {
        const int k = done + 8 > R ? R - 8 : done;
        for (int lane = 0; lane < L; lane += 16) {
            __m128i pairs[8];
            transpose(rows + k * L + lane, pairs);
            for (int i = 0; i < 8; ++i) {
                int16_t* const out = to.pits + static_cast<size_t>(lane + 2 * i) * to.features + k;
                _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                                 _mm_unpacklo_epi8(pairs[i], zero));
                _mm_storeu_si128(reinterpret_cast<__m128i*>(out + to.features),
                                 _mm_unpackhi_epi8(pairs[i], zero));
            }
        }
    }
    const __m128i lane_bits = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    for (int lane = 0; lane < L; lane += 8) {
        const auto eight = [lane](const auto* from, int further = 0) {
            return _mm_load_si128(reinterpret_cast<const __m128i*>(from + lane + further));
        };
        const __m128i bits = _mm_set1_epi16(static_cast<int16_t>(lanes.turn.mover >> lane & 0xFF));
        const __m128i north = _mm_cmpeq_epi16(_mm_and_si128(bits, lane_bits), lane_bits);
        const __m128i south_store = eight(lanes.counts.stores[0]),
                      north_store = eight(lanes.counts.stores[1]);
        const __m128i other = _mm_and_si128(north, _mm_xor_si128(south_store, north_store));
        const __m128i mine = _mm_xor_si128(south_store, other);
        const __m128i theirs = _mm_xor_si128(north_store, other);
        const __m128i mover = _mm_srli_epi16(north, 15);
        const __m128i since =
            _mm_packs_epi32(eight(lanes.step.since_capture), eight(lanes.step.since_capture, 4));
        const __m128i halves[2][2] = {
            {_mm_unpacklo_epi16(mine, theirs), _mm_unpacklo_epi16(mover, since)},
            {_mm_unpackhi_epi16(mine, theirs), _mm_unpackhi_epi16(mover, since)}};
        int16_t* out = to.pits + static_cast<size_t>(lane) * to.features + R;
        for (const auto& half : halves) {
            const __m128i pairs[2] = {_mm_unpacklo_epi32(half[0], half[1]),
                                      _mm_unpackhi_epi32(half[0], half[1])};
            for (const __m128i pair : pairs) {
                _mm_storel_epi64(reinterpret_cast<__m128i*>(out), pair);
                _mm_storel_epi64(reinterpret_cast<__m128i*>(out + to.features),
                                 _mm_unpackhi_epi64(pair, pair));
                out += 2 * to.features;
            }
        }
    }
    if (to.mask == nullptr) return;
    const M running = mask(to.running);
    const V least = all(rules.minimum_lift);
    const V duty = rules.direction_duty ? load(lanes.rings.now + R * L) : all(0);
    const V barred = rules.pit_duty ? load(lanes.rings.now + (R + 1) * L) : all(0);
    const int ways = rules.either ? 2 : 1;
    alignas(64) uint8_t actions[128 * L];
    for (int j = 0; j < n; ++j) {
        M may = running & at_most(least, load(rows + j * L));
        if (rules.pit_duty) may = may & ~equal(barred, all(j + 1));
        store(actions + ways * j * L, where(may & ~equal(duty, all(2)), all(1)));
        if (rules.either) {
            store(actions + (2 * j + 1) * L, where(may & ~equal(duty, all(1)), all(1)));
        }
    }
    const int A = ways * n;
    for (int done = 0; done < A; done += 8) {
        const int k = done + 8 > A ? A - 8 : done;
        for (int lane = 0; lane < L; lane += 16) {
            __m128i pairs[8];
            transpose(actions + k * L + lane, pairs);
            for (int i = 0; i < 8; ++i) {
                uint8_t* const out = to.mask + static_cast<size_t>(lane + 2 * i) * to.actions + k;
                _mm_storel_epi64(reinterpret_cast<__m128i*>(out), pairs[i]);
                _mm_storel_epi64(reinterpret_cast<__m128i*>(out + to.actions),
                                 _mm_unpackhi_epi64(pairs[i], pairs[i]));
            }
        }
    }
}

}  // namespace

const int width = L;

const Stages& stages(const Lanes& lanes) {
    const Stages* found = nullptr;
    with_fixed_rules(lanes.rules, [&]<class FixedRules>(FixedRules) {
        static constexpr Stages stages = {
            take_back<FixedRules>,  choose_moves<FixedRules>, differ,
            sow_moves<FixedRules>,  land<FixedRules>,         note<FixedRules>,
            note_alone<FixedRules>, show<FixedRules>};
        found = &stages;
    });
    return *found;
}

void run(Lanes& lanes) {
    if (lanes.rings.by_lane) return play(lanes, sow_by_lane, take_turns_by_lane);
    with_fixed_rules(lanes.rules, [&]<class FixedRules>(FixedRules) {
        play(lanes, sow<FixedRules>, take_turns<FixedRules>);
    });
}

bool by_lane(const LaneRules& rules) {
    return rules.ring_rows >= shortest_by_lane && matches<EnGeheRules>(rules);
}

}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
