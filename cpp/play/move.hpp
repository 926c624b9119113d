// The moves that a player may choose, as plain values.
#pragma once

#include <array>
#include <cstdint>

#include "rules/rules.hpp"

namespace relaysow {

// A sowing: lift so many seeds from a pit and sow them in a direction.
struct Sow {
    int pit;
    int lift;
    Direction direction;
    friend bool operator==(const Sow&, const Sow&) = default;
};

// The pits that an opening redistribution empties.
struct Emptied {
    int emptied_count = 0;
    std::array<int, 2> emptied{};  // ring indices, rising
};
// An opening redistribution: empty some own pits and place their seeds anywhere on the ring.
struct Redistribute : Emptied {
    std::array<std::uint16_t, max_ring> placed{};
};

}  // namespace relaysow
