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

namespace relaysow::playout {

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
inline void set(std::uint64_t& lanes, int lane, bool value) {
    lanes = (lanes & ~bit(lane)) | (value ? bit(lane) : 0);
}

constexpr int bits_of_a_pit(bool marks) { return marks ? 0x7F : 0xFF; }

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

inline void set_rules(Lanes& x, const Rules& rules, int lanes) {
    x.lanes = lanes;
    x.pits = static_cast<std::uint8_t>(rules.pits);
    x.ring_rows = static_cast<std::uint8_t>(rules.ring());
    x.skipped = rules.origin == Origin::skipped;
    x.round = static_cast<std::uint8_t>(x.ring_rows - x.skipped);
    x.minimum_lift = static_cast<std::uint8_t>(rules.minimum_lift);
    x.marks = rules.protection != Protection::none;
    x.owner_lifts = rules.protection == Protection::until_owner_lifts;
    x.max_laps = static_cast<std::uint8_t>(rules.max_laps <= 255 ? rules.max_laps : 0);
    x.reversed = rules.relay == Relay::reversed;
    x.either = rules.direction == DirectionChoice::either;
    x.any_lift = rules.lift == Lift::any;
    x.checks_first_lap = rules.first_lap == FirstLap::not_into_own_occupied;
    x.always_captures = rules.uncrossed == Uncrossed::captures;
    x.moves_again = rules.uncrossed == Uncrossed::moves_again;
    x.lone_taken = rules.lone_seed == LoneSeed::taken;
    x.capturing_stays = rules.capturing_seed == CapturingSeed::stays;
    x.row_empty_ends = rules.end == EndRule::row_empty;
    x.passes = rules.end == EndRule::both_stuck || x.row_empty_ends;
    x.direction_duty = rules.extra_direction == ExtraDirection::opposite;
    x.pit_duty = rules.extra_pit == ExtraPit::not_origin;
    const int duties = x.pit_duty ? 2 : x.direction_duty ? 1 : 0;
    x.rows = static_cast<std::uint8_t>(x.ring_rows + duties);
    x.compares = rules.repetition != Repetition::off;
    x.endless_is_legal = rules.endless != Endless::illegal;
    x.chain = rules.chain;
    x.bonus = rules.bonus;
}

// Bytes of the rings of all lanes.
inline std::size_t ring_bytes(const Lanes& x) {
    return static_cast<std::size_t>(x.lanes * (x.by_lane ? +lane_bytes : x.rows));
}

// A pit counted on from the row of South or North, in the ring; and back.
inline int turned(const Lanes& x, int pit, bool north) {
    return !north ? pit : pit < x.pits ? pit + x.pits : pit - x.pits;
}

// The position of a lane, in its ring or in a row of the log, seen by South or by North.
template <class B>
B read_lane(const Lanes& x, const std::uint8_t* rows, int lane, bool north) {
    B board;
    board.stores[0] = x.stores[0][lane];
    board.stores[1] = x.stores[1][lane];
    if (x.by_lane) {
        std::copy_n(rows + lane * lane_bytes, x.ring_rows, board.ring);
        return board;
    }
    for (int k = 0; k < x.ring_rows; ++k) {
        const int pit = turned(x, k, north), seeds = rows[k * x.lanes + lane];
        board.ring[pit] = static_cast<typename B::seeds_type>(seeds & bits_of_a_pit(x.marks));
        if (x.marks && seeds >= 0x80) board.protected_pits.add(pit);
    }
    if (x.direction_duty) {
        board.direction = static_cast<Duty>(rows[x.ring_rows * x.lanes + lane]);
    }
    if (x.pit_duty) {
        const int barred = rows[(x.ring_rows + 1) * x.lanes + lane];
        if (barred > 0) board.barred = static_cast<std::int16_t>(turned(x, barred - 1, north));
    }
    return board;
}

// Whether the lane was to choose in this row of the log, and the position there.
inline bool chose(const Lanes& x, std::uint64_t row, int lane) {
    return (x.chose[row & x.log_mask] & bit(lane)) != 0;
}
template <class B>
B logged(const Lanes& x, std::uint64_t row, int lane) {
    const std::size_t slot = row & x.log_mask;
    const bool mover = (x.movers[slot] & bit(lane)) != 0;
    B board = read_lane<B>(x, x.log + slot * ring_bytes(x), lane, mover);
    board.mover = mover;
    return board;
}

// The position of a lane in a row of the log: its pits and duties, and its mover.
class LoggedPosition {
public:
    LoggedPosition(const Lanes& x, std::uint64_t row, int lane)
        : pits_(x.log + (row & x.log_mask) * ring_bytes(x) + lane * (x.by_lane ? +lane_bytes : 1)),
          step_(x.by_lane ? 1 : static_cast<std::size_t>(x.lanes)),
          size_(x.rows + 1u),
          mover_((x.movers[row & x.log_mask] & bit(lane)) != 0) {}

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
void write_lane(Lanes& x, int lane, const B& board) {
    const bool north = board.mover != 0;
    set(x.mover, lane, north);
    x.stores[0][lane] = board.stores[0];
    x.stores[1][lane] = board.stores[1];
    if (x.by_lane) {
        std::copy_n(board.ring, x.ring_rows, x.ring + lane * lane_bytes);
        return;
    }
    set(x.viewer, lane, north);
    for (int k = 0; k < x.ring_rows; ++k) {
        const int pit = turned(x, k, north);
        x.ring[k * x.lanes + lane] = static_cast<std::uint8_t>(
            board.ring[pit] | (x.marks && board.protected_pits.has(pit) ? 0x80 : 0));
    }
    if (x.direction_duty) {
        x.ring[x.ring_rows * x.lanes + lane] = static_cast<std::uint8_t>(board.direction);
    }
    if (x.pit_duty) {
        x.ring[(x.ring_rows + 1) * x.lanes + lane] = static_cast<std::uint8_t>(
            board.barred == no_pit ? 0 : turned(x, board.barred, north) + 1);
    }
}

inline Chance lane_chance(const Lanes& x, int lane) {
    return Chance({x.chance[0][lane], x.chance[1][lane], x.chance[2][lane], x.chance[3][lane]});
}
inline void keep_chance(Lanes& x, int lane, const Chance& chance) {
    const auto state = chance.state();
    for (std::size_t k = 0; k < 4; ++k) x.chance[k][lane] = state[k];
}

}  // namespace relaysow::playout
