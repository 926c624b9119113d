// Solving a position: conversions and checks, no rules.

#include "exact/solve.hpp"

#include <pybind11/stl.h>

#include "python/bindings.hpp"
#include "python/tablebase.hpp"

namespace relaysow {

namespace {

py::tuple as_tuple(Thresholds values) {
    return py::make_tuple(threshold(values.win), threshold(values.draw));
}

py::tuple solve_position(const Position& position, std::size_t max_positions,
                         const py::object& python_table) {
    refuse_history(position.rules());
    const Table* table = table_for(python_table, position);
    Solution solution;
    try {
        const py::gil_scoped_release others_run;
        solution = solve(position.rules(), position.board, table, max_positions, poll_without_gil);
    } catch (const TooManyPositions& error) {
        throw py::value_error(error.what());
    }
    py::list moves;
    for (const Thresholds values : solution.moves) moves.append(as_tuple(values));
    return py::make_tuple(as_tuple(solution.values), moves, solution.line, solution.positions);
}

}  // namespace

void bind_solve(py::module_& m) {
    using namespace py::literals;
    m.def("solve", &solve_position, "position"_a, "max_positions"_a.noconvert(), "table"_a,
          "The thresholds of a position, of its legal moves, the numbers of a line, and how many "
          "positions were looked at.");
}

}  // namespace relaysow
