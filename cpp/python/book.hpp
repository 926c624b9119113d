// The rules of a position in both worlds.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <vector>

#include "play/moves.hpp"
#include "python/options.hpp"
#include "python/python_types.hpp"
#include "rules/rules.hpp"

namespace relaysow {

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

BookPointer book_of(const py::object& rules);

}  // namespace relaysow
