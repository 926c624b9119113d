// Analysis of one position: deeper and deeper, until a limit is reached or all is proved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "exact/tablebase.hpp"
#include "play/board.hpp"
#include "play/move.hpp"
#include "rules/rules.hpp"
#include "search/search.hpp"
#include "support/poll.hpp"

namespace relaysow {

struct AnalysisPlan {
    Rules rules;
    AnyBoard root;                   // settled, not over
    std::vector<AnyBoard> compared;  // see Search::begin
    int depth = max_search_depth;
    std::uint64_t nodes = UINT64_MAX;
    double seconds = 1e9;
    std::size_t lines = 1;
    int threads = 1;
    std::size_t bytes = 0;  // of the transposition table; 0: none
    const Table* table = nullptr;
};

struct AnalysisLine {
    int score = 0;
    bool exact = false;
    int depth = 0;
    std::vector<Sow> moves;
};

struct Analysis {
    std::vector<AnalysisLine> lines;
    bool exact = false;  // the lines are the best, and all scores exact
    int depth = 0;       // to which all moves were searched
    std::uint64_t nodes = 0;
};

// Searches deeper and deeper until it reaches a limit or proves all.  It always finishes the first
// depth.  `found` is up to date after each depth, when it calls `report`, and when `poll` throws.
// With one thread and no limit of time the result is always the same.
void analyse(const AnalysisPlan& plan, Analysis& found, const Poll& poll,
             const std::function<void()>& report);

}  // namespace relaysow
