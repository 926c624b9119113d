// Many games from one position, played by threads; results are one row a game.
#pragma once

#include <cstdint>
#include <functional>

#include "play/game_row.hpp"
#include "play/simulation_plan.hpp"

namespace relaysow {

// Plays the games; the number of them done, counted from the first without a gap.  `tick` is called
// in the calling thread with the number of games done about ten times a second; when it returns
// false the games stop at once.
std::size_t simulate(const SimulationPlan& plan, const GameColumns& columns,
                     const std::function<bool(std::size_t)>& tick, LapCounts* counts = nullptr);

}  // namespace relaysow
