// Words mixed into a hash: the one place of its constants and steps.
#pragma once

#include <cstdint>

namespace relaysow {

// Two odd numbers whose bits look random: 2⁶⁴ divided by the golden ratio, and one of the factors
// in use for generators of random numbers.
inline constexpr std::uint64_t golden_factor = 0x9E37'79B9'7F4A'7C15;
inline constexpr std::uint64_t second_factor = 0xD1B5'4A32'D192'ED03;

// The hash after one more word.  The step can be undone, so two hashes that differ before the same
// word differ after it.
template <std::uint64_t factor = golden_factor>
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * factor;
    return hash ^ hash >> 32;
}

// A second step, after which each bit of the hash depends on each bit of the word mixed in last.
constexpr std::uint64_t spread(std::uint64_t hash) {
    hash *= second_factor;
    return hash ^ hash >> 29;
}

}  // namespace relaysow
