// Many games from one position, played by threads; results are one row a game.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "play/board.hpp"
#include "rules/rules.hpp"

namespace relaysow {

// How a player chooses; searches look `limit` moves ahead, or at so many moves sown.
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

// Where the results go: arrays of `games` rows owned by the caller.
struct SimulationColumns {
    std::int16_t* scores = nullptr;  // two a game
    std::int8_t* winner = nullptr;   // 0, 1, −1 drawn, −2 cut
    std::int32_t* moves = nullptr;
    std::int32_t* turns = nullptr;
    std::int64_t* laps = nullptr;
    std::int32_t* captures = nullptr;
    std::int64_t* longest = nullptr;  // sowing, in laps
    std::uint8_t* end = nullptr;
    std::int64_t* first_move = nullptr;
};

// How many laps of the games done were sown, and how many of them apart from the lockstep kernel.
struct LapCounts {
    std::uint64_t laps = 0, apart = 0;
};

// Plays the games; the number of them done, counted from the first without a gap.  `tick` is called
// in the calling thread with the number of games done about ten times a second; when it returns
// false the games stop at once.
std::size_t simulate(const SimulationPlan& plan, const SimulationColumns& columns,
                     const std::function<bool(std::size_t)>& tick, LapCounts* counts = nullptr);

}  // namespace relaysow
