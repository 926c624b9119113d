// The Python module `relaysow._core`: conversions, checks, the GIL; no rules.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <string_view>

#include "games/batch.hpp"
#include "games/simulate.hpp"
#include "play/action_numbers.hpp"
#include "play/perft.hpp"
#include "python/bindings.hpp"
#include "search/search.hpp"
#include "support/workers.hpp"

namespace relaysow {

using namespace py::literals;

PythonTypes* python = nullptr;

namespace {

bool time_to_ask() {
    using clock = std::chrono::steady_clock;
    thread_local clock::time_point last{};
    const clock::time_point now = clock::now();
    if (now - last < std::chrono::milliseconds(20)) return false;
    last = now;
    return true;
}

// For tests: how many times long work is still to ask before it is interrupted; negative: never.
std::atomic<std::int64_t> asks_left{-1};

bool interrupted_by_test() {
    return asks_left.load(std::memory_order_relaxed) >= 0 && asks_left.fetch_sub(1) == 0;
}

void interrupt_at(std::int64_t ask) {
    asks_left = ask;
    asks_in_each_row = ask >= 0;
}

[[noreturn]] void interrupt() {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
}

}  // namespace

void check_signals() {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

const Poll poll_with_gil{[](void*) {
                             if (interrupted_by_test()) interrupt();
                             if (!time_to_ask()) return;
                             {
                                 const py::gil_scoped_release others_may_run;
                             }
                             check_signals();
                         },
                         nullptr};

const Poll poll_without_gil{[](void*) {
                                if (interrupted_by_test()) {
                                    const py::gil_scoped_acquire gil;
                                    interrupt();
                                }
                                if (!time_to_ask()) return;
                                const py::gil_scoped_acquire gil;
                                check_signals();
                            },
                            nullptr};

BookPointer book_of(const py::object& rules) {
    if (!py::isinstance(rules, python->rules)) {
        throw py::type_error("rules must be Rules, not " + shown(rules));
    }
    PyObject* const kept = PyDict_GetItemWithError(python->books.ptr(), rules.ptr());
    if (kept != nullptr) return py::reinterpret_borrow<py::object>(kept).cast<BookPointer>();
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    auto book = std::make_shared<Book>(rules);
    if (python->books.size() >= 256) python->books.clear();
    python->books[rules] = py::cast(book);
    return book;
}

void refuse(const std::string& why, const py::handle& error) {
    py::set_error(error, why.c_str());
    throw py::error_already_set();
}

py::int_ whole_number(const py::handle& value, const std::string& name) {
    if (PyLong_CheckExact(value.ptr())) return py::reinterpret_borrow<py::int_>(value);
    return python->checks.attr("whole_number")(name, value);
}

int whole_number(const py::handle& value, const std::string& name, int low, int high,
                 const std::string& allowed, const py::handle& error) {
    const py::int_ number = whole_number(value, name);
    int overflow = 0;
    const long long result = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0 || result < low || result > high) {
        refuse(name + "=" + shown(number) + ": " + allowed, error);
    }
    return static_cast<int>(result);
}

Policy policy_named(const std::string& name) {
    if (name == "random") return Policy::random;
    if (name == "greedy") return Policy::greedy;
    constexpr std::string_view depth = "search:depth=", nodes = "search:nodes=";
    for (const auto prefix : {depth, nodes}) {
        if (!name.starts_with(prefix)) continue;
        const Policy::Kind kind = prefix == depth ? Policy::search_depth : Policy::search_nodes;
        const std::uint64_t most = prefix == depth ? max_search_depth : 1'000'000'000;
        std::uint64_t limit = 0;
        const char* const end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + prefix.size(), end, limit);
        if (read.ec == std::errc() && read.ptr == end && limit >= 1 && limit <= most) {
            return {kind, limit};
        }
    }
    throw py::value_error("policy '" + name +
                          "': must be 'random', 'greedy', 'search:depth=N' or 'search:nodes=N'");
}

namespace {

// Python ints; `checks.py` tells and refuses what is none, but for the commonest kinds.
py::tuple sequence(const py::handle& value, const std::string& name, bool ordered = true) {
    constexpr std::size_t most = 1000;  // no more are read
    py::object given = py::reinterpret_borrow<py::object>(value);
    if (py::isinstance<py::array>(value)) {
        const py::array array = py::reinterpret_borrow<py::array>(value);
        const char kind = array.dtype().kind();
        if (array.ndim() == 1 && static_cast<std::size_t>(array.size()) <= most &&
            (kind == 'i' || kind == 'u')) {
            given = array.attr("tolist")();
        }
    }
    if (PyTuple_CheckExact(given.ptr()) || PyList_CheckExact(given.ptr())) {
        const py::tuple items(given);
        bool ints = items.size() <= most;
        for (std::size_t i = 0; ints && i < items.size(); ++i) {
            ints = PyLong_CheckExact(PyTuple_GET_ITEM(items.ptr(), static_cast<py::ssize_t>(i)));
        }
        if (ints) return items;
    }
    return python->checks.attr("whole_numbers")(name, value, python->position_error,
                                                "ordered"_a = ordered);
}

py::tuple protected_tuple(const Position& p) {
    py::list pits;
    for (int pit = 0; pit < p.rules().ring(); ++pit) {
        if (p.board.protected_pits.has(pit)) pits.append(pit);
    }
    return py::tuple(pits);
}

Position set_up(const py::object& rules_object, const py::object& pits, const py::object& stores,
                const py::object& mover, const py::object& protected_pits,
                const py::object& direction, const py::object& barred,
                const py::object& redistributions, const py::object& drawn) {
    Position position;
    position.book = book_of(rules_object);
    const Rules& rules = position.rules();
    AnyBoard& board = position.board;
    const int size = rules.ring();

    const py::tuple counts = sequence(pits, "pits");
    if (static_cast<int>(counts.size()) != size) {
        refuse("pits has " + std::to_string(counts.size()) + " counts: must be " +
               std::to_string(size) + " for pits=" + std::to_string(rules.pits));
    }
    int total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const int seeds = whole_number(counts[i], "pits[" + std::to_string(i) + "]", 0, max_seeds,
                                       "must be 0…1000 seeds");
        total += seeds;
#ifdef RELAYSOW_PLANT_OVERFLOW  // a fault for the fuzzer to find: past the end of the ring
        board.ring[seeds > 900 ? i + 4096 : i] = static_cast<std::uint16_t>(seeds);
#else
        board.ring[i] = static_cast<std::uint16_t>(seeds);
#endif
    }
    const py::tuple both = sequence(stores, "stores");
    if (both.size() != 2) {
        refuse("stores has " + std::to_string(both.size()) +
               " counts: must be 2, South's and North's");
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const int seeds = whole_number(both[i], "stores[" + std::to_string(i) + "]", 0, max_seeds,
                                       "must be 0…1000 seeds");
        total += seeds;
        board.stores[i] = static_cast<std::uint16_t>(seeds);
    }
    if (total > max_seeds) {
        refuse("pits and stores hold " + std::to_string(total) + " seeds: must be at most 1000");
    }
    board.mover = static_cast<std::uint8_t>(
        whole_number(mover, "mover", 0, 1, "must be 0 (South) or 1 (North)"));

    const int made = redistributions.is_none() ? 2
                                               : whole_number(redistributions, "redistributions", 0,
                                                              2, "must be the number made, 0…2");
    if (made < 2 && rules.redistribution == Redistribution::none) {
        refuse("redistributions=" + std::to_string(made) +
               ": must be None or 2 with redistribution='none'");
    }
    board.redistributions = static_cast<std::uint8_t>(made);

    for (const py::handle pit : sequence(protected_pits, "protected", false)) {
        const int k = whole_number(pit, "protected pit", 0, size - 1,
                                   "must be a ring index, 0…" + std::to_string(size - 1));
        if (board.protected_pits.has(k)) {
            refuse("protected pit " + std::to_string(k) + " is named twice");
        }
        board.protected_pits.add(k);
    }
    if (rules.protection == Protection::none) board.protected_pits = {};
    if (rules.protection == Protection::until_lifted && board.redistributions < 2 &&
        !board.protected_pits.empty()) {
        refuse("protected=" + shown(protected_tuple(position)) +
               ": nothing is protected before the last redistribution");
    }

    if (!direction.is_none()) {
        const py::object way = python->checks.attr("one_of")(
            "direction", direction, py::make_tuple(python->ccw, python->cw, py::none()),
            python->position_error);
        if (rules.extra_direction != ExtraDirection::opposite) {
            refuse("direction=" + shown(way) +
                   ": there is such a duty only under extra_direction='opposite'");
        }
        board.direction = way.equal(python->ccw) ? Duty::ccw : Duty::cw;
    }
    if (!barred.is_none()) {
        const int row = rules.row(board.mover);
        const bool may_be_barred = rules.extra_pit == ExtraPit::not_origin;
        const std::string allowed =
            may_be_barred ? "must be None or a pit of the mover, " + std::to_string(row) + "…" +
                                std::to_string(row + rules.pits - 1)
                          : "there is such a duty only under extra_pit='not_origin'";
        board.barred = static_cast<std::int16_t>(whole_number(
            barred, "barred", row, may_be_barred ? row + rules.pits - 1 : row - 1, allowed));
    }
    if (board.redistributions < 2 && (board.direction != Duty::none || board.barred != no_pit)) {
        refuse("direction=" + shown(direction) + ", barred=" + shown(barred) +
               ": there are no duties before the last redistribution");
    }
    if (!py::isinstance<py::bool_>(drawn)) {
        throw py::type_error("drawn must be True or False, not " + shown(drawn));
    }
    board.drawn = drawn.cast<bool>();
    if (board.drawn && rules.endless != Endless::draw) {
        refuse("drawn=True: a sowing draws the game only under endless='draw'");
    }
    position.settle();
    return position;
}

Position start(const py::object& rules_object) {
    Position position;
    position.book = book_of(rules_object);
    const Rules& rules = position.rules();
    const bool redistributed = rules.redistribution != Redistribution::none;
    position.board.redistributions = redistributed ? 0 : 2;
    for (int pit = 0; pit < rules.ring(); ++pit) {
        const std::uint16_t seeds = rules.setup[static_cast<std::size_t>(pit)];
        position.board.ring[pit] = seeds;
        if (rules.protection == Protection::until_owner_lifts ||
            (rules.protection == Protection::until_lifted && !redistributed && seeds != 0)) {
            position.board.protected_pits.add(pit);
        }
    }
    position.settle();
    return position;
}

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
    if (!stores) return py::none();
    if (p.verdict.end == End::endless || (*stores)[0] == (*stores)[1]) return py::int_(-1);
    return py::int_((*stores)[0] > (*stores)[1] ? 0 : 1);
}

py::object end_name(const Position& p) {
    switch (p.verdict.end) {
        case End::both_stuck:
            return py::str("both_stuck");
        case End::row_empty:
            return py::str("row_empty");
        case End::swept:
            return py::str("swept");
        case End::endless:
            return py::str("endless");
        default:
            return py::none();
    }
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
    const auto mix = [&](std::uint64_t word) {
        h = (h ^ word) * 0x9E3779B97F4A7C15;
        h ^= h >> 29;
    };
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

py::module_ notation() { return py::module_::import("relaysow.text.notation"); }

// ---- moves ----

[[noreturn]] void refuse_move(const py::handle& move, const Position& position,
                              const std::string& reason) {
    const std::string where = notation().attr("to_text")(position).cast<std::string>();
    py::set_error(python->illegal_move,
                  ("illegal move " + shown(move) + " in " + where + ": " + reason).c_str());
    throw py::error_already_set();
}

[[noreturn]] void refuse_type(const py::handle& move) {
    throw py::type_error("a move must be Sow or Redistribute, not " + shown(move));
}

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

// The candidate that a Python `Sow` means, or why it is none.
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

// The redistribution that a Python `Redistribute` means, or why it is none.
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

// A refusal tells a period if it comes round in so many laps, which take a tenth of a second.
constexpr std::uint64_t laps_for_a_period = 10'000'000;

std::uint64_t short_period(const Position& p, Sow move) {
    Rules rules = p.rules();
    rules.max_laps = laps_for_a_period;
    const Referee<AnyBoard> referee(rules, poll_with_gil);
    AnyBoard board = p.board;
    NoTrace trace;
    Laps laps;
    sow_watched_laps(referee, p.board, board, move, trace, laps);
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

bool is_sow(const py::handle& move) {
    return Py_TYPE(move.ptr()) == reinterpret_cast<PyTypeObject*>(python->sow.ptr()) ||
           py::isinstance(move, python->sow);
}
bool is_redistribute(const py::handle& move) { return py::isinstance(move, python->redistribute); }

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
    sow(p.referee(), p.board, after->board, move, trace, sown);
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
    sow(p.referee(), p.board, after.board, move, trace, sown);
    const Laps& laps = sown.laps;
    const bool endless = laps.end == SowingEnd::endless;

    std::uint64_t sown_laps = laps.count;
    if (endless) {
        sown_laps = laps_to_return(p.referee(), p.board, move, laps.period, path_laps + 1);
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

py::int_ to_python(const Natural& number) {
    if (number.fits_63_bits()) return py::int_(number.low64());
    std::string bytes;
    for (std::size_t i = 0; i < number.size(); ++i) {
        for (int shift = 0; shift < 32; shift += 8) {
            bytes.push_back(static_cast<char>(number.limb(i) >> shift & 0xFF));
        }
    }
    const py::object int_type =
        py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(&PyLong_Type));
    return py::int_(int_type.attr("from_bytes")(py::bytes(bytes), "little"));
}

// A Python int that is at least 0 and below `count`.
Natural to_natural(const py::int_& number, const Natural& count) {
    if (count.fits_63_bits()) return Natural(number.cast<std::uint64_t>());
    const auto bytes = number.attr("to_bytes")(4 * count.size(), "big").cast<std::string>();
    Natural result;
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            word = word << 8 | static_cast<unsigned char>(bytes[i + k]);
        }
        result.append_low_word(word);
    }
    return result;
}

// The legal moves of a position: sowings listed, redistributions only numbered.
class LegalMoves {
public:
    explicit LegalMoves(const Position& p) : position_(p) {
        if (p.is_over()) return;
        if (p.board.redistributions < 2) {
            redistributions_.emplace(p.rules(), p.board);
            return;
        }
        AnyBoard scratch;
        const Referee<AnyBoard> referee = p.referee();
        const Candidates<AnyBoard> candidates(p.rules(), p.board);
        candidates.any([&](Sow move) {
            if (is_legal(referee, p.board, scratch, move)) sowings_.push_back(move);
            return false;
        });
    }

    py::int_ count() const {
        return redistributions_ ? to_python(redistributions_->count()) : py::int_(sowings_.size());
    }
    bool any() const {
        return redistributions_ ? !redistributions_->count().is_zero() : !sowings_.empty();
    }
    std::size_t size() const {
        if (!redistributions_) return sowings_.size();
        const Natural& count = redistributions_->count();
        if (!count.fits_63_bits() || count.low64() > static_cast<std::uint64_t>(PY_SSIZE_T_MAX)) {
            py::set_error(PyExc_OverflowError,
                          ("there are " + text(to_python(count)) +
                           " legal moves, more than len() can tell: use .count")
                              .c_str());
            throw py::error_already_set();
        }
        return static_cast<std::size_t>(count.low64());
    }

    py::object item(const py::object& given) const {
        py::int_ number = PyLong_CheckExact(given.ptr())
                              ? py::reinterpret_borrow<py::int_>(given)
                              : py::int_(python->checks.attr("number_of_move")(given));
        const py::int_ all = count(), zero(0);
        const py::int_ asked = number;
        if (number.attr("__lt__")(zero).cast<bool>()) number = number + all;
        if (number.attr("__lt__")(zero).cast<bool>() || number.attr("__ge__")(all).cast<bool>()) {
            throw py::index_error("no move number " + shown(asked) + ": there are " + text(all) +
                                  " legal moves");
        }
        const Book& book = *position_.book;
        if (!redistributions_) return book.move(sowings_[number.cast<std::size_t>()]);
        return book.move((*redistributions_)[to_natural(number, redistributions_->count())]);
    }

    py::list slice(const py::slice& given) const {
        const py::object numbers = py::reinterpret_borrow<py::object>(
            reinterpret_cast<PyObject*>(&PyRange_Type))(count())[given];
        py::list moves;
        for (const py::handle number : numbers) {
            moves.append(item(py::reinterpret_borrow<py::object>(number)));
            poll_with_gil();
        }
        return moves;
    }

    py::tuple sowing_tuple() const {
        py::tuple moves(sowings_.size());
        for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = position_.book->move(sowings_[i]);
        return moves;
    }

    // The number of a move, None if it is not among them.
    std::optional<py::int_> find(const py::object& given) const {
        if (redistributions_) {
            Redistribute move;
            if (!is_redistribute(given) ||
                !as_redistribution(position_, given, *redistributions_, move).empty()) {
                return std::nullopt;
            }
            return to_python(redistributions_->index(move));
        }
        Sow move;
        if (!is_sow(given) || !as_candidate(position_, given, move).empty()) return std::nullopt;
        for (std::size_t i = 0; i < sowings_.size(); ++i) {
            if (sowings_[i] == move) return py::int_(i);
        }
        return std::nullopt;
    }

    py::int_ index(const py::object& given) const {
        if (!is_sow(given) && !is_redistribute(given)) refuse_type(given);
        const auto number = find(given);
        if (!number) {
            throw py::value_error(shown(given) + " is not a legal move in " +
                                  notation().attr("to_text")(position_).cast<std::string>());
        }
        return *number;
    }

    bool same_redistributions(const LegalMoves& other) const {
        return redistributions_->same_moves(*other.redistributions_);
    }
    bool numbered_only() const { return redistributions_.has_value(); }
    const Position& position() const { return position_; }

private:
    Position position_;
    std::vector<Sow> sowings_;
    std::optional<Redistributions<AnyBoard>> redistributions_;
};

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

// ---- actions ----

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

// ---- perft and simulation ----

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
            return perft(Referee<B>(p.rules(), poll_without_gil), board, p.verdict, depth);
        });
    }
    return to_python(nodes);
}

py::tuple simulate_games(const Position& start_position, std::size_t games, std::uint64_t seed,
                         std::uint64_t first_game, int threads, const std::string& south,
                         const std::string& north, std::optional<std::int64_t> max_moves,
                         const py::object& poll) {
    SimulationPlan plan;
    plan.rules = start_position.rules();
    plan.start = start_position.board;
    plan.seed = seed;
    plan.first_game = first_game;
    plan.games = games;
    plan.policies = {policy_named(south), policy_named(north)};
    if (max_moves) plan.max_moves = *max_moves;
    plan.threads = threads;
    if (threads < 1 || threads > 1024) {
        throw py::value_error("threads=" + std::to_string(threads) + ": must be 1…1024");
    }
    if (max_moves && *max_moves < 1) {
        throw py::value_error("max_moves=" + std::to_string(*max_moves) + ": must be 1 or more");
    }
    if (!max_moves && plan.rules.repetition == Repetition::off) {
        throw py::value_error("repetition='off' needs max_moves: a game may never end");
    }

    py::dict columns;
    SimulationColumns out;
    out.scores = pair_column<std::int16_t>(columns, "scores", games);
    out.winner = column<std::int8_t>(columns, "winner", games);
    out.moves = column<std::int32_t>(columns, "moves", games);
    out.turns = column<std::int32_t>(columns, "turns", games);
    out.laps = column<std::int64_t>(columns, "laps", games);
    out.captures = column<std::int32_t>(columns, "captures", games);
    out.longest = column<std::int64_t>(columns, "longest", games);
    out.end = column<std::uint8_t>(columns, "end", games);
    out.first_move = column<std::int64_t>(columns, "first_move", games);

    return fill(columns, poll, [&](const auto& tick) { return simulate(plan, out, tick); });
}

// A module that the package has imported before this one: `import` would run Python code, which
// Ctrl-C can interrupt, and pybind11 would make an ImportError of that.
py::module_ imported(const char* name) {
    PyObject* const found = PyImport_GetModule(py::str(name).ptr());
    if (found != nullptr) return py::reinterpret_steal<py::module_>(found);
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return py::module_::import(name);
}

void import_python_types() {
    auto types = std::make_unique<PythonTypes>();
    const auto rules = imported("relaysow.rules");
    const auto moves = imported("relaysow.moves");
    compare_options(rules);
    types->rules = rules.attr("Rules");
    types->checks = imported("relaysow._support.checks");
    types->sow = moves.attr("Sow");
    types->redistribute = moves.attr("Redistribute");
    types->lap = moves.attr("Lap");
    types->sowing = moves.attr("Sowing");
    types->illegal_move = moves.attr("IllegalMove");
    types->position_error = moves.attr("PositionError");
    for (py::str* name : {&types->pit, &types->lift, &types->direction, &types->emptied,
                          &types->placed, &types->ccw, &types->cw}) {
        PyObject* interned = name->release().ptr();
        PyUnicode_InternInPlace(&interned);
        *name = py::reinterpret_steal<py::str>(interned);
    }
    python = types.release();
}

constexpr const char* play_doc = R"doc(play($self, /, move)
--

The position after `move`, forced passes taken.

Raises `IllegalMove` naming the move, the position and the reason, `TypeError` for what is no move.

>>> import relaysow as rs
>>> rs.engehe(pits=5).start().play(rs.Sow(0)).mover
1
)doc";

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

// An object that Python made without `__init__` holds nothing; pybind11 would hand out raw memory.
template <class T>
void refuse_raw() {
    py::detail::get_type_info(typeid(T))->operator_new = [](std::size_t) -> void* {
        throw py::type_error("this object was made without __init__");
    };
}

// Protocols 0 and 1 of pickling make an object of the first base class written in C, and the
// failure of pybind11's ends the process: they are done as protocol 2.
py::object reduce_ex(const py::object& self, const py::int_& protocol) {
    const py::handle object(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
    return object.attr("__reduce_ex__")(self, std::max(protocol.cast<int>(), 2));
}

}  // namespace
}  // namespace relaysow

namespace {

constexpr const char* only_in_main =
    "relaysow cannot be imported in a sub-interpreter, only in a process";

bool in_main_interpreter() { return PyInterpreterState_Get() == PyInterpreterState_Main(); }

}  // namespace

// What PYBIND11_MODULE makes of its block, asked only in the main interpreter: in another, pybind11
// would wait for ever for a lock.  From Python 3.13 on, this runs in the main one for all others.
#undef PYBIND11_PLUGIN_IMPL
#define PYBIND11_PLUGIN_IMPL(name)                         \
    static PyObject* init_##name();                        \
    extern "C" PYBIND11_EXPORT PyObject* PyInit_##name() { \
        if (in_main_interpreter()) return init_##name();   \
        PyErr_SetString(PyExc_ImportError, only_in_main);  \
        return nullptr;                                    \
    }                                                      \
    static PyObject* init_##name()

PYBIND11_MODULE(_core, m, pybind11::mod_gil_not_used()) {
    using namespace relaysow;
    m.doc() = "The C++ core of relaysow.";
    if (!in_main_interpreter()) throw py::import_error(only_in_main);
    import_python_types();
    m.def("_read_classes", [] { import_python_types(); });
    py::register_local_exception_translator([](std::exception_ptr error) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const NoThread& e) {
            const py::tuple arguments = py::make_tuple(
                e.code().value(), std::string("the system starts no thread: ") + e.what());
            PyErr_SetObject(PyExc_OSError, arguments.ptr());
        }
    });

    py::class_<Book, BookPointer>(m, "_Book");

    py::class_<LegalMoves>(m, "LegalMoves",
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
)doc")
        .def_property_readonly("count", &LegalMoves::count, "The number of moves, however large.")
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
            [](const LegalMoves& moves) { return py::make_tuple(moves.position()); },
            [](const py::object& state) {
                const bool whole = py::isinstance<py::tuple>(state) && py::len(state) == 1;
                const py::object given = whole ? py::object(state[py::int_(0)]) : py::none();
                if (!py::isinstance<Position>(given)) {
                    refuse("this is not the pickled state of LegalMoves: " + shown(state));
                }
                return LegalMoves(given.cast<const Position&>());
            }))
        .def("__reduce_ex__", &reduce_ex, "protocol"_a)
        .attr("__hash__") = py::none();

    py::class_<Position>(m, "Position", position_doc)
        .def(py::init(&set_up), "rules"_a, "pits"_a, "stores"_a = py::make_tuple(0, 0),
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
            "legal_moves", [](const Position& p) { return LegalMoves(p); },
            "The legal moves, a `LegalMoves` sequence; empty when the game is over.")
        .def("sow", &sowing_of, "move"_a, R"doc(What `move` does, lap by lap: a `Sowing`.

A candidate move that is illegal by the first-lap rule or as endless is told as well, with
`after=None` and a `reason`; any other illegal move raises `IllegalMove`, what is none `TypeError`.

>>> import relaysow as rs
>>> sowing = rs.giuthi(pits=10, seeds=9).start().sow(rs.Sow(0, direction="ccw"))
>>> sowing.laps, sowing.captured, sowing.captured_pits
(3, 10, (10, 9))
)doc")
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
)doc")
        .def(
            "_judged_stuck",
            [](const Position& p) {
                Position judged = p;
                judged.verdict = judge_stuck(p.referee(), judged.board, true);
                return judged;
            },
            "What becomes of a position whose mover may make none of his moves: a pass, or the "
            "end.")
        .def(
            "to_text", [](const py::object& self) { return notation().attr("to_text")(self); },
            "The position on one line; the grammar is in `relaysow.text.notation`.")
        .def_static(
            "from_text",
            [](const py::object& given) {
                return notation().attr("from_text")(given, py::type::of<Position>());
            },
            "text"_a,
            "The position that `to_text` wrote.\n\nRaises `NotationError` saying what is wrong and "
            "where, `RulesError` or `PositionError` for what cannot be, `TypeError` for what is no "
            "string.")
        .def(
            "move_to_text",
            [](const py::object& self, const py::object& move) {
                return notation().attr("move_to_text")(self, move);
            },
            "move"_a,
            "A move as text: `3+`, `3-`, `7`, `4x2`, `1,4=0,0,2,…`.\n\nRaises `IllegalMove` for "
            "one that cannot be written here, `TypeError` for what is no move.")
        .def(
            "move_from_text",
            [](const py::object& self, const py::object& given) {
                return notation().attr("move_from_text")(self, given);
            },
            "text"_a,
            "The move that a text means here; `NotationError` says what is wrong, `TypeError` that "
            "it is no string.")
        .def("__str__",
             [](const py::object& self) {
                 return py::module_::import("relaysow.text.board").attr("board")(self);
             })
        .def(
            "_repr_svg_",
            [](const py::object& self) {
                return py::module_::import("relaysow.text.svg").attr("svg")(self);
            },
            "The board as a notebook shows it.")
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

    static PyMethodDef play_method{
        "play", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_play)),
        METH_FASTCALL | METH_KEYWORDS, play_doc};
    m.attr("Position").attr("play") = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(m.attr("Position").ptr()), &play_method));

    // NumPy would list all the moves to compare them with its own numbers.
    m.attr("LegalMoves").attr("__array_ufunc__") = py::none();

    refuse_raw<Book>();
    refuse_raw<LegalMoves>();
    refuse_raw<Position>();

    m.def(
        "_interrupt_at", [](std::int64_t ask) { interrupt_at(ask); }, "ask"_a.noconvert(),
        "For tests: as by Ctrl-C where long work asks for it for the so many-th time, a Batch "
        "in each row; -1: never, and no more often than in earnest.");
    m.def("perft", &count_paths, "position"_a, "depth"_a,
          R"doc(The number of paths of `depth` moves from `position`.

A forced pass costs no depth, nothing continues below a finished game, and repetition is not applied.
Every last move is proved legal.  Raises `ValueError` for a depth outside 0…200, `TypeError` for
wrong types; answers Ctrl-C.

>>> import relaysow as rs
>>> [rs.perft(rs.giuthi(pits=5, seeds=4).start(), depth) for depth in (1, 2, 3)]
[10, 76, 508]
)doc");

    m.def(
        "simulate", &simulate_games, "start"_a, "games"_a.noconvert(), "seed"_a.noconvert(),
        "first_game"_a.noconvert(), "threads"_a.noconvert(), "south"_a, "north"_a,
        "max_moves"_a.noconvert(), "poll"_a,
        "The columns of many games, the number of games done, and what stopped them, if anything.");

    bind_analysis(m);
    bind_batch(m);
    bind_match(m);
    bind_playout(m);
    bind_search(m);
}
