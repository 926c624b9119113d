// What a simulation is asked to play.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "play/board.hpp"
#include "rules/rules.hpp"

namespace relaysow {

// How a player chooses moves.  `limit` is how many moves a search looks ahead, or how many moves it
// sows.
struct Policy {
    enum Kind : std::uint8_t { random, greedy, search_depth, search_nodes };

    Kind kind;
    std::uint64_t limit;

    constexpr Policy(Kind policy_kind = random, std::uint64_t search_limit = 0)
        : kind(policy_kind), limit(search_limit) {}
    constexpr bool searches() const { return kind == search_depth || kind == search_nodes; }
    friend bool operator==(const Policy&, const Policy&) = default;
};

struct SimulationPlan {
    Rules rules;
    AnyBoard start;  // settled
    std::uint64_t seed = 0;
    std::uint64_t first_game = 0;
    std::size_t games = 0;
    std::array<Policy, 2> policies{};  // South's, North's
    std::int64_t max_moves = INT64_MAX;
    int threads = 1;
};

// How many laps the games that are done took, and how many of these the lockstep kernel did not
// sow.
struct LapCounts {
    std::uint64_t laps = 0, on_scalar = 0;
};

}  // namespace relaysow
