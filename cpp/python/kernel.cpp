// The lockstep kernel as Python sees it: which one is used, and how much of the play it does.
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "games/simulate.hpp"
#include "lanes/instruction_sets.hpp"
#include "python/bindings.hpp"
#include "python/position.hpp"
#include "python/signals.hpp"

namespace relaysow {
namespace {

py::dict build_info() {
    py::list known;
    for (const auto& each : lanes::instruction_sets()) known.append(std::string(each.name));
    const lanes::InstructionSet instruction_set = lanes::instruction_set_in_use();
    py::dict info;
    info["instruction_set"] = std::string(instruction_set.name);
    info["instruction_sets"] = py::tuple(known);
    info["lanes"] = instruction_set.width;
    return info;
}

// Random games in this thread: the laps sown, and those sown on the scalar path.
py::tuple lap_counts(const Position& start, std::size_t games, std::uint64_t seed,
                     std::optional<std::int64_t> max_moves) {
    SimulationPlan plan;
    plan.rules = start.rules();
    plan.start = start.board;
    plan.seed = seed;
    plan.games = games;
    if (games == 0) return py::make_tuple(0, 0);
    if (max_moves) plan.max_moves = *max_moves;
    LapCounts counts;
    std::optional<py::error_already_set> stopped_by;
    {
        const py::gil_scoped_release others_run;
        simulate(
            plan, {},
            [&](std::size_t) {
                const py::gil_scoped_acquire gil;
                try {
                    check_signals();
                    return true;
                } catch (const py::error_already_set& error) {
                    stopped_by.emplace(error);
                    return false;
                }
            },
            &counts);
    }
    if (stopped_by) throw py::error_already_set(*stopped_by);
    return py::make_tuple(counts.laps, counts.on_scalar);
}

}  // namespace

void bind_kernel(py::module_& m) {
    using namespace py::literals;
    m.def("build_info", &build_info,
          R"doc(How this build plays random games: a new dict.

`instruction_set` is the copy of the lockstep kernel that `simulate` uses, the fastest that the
machine runs: "avx512", "avx2" or "baseline", or "scalar" where there is none; `instruction_sets`
are all that the machine runs, and `lanes` is the number of games played side by side.  The
environment variable RELAYSOW_ISA forces one of them; a ValueError names those there are if it is
none of them.  The games are the same with all of them.

>>> import relaysow as rs
>>> info = rs.build_info()
>>> info["instruction_set"] in info["instruction_sets"]
True)doc");
    m.attr("build_info").attr("__module__") = "relaysow";
    m.def("_lap_counts", &lap_counts, "start"_a, "games"_a.noconvert(), "seed"_a.noconvert(),
          "max_moves"_a.noconvert() = py::none(),
          "Plays random games: the laps sown, and how many of them on the scalar path.");
}

}  // namespace relaysow
