// Many matches of Giuthi: rounds laid out with what the last one left, played by threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "games/simulate.hpp"
#include "rules/rules.hpp"
#include "support/random.hpp"

namespace relaysow {

enum class Scheme : std::uint8_t { wikipedia, leakey };
enum class LayOutPolicy : std::uint8_t { even, random, asked };

// A row to be laid out, from its owner's left.
struct LayOutTask {
    int player = 0, seeds = 0, pits = 0;
    bool facing = false;  // the stronger's, who faces these:
    std::array<std::uint16_t, max_pits> faced{};
    bool twice = false;        // with at least twice as many
    Chance* chance = nullptr;  // the lay-outs' own, of this round
};

struct MatchPlan {
    std::vector<Rules> rules;  // of a round, by the pits of a row
    Scheme scheme = Scheme::wikipedia;
    bool twice_while_short = false;  // not only in the round for which shorter rows were asked
    bool half_of_round = false;  // fewer than half of what the last round began with, not the match
    bool shorten = true;         // the weaker asks whenever he may
    int first = -1;              // who begins; −1: a coin is flipped
    std::array<LayOutPolicy, 2> layouts{};
    std::function<void(const LayOutTask&, std::span<std::uint16_t> row)> ask;
    std::array<Policy, 2> policies{};
    std::uint64_t seed = 0, first_match = 0;
    std::size_t matches = 0;
    int max_rounds = 1;
    int threads = 1;
};

// Round r (from 1) of match m is game number m·2¹⁶ + r of the plan's seed; its lay-outs, and with
// r = 0 the coin, take their chance from the generator of that number under the complement of seed.
inline constexpr int round_bits = 16;

struct MatchColumns {
    std::int16_t* totals = nullptr;  // two a match
    std::int8_t* winner = nullptr;   // 0, 1, −1 drawn, −2 cut
    std::int32_t* rounds = nullptr;
    std::int64_t* moves = nullptr;
    std::int8_t* first = nullptr;
    std::int8_t* pits = nullptr;  // of the shortest rows
};

// Plays the matches; the number of them done, counted from the first without a gap.  `tick` is as
// for `simulate`.
std::size_t play_matches(const MatchPlan& plan, const MatchColumns& columns,
                         const std::function<bool(std::size_t)>& tick);

}  // namespace relaysow
