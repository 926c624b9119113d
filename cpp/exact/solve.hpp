// The exact value of a position, from all positions that can be reached from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "exact/tablebase.hpp"
#include "exact/thresholds.hpp"
#include "play/board.hpp"
#include "play/sowing.hpp"
#include "rules/rules.hpp"

namespace relaysow {

struct Solution {
    Thresholds values;
    std::vector<Thresholds> moves;    // of each legal move
    std::vector<std::uint64_t> line;  // the numbers of its moves among the legal ones
    std::size_t positions = 0;        // looked at
};

struct TooManyPositions : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The settled position `board` must not be over, and its rules not be refused.  Positions of fewer
// seeds are looked up in `table`, of the same rules, where there is one and it holds them; the line
// ends at the first of them.
Solution solve(const Rules& rules, const AnyBoard& board, const Table* table,
               std::size_t max_positions, const Poll& poll);

}  // namespace relaysow
