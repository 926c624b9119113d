// Exact play in Python: conversions and checks, no rules.
#include <pybind11/stl.h>

#include <string>

#include "bindings.hpp"
#include "solve.hpp"

namespace relaysow {

using namespace py::literals;

namespace {

py::object threshold(int lead) {
    if (lead >= Thresholds::never) return py::float_(HUGE_VAL);
    if (lead <= Thresholds::always) return py::float_(-HUGE_VAL);
    return py::int_(lead);
}

py::tuple as_tuple(Thresholds values) {
    return py::make_tuple(threshold(values.win), threshold(values.draw));
}

// Refuses rules under which a position has no value of its own.
void refuse_history(const Rules& rules) {
    if (const char* option = refused_option(rules)) {
        throw py::value_error(
            std::string(option) +
            " makes a position's value depend on the moves before it: exact play "
            "needs repetition='draw' or 'stores' with repetition_scope='position'");
    }
}

py::tuple solve_position(const Position& position, std::size_t max_positions) {
    refuse_history(position.rules());
    Solution solution;
    try {
        const py::gil_scoped_release others_run;
        solution = solve(position.rules(), position.board, max_positions, poll_without_gil);
    } catch (const TooManyPositions& error) {
        throw py::value_error(error.what());
    }
    py::list moves;
    for (const Thresholds values : solution.moves) moves.append(as_tuple(values));
    return py::make_tuple(as_tuple(solution.values), moves, solution.line, solution.positions);
}

}  // namespace

void bind_analysis(py::module_& m) {
    m.def("solve", &solve_position, "position"_a, "max_positions"_a.noconvert(),
          "The thresholds of a position, of its legal moves, the numbers of a line, and how many "
          "positions were looked at.");
}

}  // namespace relaysow
