// `Position.play` and `Position.sow`: a move is made, and told lap by lap.

#include "play/sowing.hpp"

#include <pybind11/stl.h>

#include <memory>
#include <vector>

#include "python/bindings.hpp"
#include "python/moves.hpp"

namespace relaysow {

namespace {

// A refusal tells a period if it comes round in so many laps, which take a tenth of a second.
constexpr std::uint64_t laps_for_a_period = 10'000'000;

std::uint64_t short_period(const Position& p, Sow move) {
    Rules rules = p.rules();
    rules.max_laps = laps_for_a_period;
    const SowingContext<AnyBoard> context(rules, poll_with_gil);
    AnyBoard board = p.board;
    NoTrace trace;
    Laps laps;
    sow_watched_laps(context, p.board, board, move, trace, laps);
    return laps.period;
}

std::string why_illegal(const Rules& rules, const Laps& laps) {
    switch (laps.end) {
        case SowingEnd::forbidden_first_lap:
            return "its first lap ends in an occupied pit of the mover's own row";
        case SowingEnd::endless:
            return laps.period == 0
                       ? "its sowing never ends (a period of more than " +
                             std::to_string(laps_for_a_period) + " laps)"
                       : "its sowing never ends (period " + std::to_string(laps.period) + " laps)";
        default:
            return "its sowing goes on past max_laps=" + std::to_string(rules.max_laps) + " laps";
    }
}

Position after_redistribution(const Position& p, const py::handle& given) {
    if (p.is_over()) refuse_move(given, p, "the game is over");
    if (p.board.redistributions == 2) {
        refuse_move(given, p, "a sowing is due, not a redistribution");
    }
    const Redistributions<AnyBoard> all(p.rules(), p.board);
    Redistribute move;
    const std::string reason = as_redistribution(p, given, all, move);
    if (!reason.empty()) refuse_move(given, p, reason);
    Position after = p;
    redistribute(p.rules(), after.board, move);
    after.settle();
    return after;
}

std::unique_ptr<Position> play(const Position& p, const py::handle& given) {
    if (!is_sow(given)) {
        if (!is_redistribute(given)) refuse_type(given);
        return std::make_unique<Position>(after_redistribution(p, given));
    }
    Sow move;
    const std::string reason = as_candidate(p, given, move);
    if (!reason.empty()) refuse_move(given, p, reason);
    auto after = std::make_unique<Position>();
    NoTrace trace;
    Sown sown;
    sow(p.context(), p.board, after->board, move, trace, sown);
    if (!sown.legal && sown.laps.end == SowingEnd::endless && sown.laps.period == 0) {
        sown.laps.period = short_period(p, move);
    }
    if (!sown.legal) refuse_move(given, p, why_illegal(p.rules(), sown.laps));
    after->book = p.book;
    after->settle();
    return after;
}

// `Position.play` itself: a call by way of pybind11 takes half as long again.
PyObject* call_play(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names) {
    try {
        const bool named = count == 0 && names != nullptr && PyTuple_GET_SIZE(names) == 1 &&
                           py::handle(PyTuple_GET_ITEM(names, 0)).equal(py::str("move"));
        if (!named && (count != 1 || names != nullptr)) {
            throw py::type_error("play() takes one argument: a move");
        }
        return py::cast(play(py::handle(self).cast<const Position&>(), given[0])).release().ptr();
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (const py::builtin_exception& error) {
        error.set_error();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

constexpr std::size_t path_laps = 10'000;

struct PathTrace {
    static constexpr bool wants_laps = true;
    struct Lap {
        int origin, seeds;
        Direction direction;
        int last;
    };
    std::vector<Lap> laps;
    std::vector<int> captured;

    void lap(int origin, int seeds, Direction direction, int last) {
        if (laps.size() < path_laps) laps.push_back({origin, seeds, direction, last});
    }
    void capture(int pit) { captured.push_back(pit); }
};

py::object sowing_of(const Position& p, const py::object& given) {
    const Rules& rules = p.rules();
    if (!is_sow(given)) {
        if (!is_redistribute(given)) refuse_type(given);
        return python->sowing(0, py::tuple(), false, false, 0, py::tuple(), false, false,
                              py::none(), false, after_redistribution(p, given), py::none());
    }
    Sow move;
    const std::string refusal = as_candidate(p, given, move);
    if (!refusal.empty()) refuse_move(given, p, refusal);
    Position after;
    after.book = p.book;
    PathTrace trace;
    Sown sown;
    sow(p.context(), p.board, after.board, move, trace, sown);
    const Laps& laps = sown.laps;
    const bool endless = laps.end == SowingEnd::endless;

    std::uint64_t sown_laps = laps.count;
    if (endless) {
        sown_laps = laps_to_return(p.context(), p.board, move, laps.period, path_laps + 1);
        if (trace.laps.size() > sown_laps) trace.laps.resize(sown_laps);
    }
    const std::size_t kept = sown_laps < path_laps ? sown_laps : path_laps;
    while (trace.laps.size() < kept) {  // capped, but proved endless before the cap
        trace.laps.push_back(trace.laps[trace.laps.size() - laps.period]);
    }
    py::tuple path(trace.laps.size());
    for (std::size_t i = 0; i < trace.laps.size(); ++i) {
        const PathTrace::Lap& lap = trace.laps[i];
        path[i] = python->lap(lap.origin, lap.seeds, Book::name(lap.direction), lap.last);
    }
    py::object after_object = py::none(), reason = py::none();
    if (sown.legal) {
        after.settle();
        after_object = py::cast(after);
    } else {
        reason = py::str(why_illegal(rules, laps));
    }
    return python->sowing(endless ? py::object(py::none()) : py::int_(laps.count), path,
                          sown_laps > path_laps, laps.crossed, sown.captured,
                          py::tuple(py::cast(trace.captured)), sown.moves_again, endless,
                          endless ? py::object(py::int_(laps.period)) : py::none(),
                          laps.end == SowingEnd::capped, after_object, reason);
}

constexpr const char* play_doc = R"doc(play($self, /, move)
--

The position after `move`, forced passes taken.

Raises `IllegalMove` naming the move, the position and the reason, `TypeError` for what is no move.

>>> import relaysow as rs
>>> rs.engehe(pits=5).start().play(rs.Sow(0)).mover
1
)doc";

}  // namespace

void bind_sowing(py::module_& m) {
    using namespace py::literals;
    py::class_<Position>(m.attr("Position"))
        .def("sow", &sowing_of, "move"_a, R"doc(What `move` does, lap by lap: a `Sowing`.

A candidate move that is illegal by the first-lap rule or as endless is told as well, with
`after=None` and a `reason`; any other illegal move raises `IllegalMove`, what is none `TypeError`.

>>> import relaysow as rs
>>> sowing = rs.giuthi(pits=10, seeds=9).start().sow(rs.Sow(0, direction="ccw"))
>>> sowing.laps, sowing.captured, sowing.captured_pits
(3, 10, (10, 9))
)doc");

    static PyMethodDef play_method{
        "play", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_play)),
        METH_FASTCALL | METH_KEYWORDS, play_doc};
    m.attr("Position").attr("play") = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(m.attr("Position").ptr()), &play_method));
}

}  // namespace relaysow
