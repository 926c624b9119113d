// The numbers of actions: sowings, then the single decisions of an opening redistribution.
#pragma once

#include "play/moves.hpp"
#include "rules/rules.hpp"

namespace relaysow {

struct ActionNumbers {
    int lifts = 1, directions;
    int sowings;   // 0…sowings−1; of pit, lift and direction
    int pits;      // sowings…: empty a pit, or place a seed in one; 2n as the mover sees the ring
    int stop = 0;  // empty no more pits; 0: no such decision
    int all;

    explicit ActionNumbers(const Rules& rules)
        : directions(rules.direction == DirectionChoice::either ? 2 : 1) {
        if (rules.lift == Lift::any) {
            lifts = 0;
            for (int pit = 0; pit < rules.ring(); ++pit) {
                lifts += rules.setup[static_cast<std::size_t>(pit)];
            }
        }
        sowings = pits = all = rules.pits * lifts * directions;
        if (rules.redistribution != Redistribution::none) all += rules.ring();
        if (rules.redistribution == Redistribution::up_to_two) stop = all++;
    }

    // The number of a sowing from the row that begins with pit `row`.
    int number(Sow move, int row) const {
        const int lift = lifts == 1 ? 1 : move.lift;
        return ((move.pit - row) * lifts + lift - 1) * directions +
               (move.direction == Direction::cw);
    }
    // The sowing of a number below `sowings`.  Where whole pits are lifted its lift is 1.
    Sow sowing(int number, int row) const {
        Sow move{};
        move.direction = number % directions == 1 ? Direction::cw : Direction::ccw;
        move.lift = number / directions % lifts + 1;
        move.pit = row + number / directions / lifts;
        return move;
    }
};

}  // namespace relaysow
