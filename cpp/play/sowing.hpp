// One move: laps, the endless test, captures, extra moves, passing and the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "play/board.hpp"
#include "rules/rules.hpp"
#include "support/poll.hpp"

namespace relaysow {

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
    int last = 0;                          // the pit of the last seed
    Direction direction = Direction::ccw;  // of the last lap
    std::uint64_t count = 0;
    std::uint64_t period = 0;  // of an endless sowing, in laps; 0: not known
};

struct NoTrace {
    static constexpr bool wants_laps = false;
    void lap(int, int, Direction, int) {}
    void capture(int) {}
};

// Lifts and sows single laps on boards of one size and one reading of the origin.
template <class B>
class Track {
public:
    using Seeds = typename B::seeds_type;

    explicit Track(const Rules& rules)
        : size_(rules.ring()),
          round_(rules.origin == Origin::sown ? rules.ring() : rules.ring() - 1) {
        if constexpr (small) {
            std::vector<Added> added(at(size_, 0, 0));
            std::vector<std::uint8_t> last_pit(at(size_, 0, 0));
            for (int pit = 0; pit < size_; ++pit) {
                for (const Direction d : {Direction::ccw, Direction::cw}) {
                    for (int seeds = 1; seeds <= most_tabled; ++seeds) {
                        const std::size_t lap = at(pit, d == Direction::cw, seeds);
                        unsigned left_row = 0;
                        const int last = sow(added[lap].pits, pit, seeds, d, left_row);
                        last_pit[lap] =
                            static_cast<std::uint8_t>(left_row << 7 | static_cast<unsigned>(last));
                    }
                }
            }
            added_ = std::move(added);
            last_pit_ = std::move(last_pit);
        }
    }

    // Lifts `seeds` from `pit` and sows them; the pit of the last seed.  `left_row` gets a bit that
    // tells whether a seed fell outside the row of `pit`.
    int lap(Seeds* ring, int pit, int seeds, Direction direction, unsigned& left_row) const {
        if constexpr (small) {
            if (seeds <= most_tabled) [[likely]] {
                const std::size_t lap = at(pit, direction == Direction::cw, seeds);
                const Added& added = added_[lap];
                Added pits;
                std::memcpy(pits.pits, ring, sizeof pits);
                for (std::size_t i = 0; i < B::capacity; ++i) {
                    pits.pits[i] = static_cast<Seeds>(pits.pits[i] + added.pits[i]);
                }
                std::memcpy(ring, pits.pits, sizeof pits);
                left_row |= last_pit_[lap] >> 7;
                return last_pit_[lap] & 0x7F;
            }
        }
        return sow(ring, pit, seeds, direction, left_row);
    }

private:
    int sow(Seeds* ring, int pit, int seeds, Direction direction, unsigned& left_row) const {
        const bool clockwise = direction == Direction::cw;
        const int half = size_ / 2;
        const int from_left = pit < half ? pit : pit - half;
        left_row |= static_cast<unsigned>(seeds > (clockwise ? from_left : half - 1 - from_left));
        ring[pit] = static_cast<Seeds>(ring[pit] - seeds);
        while (seeds > round_) [[unlikely]] {
                for (int i = 0; i < size_; ++i) ++ring[i];
                if (round_ < size_) --ring[pit];
                seeds -= round_;
            }
        int last = clockwise ? pit - seeds : pit + seeds;
        if (last >= size_) last -= size_;
        if (last < 0) last += size_;
        const int from = clockwise ? last : pit + 1;
        const int to = clockwise ? pit - 1 : last;
        if (from <= to) [[likely]] {
            for (int i = from; i <= to; ++i) ++ring[i];
        } else {  // past the end of the ring, or once all round
            for (int i = from; i < size_; ++i) ++ring[i];
            for (int i = 0; i <= to; ++i) ++ring[i];
        }
        return last;
    }

    // On a small board a lap of few seeds is one addition for all pits at once.
    static constexpr bool small = B::capacity <= 32 && sizeof(Seeds) == 1;
    static constexpr int most_tabled = small ? 32 : 0;
    struct alignas(16) Added {
        Seeds pits[B::capacity] = {};
    };

    static std::size_t at(int pit, int clockwise, int seeds) {
        return static_cast<std::size_t>((2 * pit + clockwise) * (most_tabled + 1) + seeds);
    }

    int size_, round_;
    std::vector<Added> added_;            // to every pit by a lap
    std::vector<std::uint8_t> last_pit_;  // of a lap, and in bit 7 whether it left its row
};

// Endless sowings met before, with their periods: a proof may take millions of laps.
template <class B>
struct EndlessSowings {
    virtual std::uint64_t period(const Rules& rules, const B& before, Sow move) const = 0;  // or 0
    virtual void add(const Rules& rules, const B& before, Sow move, std::uint64_t period,
                     const Poll& poll) = 0;

protected:
    ~EndlessSowings() = default;
};

template <class B>
class EndlessCache final : public EndlessSowings<B> {
public:
    std::uint64_t period(const Rules& rules, const B& before, Sow move) const override {
        const auto found = periods_.find(key(rules, before, move));
        return found == periods_.end() ? 0 : found->second;
    }
    void add(const Rules& rules, const B& before, Sow move, std::uint64_t period,
             const Poll&) override {
        if (periods_.size() == most) periods_.clear();
        periods_.emplace(key(rules, before, move), period);
    }

private:
    static constexpr std::size_t most = 1 << 16;

    static std::string key(const Rules& rules, const B& before, Sow move) {
        std::string bytes(reinterpret_cast<const char*>(before.ring), B::ring_bytes(rules));
        for (const int number : {move.pit, move.lift & 0xFF, move.lift >> 8}) {
            bytes.push_back(static_cast<char>(number));
        }
        bytes.push_back(static_cast<char>(move.direction));
        return bytes;
    }

    std::unordered_map<std::string, std::uint64_t> periods_;
};

// What every move is played by.
template <class B>
struct Referee {
    const Rules& rules;
    Poll poll;
    Track<B> track;
    EndlessSowings<B>* endless;  // where sowings are tried again and again

    Referee(const Rules& game_rules, const Poll& work_poll, EndlessSowings<B>* known = nullptr)
        : rules(game_rules), poll(work_poll), track(game_rules), endless(known) {}
};

// A pit is lifted by `mover`.
template <class B>
void lift_protection(const Rules& rules, B& board, int pit, int mover) {
    if (rules.protection == Protection::until_lifted || rules.owner(pit) == mover) {
        board.protected_pits.remove(pit);
    }
}

// Sowings that take no more laps are done before anything is watched that only long ones need.
inline constexpr std::uint64_t unwatched_laps = 64;

// A state of a sowing, to be compared with later ones up to a turn of the whole ring or a
// reflection of it.  Laps are the same wherever on the ring they begin and whichever way they go,
// so what comes after a state turned comes turned likewise; and where turning it `times` times
// restores it, it comes again after so many times the laps.
template <class B>
class TurnedState {
public:
    using Seeds = typename B::seeds_type;

    TurnedState(const Rules& rules, const Seeds* ring, int pit, Direction direction) {
        save(rules, ring, pit, direction);
    }

    void save(const Rules& rules, const Seeds* ring, int pit, Direction direction) {
        size_ = rules.ring();
        pit_ = pit;
        direction_ = direction;
        const int step = direction == Direction::ccw ? 1 : size_ - 1;
        for (int k = 0, at = pit; k < size_; ++k) {
            onward_[k] = onward_[k + size_] = ring[at];
            const int mirrored = k == 0 ? 0 : size_ - k;
            backward_[mirrored] = backward_[mirrored + size_] = ring[at];
            at += step;
            if (at >= size_) at -= size_;
        }
    }

    // Whether this is the state, turned; `seeds` are in the pit.
    bool is(const Seeds* ring, int pit, int seeds, Direction direction) const {
        if (seeds != onward_[0]) [[likely]]
            return false;
        const bool ccw = direction == Direction::ccw;
        const int next = ccw ? (pit + 1 == size_ ? 0 : pit + 1) : (pit == 0 ? size_ : pit) - 1;
        if (ring[next] != onward_[1]) return false;
        return std::memcmp(ring, (ccw ? onward_ : backward_) + (pit == 0 ? 0 : size_ - pit),
                           sizeof(Seeds) * static_cast<std::size_t>(size_)) == 0;
    }

    std::uint64_t times(int pit, Direction direction) const {
        if (direction != direction_) return 2;  // a reflection
        const int turn = pit < pit_ ? pit_ - pit : pit - pit_;
        return static_cast<std::uint64_t>(size_ / std::gcd(size_, turn));
    }

private:
    int size_, pit_;
    Direction direction_;
    Seeds onward_[2 * B::capacity], backward_[2 * B::capacity];  // from its pit on, twice
};

// Whether a sowing that goes on onward from this state, origin "sown", is seen never to end.
//
// Say that one seed is sown at a time, and the R pits of the ring are passed one by one.  A pit
// lifted at time t that held s seeds was lifted before at t − sR, and the next is lifted at t + s:
// the same modulo R + 1.  So each lift hands on the residue kept by the pit lifted, which keeps
// that of t instead, and no residue is ever lost or new.  A sowing ends with a lift of one seed,
// which hands on the residue after its own.  Where no two are neighbours it never ends.
template <class Seeds>
bool never_ends(const Rules& rules, const Seeds* ring, int pit, Direction direction) {
    const int size = rules.ring();
    std::array<bool, max_ring + 2> kept{};          // round to the first
    kept[0] = kept[ring[pit] % (size + 1)] = true;  // now and by the pit now lifted
    for (int k = 1; k < size; ++k) {
        const int at = direction == Direction::ccw ? pit + k : pit + size - k;
        kept[(k + 1 + ring[at % size]) % (size + 1)] = true;
    }
    kept[size + 1] = kept[0];
    for (int k = 0; k <= size; ++k) {
        if (kept[k] && kept[k + 1]) return false;
    }
    return true;
}

struct NoState {
    template <class... State>
    explicit NoState(const State&...) {}
};

// Sows all laps of `move` on `board`, which must be equal to `before`.
//
// With origin "sown" every lap can be undone in one way only, so an endless sowing returns to the
// state in which its first whole-pit lap began; with "skipped" that fails and Brent's cycle test
// moves the state compared with to every lap number that is a power of two.  What is traced is sown
// until the very state returns, else it may be turned.
//
// Unwatched, it stops after `unwatched_laps` and says `capped`.
template <bool watched, class B, class Trace>
RELAYSOW_INLINE void sow_laps(const Referee<B>& referee, const B& before, B& board, Sow move,
                              Trace& trace, Laps& laps) {
    const Rules& rules = referee.rules;
    const int mover = before.mover;
    const bool reversed = rules.relay == Relay::reversed;
    const bool skipped = rules.origin == Origin::skipped;
    const bool has_protection = rules.protection != Protection::none;
    const bool checks_first_lap = rules.first_lap == FirstLap::not_into_own_occupied;
    const std::uint64_t max_laps = watched ? rules.max_laps : unwatched_laps;

    int pit = move.pit;
    int seeds = move.lift;
    Direction direction = move.direction;
    unsigned crossed = 0;  // a lap left its row; one that starts in the opponent's comes after one
    std::uint64_t count = 0;
    const auto ended = [&](SowingEnd end, int last) {
        laps.end = end;
        laps.crossed = crossed != 0;
        laps.last = last;
        laps.direction = direction;
        laps.count = count;
    };

    const bool whole = seeds == board.ring[pit];
    [[maybe_unused]] std::conditional_t<watched, TurnedState<B>, NoState> saved(rules, before.ring,
                                                                                pit, direction);
    std::uint64_t since_saved = 0;
    std::uint64_t resave = whole ? 1 : 0;  // Brent's power; 0: nothing saved yet
    std::uint64_t pause = laps_between_polls < max_laps ? laps_between_polls : max_laps;

    for (;;) {
        if (has_protection) lift_protection(rules, board, pit, mover);
        const int last = referee.track.lap(board.ring, pit, seeds, direction, crossed);
        ++count;
        trace.lap(pit, seeds, direction, last);
        const int content = board.ring[last];
        if (content == 1) return ended(SowingEnd::empty_pit, last);
        if (checks_first_lap && count == 1 && rules.owner(last) == mover) {
            return ended(SowingEnd::forbidden_first_lap, last);
        }
        if (count == pause) [[unlikely]] {
            if (count == max_laps) return ended(SowingEnd::capped, last);
            referee.poll();
            pause += laps_between_polls < max_laps - pause ? laps_between_polls : max_laps - pause;
        }
        pit = last;
        seeds = content;
        if (reversed) direction = opposite(direction);
        if constexpr (watched) {
            ++since_saved;
            if (resave != 0 && saved.is(board.ring, pit, seeds, direction) &&
                (!Trace::wants_laps || saved.times(pit, direction) == 1)) {
                // An endless sowing would lift for lap max_laps + 1 too: it is reported as capped.
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
void sow_watched_laps(const Referee<B>& referee, const B& before, B& board, Sow move, Trace& trace,
                      Laps& laps) {
    sow_laps<true>(referee, before, board, move, trace, laps);
}

template <class B, class Trace>
RELAYSOW_INLINE void sow_laps(const Referee<B>& referee, const B& before, B& board, Sow move,
                              Trace& trace, Laps& laps) {
    if constexpr (!Trace::wants_laps) {
        if (referee.rules.max_laps > unwatched_laps) [[likely]] {
            sow_laps<false>(referee, before, board, move, trace, laps);
            if (laps.end != SowingEnd::capped) [[likely]]
                return;
            const Rules& rules = referee.rules;
            if (rules.relay == Relay::onward && rules.origin == Origin::sown &&
                never_ends(rules, board.ring, laps.last, laps.direction)) {
                const bool capped = rules.max_laps != UINT64_MAX;
                if (capped) laps.count = rules.max_laps;
                laps.end = capped ? SowingEnd::capped : SowingEnd::endless;
                laps.period = 0;
                return;
            }
            if (referee.endless != nullptr) {
                laps.period = referee.endless->period(referee.rules, before, move);
                if (laps.period != 0) {
                    laps.end = SowingEnd::endless;
                    return;
                }
            }
            board.copy(referee.rules, before);
        }
    }
    sow_watched_laps(referee, before, board, move, trace, laps);
    if (laps.end == SowingEnd::endless && referee.endless != nullptr) {
        referee.endless->add(referee.rules, before, move, laps.period, referee.poll);
    }
}

// How many laps an endless `move` with the given period sows until a state comes again: those
// before the cycle and the cycle; counted no further than `most`.
template <class B>
std::uint64_t laps_to_return(const Referee<B>& referee, const B& before, Sow move,
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
    const bool reversed = referee.rules.relay == Relay::reversed;
    const auto lap = [&](State& state, int seeds) {
        unsigned left_row = 0;
        state.pit =
            referee.track.lap(state.board.ring, state.pit, seeds, state.direction, left_row);
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
    if (rules.capturing_seed == CapturingSeed::taken) take(own);
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

// Plays the candidate `move` from `before` into `after`, whose mover is then the next player to
// move, passes not yet taken.  If the move is illegal `after` is spoilt.
template <class B, class Trace>
RELAYSOW_INLINE void sow(const Referee<B>& referee, const B& before, B& after, Sow move,
                         Trace& trace, Sown& sown) {
    const Rules& rules = referee.rules;
    after.copy(rules, before);
    sow_laps(referee, before, after, move, trace, sown.laps);
    sown.captured = 0;
    sown.legal = true;
    sown.moves_again = false;
    after.passed = false;
    after.drop_duties();
    const int mover = before.mover;
    const auto opponent = static_cast<std::uint8_t>(1 - mover);
    if (sown.laps.end != SowingEnd::empty_pit) [[unlikely]] {
        if (sown.laps.end == SowingEnd::forbidden_first_lap || rules.endless == Endless::illegal) {
            sown.legal = false;
            return;
        }
        after.copy(rules, before);
        after.passed = false;
        after.drop_duties();
        if (rules.endless == Endless::draw) {
            after.drawn = true;
        } else {
            after.mover = opponent;
        }
        return;
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
            return;
        }
    }
    after.mover = opponent;
}

}  // namespace relaysow
