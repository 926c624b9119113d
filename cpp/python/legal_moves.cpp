// Class `LegalMoves`, a sequence.

#include "python/legal_moves.hpp"

#include <string>

#include "python/bindings.hpp"

namespace relaysow {

namespace {

py::object iterate(const py::object& self) {
    const auto& moves = self.cast<const LegalMoves&>();
    if (!moves.numbered_only()) return py::iter(moves.sowing_tuple());
    const auto builtins = py::module_::import("builtins");
    return builtins.attr("map")(self.attr("__getitem__"), builtins.attr("range")(moves.count()));
}

py::object equal_moves(const py::object& self, const py::object& other) {
    const auto& moves = self.cast<const LegalMoves&>();
    if (moves.numbered_only() && py::isinstance<LegalMoves>(other)) {
        const auto& others = other.cast<const LegalMoves&>();
        return py::bool_(others.numbered_only() && moves.same_redistributions(others));
    }
    const bool listed = py::isinstance<py::list>(other) || py::isinstance<py::tuple>(other);
    if (!listed && !py::hasattr(other, "legal_moves_of_a_position")) {
        return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    }
    const py::object count = listed ? py::object(py::int_(py::len(other))) : other.attr("count");
    if (!count.equal(moves.count())) return py::bool_(false);
    const py::iterator theirs = py::iter(other);
    py::iterator it = theirs;
    for (const py::handle mine : py::iter(iterate(self))) {
        if (it == py::iterator::sentinel() || !mine.equal(*it)) return py::bool_(false);
        ++it;
        poll_with_gil();
    }
    return py::bool_(true);
}

std::string moves_repr(const py::object& self) {
    const auto& moves = self.cast<const LegalMoves&>();
    constexpr int shown_moves = 4;
    std::string all = "<" + text(moves.count()) + " legal moves";
    std::string separator = ": ";
    for (const py::handle move : moves.slice(py::slice(0, shown_moves, 1))) {
        all += separator + repr_text(move);
        separator = ", ";
    }
    const bool more = moves.count().attr("__gt__")(shown_moves).cast<bool>();
    return all + (more ? ", …>" : ">");
}

}  // namespace

void bind_legal_moves(py::module_& m) {
    using namespace py::literals;
    py::class_<LegalMoves> type(m, "LegalMoves",
                                R"doc(The legal moves of a position, in canonical order: a sequence.

Sowings are proved legal when the sequence is made.  Opening redistributions are never listed:
`count`, `[i]`, `index` and `in` compute with their numbers.  `len` raises `OverflowError` past
`sys.maxsize`; `count` is exact at any size.  Raises `IndexError` for a number past the end,
`TypeError` for what is no number, and no move.

>>> import random, relaysow as rs
>>> moves = rs.kiothi().start().legal_moves
>>> len(moves)
300450150
>>> move = random.choice(moves)
>>> moves[moves.index(move)] == move
True
)doc");
    type.attr("__module__") = "relaysow";
    type.def_property_readonly("count", &LegalMoves::count, "The number of moves, however large.")
        .def_property_readonly_static("legal_moves_of_a_position",
                                      [](const py::object&) { return true; })
        .def("__len__", &LegalMoves::size)
        .def("__bool__", &LegalMoves::any)
        .def("__getitem__", &LegalMoves::slice, "number"_a)
        .def("__getitem__", &LegalMoves::item, "number"_a)
        .def("__iter__", &iterate)
        .def(
            "__contains__",
            [](const LegalMoves& moves, const py::object& move) {
                return moves.find(move).has_value();
            },
            "move"_a)
        .def("index", &LegalMoves::index, "move"_a,
             "The number of `move`; `ValueError` if it is not legal, `TypeError` if it is no move.")
        .def("__eq__", &equal_moves, "other"_a)
        .def("__repr__", &moves_repr)
        .def(py::pickle(
            [](const LegalMoves& moves) -> py::tuple {
                const Position& p = moves.position();
                if (p.verdict.end != End::repetition) return py::make_tuple(p);
                return py::make_tuple(p, "repetition");  // the position itself does not tell
            },
            [](const py::object& state) {
                const bool is_tuple = py::isinstance<py::tuple>(state);
                const py::tuple parts = is_tuple ? py::tuple(state) : py::tuple();
                const bool ended =
                    parts.size() == 2 && py::object(parts[1]).equal(py::str("repetition"));
                if ((parts.size() != 1 && !ended) || !py::isinstance<Position>(parts[0])) {
                    refuse("this is not the pickled state of LegalMoves: " + shown(state));
                }
                Position p = parts[0].cast<const Position&>();
                if (ended) p.verdict = judge_repetition(p.rules());
                return LegalMoves(p);
            }))
        .def("__reduce_ex__", &reduce_ex, "protocol"_a)
        .attr("__hash__") = py::none();

    // NumPy would list all the moves to compare them with its own numbers.
    type.attr("__array_ufunc__") = py::none();
    refuse_raw<LegalMoves>();
}

}  // namespace relaysow
