// Moves of Python: which candidate each is, or why it is none.

#include "python/moves.hpp"

namespace relaysow {

namespace {

// An attribute of a move that `moves.py` has checked to be an int or None; −1 for None, and a
// number past every board for one that does not fit.
int move_number(const py::handle& move, const py::str& name) {
    const auto value = py::reinterpret_steal<py::object>(PyObject_GetAttr(move.ptr(), name.ptr()));
    if (!value) throw py::error_already_set();
    if (value.is_none()) return -1;
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (number == -1 && overflow == 0 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    constexpr int beyond = 1 << 20;
    return overflow != 0 || number < 0 || number > beyond ? beyond : static_cast<int>(number);
}

}  // namespace

std::string position_text(const Position& p) { return text(py::cast(p).attr("to_text")()); }

[[noreturn]] void refuse_move(const py::handle& move, const Position& position,
                              const std::string& reason) {
    py::set_error(
        python->illegal_move,
        ("illegal move " + shown(move) + " in " + position_text(position) + ": " + reason).c_str());
    throw py::error_already_set();
}

[[noreturn]] void refuse_type(const py::handle& move) {
    throw py::type_error("a move must be Sow or Redistribute, not " + shown(move));
}

std::string as_candidate(const Position& p, const py::handle& given, Sow& move) {
    const Rules& rules = p.rules();
    const AnyBoard& board = p.board;
    if (p.is_over()) return "the game is over";
    if (board.redistributions < 2) return "a redistribution is due, not a sowing";
    const int row = rules.row(board.mover);
    const int pit = move_number(given, python->pit);
    const auto pit_text = [&] { return "pit " + shown(given.attr(python->pit)); };
    if (pit < row || pit >= row + rules.pits) {
        return pit_text() + " is not the mover's: must be " + std::to_string(row) + "…" +
               std::to_string(row + rules.pits - 1);
    }
    const int content = board.ring[pit];
    if (content < rules.minimum_lift) {
        return pit_text() + " holds " + std::to_string(content) +
               (content == 1 ? " seed: at least " : " seeds: at least ") +
               std::to_string(rules.minimum_lift) + " must be lifted";
    }
    if (pit == board.barred) {
        return pit_text() + " is barred: the extra move must start from another pit";
    }
    int lift = move_number(given, python->lift);
    if (lift == -1) lift = content;
    const auto lift_text = [&] { return "lift " + shown(given.attr(python->lift)) + " of "; };
    if (lift > content) {
        return lift_text() + pit_text() + ": it holds " + std::to_string(content);
    }
    if (lift < content && rules.lift == Lift::all) {
        return lift_text() + pit_text() + ": all " + std::to_string(content) + " must be lifted";
    }
    const auto direction =
        py::reinterpret_steal<py::object>(PyObject_GetAttr(given.ptr(), python->direction.ptr()));
    if (!direction) throw py::error_already_set();
    Direction chosen = Direction::ccw;
    if (direction.is_none()) {
        if (rules.direction == DirectionChoice::either) {
            return "direction None: must be 'ccw' or 'cw'";
        }
    } else {
        if (!direction.is(python->ccw) && !direction.equal(python->ccw)) chosen = Direction::cw;
        if (chosen == Direction::cw && rules.direction == DirectionChoice::ccw) {
            return "direction 'cw': must be 'ccw'";
        }
        if (board.direction == Duty::ccw && chosen == Direction::cw) {
            return "direction 'cw': must be 'ccw'";
        }
        if (board.direction == Duty::cw && chosen == Direction::ccw) {
            return "direction 'ccw': must be 'cw'";
        }
    }
    move = {pit, lift, chosen};
    return {};
}

std::string as_redistribution(const Position& p, const py::handle& given,
                              const Redistributions<AnyBoard>& all, Redistribute& move) {
    const Rules& rules = p.rules();
    const auto emptied = given.attr(python->emptied).cast<py::tuple>();
    const auto placed = given.attr(python->placed).cast<py::tuple>();
    const int fewest = all.fewest_emptied(), most = all.most_emptied();
    const auto number = static_cast<int>(emptied.size() > 3 ? 3 : emptied.size());
    bool fits = number >= fewest && number <= most;
    int lifted = 0;
    for (std::size_t i = 0; fits && i < emptied.size(); ++i) {
        const py::object value = emptied[i];
        int overflow = 0;
        const long long pit = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
        fits = overflow == 0 && pit >= 0 && pit < rules.ring() &&
               rules.owner(static_cast<int>(pit)) == p.board.mover && p.board.ring[pit] != 0;
        if (fits) {
            move.emptied[i] = static_cast<int>(pit);
            lifted += p.board.ring[pit];
        }
    }
    if (!fits) {
        return "emptied " + shown(emptied) + ": must be " +
               (rules.redistribution == Redistribution::up_to_two ? "at most " : "exactly ") +
               std::to_string(most) + " of the mover's occupied pits";
    }
    move.emptied_count = number;
    if (static_cast<int>(placed.size()) != rules.ring()) {
        return "placed has " + std::to_string(placed.size()) + " counts: must be " +
               std::to_string(rules.ring());
    }
    py::int_ sum(0);
    bool small = true;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        const py::object value = placed[i];
        sum = sum + value;
        int overflow = 0;
        const long long seeds = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
        small = small && overflow == 0 && seeds <= max_seeds;
        move.placed[i] = static_cast<std::uint16_t>(small ? seeds : 0);
    }
    if (!small || sum.cast<int>() != lifted) {
        return "placed holds " + shown(sum) + " seeds: the emptied pits hold " +
               std::to_string(lifted);
    }
    return {};
}

bool is_sow(const py::handle& move) {
    return Py_TYPE(move.ptr()) == reinterpret_cast<PyTypeObject*>(python->sow.ptr()) ||
           py::isinstance(move, python->sow);
}
bool is_redistribute(const py::handle& move) { return py::isinstance(move, python->redistribute); }

}  // namespace relaysow
