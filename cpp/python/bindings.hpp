// What the Python bindings share: the rules and positions of both worlds, and polls for signals.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "play/board.hpp"
#include "play/moves.hpp"
#include "play/sowing.hpp"
#include "python/options.hpp"
#include "rules/rules.hpp"

namespace relaysow {

namespace py = pybind11;

// Python's own types and names, set once at import and kept for good.
struct PythonTypes {
    py::object rules, sow, redistribute, lap, sowing;
    py::object illegal_move, position_error;
    py::object checks;
    py::str pit{"pit"}, lift{"lift"}, direction{"direction"}, emptied{"emptied"}, placed{"placed"};
    py::str ccw{"ccw"}, cw{"cw"};
    py::dict books;
};
extern PythonTypes* python;

inline std::string text(const py::handle& value) { return py::str(value).cast<std::string>(); }
inline std::string repr_text(const py::handle& value) {
    return py::repr(value).cast<std::string>();
}
// What a refusal shows of a value: its representation, cut if it is long; see `checks.py`.
inline std::string shown(const py::handle& value) {
    return python->checks.attr("shown")(value).cast<std::string>();
}

// For work that holds the GIL, and for work that has released it: answers Ctrl-C, and lets other
// threads run.
extern const Poll poll_with_gil;
extern const Poll poll_without_gil;

// The rules of a position in both worlds, and the Python objects of its moves.
struct Book {
    Rules rules;
    py::object python_rules;
    py::ssize_t hash = 0;
    std::vector<py::object> whole_lifts;  // Sow of each pit and direction, lift not named

    explicit Book(const py::object& given)
        : rules(read_rules(given)), python_rules(given), hash(py::hash(given)) {
        const bool either = rules.direction == DirectionChoice::either;
        for (int k = 0; k < rules.ring(); ++k) {
            for (const Direction d : {Direction::ccw, Direction::cw}) {
                whole_lifts.push_back(python->sow(k, py::none(), either ? name(d) : py::none()));
            }
        }
    }

    static py::object name(Direction d) { return d == Direction::ccw ? python->ccw : python->cw; }

    py::object move(Sow move) const {
        if (rules.lift == Lift::all) {
            return whole_lifts[static_cast<std::size_t>(2 * move.pit +
                                                        (move.direction == Direction::cw))];
        }
        const bool either = rules.direction == DirectionChoice::either;
        return python->sow(move.pit, move.lift, either ? name(move.direction) : py::none());
    }

    py::object move(const Redistribute& move) const {
        py::tuple emptied(move.emptied_count);
        for (int i = 0; i < move.emptied_count; ++i) {
            emptied[static_cast<std::size_t>(i)] = move.emptied[static_cast<std::size_t>(i)];
        }
        py::tuple placed(rules.ring());
        for (std::size_t i = 0; i < placed.size(); ++i) placed[i] = move.placed[i];
        return python->redistribute(emptied, placed);
    }
};

using BookPointer = std::shared_ptr<Book>;

struct Position {
    BookPointer book;
    AnyBoard board;
    Verdict verdict;

    const Rules& rules() const { return book->rules; }
    bool is_over() const { return verdict.end != End::running; }
    Referee<AnyBoard> referee() const { return {rules(), poll_with_gil}; }
    void settle() { verdict = relaysow::settle(referee(), board); }

    std::optional<std::array<int, 2>> final_stores() const {
        if (!is_over()) return std::nullopt;
        return relaysow::final_stores(rules(), board, verdict.sweep);
    }

    friend bool operator==(const Position& a, const Position& b) {
        return a.board.same_ring(a.rules(), b.board.ring) &&
               a.board.stores[0] == b.board.stores[0] && a.board.stores[1] == b.board.stores[1] &&
               a.board.mover == b.board.mover && a.board.direction == b.board.direction &&
               a.board.barred == b.board.barred &&
               a.board.redistributions == b.board.redistributions &&
               a.board.drawn == b.board.drawn && a.board.protected_pits == b.board.protected_pits &&
               (a.book == b.book || a.rules() == b.rules());
    }
};

BookPointer book_of(const py::object& rules);

void bind_analysis(py::module_& m);
void bind_batch(py::module_& m);
void bind_match(py::module_& m);
void bind_playout(py::module_& m);
void bind_search(py::module_& m);

// The policy of a name that Python has checked.
struct Policy;
Policy policy_named(const std::string& name);

// The table of a `_core.Table`, nullptr of None; raises `ValueError` where it is not of the
// position's rules.
class Table;
const Table* table_for(const py::object& table, const Position& p);

void check_signals();

// A NumPy column of so many rows for results, added to `columns`.
template <class T>
T* column(py::dict& columns, const char* name, std::size_t rows) {
    py::array_t<T> array(static_cast<py::ssize_t>(rows));
    columns[name] = array;
    return array.mutable_data();
}
template <class T>
T* pair_column(py::dict& columns, const char* name, std::size_t rows) {
    py::array_t<T> array({static_cast<py::ssize_t>(rows), py::ssize_t{2}});
    columns[name] = array;
    return array.mutable_data();
}

// Runs `play(tick)` without the GIL; its tick calls `poll`, unless that is None, with the rows
// done. The columns, the number of rows that `play` says are done, and the exception that stopped
// it or None.
template <class Play>
py::tuple fill(const py::dict& columns, const py::object& poll, const Play& play) {
    std::optional<py::error_already_set> stopped_by;
    std::size_t done = 0;
    {
        const py::gil_scoped_release others_run;
        done = play([&](std::size_t rows_done) {
            const py::gil_scoped_acquire gil;
            try {
                check_signals();
                if (!poll.is_none()) poll(rows_done);
                return true;
            } catch (const py::error_already_set& error) {
                stopped_by.emplace(error);
                return false;
            }
        });
    }
    return py::make_tuple(columns, done,
                          stopped_by ? py::object(stopped_by->value()) : py::object(py::none()));
}

// Raises `PositionError`, or another kind of error.
[[noreturn]] void refuse(const std::string& why, const py::handle& error = python->position_error);

// A Python int of exactly that type; a `TypeError` naming what is none.
py::int_ whole_number(const py::handle& value, const std::string& name);

// A Python integer in `low`…`high`; a `TypeError` for anything else, an `error` outside that says
// what is `allowed`.
int whole_number(const py::handle& value, const std::string& name, int low, int high,
                 const std::string& allowed, const py::handle& error = python->position_error);

}  // namespace relaysow
