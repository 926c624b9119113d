// The course of one game: its position, the move tried last, and its history since the capture.
#pragma once

#include <cstddef>

#include "play/board.hpp"
#include "play/repetition.hpp"
#include "play/sowing.hpp"
#include "play/verdict.hpp"
#include "rules/rules.hpp"

namespace relaysow {

template <class B>
struct Course {
    B boards[2];  // one holds the position, and the other what a tried move makes of it
    std::size_t now = 0;
    Sown sown;             // what the move tried last did
    bool new_turn = true;  // the position begins a turn
    History<B> history;    // the positions since the last capture in which moves were chosen

    // `slots` is that of `History`.
    explicit Course(std::size_t slots = 256) : history(slots) {}

    B& board() { return boards[now]; }
    const B& board() const { return boards[now]; }
    B& next() { return boards[now ^ 1]; }
    const B& next() const { return boards[now ^ 1]; }

    RELAYSOW_INLINE void begin() {
        new_turn = true;
        history.clear();
    }

    // Sows a candidate of a position, usually the present one, into `next`.  Returns whether it is
    // legal.
    RELAYSOW_INLINE bool try_move(const SowingContext<B>& context, const B& from, Sow move) {
        NoTrace trace;
        sow(context, from, next(), move, trace, sown);
        return sown.legal;
    }

    // Makes the move tried last.  A capture makes all earlier positions unreachable.
    RELAYSOW_INLINE void make() {
        if (sown.captured > 0) history.clear();
        new_turn = !sown.moves_again;
        now ^= 1;
    }

    // Adds the position, in which a move is to be chosen, to the history.  Returns whether it was
    // there before and so ends the game.
    RELAYSOW_INLINE bool repeats(const Rules& rules) {
        return rules.repetition != Repetition::off && !history.add(board());
    }
};

}  // namespace relaysow
