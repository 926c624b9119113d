// One sowing move: its laps, what it captures, and who moves next.
#pragma once

#include <cstdint>

#include "play/board.hpp"
#include "play/laps.hpp"
#include "play/move.hpp"
#include "rules/rules.hpp"

namespace relaysow {

// Captures after a sowing that ended in an empty pit of the mover's own row.  Returns how many
// seeds it takes.
template <class B, class Trace>
int capture(const Rules& rules, B& board, const Laps& laps, Trace& trace) {
    const int mover = board.mover;
    const int row = rules.row(mover);
    int captured = 0;
    const auto take = [&](int pit) {
        captured += board.ring[pit];
        board.ring[pit] = 0;
        trace.capture(pit);
    };
    const auto capturable = [&](int pit) {
        return board.ring[pit] != 0 && !board.protected_pits.has(pit);
    };
    const int own = laps.last;
    const int faced = rules.facing(own);
    const bool faced_taken = capturable(faced);
    if (faced_taken) {
        take(faced);
    } else if (rules.lone_seed == LoneSeed::stays) {
        return 0;
    }
    if (rules.capturing_seed == CapturingSeed::taken) take(own);
    if (rules.chain != Chain::none && (faced_taken || rules.chain == Chain::run_over_gaps)) {
        const int step = laps.direction == Direction::ccw ? 1 : -1;
        for (int pit = own + step; pit >= row && pit < row + rules.pits && board.ring[pit] == 0;
             pit += step) {
            if (capturable(rules.facing(pit))) {
                take(rules.facing(pit));
            } else if (rules.chain != Chain::run_over_gaps) {
                break;
            }
            if (rules.chain == Chain::next) break;
        }
    }
    if (rules.bonus != Bonus::none && faced_taken && own == row) {
        const int opponent_row = rules.row(1 - mover);
        int run = 0;
        while (faced - 1 - run >= opponent_row && capturable(faced - 1 - run)) ++run;
        if (rules.bonus == Bonus::three) run = run >= 3 ? 3 : 0;
        if (rules.bonus == Bonus::up_to_three && run > 3) run = 3;
        for (int k = 1; k <= run; ++k) take(faced - k);
    }
    board.stores[mover] = static_cast<std::uint16_t>(board.stores[mover] + captured);
    return captured;
}

// What a move did.
struct Sown {
    Laps laps;
    int captured = 0;
    bool legal = true;
    bool moves_again = false;
};

// Plays the candidate `move` from `before` into `after`, whose mover is then the player to move
// next, before any pass is taken.  If the move is illegal the contents of `after` mean nothing.
template <class B, class Trace>
RELAYSOW_INLINE void sow(const SowingContext<B>& context, const B& before, B& after, Sow move,
                         Trace& trace, Sown& sown) {
    const Rules& rules = context.rules;
    after.copy(rules, before);
    sow_laps(context, before, after, move, trace, sown.laps);
    sown.captured = 0;
    sown.legal = true;
    sown.moves_again = false;
    after.passed = false;
    after.drop_duties();
    const int mover = before.mover;
    const auto opponent = static_cast<std::uint8_t>(1 - mover);
    if (sown.laps.end != SowingEnd::empty_pit) [[unlikely]] {
        if (sown.laps.end == SowingEnd::forbidden_first_lap || rules.endless == Endless::illegal) {
            sown.legal = false;
            return;
        }
        after.copy(rules, before);
        after.passed = false;
        after.drop_duties();
        if (rules.endless == Endless::draw) {
            after.drawn = true;
        } else {
            after.mover = opponent;
        }
        return;
    }
    if (rules.owner(sown.laps.last) == mover) {
        if (sown.laps.crossed || rules.uncrossed == Uncrossed::captures) {
            sown.captured = capture(rules, after, sown.laps, trace);
        } else if (rules.uncrossed == Uncrossed::moves_again) {
            sown.moves_again = true;
            if (rules.extra_direction == ExtraDirection::opposite) {
                after.direction = move.direction == Direction::ccw ? Duty::cw : Duty::ccw;
            }
            if (rules.extra_pit == ExtraPit::not_origin) {
                after.barred = static_cast<std::int16_t>(move.pit);
            }
            return;
        }
    }
    after.mover = opponent;
}

}  // namespace relaysow
