// Ring, stores, mover, protection: the mutable state of a game, without heap.
#pragma once

#include <cstdint>
#include <cstring>

#include "rules.hpp"

namespace relaysow {

// A set of pits.
struct PitSet {
    std::uint64_t low = 0, high = 0;

    constexpr bool has(int pit) const {
        return ((pit < 64 ? low : high) >> (pit & 63) & 1) != 0;
    }
    constexpr void add(int pit) { (pit < 64 ? low : high) |= std::uint64_t{1} << (pit & 63); }
    constexpr void remove(int pit) {
        (pit < 64 ? low : high) &= ~(std::uint64_t{1} << (pit & 63));
    }
    constexpr bool empty() const { return (low | high) == 0; }
    friend constexpr bool operator==(const PitSet&, const PitSet&) = default;
};

enum class Duty : std::uint8_t { none, ccw, cw };  // the only direction an extra move may take

inline constexpr std::int16_t no_pit = -1;

// `Seeds` holds all seeds of the ring in one pit; `Capacity` is at least the ring's length.
// Boards of any kind hold the same game; the narrow ones are faster.
template <class Seeds, int Capacity>
struct Board {
    using seeds_type = Seeds;
    static constexpr int capacity = Capacity;

    alignas(16) Seeds ring[Capacity] = {};
    std::uint16_t stores[2] = {};
    std::uint8_t mover = 0;
    Duty direction = Duty::none;
    std::int16_t barred = no_pit;      // the pit an extra move may not start from
    std::uint8_t redistributions = 2;  // made so far
    bool drawn = false;                // by an endless sowing
    bool passed = false;               // the other player was just passed over
    PitSet protected_pits;

    int row_seeds(const Rules& rules, int player) const {
        const int from = rules.row(player);
        int sum = 0;
        for (int pit = from; pit < from + rules.pits; ++pit) sum += ring[pit];
        return sum;
    }
    void drop_duties() {
        direction = Duty::none;
        barred = no_pit;
    }
    bool same_ring(const Rules& rules, const Seeds* other) const {
        return std::memcmp(ring, other, sizeof(Seeds) * static_cast<std::size_t>(rules.ring())) == 0;
    }
};

using AnyBoard = Board<std::uint16_t, max_ring>;
using NarrowBoard = Board<std::uint8_t, max_ring>;
using MiddleBoard = Board<std::uint8_t, 32>;
using SmallBoard = Board<std::uint8_t, 16>;

// The same position on another kind of board, which must be wide enough.
template <class To, class From>
To board_as(const Rules& rules, const From& from) {
    To to;
    for (int pit = 0; pit < rules.ring(); ++pit) {
        to.ring[pit] = static_cast<typename To::seeds_type>(from.ring[pit]);
    }
    to.stores[0] = from.stores[0];
    to.stores[1] = from.stores[1];
    to.mover = from.mover;
    to.direction = from.direction;
    to.barred = from.barred;
    to.redistributions = from.redistributions;
    to.drawn = from.drawn;
    to.passed = from.passed;
    to.protected_pits = from.protected_pits;
    return to;
}

// Calls `f` with `board` on the narrowest kind of board that holds its game.
template <class F>
auto on_narrowest(const Rules& rules, const AnyBoard& board, F&& f) {
    if (board.row_seeds(rules, 0) + board.row_seeds(rules, 1) > 255) return f(board);
    if (rules.ring() <= SmallBoard::capacity) return f(board_as<SmallBoard>(rules, board));
    if (rules.ring() <= MiddleBoard::capacity) return f(board_as<MiddleBoard>(rules, board));
    return f(board_as<NarrowBoard>(rules, board));
}

}  // namespace relaysow
