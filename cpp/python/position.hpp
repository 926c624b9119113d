// A position as Python holds it.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "play/board.hpp"
#include "play/sowing.hpp"
#include "play/verdict.hpp"
#include "python/book.hpp"
#include "python/signals.hpp"

namespace relaysow {

struct Position {
    BookPointer book;
    AnyBoard board;
    Verdict verdict;

    const Rules& rules() const { return book->rules; }
    bool is_over() const { return verdict.end != End::running; }
    SowingContext<AnyBoard> context() const { return {rules(), poll_with_gil}; }
    void settle() { verdict = relaysow::settle(context(), board); }

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

// A position of what Python gives; raises `PositionError` or `TypeError` for what is none.
Position set_up(const py::object& rules_object, const py::object& pits, const py::object& stores,
                const py::object& mover, const py::object& protected_pits,
                const py::object& direction, const py::object& barred,
                const py::object& redistributions, const py::object& drawn);

// The opening position.
Position start(const py::object& rules_object);

py::tuple protected_tuple(const Position& p);

// By `Position.to_text`, which Python gives the class.
std::string position_text(const Position& p);

}  // namespace relaysow
