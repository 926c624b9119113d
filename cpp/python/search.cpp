// Search in Python: conversions and checks, no rules.
#include <optional>

#include "python/bindings.hpp"
#include "python/position.hpp"
#include "python/signals.hpp"
#include "python/tablebase.hpp"
#include "search/analysis.hpp"

namespace relaysow {

using namespace py::literals;

namespace {

py::tuple as_tuple(const Book& book, const Analysis& found) {
    py::list lines;
    for (const AnalysisLine& line : found.lines) {
        py::tuple moves(line.moves.size());
        for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = book.move(line.moves[i]);
        lines.append(py::make_tuple(line.score, line.exact, line.depth, moves));
    }
    return py::make_tuple(lines, found.exact, found.depth, found.nodes);
}

// All arguments are checked by `relaysow.exact.analysis.analyse`; `compared` are positions of
// the same game.
py::tuple analyse_position(const Position& root, const py::list& compared, int depth,
                           std::uint64_t nodes, double seconds, std::size_t lines, int threads,
                           std::size_t bytes, const py::object& table, const py::object& report) {
    AnalysisPlan plan;
    plan.rules = root.rules();
    plan.root = root.board;
    for (const py::handle p : compared) plan.compared.push_back(p.cast<const Position&>().board);
    plan.depth = depth;
    plan.nodes = nodes;
    plan.seconds = seconds;
    plan.lines = lines;
    plan.threads = threads;
    plan.bytes = bytes;
    plan.table = table_for(table, root);
    Analysis found;
    std::optional<py::error_already_set> stopped_by;
    try {
        const py::gil_scoped_release others_run;
        analyse(plan, found, poll_without_gil, [&] {
            if (report.is_none()) return;
            const py::gil_scoped_acquire gil;
            report(as_tuple(*root.book, found));
        });
    } catch (const py::error_already_set& error) {
        stopped_by.emplace(error);
    }
    return as_tuple(*root.book, found) +
           py::make_tuple(stopped_by ? py::object(stopped_by->value()) : py::object(py::none()));
}

}  // namespace

void bind_search(py::module_& m) {
    m.def("analyse", &analyse_position, "position"_a, "compared"_a, "depth"_a.noconvert(),
          "nodes"_a.noconvert(), "seconds"_a, "lines"_a.noconvert(), "threads"_a.noconvert(),
          "memory"_a.noconvert(), "table"_a, "report"_a,
          "The lines found (score, exact, depth, moves), whether they are exact, the depth "
          "finished, the nodes, and what stopped the search, if anything.");
}

}  // namespace relaysow
