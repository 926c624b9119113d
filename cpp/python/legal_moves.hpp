// The legal moves of a position: sowings listed, redistributions only numbered.
#pragma once

#include <optional>
#include <vector>

#include "python/integers.hpp"
#include "python/moves.hpp"

namespace relaysow {

class LegalMoves {
public:
    explicit LegalMoves(const Position& p) : position_(p) {
        if (p.is_over()) return;
        if (p.board.redistributions < 2) {
            redistributions_.emplace(p.rules(), p.board);
            return;
        }
        AnyBoard scratch;
        const SowingContext<AnyBoard> context = p.context();
        const Candidates<AnyBoard> candidates(p.rules(), p.board);
        candidates.any([&](Sow move) {
            if (is_legal(context, p.board, scratch, move)) sowings_.push_back(move);
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
                                  position_text(position_));
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

}  // namespace relaysow
