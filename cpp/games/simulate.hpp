// Many games from one position, played by threads; results are one row a game.
#pragma once

#include <cstdint>
#include <functional>

#include "play/game_row.hpp"
#include "play/simulation_plan.hpp"

namespace relaysow {

// Plays the games.  Returns how many are done from the first on without a gap.  It calls `tick`
// in the calling thread about ten times a second with the number of games done, and stops at once
// when `tick` returns false.
std::size_t simulate(const SimulationPlan& plan, const GameColumns& columns,
                     const std::function<bool(std::size_t)>& tick, LapCounts* counts = nullptr);

}  // namespace relaysow
