// The sowings of a position as a numbered set, and which of them are legal.
#pragma once

#include <bit>
#include <cstdint>

#include "play/board.hpp"
#include "play/laps.hpp"
#include "play/move.hpp"
#include "rules/rules.hpp"

namespace relaysow {

// Numbers the candidate sowings of a position from 0 in canonical order: own pits by rising ring
// index, for each pit the lifts by rising number, for each lift counter-clockwise before clockwise.
template <class B>
class Candidates {
public:
    Candidates(const Rules& rules, const B& board, int mover, Duty direction, int barred)
        : row_(board.ring + rules.row(mover)),
          first_(rules.row(mover)),
          any_lift_(rules.lift == Lift::any),
          both_(rules.direction == DirectionChoice::either && direction == Duty::none),
          only_(direction == Duty::cw ? Direction::cw : Direction::ccw),
          pits_(pits_holding(rules, board, mover, rules.minimum_lift)) {
        if (barred != no_pit) pits_ &= ~(std::uint64_t{1} << (barred - first_));
    }
    Candidates(const Rules& rules, const B& board)
        : Candidates(rules, board, board.mover, board.direction, board.barred) {}

    bool empty() const { return pits_ == 0; }

    int count() const {
        int lifts = 0;
        if (any_lift_) {
            each_pit([&](int k) { lifts += row_[k]; });
        } else {
            lifts = NumberedPits(pits_).count();
        }
        return lifts << both_;
    }

    RELAYSOW_INLINE Sow operator[](int i) const {
        const Direction direction = (i & both_) != 0 ? Direction::cw : only_;
        i >>= both_;
        if (!any_lift_) {
            const int k = NumberedPits(pits_)[i];
            return {first_ + k, row_[k], direction};
        }
        std::uint64_t pits = pits_;
        int k = std::countr_zero(pits);
        while (i >= row_[k]) {
            i -= row_[k];
            pits &= pits - 1;
            k = std::countr_zero(pits);
        }
        return {first_ + k, i + 1, direction};
    }

    // Calls `f(move)` in order until it returns true.  Returns whether it did.
    template <class F>
    bool any(F&& f) const {
        for (std::uint64_t pits = pits_; pits != 0; pits &= pits - 1) {
            const int k = std::countr_zero(pits);
            for (int lift = any_lift_ ? 1 : row_[k]; lift <= row_[k]; ++lift) {
                if (f(Sow{first_ + k, lift, only_})) return true;
                if (both_ && f(Sow{first_ + k, lift, Direction::cw})) return true;
            }
        }
        return false;
    }

private:
    template <class F>
    void each_pit(F&& f) const {
        for (std::uint64_t pits = pits_; pits != 0; pits &= pits - 1) f(std::countr_zero(pits));
    }

    const typename B::seeds_type* row_;
    int first_;
    bool any_lift_, both_;
    Direction only_;
    std::uint64_t pits_;
};

enum class Legality : std::uint8_t { illegal, legal, unknown };

// Tells what is known of a candidate of `mover` from the pit where its first lap ends, without
// sowing it.
template <class B>
Legality legality_at_sight(const Rules& rules, const B& board, int mover, Sow move) {
    const bool endless_is_legal = rules.endless != Endless::illegal;
    if (endless_is_legal && rules.first_lap == FirstLap::free) return Legality::legal;
    const int size = rules.ring();
    if (move.lift >= size - 1) return Legality::unknown;  // The lap may come round to its origin.
    int last = move.direction == Direction::ccw ? move.pit + move.lift : move.pit - move.lift;
    if (last >= size) last -= size;
    if (last < 0) last += size;
    if (board.ring[last] == 0) return Legality::legal;
    if (rules.first_lap == FirstLap::not_into_own_occupied && rules.owner(last) == mover) {
        return Legality::illegal;
    }
    return endless_is_legal ? Legality::legal : Legality::unknown;
}

// Whether the candidate `move` may be played.  It is tried on `scratch`.
template <class B>
bool is_legal(const SowingContext<B>& context, const B& board, B& scratch, Sow move) {
    const Rules& rules = context.rules;
    const Legality sight = legality_at_sight(rules, board, board.mover, move);
    if (sight != Legality::unknown) return sight == Legality::legal;
    scratch.copy(rules, board);
    NoTrace trace;
    Laps laps;
    sow_laps(context, board, scratch, move, trace, laps);
    return laps.end == SowingEnd::empty_pit ||
           (laps.end != SowingEnd::forbidden_first_lap && rules.endless != Endless::illegal);
}

// Whether `mover` could move if it were their turn, under the given duties.
template <class B>
bool can_move(const SowingContext<B>& context, const B& board, int mover, Duty direction,
              int barred) {
    const Rules& rules = context.rules;
    const Candidates<B> candidates(rules, board, mover, direction, barred);
    if (candidates.any([&](Sow move) {
            return legality_at_sight(rules, board, mover, move) == Legality::legal;
        })) {
        return true;
    }
    if (candidates.empty()) return false;
    B as_mover = board;
    as_mover.mover = static_cast<std::uint8_t>(mover);
    B scratch;
    return candidates.any([&](Sow move) { return is_legal(context, as_mover, scratch, move); });
}

}  // namespace relaysow
