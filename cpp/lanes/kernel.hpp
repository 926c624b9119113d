// What the lockstep kernel and its driver share: plain data, the same for every instruction set.
//
// Each of up to 64 lanes holds a game.  Rows of bytes, one byte a lane, hold a pit each, or the
// pits of each lane are in one piece; sets of lanes are the bits of a word.  The kernel sows,
// captures, chooses and compares all lanes at once and calls the driver for what is rare.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rules/options.hpp"

namespace relaysow::lanes {

enum { most_lanes = 64, most_rows = 128 + 2, most_struck = 12 };
enum { turns_between_looks = 8 };  // how far back the lanes' histories reach is told anew
enum { lane_bytes = 128 };         // of a ring in one piece, and what is behind it

// What a lane asks of the driver.
enum class Request : uint8_t {
    stuck,          // The mover has no candidate, and the kernel cannot make a plain pass.
    repeated,       // The position came before.
    limit,          // The limit of counted moves is reached.
    none_legal,     // The first lap of every candidate is illegal: each was drawn and struck out.
    overdrawn,      // So is that of `most_struck` candidates, but not of all.
    undecided,      // The driver is to choose: nothing is drawn yet.
    forbidden,      // The chosen move is illegal by its first lap.
    endless,        // The chosen move never ends.
    capped,         // The chosen move would lift for lap max_laps + 1.
    left_to_scalar  // The driver is to sow the chosen move.
};

struct Lanes;
struct Driver {
    void* context;
    void (*serve)(void* context, int lane, Request request);
    // For each of these lanes, whose histories are the driver's: has its position occurred before?
    // Records it.  Returns the lanes where it has.
    uint64_t (*repeated)(void* context, uint64_t which);
    // Called at each look at which the driver keeps histories, or begins to keep those of these
    // lanes: histories have grown.
    void (*look_back)(void* context, uint64_t which);
    void (*flush)(void* context);  // adds the small counts to the driver's
    void (*poll)(void* context);
};

// The rules as the lanes have them: bytes, so that they can be compared as such.
struct LaneRules {
    uint8_t pits, ring_rows, rows;   // rows: ring_rows and those of duties
    uint8_t pits_a_round;            // that a round of sowing fills
    uint8_t minimum_lift, max_laps;  // max_laps 0: none that the kernel has to mind
    uint8_t overflow_bits;           // a pit with one of these is too full; 0: none can be
    uint8_t most_candidates;         // in one direction, for the lane to draw; 0: never more
    bool skipped, reversed, either, any_lift, has_protection, owner_lifts, checks_first_lap;
    bool always_captures, moves_again, lone_taken, capturing_stays, passes, row_empty_ends;
    bool direction_duty, pit_duty, compares;
    bool endless_is_legal;
    Chain chain;
    Bonus bonus;
};

struct Lanes : LaneRules {
    int width;               // lanes
    bool by_lane;            // each ring is in one piece, and South its `viewer` always
    unsigned steps_to_long;  // laps after which a sowing is the driver's; at most 120
    Driver driver;
    int patience;  // 64ths of the lanes that must wait before they are served

    // The lanes.  Pits are counted on from the `viewer`, the player whose row comes first in
    // `ring`: the mover, but while a pass or the end of a sowing is not yet served.  Bit 7 of a
    // pit of `ring` is set where the pit is protected.
    uint8_t* ring;                         // rows × lanes, or lanes × lane_bytes
    uint8_t* before;                       // the same before the moves; for single moves only
    alignas(64) uint8_t pit[most_lanes];   // in whose content the lane's next lap begins, or ended
    alignas(64) uint8_t hand[most_lanes];  // seeds lifted from it
    alignas(64) uint8_t hand_as_held[most_lanes];  // as `hand`, with the bit of protection
    alignas(64) uint8_t laps[most_lanes];          // of the move so far
    alignas(64) uint8_t count[most_lanes], number[most_lanes];  // of candidates; the one drawn
    alignas(64) uint8_t chosen[most_lanes], from[most_lanes], lift[most_lanes];  // the move
    alignas(64) uint8_t limit[most_lanes];  // of `moves`; 255: none
    alignas(64) uint32_t chance[4][most_lanes];
    uint64_t lapping, ended, choosing;  // each lane is in one of these, or idle
    uint64_t mover, viewer, clockwise, crossed, begins_turn, passed, from_clockwise;
    uint64_t beyond_window;       // the last capture may have been before the rows of `window`
    uint64_t history_is_drivers;  // the lane's history is long, and the driver keeps it
    uint64_t first_move_unnamed;  // no move of this game has been chosen
    uint64_t refused;  // a candidate of this decision proved illegal, and the driver knows
    uint64_t redrawn;  // those struck out are in `struck`
    uint64_t struck[most_lanes][4];                                 // candidates, a bit each
    alignas(64) uint8_t struck_first[most_struck + 1][most_lanes];  // by the kernel; up to a 255

    // Counts of the current game; the small ones since the last flush.
    alignas(64) uint8_t moves[most_lanes], turns[most_lanes], longest[most_lanes];
    alignas(64) uint8_t captures[most_lanes];
    alignas(64) uint16_t lap_sum[most_lanes];
    alignas(64) uint16_t stores[2][most_lanes];
    uint64_t first_number[most_lanes];
    unsigned turns_to_flush, turns_between_flushes;  // so few that no byte is counted over

    // Of single moves only.
    int lifts, ways;                                // as in ActionNumbers
    bool proves_backward;                           // a sowing can be undone in one way only
    alignas(64) int32_t action[most_lanes];         // what is being sown or was
    alignas(64) uint32_t moves_made[most_lanes];    // in the game
    alignas(64) int32_t since_capture[most_lanes];  // moves
    uint64_t moved, captured;                       // lanes, in this step
    uint64_t overfull;                              // a pit is too full for the lane to move on

    // The log: a row of positions, seen by their movers, for each time that lanes chose.
    uint64_t now, log_mask;        // the number of the row being written; rows kept − 1
    uint64_t window;               // rows in which repetition is sought in all lanes at once
    uint8_t* log;                  // [row], each as `ring`
    uint8_t* prints;               // fingerprints: [row][2][lanes]
    uint64_t* chose;               // [row]: lanes whose position there counts
    uint64_t* movers;              // [row]
    uint64_t segment[most_lanes];  // the first row after the lane's last capture
};

using Kernel = void (*)(Lanes&);

// Where the pits of observations and the masks of all lanes go, and how far a lane's are apart.
struct Shown {
    int16_t* pits;
    uint8_t* mask;  // null: the driver writes it
    size_t features, actions;
    uint64_t running;  // the other lanes' masks are empty
};

// The stages of single moves in all lanes, the driver going from one to the next.
struct Stages {
    void (*take_back)(Lanes&, uint64_t which);  // to what is in `before`
    void (*choose)(Lanes&, int64_t* actions);   // draws candidates where `choosing`, lifts them
    uint64_t (*differ)(const Lanes&, const int64_t* actions);  // from what was sown
    // Where `lapping`, in one group or in two; long sowings are left to the driver.
    void (*sow)(Lanes&, Lanes* beside);
    void (*land)(Lanes&);                         // `choosing`: where a move is still to be proved
    uint64_t (*note)(Lanes&, uint64_t choosers);  // keeps the positions; those that came before
    void (*note_alone)(Lanes&, int lane);         // keeps that of a lane that begins a game
    void (*show)(const Lanes&, const Shown&);
};

// Each copy of the kernel has these.
#define RELAYSOW_KERNEL(instruction_set)                                  \
    namespace instruction_set {                                           \
    void run(Lanes& lanes);                                               \
    bool by_lane(const LaneRules& rules); /* how `run` wants the rings */ \
    extern const int width;                                               \
    const Stages& stages(const Lanes& lanes);                             \
    }
RELAYSOW_KERNEL(baseline)
RELAYSOW_KERNEL(avx2)
RELAYSOW_KERNEL(avx512)
#undef RELAYSOW_KERNEL

}  // namespace relaysow::lanes
