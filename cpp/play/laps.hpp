// All laps of one sowing: relays until the last seed falls into an empty pit, or never does.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "play/board.hpp"
#include "play/endless.hpp"
#include "play/lap_table.hpp"
#include "play/move.hpp"
#include "rules/rules.hpp"
#include "support/poll.hpp"

namespace relaysow {

inline constexpr std::uint64_t laps_between_polls = 1 << 16;

enum class SowingEnd : std::uint8_t { empty_pit, forbidden_first_lap, endless, capped };

// What the laps of one sowing did.
struct Laps {
    SowingEnd end = SowingEnd::empty_pit;
    bool crossed = false;
    int last = 0;                          // the pit of the last seed
    Direction direction = Direction::ccw;  // of the last lap
    std::uint64_t count = 0;
    std::uint64_t period = 0;  // of an endless sowing, in laps; 0: not known
};

// Takes no note of laps and captures.
struct NoTrace {
    static constexpr bool wants_laps = false;
    void lap(int, int, Direction, int) {}
    void capture(int) {}
};

// What every sowing of a game needs: the rules, the laps ready for its boards, and whom to ask
// whether to stop.
template <class B>
struct SowingContext {
    const Rules& rules;
    Poll poll;
    LapTable<B> lap_table;
    EndlessSowings<B>* endless;  // given where the same sowings are tried again and again

    SowingContext(const Rules& game_rules, const Poll& work_poll,
                  EndlessSowings<B>* known = nullptr)
        : rules(game_rules), poll(work_poll), lap_table(game_rules), endless(known) {}
};

// Ends the protection of a pit that `mover` lifts, if the rules say so.
template <class B>
void lift_protection(const Rules& rules, B& board, int pit, int mover) {
    if (rules.protection == Protection::until_lifted || rules.owner(pit) == mover) {
        board.protected_pits.remove(pit);
    }
}

// A sowing of no more laps ends before anything is watched that only long sowings need.
inline constexpr std::uint64_t unwatched_laps = 64;

struct NoState {
    template <class... State>
    explicit NoState(const State&...) {}
};

// Sows all laps of `move` on `board`, which must be equal to `before`.
//
// With origin "sown" each lap can be undone in one way only, so an endless sowing returns to the
// state in which its first whole-pit lap began, and every later state is compared with that one.
// With "skipped" this fails, and Brent's cycle test takes a new state to compare with at each lap
// number that is a power of two.  A traced sowing goes on until the very state returns; otherwise
// the state may return rotated.
//
// If it is not `watched` the sowing stops after `unwatched_laps` and reports `capped`.
template <bool watched, class B, class Trace>
RELAYSOW_INLINE void sow_laps(const SowingContext<B>& context, const B& before, B& board, Sow move,
                              Trace& trace, Laps& laps) {
    const Rules& rules = context.rules;
    const int mover = before.mover;
    const bool reversed = rules.relay == Relay::reversed;
    const bool skipped = rules.origin == Origin::skipped;
    const bool has_protection = rules.protection != Protection::none;
    const bool checks_first_lap = rules.first_lap == FirstLap::not_into_own_occupied;
    const std::uint64_t max_laps = watched ? rules.max_laps : unwatched_laps;

    int pit = move.pit;
    int seeds = move.lift;
    Direction direction = move.direction;
    // Bit 0: a lap left the row in which it began.  A lap that begins in the opponent's row comes
    // after one that did.
    unsigned crossed = 0;
    std::uint64_t count = 0;
    const auto ended = [&](SowingEnd end, int last) {
        laps.end = end;
        laps.crossed = crossed != 0;
        laps.last = last;
        laps.direction = direction;
        laps.count = count;
    };

    const bool whole = seeds == board.ring[pit];
    [[maybe_unused]] std::conditional_t<watched, RotatedState<B>, NoState> saved(rules, before.ring,
                                                                                 pit, direction);
    std::uint64_t since_saved = 0;
    std::uint64_t resave = whole ? 1 : 0;  // Brent's power of two; 0: nothing is saved yet
    std::uint64_t pause = laps_between_polls < max_laps ? laps_between_polls : max_laps;

    for (;;) {
        if (has_protection) lift_protection(rules, board, pit, mover);
        const int last = context.lap_table.lap(board.ring, pit, seeds, direction, crossed);
        ++count;
        trace.lap(pit, seeds, direction, last);
        const int content = board.ring[last];
        if (content == 1) return ended(SowingEnd::empty_pit, last);
        if (checks_first_lap && count == 1 && rules.owner(last) == mover) {
            return ended(SowingEnd::forbidden_first_lap, last);
        }
        if (count == pause) [[unlikely]] {
            if (count == max_laps) return ended(SowingEnd::capped, last);
            context.poll();
            pause += laps_between_polls < max_laps - pause ? laps_between_polls : max_laps - pause;
        }
        pit = last;
        seeds = content;
        if (reversed) direction = opposite(direction);
        if constexpr (watched) {
            ++since_saved;
            if (resave != 0 && saved.is(board.ring, pit, seeds, direction) &&
                (!Trace::wants_laps || saved.times(pit, direction) == 1)) {
                // An endless sowing would lift for lap max_laps + 1 as well, so it counts as
                // capped.
                const bool capped = max_laps != UINT64_MAX;
                if (capped) count = max_laps;
                laps.period = since_saved * saved.times(pit, direction);
                return ended(capped ? SowingEnd::capped : SowingEnd::endless, last);
            }
            if (resave == 0 || (skipped && since_saved == resave)) {
                saved.save(rules, board.ring, pit, direction);
                resave = resave == 0 ? 1 : 2 * resave;
                since_saved = 0;
            }
        }
    }
}

template <class B, class Trace>
void sow_watched_laps(const SowingContext<B>& context, const B& before, B& board, Sow move,
                      Trace& trace, Laps& laps) {
    sow_laps<true>(context, before, board, move, trace, laps);
}

template <class B, class Trace>
RELAYSOW_INLINE void sow_laps(const SowingContext<B>& context, const B& before, B& board, Sow move,
                              Trace& trace, Laps& laps) {
    if constexpr (!Trace::wants_laps) {
        if (context.rules.max_laps > unwatched_laps) [[likely]] {
            sow_laps<false>(context, before, board, move, trace, laps);
            if (laps.end != SowingEnd::capped) [[likely]]
                return;
            const Rules& rules = context.rules;
            if (rules.relay == Relay::onward && rules.origin == Origin::sown &&
                never_ends(rules, board.ring, laps.last, laps.direction)) {
                const bool capped = rules.max_laps != UINT64_MAX;
                if (capped) laps.count = rules.max_laps;
                laps.end = capped ? SowingEnd::capped : SowingEnd::endless;
                laps.period = 0;
                return;
            }
            if (context.endless != nullptr) {
                laps.period = context.endless->period(context.rules, before, move);
                if (laps.period != 0) {
                    laps.end = SowingEnd::endless;
                    return;
                }
            }
            board.copy(context.rules, before);
        }
    }
    sow_watched_laps(context, before, board, move, trace, laps);
    if (laps.end == SowingEnd::endless && context.endless != nullptr) {
        context.endless->add(context.rules, before, move, laps.period, context.poll);
    }
}

// Returns how many laps an endless `move` of the given period sows until a state comes again, which
// are the laps before the cycle and those of the cycle.  It counts no further than `most`.
template <class B>
std::uint64_t laps_to_return(const SowingContext<B>& context, const B& before, Sow move,
                             std::uint64_t period, std::uint64_t most) {
    struct State {
        B board;
        int pit;
        Direction direction;
        bool operator==(const State& other) const {
            return pit == other.pit && direction == other.direction &&
                   std::memcmp(board.ring, other.board.ring, sizeof board.ring) == 0;
        }
    };
    const bool reversed = context.rules.relay == Relay::reversed;
    const auto lap = [&](State& state, int seeds) {
        unsigned left_row = 0;
        state.pit =
            context.lap_table.lap(state.board.ring, state.pit, seeds, state.direction, left_row);
        if (reversed) state.direction = opposite(state.direction);
    };
    const auto relay = [&](State& state) { lap(state, state.board.ring[state.pit]); };

    State slow{before, move.pit, move.direction};
    std::uint64_t laps = period;
    if (move.lift != before.ring[move.pit]) {  // the state of a partial lift never comes again
        lap(slow, move.lift);
        ++laps;
    }
    if (laps >= most) return most;
    State fast = slow;
    for (std::uint64_t ahead = 0; ahead < period; ++ahead) relay(fast);
    while (laps < most && !(slow == fast)) {
        relay(slow);
        relay(fast);
        ++laps;
    }
    return laps;
}

}  // namespace relaysow
