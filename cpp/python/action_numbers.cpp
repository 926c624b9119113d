// Action numbers: `Position.action` and `Position.move`.

#include "play/action_numbers.hpp"

#include "python/bindings.hpp"
#include "python/integers.hpp"
#include "python/moves.hpp"

namespace relaysow {

namespace {

int action_of(const Position& p, const py::object& given) {
    if (!is_sow(given)) {
        if (!is_redistribute(given)) refuse_type(given);
        throw py::value_error("a redistribution has no action number: " + shown(given));
    }
    Sow move;
    const std::string reason = as_candidate(p, given, move);
    if (!reason.empty()) refuse_move(given, p, reason);
    const ActionNumbers numbers(p.rules());
    if (p.rules().lift == Lift::any && move.lift > numbers.lifts) {
        throw py::value_error("lift " + std::to_string(move.lift) +
                              " has no action number: the set-up holds " +
                              std::to_string(numbers.lifts) + " seeds");
    }
    return numbers.number(move, p.rules().row(p.board.mover));
}

py::object move_of(const Position& p, const py::object& given) {
    const ActionNumbers numbers(p.rules());
    const int last = numbers.sowings - 1;
    const int action =
        whole_number(given, "action", 0, last,
                     "must be an action number, 0…" + std::to_string(last), PyExc_ValueError);
    return p.book->move(numbers.sowing(action, p.rules().row(p.board.mover)));
}

}  // namespace

void bind_action_numbers(py::module_& m) {
    using namespace py::literals;
    py::class_<Position>(m.attr("Position"))
        .def("action", &action_of, "move"_a,
             R"doc(The action number of a candidate sowing, 0…`rules.actions`−1.

Raises `IllegalMove` for a move that is no candidate, `ValueError` for one that has no number: a
redistribution, or a lift of more seeds than the set-up has; `TypeError` for what is no move.

>>> import relaysow as rs
>>> rs.giuthi().start().action(rs.Sow(1, direction="cw"))
3
)doc")
        .def("move", &move_of, "action"_a,
             R"doc(The sowing of an action number, for the player to move.

Raises `ValueError` for a number outside 0…`rules.actions`−1, `TypeError` for what is no integer.

>>> import relaysow as rs
>>> rs.giuthi().start().move(3)
Sow(pit=1, lift=None, direction='cw')
)doc");
}

}  // namespace relaysow
