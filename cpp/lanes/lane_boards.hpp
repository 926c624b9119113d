// What the drivers of the kernel share: the rules and the positions in its lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "lanes/kernel.hpp"
#include "play/board.hpp"
#include "rules/rules.hpp"
#include "support/random.hpp"

namespace relaysow::lanes {

// Memory on lines of the cache, zero at first if wished.
class Memory {
public:
    explicit Memory(std::size_t bytes, bool zero = true)
        : begin_(static_cast<std::uint8_t*>(::operator new(bytes, line))) {
        if (zero) std::memset(begin_, 0, bytes);
    }
    ~Memory() { ::operator delete(begin_, line); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    void swap(Memory& other) { std::swap(begin_, other.begin_); }
    std::uint8_t* begin() const { return begin_; }

private:
    static constexpr std::align_val_t line{64};
    std::uint8_t* begin_;
};

inline std::uint64_t bit(int lane) { return std::uint64_t{1} << lane; }
inline void set(std::uint64_t& which, int lane, bool value) {
    which = (which & ~bit(lane)) | (value ? bit(lane) : 0);
}

constexpr int bits_of_a_pit(bool has_protection) { return has_protection ? 0x7F : 0xFF; }

// Whether a byte has room for every count of so many seeds.
inline bool counts_fit(const Rules& rules, int seeds) {
    if (rules.protection == Protection::none) return seeds <= bits_of_a_pit(false);
    // A lap of two seeds or more leaves some in two pits, and none holds all that there are.
    const bool parted = rules.lift == Lift::all && rules.minimum_lift >= 2;
    return seeds <= bits_of_a_pit(true) + parted;
}

// Whether lanes play games of so many seeds by these rules.
inline bool lanes_play(const Rules& rules, int seeds) {
    // Pits, captures and candidates are watched for counts past a byte.
    return counts_fit(rules, seeds) || seeds <= 8 * rules.ring();
}

// The most candidates in one direction that lanes draw from; 0 if so many seeds never make more.
inline std::uint8_t most_candidates(const Rules& rules, int seeds) {
    if (rules.lift != Lift::any) return 0;
    const int most = rules.direction == DirectionChoice::either ? 127 : 254;
    return static_cast<std::uint8_t>(seeds <= most ? 0 : most);
}

inline void set_rules(Lanes& lanes, const Rules& rules, int width) {
    lanes.width = width;
    lanes.rules.pits = static_cast<std::uint8_t>(rules.pits);
    lanes.rules.ring_rows = static_cast<std::uint8_t>(rules.ring());
    lanes.rules.skipped = rules.origin == Origin::skipped;
    lanes.rules.pits_a_round =
        static_cast<std::uint8_t>(lanes.rules.ring_rows - lanes.rules.skipped);
    lanes.rules.minimum_lift = static_cast<std::uint8_t>(rules.minimum_lift);
    lanes.rules.has_protection = rules.protection != Protection::none;
    lanes.rules.owner_lifts = rules.protection == Protection::until_owner_lifts;
    lanes.rules.max_laps = static_cast<std::uint8_t>(rules.max_laps <= 255 ? rules.max_laps : 0);
    lanes.rules.reversed = rules.relay == Relay::reversed;
    lanes.rules.either = rules.direction == DirectionChoice::either;
    lanes.rules.any_lift = rules.lift == Lift::any;
    lanes.rules.checks_first_lap = rules.first_lap == FirstLap::not_into_own_occupied;
    lanes.rules.always_captures = rules.uncrossed == Uncrossed::captures;
    lanes.rules.moves_again = rules.uncrossed == Uncrossed::moves_again;
    lanes.rules.lone_taken = rules.lone_seed == LoneSeed::taken;
    lanes.rules.capturing_stays = rules.capturing_seed == CapturingSeed::stays;
    lanes.rules.row_empty_ends = rules.end == EndRule::row_empty;
    lanes.rules.passes = rules.end == EndRule::both_stuck || lanes.rules.row_empty_ends;
    lanes.rules.direction_duty = rules.extra_direction == ExtraDirection::opposite;
    lanes.rules.pit_duty = rules.extra_pit == ExtraPit::not_origin;
    const int duties = lanes.rules.pit_duty ? 2 : lanes.rules.direction_duty ? 1 : 0;
    lanes.rules.rows = static_cast<std::uint8_t>(lanes.rules.ring_rows + duties);
    lanes.rules.compares = rules.repetition != Repetition::off;
    lanes.rules.endless_is_legal = rules.endless != Endless::illegal;
    lanes.rules.chain = rules.chain;
    lanes.rules.bonus = rules.bonus;
}

// Bytes of the rings of all lanes.
inline std::size_t ring_bytes(const Lanes& lanes) {
    return static_cast<std::size_t>(lanes.width *
                                    (lanes.rings.by_lane ? +lane_bytes : lanes.rules.rows));
}

// The ring index of a pit that is counted on from the row of South or of North; and back.
inline int seen_from(const Lanes& lanes, int pit, bool north) {
    return !north ? pit : pit < lanes.rules.pits ? pit + lanes.rules.pits : pit - lanes.rules.pits;
}

// The position of a lane, in its ring or in a row of the log, seen by South or by North.
template <class B>
B read_lane(const Lanes& lanes, const std::uint8_t* rows, int lane, bool north) {
    B board;
    board.stores[0] = lanes.counts.stores[0][lane];
    board.stores[1] = lanes.counts.stores[1][lane];
    if (lanes.rings.by_lane) {
        std::copy_n(rows + lane * lane_bytes, lanes.rules.ring_rows, board.ring);
        return board;
    }
    for (int k = 0; k < lanes.rules.ring_rows; ++k) {
        const int pit = seen_from(lanes, k, north), seeds = rows[k * lanes.width + lane];
        board.ring[pit] =
            static_cast<typename B::seeds_type>(seeds & bits_of_a_pit(lanes.rules.has_protection));
        if (lanes.rules.has_protection && seeds >= 0x80) board.protected_pits.add(pit);
    }
    if (lanes.rules.direction_duty) {
        board.direction = static_cast<Duty>(rows[lanes.rules.ring_rows * lanes.width + lane]);
    }
    if (lanes.rules.pit_duty) {
        const int barred = rows[(lanes.rules.ring_rows + 1) * lanes.width + lane];
        if (barred > 0)
            board.barred = static_cast<std::int16_t>(seen_from(lanes, barred - 1, north));
    }
    return board;
}

// Whether the lane was to choose in this row of the log, and the position there.
inline bool chose(const Lanes& lanes, std::uint64_t row, int lane) {
    return (lanes.log.chose[row & lanes.log.mask] & bit(lane)) != 0;
}
template <class B>
B logged(const Lanes& lanes, std::uint64_t row, int lane) {
    const std::size_t slot = row & lanes.log.mask;
    const bool mover = (lanes.log.movers[slot] & bit(lane)) != 0;
    B board = read_lane<B>(lanes, lanes.log.positions + slot * ring_bytes(lanes), lane, mover);
    board.mover = mover;
    return board;
}

// The position of a lane in a row of the log: its pits and duties, and its mover.
class LoggedPosition {
public:
    LoggedPosition(const Lanes& lanes, std::uint64_t row, int lane)
        : pits_(lanes.log.positions + (row & lanes.log.mask) * ring_bytes(lanes) +
                lane * (lanes.rings.by_lane ? +lane_bytes : 1)),
          step_(lanes.rings.by_lane ? 1 : static_cast<std::size_t>(lanes.width)),
          size_(lanes.rules.rows + 1u),
          mover_((lanes.log.movers[row & lanes.log.mask] & bit(lane)) != 0) {}

    std::size_t size() const { return size_; }
    std::uint8_t operator[](std::size_t k) const {
        return k + 1 == size_ ? mover_ : pits_[k * step_];
    }
    template <class Other>
    bool is(const Other& other) const {
        std::size_t k = 0;
        while (k < size_ && (*this)[k] == other[k]) ++k;
        return k == size_;
    }

private:
    const std::uint8_t* pits_;
    std::size_t step_, size_;
    bool mover_;
};

template <class B>
void write_lane(Lanes& lanes, int lane, const B& board) {
    const bool north = board.mover != 0;
    set(lanes.turn.mover, lane, north);
    lanes.counts.stores[0][lane] = board.stores[0];
    lanes.counts.stores[1][lane] = board.stores[1];
    if (lanes.rings.by_lane) {
        std::copy_n(board.ring, lanes.rules.ring_rows, lanes.rings.now + lane * lane_bytes);
        return;
    }
    set(lanes.rings.viewer, lane, north);
    for (int k = 0; k < lanes.rules.ring_rows; ++k) {
        const int pit = seen_from(lanes, k, north);
        lanes.rings.now[k * lanes.width + lane] = static_cast<std::uint8_t>(
            board.ring[pit] |
            (lanes.rules.has_protection && board.protected_pits.has(pit) ? 0x80 : 0));
    }
    if (lanes.rules.direction_duty) {
        lanes.rings.now[lanes.rules.ring_rows * lanes.width + lane] =
            static_cast<std::uint8_t>(board.direction);
    }
    if (lanes.rules.pit_duty) {
        lanes.rings.now[(lanes.rules.ring_rows + 1) * lanes.width + lane] =
            static_cast<std::uint8_t>(
                board.barred == no_pit ? 0 : seen_from(lanes, board.barred, north) + 1);
    }
}

inline Chance lane_chance(const Lanes& lanes, int lane) {
    return Chance({lanes.choice.chance[0][lane], lanes.choice.chance[1][lane],
                   lanes.choice.chance[2][lane], lanes.choice.chance[3][lane]});
}
inline void keep_chance(Lanes& lanes, int lane, const Chance& chance) {
    const auto state = chance.state();
    for (std::size_t k = 0; k < 4; ++k) lanes.choice.chance[k][lane] = state[k];
}

}  // namespace relaysow::lanes
