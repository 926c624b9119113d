// Many games side by side in byte lanes: laps, captures and choices of all lanes by masks.
//
// Compiled once for every instruction set, RELAYSOW_LEVEL, in a namespace of its own.  It uses
// nothing inline from elsewhere: the linker could hand a copy for one instruction set to others.
#include "lanes/kernel.hpp"

#include "lanes/by_lane.hpp"
#include "lanes/known_rules.hpp"
#include "lanes/turns.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::playout::RELAYSOW_LEVEL {
namespace {

// Sows laps in all lanes that do until enough of them wait for the driver or for the next stage.
template <class Known>
struct Sowing {
    static constexpr bool marks = Known::marks;
    Lanes& x;
    const Options rules = Known::of(x);
    const int R = rules.ring_rows, n = rules.pits;
    const V size = all(R), round = all(rules.round), one = all(1);
    uint64_t lapping = x.lapping, over = x.ended, refused[3] = {0, 0, 0};
    M act = mask(lapping), cw = mask(x.clockwise), crossed = mask(x.crossed);
    V pit = load(x.pit), hand = load(x.hand), laps = load(x.laps), raw = load(x.raw);
    const int enough = enough_waiting(x);
    uint64_t out = 0;

    INLINE explicit Sowing(Lanes& lanes) : x(lanes) {}

    INLINE bool step() {
        if (rules.guard) {
            const uint64_t too_many = bits(act & below(round, hand));
            if (too_many) {
                refused[2] |= too_many;
                out |= too_many;
                act = act & ~mask(too_many);
                lapping &= ~too_many;
            }
        }
        V rounds = all(0), seeds = hand;
        for (M more = act & below(round, seeds); bits(more); more = act & below(round, seeds)) {
            rounds = add_where(more, rounds, one);
            seeds = sub(seeds, where(more, round));
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
        const bool plain = R > 32 && !bits(act & at_most(round, hand));
        if (plain) {
            const M around = act & wraps;
            const auto turned = [&](V v) { return choose(around, sub(all(-1), v), v); };
            at = turned(at);
            at_last = turned(at_last);
            length = choose(around, sub(all(0), length), length);
            onward = choose(around, all(-1), one);
        }
        uint8_t* here = x.ring;
        const auto rows = [&](int pits, V keep) __attribute__((always_inline)) {
            const auto lift = [&](V now) __attribute__((always_inline)) {
                if constexpr (marks) {
                    const M lifted = equal(at, at_last);
                    raw = choose(lifted, now, raw);
                    now = choose(lifted, now & keep, now);
                } else {
                    lift_where_equal(at, at_last, now, raw);
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
        if constexpr (marks) {
            rows(n, all(0));
            rows(n, all(rules.owner_lifts ? mark : 0));
        } else {
            rows(R, all(0));
        }
        hand = choose(act, marks ? raw & all(counted) : raw, hand);
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
        return lapping && count_bits(over | x.choosing | out) < enough;
    }

    INLINE void end() {
        store(x.pit, pit);
        store(x.hand, hand);
        store(x.raw, raw);
        store(x.laps, laps);
        x.lapping = lapping;
        x.ended = over;
        x.clockwise = bits(cw);
        x.crossed = bits(crossed);
        attend(x, refused[0], Call::forbidden);
        attend(x, refused[1], Call::capped);
        attend(x, refused[2], Call::astray);
    }
};

template <class Known>
void sow(Lanes& x, unsigned& steps_left) {
    Sowing<Known> sowing(x);
    bool goes_on;
    do {
        goes_on = sowing.step();
    } while (--steps_left && goes_on);
    sowing.end();
}

// The same in two groups, a step of each in turn: while one's wait for their own results, the
// other's go on.
template <class Known>
void sow_both(Lanes& x, Lanes& y) {
    Sowing<Known> first(x), second(y);
    bool first_goes_on = x.lapping != 0, second_goes_on = y.lapping != 0;
    unsigned steps_left = x.steps_to_long;
    for (; steps_left && first_goes_on && second_goes_on; --steps_left) {
        first_goes_on = first.step();
        second_goes_on = second.step();
    }
    for (; steps_left && first_goes_on; --steps_left) first_goes_on = first.step();
    for (; steps_left && second_goes_on; --steps_left) second_goes_on = second.step();
    first.end();
    second.end();
}

INLINE bool capturable(bool marks, int seeds) {
    return marks ? seeds > 0 && seeds < mark : seeds > 0;
}

// Captures, counts and hands over after the sowings that ended.  `restored` gets, for the pits
// where they ended, what is to be put back.  Returns lanes whose sowing is left to the driver: it
// captures more than a byte counts.
template <class Known>
uint64_t end_sowings(Lanes& x, V& restored) {
    const Options rules = Known::of(x);
    const int R = rules.ring_rows, n = rules.pits;
    const Chain chain = rules.chain;
    const bool marks = rules.marks, clockwise_too = rules.either || rules.reversed;
    uint8_t* const ring = x.ring;
    uint64_t ended = x.ended, astray = 0;
    M end = mask(ended);
    const M cw = mask(x.clockwise);
    const V pit = load(x.pit);
    const M own = end & below(pit, all(n));
    const M tries = rules.always_captures ? own : own & mask(x.crossed);
    uint64_t again = rules.moves_again ? bits(own) & ~x.crossed : 0;
    V captured = all(0);
    M own_taken = none();
    const uint64_t trying = bits(tries);
    if (chain == Chain::none && trying) {
        alignas(64) uint8_t faced[L];
        store(faced, all(0));
        for (uint64_t left = trying; left; left &= left - 1) {
            const int lane = first_bit(left);
            faced[lane] = ring[(R - 1 - x.pit[lane]) * L + lane];
        }
        const V seeds = load(faced);
        const M takes = marks ? below(sub(seeds, all(1)), all(counted)) : nonzero(seeds);
        for (uint64_t left = bits(takes); left; left &= left - 1) {
            const int lane = first_bit(left);
            ring[(R - 1 - x.pit[lane]) * L + lane] = 0;
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
            open[j] = marks ? below(sub(faced, all(1)), all(counted)) : nonzero(faced);
            empty[j] = ~bits_in(mine, all(marks ? counted : 0xFF));
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
    if (rules.guard) astray = bits(equal(captured, all(0xFF)));
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
            while (run < n - 1 && capturable(marks, ring[(faced - 1 - run) * L + lane])) ++run;
            if (rules.bonus == Bonus::three) run = run >= 3 ? 3 : 0;
            if (rules.bonus == Bonus::up_to_three && run > 3) run = 3;
            for (int k = 1; k <= run; ++k) {
                uint8_t& seeds = ring[(faced - k) * L + lane];
                if (seeds > 0xFF - taken[lane]) astray |= uint64_t{1} << lane;
                taken[lane] = static_cast<uint8_t>(taken[lane] + seeds);
                seeds = 0;
            }
        }
        captured = load(taken);
    }
    if (astray) {
        ended &= ~astray;
        again &= ended;
        end = mask(ended);
        own_taken = own_taken & end;
        captured = where(end, captured);
    }
    count_sowings<Known>(x, ended, end, own_taken, captured, again);
    restored = where(end, load(x.raw));
    if (!rules.capturing_stays) {
        restored = choose(own_taken, restored & all(mark & (marks ? 0xFF : 0)), restored);
    }
    return astray;
}

// What is in these pits of the own row; nothing in others.
template <class Known>
INLINE V held_in(const Lanes& x, V pit) {
    const Options rules = Known::of(x);
    V held = all(0);
    for (int j = 0; j < rules.pits; ++j) {
        held = choose(equal(pit, all(j)), load(x.ring + j * L), held);
    }
    return rules.marks ? held & all(counted) : held;
}

// Lanes whose move may end its first lap where it does.
template <class Known>
INLINE M first_laps_legal(const Lanes& x, M decide, V pit, V hand, M cw) {
    const Options rules = Known::of(x);
    const int n = rules.pits;
    const V size = all(rules.ring_rows), round = all(rules.round);
    M in_one_round = decide;
    V seeds = where(decide, hand);
    for (M more = below(round, seeds); bits(more); more = below(round, seeds)) {
        in_one_round = in_one_round & ~more;
        seeds = sub(seeds, where(more, round));
    }
    V last = choose(cw, sub(pit, seeds), add(pit, seeds));
    last = choose(at_most(size, last), choose(cw, add(last, size), sub(last, size)), last);
    const V held = held_in<Known>(x, last);
    const M empty = ~nonzero(held) | (equal(last, pit) & equal(held, hand));
    return at_most(all(n), last) | (in_one_round & empty);
}

// The candidates that a decision is among.
struct Choice {
    const V* sums;  // of candidates in the pits of the own row up to each
    M both;         // lanes that may sow either way
    V duty;

    // The moves of these numbers; without `any_lift` what is lifted is left out.
    INLINE void find(const Options& rules, V number, V& pit, V& hand, M& cw) const {
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
template <class Known>
Undecided draw_legal(Lanes& x, M decide, const Choice& choice, V& number, V& pit, V& hand, M& cw) {
    const Options rules = Known::of(x);
    const V candidates = load(x.count), never = all(0xFF);
    V struck[most_struck + 1];  // rising
    int strikes = 0;
    struck[0] = never;
    Undecided lanes{0, 0};
    if (!rules.any_lift) hand = held_in<Known>(x, pit);
    M illegal = decide & ~first_laps_legal<Known>(x, decide, pit, hand, cw);
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
        lanes.none_legal |= bits(none_left);
        illegal = illegal & ~none_left;
        if (!bits(illegal) || strikes == most_struck) break;
        alignas(64) uint8_t drawing[L];
        store(drawing, where(illegal, never));
        store(x.count, sub(candidates, all(strikes)));
        draw(x, drawing);
        V next = load(x.number), next_pit, next_hand = hand;
        for (int k = 0; k < strikes; ++k) next = add_where(at_most(struck[k], next), next, all(1));
        M next_cw;
        choice.find(rules, next, next_pit, next_hand, next_cw);
        if (!rules.any_lift) next_hand = held_in<Known>(x, next_pit);
        number = choose(illegal, next, number);
        pit = choose(illegal, next_pit, pit);
        hand = choose(illegal, next_hand, hand);
        cw = (illegal & next_cw) | (cw & ~illegal);
        illegal = illegal & ~first_laps_legal<Known>(x, illegal, pit, hand, cw);
    }
    store(x.count, candidates);
    for (int k = 0; k <= strikes; ++k) {
        store(x.struck_first[k], choose(decide, struck[k], load(x.struck_first[k])));
    }
    lanes.overdrawn = bits(illegal);
    return lanes;
}

// Draws a candidate for each lane `deciding` and lifts its seeds; `sums` are the candidates in the
// pits of the own row up to each.  It may `draw_again` if the first lap is illegal.
template <class Known>
INLINE Undecided decide(Lanes& x, uint64_t deciding, const V* sums, V sum, V duty,
                        bool draws_again) {
    const Options rules = Known::of(x);
    const int n = rules.pits;
    const bool marks = rules.marks, any_lift = rules.any_lift;
    uint8_t* const ring = x.ring;
    const M decide = mask(deciding);
    alignas(64) uint8_t drawing[L];
    store(drawing, where(decide, all(0xFF)));
    const M both = rules.either ? ~nonzero(duty) : none();
    store(x.count, add_where(both, sum, sum));
    draw(x, drawing);
    const Choice choice{sums, both, duty};
    V number = load(x.number), own_pit, lifted = all(0);
    M cw;
    choice.find(rules, number, own_pit, lifted, cw);
    Undecided undecided{0, 0};
    if (draws_again) undecided = draw_legal<Known>(x, decide, choice, number, own_pit, lifted, cw);
    const V pit = choose(decide, own_pit, load(x.pit));
    V hand = choose(decide, lifted, load(x.hand));
    const uint64_t clockwise = bits(cw) & deciding;
    deciding &= ~(undecided.none_legal | undecided.overdrawn);
    const M decided = mask(deciding);
    store(x.pit, pit);
    if (n <= 16) {
        for (int j = 0; j < n; ++j) {
            const M here = decided & equal(own_pit, all(j));
            const V held = load(ring + j * L);
            if (any_lift) {
                const V seeds = marks ? held & all(counted) : held;
                store(ring + j * L, choose(here, sub(seeds, lifted), held));
            } else {
                hand = choose(here, held, hand);
                store(ring + j * L, where(~here, held));
            }
        }
        if (marks && !any_lift) hand = choose(decide, hand & all(counted), hand);
        store(x.hand, hand);
    } else {
        store(x.hand, hand);
        const int seeds_of = marks ? counted : 0xFF;
        for (uint64_t left = deciding; left; left &= left - 1) {
            const int lane = first_bit(left);
            uint8_t& held = ring[x.pit[lane] * L + lane];
            const int seeds = held & seeds_of;
            if (!any_lift) x.hand[lane] = static_cast<uint8_t>(seeds);
            held = static_cast<uint8_t>(seeds - x.hand[lane]);
        }
        hand = load(x.hand);
    }
    begin_sowings(x, decide, pit, hand, number);
    x.clockwise = (x.clockwise & ~deciding) | clockwise;
    x.from_clockwise = (x.from_clockwise & ~deciding) | clockwise;
    begin_laps(x, deciding);
    return undecided;
}

// Serves the lanes whose sowing ended or whose mover is to choose.
template <class Known>
void take_turns(Lanes& x) {
    const Options rules = Known::of(x);
    const int R = rules.ring_rows, n = rules.pits;
    const bool marks = rules.marks, any_lift = rules.any_lift, pit_duty = rules.pit_duty;
    uint8_t* const ring = x.ring;
    const size_t slot = static_cast<size_t>(x.now & x.log_mask);
    V restored = all(0), where_restored = all(0xFF);
    const bool restores = x.ended != 0;
    if (restores) {
        const uint64_t ended = x.ended, astray = end_sowings<Known>(x, restored);
        where_restored = choose(mask(ended & ~astray), load(x.pit), where_restored);
        attend(x, astray, Call::astray);
    }
    const uint64_t choosing = x.choosing;
    uint8_t* log = x.log + slot * static_cast<size_t>(rules.rows) * L;
    V sums[64];  // of candidates in the pits of the own row up to each
    V sum = all(0), fullest = all(0), in_row = all(0);
    V h1 = where(mask(x.mover), all(0x35)), h2 = all(0), h3 = all(0);
    const V least = all(rules.minimum_lift);
    const V barred = pit_duty ? load(ring + (R + 1) * L) : all(0);
    const V duty = rules.direction_duty ? load(ring + R * L) : all(0);
    const M turns = mask(x.mover ^ x.viewer);
    x.viewer = x.mover;
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
        if (marks) mine = mine & all(counted);
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
        passing = stuck & ~x.passed & plain;
        if (rules.row_empty_ends) passing &= bits(nonzero(in_row));
        stuck &= ~passing;
    }
    uint64_t undecided = rules.guard ? able & bits(bits_in(fullest, all(rules.guard))) : 0;
    if (rules.most_candidates) undecided |= able & bits(below(all(rules.most_candidates), sum));
    const uint64_t limited = able & at_limit(x);
    x.chose[slot] = able;
    x.movers[slot] = x.mover;
    if (rules.compares && x.now % turns_between_looks == 0) look_back(x);
    const uint64_t repeated = rules.compares ? find_repeated<Known>(x, able, h2, h3) : 0;
    const uint64_t aside = stuck | undecided | limited | repeated;
    const uint64_t deciding = able & ~aside;
    Undecided after_all{0, 0};
    x.redrawn &= ~deciding;
    if (deciding) after_all = decide<Known>(x, deciding, sums, sum, duty, rules.checks_first_lap);
    x.choosing = choosing & ~able & ~stuck;
    x.mover ^= passing;
    x.passed |= passing;
    x.new_turn |= passing;
    ++x.now;
    if (aside | after_all.none_legal | after_all.overdrawn) {
        attend_aside(x, stuck, repeated, undecided, limited);
        attend(x, after_all.none_legal, Call::none_legal);
        attend(x, after_all.overdrawn, Call::overdrawn);
    }
    end_turn(x);
}

// Plays all games by these two stages.
template <class Sow, class TakeTurns>
INLINE void play(Lanes& x, const Sow& sow, const TakeTurns& take_turns) {
    unsigned steps_left = x.steps_to_long;
    while (x.lapping | x.ended | x.choosing) {
        if (x.lapping) {
            sow(x, steps_left);
        } else {
            steps_left -= 1;
        }
        if (steps_left == 0) {
            steps_left = x.steps_to_long;
            x.driver.poll(x.driver.context);
            leave_long_sowings(x);
        }
        if (x.ended | x.choosing) take_turns(x);
    }
}

// ------------------------------------------------------------------------------- single moves

template <class Known>
void take_back(Lanes& x, uint64_t lanes) {
    const Options rules = Known::of(x);
    const M back = mask(lanes);
    for (int i = 0; i < rules.rows; ++i) {
        store(x.ring + i * L, choose(back, load(x.before + i * L), load(x.ring + i * L)));
    }
}

template <class Known>
void choose_moves(Lanes& x, int64_t* __restrict actions) {
    const Options rules = Known::of(x);
    const int n = rules.pits, R = rules.ring_rows;
    const V least = all(rules.minimum_lift);
    const V duty = rules.direction_duty ? load(x.ring + R * L) : all(0);
    const V barred = rules.pit_duty ? load(x.ring + (R + 1) * L) : all(0);
    V sums[64];
    V sum = all(0);
    for (int j = 0; j < n; ++j) {
        V mine = load(x.ring + j * L);
        if (rules.marks) mine = mine & all(counted);
        M lifts = at_most(least, mine);
        if (rules.pit_duty) lifts = lifts & ~equal(barred, all(j + 1));
        sum = add_where(lifts, sum, rules.any_lift ? mine : all(1));
        sums[j] = sum;
    }
    const uint64_t deciding = x.choosing;
    x.choosing = 0;
    decide<Known>(x, deciding, sums, sum, duty, false);
    alignas(64) uint8_t own[L], more[L], clockwise[L], drawn[L];
    store(own, load(x.from));
    store(more, rules.any_lift ? sub(load(x.lift), all(1)) : all(0));
    store(clockwise, where(mask(x.from_clockwise), all(rules.either)));
    store(drawn, where(mask(deciding), all(0xFF)));
    const int lifts = x.lifts, ways = x.ways;
    for (int lane = 0; lane < L; ++lane) {
        const int action = (own[lane] * lifts + more[lane]) * ways + clockwise[lane];
        x.action[lane] = action & static_cast<int8_t>(drawn[lane]);
    }
    for (int lane = 0; lane < L; ++lane) actions[lane] = x.action[lane];
}

uint64_t differ(const Lanes& x, const int64_t* actions) {
#if defined(__AVX512BW__)
    uint64_t lanes = 0;
    for (int lane = 0; lane < L; lane += 8) {
        const __m256i sown = _mm256_load_si256(reinterpret_cast<const __m256i*>(x.action + lane));
        const __mmask8 unlike = _mm512_cmpneq_epi64_mask(_mm512_loadu_si512(actions + lane),
                                                         _mm512_maskz_cvtepi32_epi64(0xFF, sown));
        lanes |= static_cast<uint64_t>(unlike) << lane;
    }
    return lanes;
#else
    alignas(64) uint8_t unlike[L];
    for (int lane = 0; lane < L; ++lane) unlike[lane] = actions[lane] != x.action[lane];
    return bits(nonzero(load(unlike)));
#endif
}

template <class Known>
void sow_moves(Lanes& x, Lanes* beside) {
    if (beside != nullptr) {
        sow_both<Known>(x, *beside);
        leave_long_sowings(*beside);
    } else if (x.lapping) {
        unsigned steps_left = x.steps_to_long;
        sow<Known>(x, steps_left);
    }
    leave_long_sowings(x);
}

template <class Known>
INLINE V seeds_in(const Lanes& x, int pit) {
    const Options rules = Known::of(x);
    const V held = load(x.ring + pit * L);
    return rules.marks ? held & all(counted) : held;
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
template <class Known>
uint64_t prove_legal(const Lanes& x, uint64_t wanted, int first, uint64_t& able) {
    const Options rules = Known::of(x);
    const int R = rules.ring_rows, n = rules.pits;
    V seen[128];
    M empty[128], can[64];
    M proved = none(), some_empty = none();
    const V least = all(rules.minimum_lift);
    for (int k = 0; k < R; ++k) {
        seen[k] = seeds_in<Known>(x, k);
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
    if (x.proves_backward && free_first_lap && missing()) {
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

template <class Known>
void land(Lanes& x) {
    const Options rules = Known::of(x);
    const int n = rules.pits, R = rules.ring_rows;
    V restored = all(0), where_restored = all(0xFF);
    if (x.ended) {
        where_restored = choose(mask(x.ended), load(x.pit), where_restored);
        end_sowings<Known>(x, restored);
    }
    const auto show_to_movers = [&] {
        const M turns = mask(x.mover ^ x.viewer);
        x.viewer = x.mover;
        for (int j = 0; j < n; ++j) {
            uint8_t *const near_row = x.ring + j * L, *const far_row = x.ring + (n + j) * L;
            const V near = load(near_row) | where(equal(where_restored, all(j)), restored);
            const V far = load(far_row) | where(equal(where_restored, all(n + j)), restored);
            store(near_row, choose(turns, far, near));
            store(far_row, choose(turns, near, far));
        }
        where_restored = all(0xFF);
    };
    show_to_movers();
    uint64_t able, wanted = x.choosing;
    if (rules.direction_duty) wanted &= ~bits(nonzero(load(x.ring + R * L)));
    if (rules.pit_duty) wanted &= ~bits(nonzero(load(x.ring + (R + 1) * L)));
    x.choosing &= ~prove_legal<Known>(x, wanted, 0, able);
    const uint64_t stuck = rules.passes && !rules.row_empty_ends ? wanted & ~able : 0;
    if (stuck) {
        const uint64_t passing = prove_legal<Known>(x, stuck, n, able);
        x.mover ^= passing;
        show_to_movers();
        x.passed |= passing;
        x.choosing &= ~passing;
    }
    alignas(64) uint8_t moved[L], kept[L];
    store(moved, where(mask(x.moved), all(1)));
    store(kept, where(~mask(x.captured), all(0xFF)));
    for (int lane = 0; lane < L; ++lane) {
        x.made[lane] += moved[lane];
        x.since[lane] = (x.since[lane] + moved[lane]) & static_cast<int8_t>(kept[lane]);
    }
}

template <class Known>
uint64_t note(Lanes& x, uint64_t lanes) {
    const Options rules = Known::of(x);
    const size_t slot = static_cast<size_t>(x.now & x.log_mask);
    uint8_t* log = x.log + slot * static_cast<size_t>(rules.rows) * L;
    V h1 = where(mask(x.mover), all(0x35)), h2 = all(0), h3 = all(0), fullest = all(0);
    for (int i = 0; i < rules.rows; ++i) {
        const V r = load(x.ring + i * L);
        store(x.before + i * L, r);
        store(log + i * L, r);
        if (i < rules.ring_rows) fullest = fullest | r;
        h1 = add(h1, r);
        h2 = add(h2, h1);
        h3 = add(h3, h2);
    }
    x.full = rules.guard ? bits(bits_in(fullest, all(rules.guard))) : 0;
    if (x.now % turns_between_looks == 0) {
        x.old = 0;
        for (int lane = 0; lane < L; ++lane) {
            const bool old = x.segment[lane] + x.recent < x.now + turns_between_looks;
            x.old |= static_cast<uint64_t>(old) << lane;
        }
    }
    x.chose[slot] = lanes;
    x.movers[slot] = x.mover;
    return rules.compares ? find_repeated<Known>(x, lanes, h2, h3) : 0;
}

template <class Known>
void note_alone(Lanes& x, int lane) {
    const Options rules = Known::of(x);
    const size_t slot = static_cast<size_t>(x.now & x.log_mask);
    uint8_t* log = x.log + slot * static_cast<size_t>(rules.rows) * L;
    const uint64_t bit = uint64_t{1} << lane;
    unsigned h1 = x.mover & bit ? 0x35 : 0, h2 = 0, h3 = 0;
    for (int i = 0; i < rules.rows; ++i) {
        const uint8_t r = x.ring[i * L + lane];
        x.before[i * L + lane] = log[i * L + lane] = r;
        h1 += r;
        h2 += h1;
        h3 += h2;
    }
    x.chose[slot] |= bit;
    x.movers[slot] = (x.movers[slot] & ~bit) | (x.mover & bit);
    x.prints[slot * 2 * L + lane] = static_cast<uint8_t>(h2);
    x.prints[slot * 2 * L + L + lane] = static_cast<uint8_t>(h3);
}

// Eight rows of bytes of sixteen lanes as two lanes' eight bytes in each vector.
INLINE void turn_over(const uint8_t* rows, __m128i* lanes) {
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
        lanes[half] = _mm_unpacklo_epi32(c[half], c[half + 2]);
        lanes[half + 1] = _mm_unpackhi_epi32(c[half], c[half + 2]);
        lanes[half + 2] = _mm_unpacklo_epi32(c[half + 1], c[half + 3]);
        lanes[half + 3] = _mm_unpackhi_epi32(c[half + 1], c[half + 3]);
    }
}

template <class Known>
void show(const Lanes& x, const Shown& to) {
    const Options rules = Known::of(x);
    const int R = rules.ring_rows, n = rules.pits;
    alignas(64) uint8_t rows[128 * L];
    for (int k = 0; k < R; ++k) store(rows + k * L, seeds_in<Known>(x, k));
    const __m128i zero = _mm_setzero_si128();
    for (int done = 0; done < R; done += 8) {
        const int k = done + 8 > R ? R - 8 : done;
        for (int lane = 0; lane < L; lane += 16) {
            __m128i pairs[8];
            turn_over(rows + k * L + lane, pairs);
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
        const __m128i bits = _mm_set1_epi16(static_cast<int16_t>(x.mover >> lane & 0xFF));
        const __m128i north = _mm_cmpeq_epi16(_mm_and_si128(bits, lane_bits), lane_bits);
        const __m128i south_store = eight(x.stores[0]), north_store = eight(x.stores[1]);
        const __m128i other = _mm_and_si128(north, _mm_xor_si128(south_store, north_store));
        const __m128i mine = _mm_xor_si128(south_store, other);
        const __m128i theirs = _mm_xor_si128(north_store, other);
        const __m128i mover = _mm_srli_epi16(north, 15);
        const __m128i since = _mm_packs_epi32(eight(x.since), eight(x.since, 4));
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
    const V duty = rules.direction_duty ? load(x.ring + R * L) : all(0);
    const V barred = rules.pit_duty ? load(x.ring + (R + 1) * L) : all(0);
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
            turn_over(actions + k * L + lane, pairs);
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

const int lanes = L;

const Stages& stages(const Lanes& x) {
    const Stages* found = nullptr;
    by_rules(x, [&]<class Known>(Known) {
        static constexpr Stages stages = {take_back<Known>,  choose_moves<Known>, differ,
                                          sow_moves<Known>,  land<Known>,         note<Known>,
                                          note_alone<Known>, show<Known>};
        found = &stages;
    });
    return *found;
}

void run(Lanes& x) {
    if (x.by_lane) return play(x, sow_by_lane, take_turns_by_lane);
    by_rules(x, [&]<class Known>(Known) { play(x, sow<Known>, take_turns<Known>); });
}

bool by_lane(const Options& rules) {
    return rules.ring_rows >= shortest_by_lane && are_of<EnGeheRules>(rules);
}

}  // namespace relaysow::playout::RELAYSOW_LEVEL
