// The course of one game: where it stands, the move tried last, and what its positions repeat.
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
    B boards[2];  // where the game stands, and where a move from there is tried
    std::size_t now = 0;
    Sown sown;             // what the move tried last did
    bool new_turn = true;  // a turn begins here
    History<B> history;    // the positions since the last capture in which a move was chosen

    // With room for half so many positions at first; a power of two.
    explicit Course(std::size_t slots = 256) : history(slots) {}

    B& board() { return boards[now]; }
    const B& board() const { return boards[now]; }
    B& next() { return boards[now ^ 1]; }
    const B& next() const { return boards[now ^ 1]; }

    RELAYSOW_INLINE void begin() {
        new_turn = true;
        history.clear();
    }

    // Sows a candidate of a position, usually this one, into `next`; whether it is legal.
    RELAYSOW_INLINE bool try_move(const Referee<B>& referee, const B& from, Sow move) {
        NoTrace trace;
        sow(referee, from, next(), move, trace, sown);
        return sown.legal;
    }

    // Makes the move tried last.  A capture makes all earlier positions unreachable.
    RELAYSOW_INLINE void make() {
        if (sown.captured > 0) history.clear();
        new_turn = !sown.moves_again;
        now ^= 1;
    }

    // Whether the position, in which a move is to be chosen, ends the game by having come before;
    // it is one of the game's positions from now on.
    RELAYSOW_INLINE bool repeats(const Rules& rules) {
        return rules.repetition != Repetition::off && !history.add(board());
    }
};

}  // namespace relaysow
