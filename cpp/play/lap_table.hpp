// One lap: seeds lifted from a pit and sown one a pit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "play/board.hpp"
#include "rules/rules.hpp"

namespace relaysow {

// Lifts and sows single laps on boards of one size, under one reading of the origin.
template <class B>
class LapTable {
public:
    using Seeds = typename B::seeds_type;

    explicit LapTable(const Rules& rules)
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

    // Lifts `seeds` from `pit` and sows them.  Returns the pit of the last seed, and sets bit 0 of
    // `left_row` if a seed fell outside the row of `pit`.
    RELAYSOW_INLINE int lap(Seeds* ring, int pit, int seeds, Direction direction,
                            unsigned& left_row) const {
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
        } else {  // The lap passes the end of the ring, or goes once all round it.
            for (int i = from; i < size_; ++i) ++ring[i];
            for (int i = 0; i <= to; ++i) ++ring[i];
        }
        return last;
    }

    // On a small board the table holds what a lap of few seeds adds to each pit, so that one
    // addition of vectors sows it.
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

}  // namespace relaysow
