// The rules of a game as one aggregate; defaults and refusals are those of rules.py.
#pragma once

#include <array>
#include <cstdint>

#include "rules/options.hpp"

// For the few functions on the way of every move: their small structs must stay in registers, since
// reading back at once what was just written in smaller parts stalls.
#ifdef _MSC_VER
#define RELAYSOW_INLINE __forceinline
#else
#define RELAYSOW_INLINE inline __attribute__((always_inline))
#endif

namespace relaysow {

inline constexpr int max_ring = 2 * max_pits;

enum class Direction : std::uint8_t { ccw, cw };

constexpr Direction opposite(Direction d) {
    return d == Direction::ccw ? Direction::cw : Direction::ccw;
}

// How a game is played, whatever its set-up.
struct RulesOfPlay {
    int pits = 8;  // in each row
    int minimum_lift = 2;
#define RELAYSOW_OPTION(Type, name, ...) Type name{};
#include "rules/options.def"
    std::uint64_t max_laps = UINT64_MAX;  // no cap

    friend bool operator==(const RulesOfPlay&, const RulesOfPlay&) = default;

    constexpr int ring() const { return 2 * pits; }
    constexpr int facing(int pit) const { return 2 * pits - 1 - pit; }
    constexpr int owner(int pit) const { return pit >= pits; }
    constexpr int row(int player) const { return player * pits; }  // its first ring index
};

struct Rules : RulesOfPlay {
    std::array<std::uint16_t, max_ring> setup{};

    friend bool operator==(const Rules&, const Rules&) = default;
};

}  // namespace relaysow
