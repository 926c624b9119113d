// One move: laps, the endless test, captures, extra moves, passing and the end.
#pragma once

#include <cstdint>
#include <cstring>

#include "board.hpp"
#include "rules.hpp"

namespace relaysow {

// Asked now and then in long work; `ask` throws to stop it.
struct Poll {
    void (*ask)(void* context) = nullptr;
    void* context = nullptr;
    void operator()() const {
        if (ask) ask(context);
    }
};
inline constexpr std::uint64_t laps_between_polls = 1 << 16;

struct Sow {
    int pit;
    int lift;
    Direction direction;
    friend bool operator==(const Sow&, const Sow&) = default;
};

enum class SowingEnd : std::uint8_t { empty_pit, forbidden_first_lap, endless, capped };

// What the laps of one move did.
struct Laps {
    SowingEnd end = SowingEnd::empty_pit;
    bool crossed = false;
    int last = 0;                              // the pit of the last seed
    Direction direction = Direction::ccw;      // of the last lap
    std::uint64_t count = 0;
    std::uint64_t period = 0;                  // of an endless sowing, in laps
};

struct NoTrace {
    void lap(int, int, Direction, int) {}
    void capture(int) {}
};

// Sows `seeds` from `pit`, already lifted; the pit of the last seed.
template <class Seeds>
inline int sow_lap(const Rules& rules, Seeds* ring, int pit, int seeds, Direction direction) {
    const int size = rules.ring();
    const int round = rules.origin == Origin::sown ? size : size - 1;
    while (seeds > round) [[unlikely]] {
        for (int i = 0; i < size; ++i) ++ring[i];
        if (round < size) --ring[pit];
        seeds -= round;
    }
    if (direction == Direction::ccw) {
        const int last = pit + seeds;
        if (last < size) {
            for (int i = pit + 1; i <= last; ++i) ++ring[i];
            return last;
        }
        for (int i = pit + 1; i < size; ++i) ++ring[i];
        for (int i = 0; i <= last - size; ++i) ++ring[i];
        return last - size;
    }
    const int last = pit - seeds;
    if (last >= 0) {
        for (int i = last; i < pit; ++i) ++ring[i];
        return last;
    }
    for (int i = 0; i < pit; ++i) ++ring[i];
    for (int i = last + size; i < size; ++i) ++ring[i];
    return last + size;
}

// Where a pit was lifted by `mover`.
template <class B>
inline void lift_protection(const Rules& rules, B& board, int pit, int mover) {
    if (rules.protection == Protection::none) return;
    if (rules.protection == Protection::until_lifted || rules.owner(pit) == mover) {
        board.protected_pits.remove(pit);
    }
}

// Sows all laps of `move` on `board`, which must be equal to `before`.
//
// With origin "sown" every lap can be undone in one way only, so an endless sowing returns to the
// state in which its first whole-pit lap began; with "skipped" that fails and Brent's cycle test
// moves the state compared with to every lap number that is a power of two.
template <class B, class Trace>
Laps sow_laps(const Rules& rules, const B& before, B& board, Sow move, const Poll& poll,
              Trace& trace) {
    using Seeds = typename B::seeds_type;
    const int mover = before.mover;
    const int row = rules.row(mover);
    const int size = rules.ring();
    const bool reversed = rules.relay == Relay::reversed;

    Laps laps;
    int pit = move.pit;
    int seeds = move.lift;
    Direction direction = move.direction;

    Seeds saved_copy[B::capacity];
    const Seeds* saved = before.ring;
    const bool whole = seeds == board.ring[pit];
    int saved_pit = whole ? pit : no_pit;
    Direction saved_direction = direction;
    std::uint64_t since_saved = 0;
    std::uint64_t resave = whole ? 1 : 0;  // Brent's power; 0: nothing saved yet
    std::uint64_t pause = laps_between_polls < rules.max_laps ? laps_between_polls : rules.max_laps;

    for (;;) {
        board.ring[pit] = static_cast<Seeds>(board.ring[pit] - seeds);
        lift_protection(rules, board, pit, mover);
        const int from_left = pit - row;  // ≥ n or < 0 only when the move has crossed before
        laps.crossed |= direction == Direction::ccw ? from_left + seeds >= rules.pits
                                                    : seeds > from_left;
        const int last = sow_lap(rules, board.ring, pit, seeds, direction);
        ++laps.count;
        trace.lap(pit, seeds, direction, last);
        const int content = board.ring[last];
        if (content == 1) {
            laps.last = last;
            laps.direction = direction;
            return laps;
        }
        if (laps.count == 1 && rules.first_lap == FirstLap::not_into_own_occupied &&
            rules.owner(last) == mover) {
            laps.end = SowingEnd::forbidden_first_lap;
            laps.last = last;
            return laps;
        }
        if (laps.count == pause) [[unlikely]] {
            if (laps.count == rules.max_laps) {
                laps.end = SowingEnd::capped;
                return laps;
            }
            poll();
            pause += laps_between_polls < rules.max_laps - pause ? laps_between_polls
                                                                 : rules.max_laps - pause;
        }
        pit = last;
        seeds = content;
        if (reversed) direction = opposite(direction);
        ++since_saved;
        if (pit == saved_pit && direction == saved_direction && board.same_ring(rules, saved))
            [[unlikely]] {
            // An endless sowing would lift for lap max_laps + 1 as well: it is reported as capped.
            laps.period = since_saved;
            laps.end = SowingEnd::endless;
            if (rules.max_laps != UINT64_MAX) {
                laps.end = SowingEnd::capped;
                laps.count = rules.max_laps;
            }
            return laps;
        }
        if (resave == 0 || (rules.origin == Origin::skipped && since_saved == resave)) {
            std::memcpy(saved_copy, board.ring, sizeof(Seeds) * static_cast<std::size_t>(size));
            saved = saved_copy;
            saved_pit = pit;
            saved_direction = direction;
            resave = resave == 0 ? 1 : 2 * resave;
            since_saved = 0;
        }
    }
}

// How many laps an endless `move` with the given period sows until a state comes again: those before
// the cycle and the cycle; counted no further than `most`.
template <class B>
std::uint64_t laps_to_return(const Rules& rules, const B& before, Sow move, std::uint64_t period,
                             std::uint64_t most) {
    struct State {
        B board;
        int pit;
        Direction direction;
        void lap(const Rules& r, int seeds) {
            board.ring[pit] = static_cast<typename B::seeds_type>(board.ring[pit] - seeds);
            pit = sow_lap(r, board.ring, pit, seeds, direction);
            if (r.relay == Relay::reversed) direction = opposite(direction);
        }
        void lap(const Rules& r) { lap(r, board.ring[pit]); }
    };
    State slow{before, move.pit, move.direction};
    std::uint64_t laps = period;
    if (move.lift != before.ring[move.pit]) {  // a partial lift never comes again
        slow.lap(rules, move.lift);
        ++laps;
    }
    if (laps >= most) return most;
    State fast = slow;
    for (std::uint64_t lap = 0; lap < period; ++lap) fast.lap(rules);
    while (laps < most && !(slow.pit == fast.pit && slow.direction == fast.direction &&
                            slow.board.same_ring(rules, fast.board.ring))) {
        slow.lap(rules);
        fast.lap(rules);
        ++laps;
    }
    return laps;
}

// Captures after a sowing that crossed as `laps` says and ended in an empty pit; the number taken.
template <class B, class Trace>
int capture(const Rules& rules, B& board, const Laps& laps, Trace& trace) {
    const int mover = board.mover;
    const int row = rules.row(mover);
    int captured = 0;
    const auto take = [&](int pit) {
        captured += board.ring[pit];
        board.ring[pit] = 0;
        trace.capture(pit);
    };
    const auto capturable = [&](int pit) {
        return board.ring[pit] != 0 && !board.protected_pits.has(pit);
    };
    const int own = laps.last;
    const int faced = rules.facing(own);
    const bool faced_taken = capturable(faced);
    if (faced_taken) {
        take(faced);
    } else if (rules.lone_seed == LoneSeed::stays) {
        return 0;
    }
    take(own);
    if (rules.chain != Chain::none && (faced_taken || rules.chain == Chain::run_over_gaps)) {
        const int step = laps.direction == Direction::ccw ? 1 : -1;
        for (int pit = own + step; pit >= row && pit < row + rules.pits && board.ring[pit] == 0;
             pit += step) {
            if (capturable(rules.facing(pit))) {
                take(rules.facing(pit));
            } else if (rules.chain != Chain::run_over_gaps) {
                break;
            }
            if (rules.chain == Chain::next) break;
        }
    }
    if (rules.bonus != Bonus::none && faced_taken && own == row) {
        const int opponent_row = rules.row(1 - mover);
        int run = 0;
        while (faced - 1 - run >= opponent_row && capturable(faced - 1 - run)) ++run;
        if (rules.bonus == Bonus::three) run = run >= 3 ? 3 : 0;
        if (rules.bonus == Bonus::up_to_three && run > 3) run = 3;
        for (int k = 1; k <= run; ++k) take(faced - k);
    }
    board.stores[mover] = static_cast<std::uint16_t>(board.stores[mover] + captured);
    return captured;
}

// What a move did.
struct Sown {
    Laps laps;
    int captured = 0;
    bool legal = true;
    bool moves_again = false;
};

constexpr bool never_ends(SowingEnd end) {
    return end == SowingEnd::endless || end == SowingEnd::capped;
}

// Plays the candidate `move` from `before` into `after`, whose mover is then the next player to
// move, passes not yet taken.  If the move is illegal `after` is spoilt.
template <class B, class Trace>
Sown sow(const Rules& rules, const B& before, B& after, Sow move, const Poll& poll, Trace& trace) {
    after = before;
    Sown sown;
    sown.laps = sow_laps(rules, before, after, move, poll, trace);
    after.passed = false;
    after.drop_duties();
    const int mover = before.mover;
    if (sown.laps.end != SowingEnd::empty_pit) [[unlikely]] {
        if (sown.laps.end == SowingEnd::forbidden_first_lap || rules.endless == Endless::illegal) {
            sown.legal = false;
            return sown;
        }
        after = before;
        after.passed = false;
        after.drop_duties();
        if (rules.endless == Endless::draw) {
            after.drawn = true;
        } else {
            after.mover = static_cast<std::uint8_t>(1 - mover);
        }
        return sown;
    }
    if (rules.owner(sown.laps.last) == mover) {
        if (sown.laps.crossed || rules.uncrossed == Uncrossed::captures) {
            sown.captured = capture(rules, after, sown.laps, trace);
        } else if (rules.uncrossed == Uncrossed::moves_again) {
            sown.moves_again = true;
            if (rules.extra_direction == ExtraDirection::opposite) {
                after.direction = move.direction == Direction::ccw ? Duty::cw : Duty::ccw;
            }
            if (rules.extra_pit == ExtraPit::not_origin) {
                after.barred = static_cast<std::int16_t>(move.pit);
            }
            return sown;
        }
    }
    after.mover = static_cast<std::uint8_t>(1 - mover);
    return sown;
}

}  // namespace relaysow
