// Class `Position`: what it shows, equality, pickles.

#include "python/position.hpp"

#include <pybind11/stl.h>

#include <memory>

#include "python/bindings.hpp"
#include "python/legal_moves.hpp"
#include "python/moves.hpp"
#include "support/mixing.hpp"

namespace relaysow {

namespace {

py::tuple ring_tuple(const Position& p) {
    py::tuple pits(p.rules().ring());
    for (std::size_t i = 0; i < pits.size(); ++i) pits[i] = p.board.ring[i];
    return pits;
}

py::object duty_direction(const Position& p) {
    if (p.board.direction == Duty::none) return py::none();
    return p.board.direction == Duty::ccw ? python->ccw : python->cw;
}

py::object duty_barred(const Position& p) {
    if (p.board.barred == no_pit) return py::none();
    return py::int_(static_cast<int>(p.board.barred));
}

py::object winner(const Position& p) {
    const auto stores = p.final_stores();
    return stores ? py::object(py::int_(winner_of(p.rules(), p.verdict.end, *stores))) : py::none();
}

py::object end_name(const Position& p) {
    if (!p.is_over()) return py::none();
    return py::str(end_names[static_cast<std::size_t>(p.verdict.end)]);
}

py::tuple constructor_arguments(const Position& p) {
    return py::make_tuple(p.book->python_rules, ring_tuple(p),
                          py::make_tuple(p.board.stores[0], p.board.stores[1]), p.board.mover,
                          protected_tuple(p), duty_direction(p), duty_barred(p),
                          p.board.redistributions, p.board.drawn);
}

std::string position_repr(const Position& p) {
    const py::tuple given = constructor_arguments(p);
    std::string call = "Position(" + repr_text(given[0]) + ", pits=" + repr_text(given[1]) +
                       ", stores=" + repr_text(given[2]) + ", mover=" + repr_text(given[3]);
    if (!p.board.protected_pits.empty()) call += ", protected=" + repr_text(given[4]);
    if (p.board.direction != Duty::none) call += ", direction=" + repr_text(given[5]);
    if (p.board.barred != no_pit) call += ", barred=" + repr_text(given[6]);
    if (p.board.redistributions < 2) call += ", redistributions=" + repr_text(given[7]);
    if (p.board.drawn) call += ", drawn=True";
    return call + ")";
}

std::size_t position_hash(const Position& p) {
    std::uint64_t h = static_cast<std::uint64_t>(p.book->hash);
    const auto mix = [&](std::uint64_t word) { h = mixed(h, word); };
    for (int pit = 0; pit < p.rules().ring(); pit += 2) {
        mix(p.board.ring[pit] | static_cast<std::uint64_t>(p.board.ring[pit + 1]) << 16 |
            static_cast<std::uint64_t>(pit) << 32);
    }
    mix(p.board.stores[0] | static_cast<std::uint64_t>(p.board.stores[1]) << 16 |
        static_cast<std::uint64_t>(p.board.mover) << 32 |
        static_cast<std::uint64_t>(p.board.direction) << 33 |
        static_cast<std::uint64_t>(p.board.redistributions) << 35 |
        static_cast<std::uint64_t>(p.board.drawn) << 37 |
        static_cast<std::uint64_t>(p.board.barred + 1) << 40);
    mix(p.board.protected_pits.low);
    mix(p.board.protected_pits.high);
    return static_cast<std::size_t>(h);
}

constexpr const char* position_doc =
    R"doc(A position of a game: immutable, hashable, picklable, equal by value.

`pits` holds 2n counts in ring order (South's pits 0…n−1, then North's n…2n−1, counter-clockwise);
any set-up with at most 1,000 seeds in pits and stores together will do.  `mover` is 0 (South) or
1 (North), `protected` the ring indices of protected pits (dropped where the rules have no
protection), `direction` and `barred` the duties of an extra move, `redistributions` the number of
opening redistributions already made (None: all), `drawn` says that an endless sowing drew the game.
A position never waits for a player who cannot move: forced passes are taken at once, and `passed`
tells of it.

Raises `PositionError` (a `ValueError`) naming the value and what is allowed, `TypeError` for
anything that is not an integer.

>>> import relaysow as rs
>>> p = rs.Position(rs.giuthi(pits=5, seeds=4), pits=[0, 2, 0, 1, 0, 0, 0, 0, 0, 1], stores=(5, 4))
>>> p.play(rs.Sow(1, direction="cw")).pits
(2, 1, 0, 1, 0, 0, 0, 0, 0, 0)
)doc";

}  // namespace

void bind_position(py::module_& m) {
    using namespace py::literals;
    py::class_<Position> type(m, "Position", position_doc);
    type.attr("__module__") = "relaysow";
    type.def(py::init(&set_up), "rules"_a, "pits"_a, "stores"_a = py::make_tuple(0, 0),
             "mover"_a = 0, "protected"_a = py::tuple(), "direction"_a = py::none(),
             "barred"_a = py::none(), "redistributions"_a = py::none(), "drawn"_a = false)
        .def_static(
            "start", &start, "rules"_a,
            "The opening position of `rules`, South to move; `TypeError` for anything else.")
        .def_property_readonly(
            "rules", [](const Position& p) { return p.book->python_rules; },
            "The `Rules` of the game.")
        .def_property_readonly("pits", &ring_tuple, "The 2n counts in ring order.")
        .def_property_readonly(
            "stores",
            [](const Position& p) { return py::make_tuple(p.board.stores[0], p.board.stores[1]); },
            "South's and North's store.")
        .def_property_readonly(
            "mover", [](const Position& p) { return static_cast<int>(p.board.mover); },
            "The player to move, 0 (South) or 1 (North).")
        .def_property_readonly("protected", &protected_tuple,
                               "The ring indices of the protected pits, rising.")
        .def_property_readonly("direction", &duty_direction,
                               "The only direction an extra move may take, or None.")
        .def_property_readonly("barred", &duty_barred,
                               "The pit an extra move may not start from, or None.")
        .def_property_readonly(
            "redistributions",
            [](const Position& p) { return static_cast<int>(p.board.redistributions); },
            "Opening redistributions made: 0, 1, or 2 (all, or none in the rules).")
        .def_property_readonly(
            "drawn", [](const Position& p) { return p.board.drawn; },
            "Whether an endless sowing drew the game.")
        .def_property_readonly(
            "passed", [](const Position& p) { return p.board.passed; },
            "Whether a player was just passed over; no part of equality.")
        .def_property_readonly("is_over", &Position::is_over)
        .def_property_readonly(
            "end", &end_name,
            "How the game ended: both_stuck, row_empty, swept, endless; None while it runs.")
        .def_property_readonly(
            "final_stores",
            [](const Position& p) -> py::object {
                const auto stores = p.final_stores();
                if (!stores) return py::none();
                return py::make_tuple((*stores)[0], (*stores)[1]);
            },
            "The stores after the end rule's last sweep; None while the game runs.")
        .def_property_readonly("winner", &winner, "0, 1, −1 for a draw; None while the game runs.")
        .def_property_readonly(
            "legal_moves", [](const Position& p) { return std::make_unique<LegalMoves>(p); },
            "The legal moves, a `LegalMoves` sequence; empty when the game is over.")
        .def(
            "_ended_by_repetition",
            [](const Position& p) {
                Position ended = p;
                ended.verdict = judge_repetition(p.rules());
                return ended;
            },
            "The position as it is when it has come again in a game: over.")
        .def("__repr__", &position_repr)
        .def("__hash__", &position_hash)
        .def(
            "__eq__",
            [](const Position& a, const py::object& b) -> py::object {
                if (!py::isinstance<Position>(b)) {
                    return py::reinterpret_borrow<py::object>(Py_NotImplemented);
                }
                return py::bool_(a == b.cast<const Position&>());
            },
            "other"_a)
        .def(py::pickle(
            [](const Position& p) {
                return py::make_tuple(constructor_arguments(p), p.board.passed);
            },
            [](const py::object& state) {
                const bool whole = py::isinstance<py::tuple>(state) && py::len(state) == 2;
                const py::object given = whole ? py::object(state[py::int_(0)]) : py::none();
                if (!whole || !py::isinstance<py::tuple>(given) || py::len(given) != 9 ||
                    !py::isinstance<py::bool_>(state[py::int_(1)])) {
                    refuse("this is not the pickled state of a Position: " + shown(state));
                }
                const auto a = given.cast<py::tuple>();
                Position p = set_up(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
                p.board.passed |= state[py::int_(1)].cast<bool>();
                return p;
            }))
        .def("__reduce_ex__", &reduce_ex, "protocol"_a);
    refuse_raw<Position>();
}

}  // namespace relaysow
