// Many games side by side in byte lanes: the stages of all lanes, in their order.
//
// Compiled once for every instruction set, RELAYSOW_INSTRUCTION_SET, in a namespace of its own.  It
// uses nothing inline from elsewhere: the linker could hand a copy for one instruction set to
// others.
#include "lanes/kernel.hpp"

#include "lanes/fixed_rules.hpp"
#include "lanes/stages/act.hpp"
#include "lanes/stages/land.hpp"
#include "lanes/stages/long_rings.hpp"
#include "lanes/stages/note.hpp"
#include "lanes/stages/requests.hpp"
#include "lanes/stages/show.hpp"
#include "lanes/stages/sow.hpp"
#include "lanes/stages/turn.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Plays whole games by two stages: lanes sow until enough of them wait, then those take their
// turns.
template <class Sow, class TakeTurns>
INLINE void play(Lanes& lanes, const Sow& sow, const TakeTurns& take_turns) {
    unsigned steps_left = lanes.pace.steps_to_long;
    while (lanes.phase.lapping | lanes.phase.ended | lanes.phase.choosing) {
        if (lanes.phase.lapping) {
            sow(lanes, steps_left);
        } else {
            steps_left -= 1;
        }
        if (steps_left == 0) {
            steps_left = lanes.pace.steps_to_long;
            lanes.driver.poll(lanes.driver.context);
            leave_long_sowings(lanes);
        }
        if (lanes.phase.ended | lanes.phase.choosing) take_turns(lanes);
    }
}

}  // namespace

const int width = L;

void run(Lanes& lanes) {
    if (lanes.rings.by_lane) return play(lanes, sow_by_lane, take_turns_by_lane);
    with_fixed_rules(lanes.rules, [&]<class FixedRules>(FixedRules) {
        play(lanes, sow<FixedRules>, take_turns<FixedRules>);
    });
}

const Stages& stages(const Lanes& lanes) {
    const Stages* found = nullptr;
    with_fixed_rules(lanes.rules, [&]<class FixedRules>(FixedRules) {
        static constexpr Stages stages = {
            take_back<FixedRules>,  choose_moves<FixedRules>, differ,
            sow_moves<FixedRules>,  land<FixedRules>,         note<FixedRules>,
            note_alone<FixedRules>, show<FixedRules>};
        found = &stages;
    });
    return *found;
}

bool by_lane(const LaneRules& rules) {
    return rules.ring_rows >= shortest_by_lane && matches<EnGeheRules>(rules);
}

}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
