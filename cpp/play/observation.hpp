// What a learner sees of a game: the features of an observation, and how they are written.
#pragma once

#include <algorithm>
#include <cstdint>

#include "play/board.hpp"
#include "rules/rules.hpp"

namespace relaysow {

// Where each feature of an observation begins, or −1 if the rules do not need it.
struct Features {
    int pits = 0, stores, mover, since_capture;
    int protection = -1, direction = -1, barred = -1, redistribution = -1;
    int all;

    explicit Features(const Rules& rules);
};

// A redistribution of which some decisions have been made, on the course's other board.
struct Partial {
    std::uint16_t in_hand = 0;
    std::uint8_t emptied = 0, most = 0;
    bool placing = false;
};

// Writes what the mover sees of the board.  `partial` is what is done of a redistribution, if one
// is being made.
template <class B>
void observe_board(const Rules& rules, const Features& features, const B& board,
                   std::int32_t since_capture, const Partial& partial, std::int16_t* out) {
    const int ring = rules.ring(), own = rules.row(board.mover);
    for (int k = 0; k < ring; ++k) {
        out[k] = static_cast<std::int16_t>(board.ring[own + k < ring ? own + k : own + k - ring]);
    }
    out[features.stores] = static_cast<std::int16_t>(board.stores[board.mover]);
    out[features.stores + 1] = static_cast<std::int16_t>(board.stores[1 - board.mover]);
    out[features.mover] = board.mover;
    out[features.since_capture] =
        static_cast<std::int16_t>(std::min<std::int32_t>(since_capture, INT16_MAX));
    if (features.protection >= 0) {
        for (int k = 0; k < ring; ++k) {
            out[features.protection + k] =
                board.protected_pits.has(own + k < ring ? own + k : own + k - ring);
        }
    }
    if (features.direction >= 0) {
        out[features.direction] = static_cast<std::int16_t>(board.direction);
    }
    if (features.barred >= 0) {
        out[features.barred] =
            static_cast<std::int16_t>(board.barred == no_pit ? 0 : board.barred - own + 1);
    }
    if (features.redistribution >= 0) {
        std::int16_t* const at = out + features.redistribution;
        at[0] = board.redistributions;
        at[1] = partial.emptied;
        at[2] = static_cast<std::int16_t>(partial.in_hand);
        at[3] = partial.placing;
    }
}

}  // namespace relaysow
