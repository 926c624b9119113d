// Perft: the number of paths of so many moves.

#include "play/perft.hpp"

#include "python/bindings.hpp"
#include "python/integers.hpp"
#include "python/position.hpp"

namespace relaysow {

namespace {

py::int_ count_paths(const py::object& position, const py::object& given) {
    if (!py::isinstance<Position>(position)) {
        throw py::type_error("position must be a Position, not " + shown(position));
    }
    const auto& p = position.cast<const Position&>();
    // 200 moves deep fits any thread's stack.
    const int depth = whole_number(given, "depth", 0, 200, "must be 0…200", PyExc_ValueError);
    Natural nodes;
    {
        const py::gil_scoped_release others_run;
        nodes = on_narrowest(p.rules(), p.board, [&]<class B>(const B& board) {
            return perft(SowingContext<B>(p.rules(), poll_without_gil), board, p.verdict, depth);
        });
    }
    return to_python(nodes);
}

}  // namespace

void bind_perft(py::module_& m) {
    using namespace py::literals;
    m.def("perft", &count_paths, "position"_a, "depth"_a,
          R"doc(The number of paths of `depth` moves from `position`.

A forced pass costs no depth, nothing continues below a finished game, and repetition is not applied.
Every last move is proved legal.  Raises `ValueError` for a depth outside 0…200, `TypeError` for
wrong types; answers Ctrl-C.

>>> import relaysow as rs
>>> [rs.perft(rs.giuthi(pits=5, seeds=4).start(), depth) for depth in (1, 2, 3)]
[10, 76, 508]
)doc");
    m.attr("perft").attr("__module__") = "relaysow";
}

}  // namespace relaysow
