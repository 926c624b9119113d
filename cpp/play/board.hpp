// The board: ring, stores, mover, protection and duties, without memory on the heap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "rules/rules.hpp"

namespace relaysow {

// A set of pits.
struct PitSet {
    std::uint64_t low = 0, high = 0;

    constexpr bool has(int pit) const { return ((pit < 64 ? low : high) >> (pit & 63) & 1) != 0; }
    constexpr void add(int pit) { (pit < 64 ? low : high) |= std::uint64_t{1} << (pit & 63); }
    constexpr void remove(int pit) { (pit < 64 ? low : high) &= ~(std::uint64_t{1} << (pit & 63)); }
    constexpr bool empty() const { return (low | high) == 0; }
    friend constexpr bool operator==(const PitSet&, const PitSet&) = default;
};

enum class Duty : std::uint8_t { none, ccw, cw };  // the only direction an extra move may take

inline constexpr std::int16_t no_pit = -1;

// All of a position except the ring.
struct BoardState {
    std::uint16_t stores[2] = {};
    std::uint8_t mover = 0;
    Duty direction = Duty::none;
    std::int16_t barred = no_pit;      // the pit an extra move may not start from
    std::uint8_t redistributions = 2;  // made so far
    bool drawn = false;                // by an endless sowing
    bool passed = false;               // the other player was just passed over
    PitSet protected_pits;

    bool has_duties() const { return direction != Duty::none || barred != no_pit; }
    void drop_duties() {
        direction = Duty::none;
        barred = no_pit;
    }
};

// One pit of type `Seeds` can hold all seeds of the ring, and `Capacity` is at least the ring's
// length.  The kinds of board play the same games; the narrow ones are faster.  Past its end the
// ring holds zeros.
template <class Seeds, int Capacity>
struct Board : BoardState {
    using seeds_type = Seeds;
    static constexpr int capacity = Capacity;

    alignas(16) Seeds ring[Capacity] = {};

    int row_seeds(const Rules& rules, int player) const {
        const int from = rules.row(player);
        int sum = 0;
        for (int pit = from; pit < from + rules.pits; ++pit) sum += ring[pit];
        return sum;
    }
    bool same_ring(const Rules& rules, const Seeds* other) const {
        return std::memcmp(ring, other, ring_bytes(rules)) == 0;
    }
    // Makes this board, of the same rules, equal to `other`.
    void copy(const Rules& rules, const Board& other) {
        if constexpr (sizeof ring <= 32) {
            *this = other;
        } else {
            static_cast<BoardState&>(*this) = other;
            std::memcpy(ring, other.ring, ring_bytes(rules));
        }
    }
    static std::size_t ring_bytes(const Rules& rules) {
        return sizeof(Seeds) * static_cast<std::size_t>(rules.ring());
    }
};

// Returns the pits of one row that hold at least `minimum` (1 or 2) seeds, as bits from the
// owner's left.
template <class B>
std::uint64_t pits_holding(const Rules& rules, const B& board, int player, int minimum) {
    const int row = rules.row(player);
    const std::uint64_t whole_row = ~std::uint64_t{0} >> (64 - rules.pits);
#ifdef __SSE2__
    using Seeds = typename B::seeds_type;
    // Returns a bit for each of the sixteen pits from `pit`, which need not be one of the row.
    const auto sixteen = [&](int pit) {
        const auto load = [&](int from) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(board.ring + from));
        };
        __m128i held;
        if constexpr (sizeof(Seeds) == 1) {
            const __m128i least = _mm_set1_epi8(static_cast<char>(minimum));
            const __m128i seeds = load(pit);
            held = _mm_cmpeq_epi8(_mm_max_epu8(seeds, least), seeds);
        } else {
            const __m128i fewer = _mm_set1_epi16(static_cast<short>(minimum - 1));
            held = _mm_packs_epi16(_mm_cmpgt_epi16(load(pit), fewer),
                                   _mm_cmpgt_epi16(load(pit + 8), fewer));
        }
        return static_cast<std::uint64_t>(_mm_movemask_epi8(held));
    };
    std::uint64_t held = 0;
    if constexpr (B::capacity < max_ring) {
        for (int pit = 0; pit < B::capacity; pit += 16) held |= sixteen(pit) << pit;
        return held >> row & whole_row;
    } else {  // a row and what makes it 64 pits lie within the capacity
        for (int k = 0; k < rules.pits; k += 16) held |= sixteen(row + k) << k;
        return held & whole_row;
    }
#else
    std::uint64_t pits = 0;
    for (int k = 0; k < rules.pits; ++k) {
        pits |= std::uint64_t{board.ring[row + k] >= minimum} << k;
    }
    return pits & whole_row;
#endif
}

// Numbers the pits of a set within a row: how many there are, and which is the i-th from the left.
class NumberedPits {
public:
    constexpr explicit NumberedPits(std::uint64_t pits) : pits_(pits) {
        std::uint64_t sums = pits - (pits >> 1 & 0x5555'5555'5555'5555);
        sums = (sums & 0x3333'3333'3333'3333) + (sums >> 2 & 0x3333'3333'3333'3333);
        sums = (sums + (sums >> 4)) & 0x0F0F'0F0F'0F0F'0F0F;
        counts_ = sums * 0x0101'0101'0101'0101;
    }
    constexpr int count() const { return static_cast<int>(counts_ >> 56); }

    constexpr int operator[](int i) const {  // 0 ≤ i < count()
        const std::uint64_t bytes_before =
            ((static_cast<std::uint64_t>(i) * 0x0101'0101'0101'0101 | 0x8080'8080'8080'8080) -
             counts_) >>
                7 &
            0x0101'0101'0101'0101;
        const int shift = static_cast<int>((bytes_before * 0x0101'0101'0101'0101) >> 56) * 8;
        const int in_bytes_before = static_cast<int>((counts_ << 8 >> shift) & 0xFF);
        return shift +
               in_byte[pits_ >> shift & 0xFF][static_cast<std::size_t>(i - in_bytes_before)];
    }

private:
    static constexpr auto in_byte = [] {
        std::array<std::array<std::uint8_t, 8>, 256> places{};
        for (std::size_t byte = 0; byte < 256; ++byte) {
            std::size_t i = 0;
            for (std::uint8_t bit = 0; bit < 8; ++bit) {
                if ((byte >> bit & 1) != 0) places[byte][i++] = bit;
            }
        }
        return places;
    }();

    std::uint64_t pits_;
    std::uint64_t counts_ = 0;  // byte k: the pits in bytes 0…k
};

using AnyBoard = Board<std::uint16_t, max_ring>;
using NarrowBoard = Board<std::uint8_t, max_ring>;
using MiddleBoard = Board<std::uint8_t, 32>;
using SmallBoard = Board<std::uint8_t, 16>;

// Returns the same position on another kind of board, which must be wide enough.
template <class To, class From>
To board_as(const Rules& rules, const From& from) {
    To to;
    for (int pit = 0; pit < rules.ring(); ++pit) {
        to.ring[pit] = static_cast<typename To::seeds_type>(from.ring[pit]);
    }
    static_cast<BoardState&>(to) = from;
    return to;
}

// Calls `f` with `board` on the narrowest kind of board that holds its game.
template <class F>
auto on_narrowest(const Rules& rules, const AnyBoard& board, F&& f) {
    if (board.row_seeds(rules, 0) + board.row_seeds(rules, 1) > 255) return f(board);
    if (rules.ring() <= SmallBoard::capacity) return f(board_as<SmallBoard>(rules, board));
#ifdef RELAYSOW_FEW_BOARDS  // built in half the time
    return f(board);
#else
    if (rules.ring() <= MiddleBoard::capacity) return f(board_as<MiddleBoard>(rules, board));
    return f(board_as<NarrowBoard>(rules, board));
#endif
}

}  // namespace relaysow
