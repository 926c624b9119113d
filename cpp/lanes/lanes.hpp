// The state of the lanes, which the lockstep kernel and its drivers share.
//
// A *lane* plays one game; up to 64 lanes do the same at the same time.  The *kernel* sows,
// captures, chooses and compares in all lanes at once; it is compiled for every instruction set.
// A *driver* owns the lanes, gives them games and answers their *requests*: what is too rare or too
// long for lanes is done on the *scalar* path.  A *row of bytes* has one byte a lane; a *set of
// lanes* is a word with one bit a lane.
//
//   rules    what is played, as bytes
//   pace     when lanes are served
//   driver   whom the lanes ask
//   rings    the seeds in the pits of each lane, and who looks at them
//   turn     whose turn it is in each lane
//   phase    what each lane does next: sow a lap, end a sowing, or choose a move
//   sowing   the lap that is to be sown in each lane
//   choice   the move that is drawn and made, and what was struck out before
//   counts   the results of the games so far
//   step     what a driver needs that makes single moves
//   log      the positions in which moves were chosen, for the rule of repetition
//
// All is plain data of the same layout for every instruction set, and there are no functions: the
// linker could hand a copy for one instruction set to others.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "rules/options.hpp"

namespace relaysow::lanes {

enum { most_lanes = 64, most_rows = 128 + 2, most_struck = 12 };
enum { turns_between_looks = 8 };  // A look tells anew how far back the histories reach.
enum { lane_bytes = 128 };         // of a ring in one piece, and what is behind it

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

struct Pace {
    int patience;            // 64ths of the playing lanes that must wait before they are served
    unsigned steps_to_long;  // laps after which a sowing is the driver's; at most 120
};

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

struct Driver {
    void* context;
    void (*serve)(void* context, int lane, Request request);
    // For each of these lanes, whose histories are the driver's: has its position occurred before?
    // Records it.  Returns the lanes where it has.
    uint64_t (*repeated)(void* context, uint64_t which);
    // Histories have grown.  Called at each look at which the driver keeps histories, or is to keep
    // those of these lanes from now on.
    void (*look_back)(void* context, uint64_t which);
    void (*flush)(void* context);  // adds the small counts to the driver's
    void (*poll)(void* context);
};

// Pits are counted on from the viewer, the player whose row comes first: the mover, but while a
// pass or the end of a sowing is not yet served.  Bit 7 of a pit is set where it is protected.
struct Rings {
    uint8_t* now;     // rows × lanes, or lanes × lane_bytes
    uint8_t* before;  // the same before the moves; for single moves only
    bool by_lane;     // Each ring is in one piece, and South is the viewer always.
    uint64_t viewer;  // lanes where it is North
};

struct Turn {
    uint64_t mover;   // lanes where it is North
    uint64_t begins;  // The move to be made begins a turn.
    uint64_t passed;  // The position came about by a pass.
};

// Each lane is in one of these, or idle.
struct Phase {
    uint64_t lapping;   // A lap is to be sown.
    uint64_t ended;     // The sowing has ended in an empty pit: what it captures is to be seen.
    uint64_t choosing;  // A move is to be chosen.
};

struct Sowing {
    alignas(64) uint8_t pit[most_lanes];   // in whose content the lane's next lap begins, or ended
    alignas(64) uint8_t hand[most_lanes];  // seeds lifted from it
    alignas(64) uint8_t hand_as_held[most_lanes];  // as `hand`, with the bit of protection
    alignas(64) uint8_t laps[most_lanes];          // of the move so far
    uint64_t clockwise, crossed;
};

struct Choice {
    alignas(64) uint8_t candidates[most_lanes];              // how many the move is drawn of
    alignas(64) uint8_t drawn[most_lanes];                   // the number of the one drawn last
    alignas(64) uint8_t chosen[most_lanes];                  // the number of the move that is made
    alignas(64) uint8_t from[most_lanes], lift[most_lanes];  // its pit, and the seeds lifted
    uint64_t from_clockwise;                                 // its direction
    alignas(64) uint32_t chance[4][most_lanes];              // the generator of each game
    uint64_t first_move_unnamed;        // No move of this game has been chosen.
    uint64_t first_number[most_lanes];  // of the candidate that was the game's first move
    uint64_t refused;  // A candidate of this decision proved illegal, and the driver knows.
    uint64_t redrawn;  // Those struck out are in `struck`.
    uint64_t struck[most_lanes][4];                                 // candidates, a bit each
    alignas(64) uint8_t struck_first[most_struck + 1][most_lanes];  // by the kernel; up to a 255
};

// Counts of the current game; those that are bytes are since the last flush.
struct Counts {
#define COUNTED_IN_LANES(type, name, add_up) alignas(64) type name[most_lanes];
#include "play/result_columns.def"
    alignas(64) uint8_t limit[most_lanes];  // of `moves`; 255: none
    alignas(64) uint16_t stores[2][most_lanes];
    unsigned turns_to_flush, turns_between_flushes;  // so few that no byte is counted over
};

struct Step {
    int lifts, ways;                                // as in ActionNumbers
    bool proves_backward;                           // A sowing can be undone in one way only.
    alignas(64) int32_t action[most_lanes];         // what is being sown or was
    alignas(64) uint32_t moves[most_lanes];         // of the game
    alignas(64) int32_t since_capture[most_lanes];  // moves
    uint64_t moved, captured;                       // lanes, in this step
    uint64_t overfull;                              // A pit is too full for the lane to move on.
};

// A row of positions, seen by their movers, for each time that lanes chose.
struct Log {
    uint64_t now, mask;            // the number of the row being written; rows kept − 1
    uint64_t window;               // rows in which repetition is sought in all lanes at once
    uint8_t* positions;            // [row], each as `Rings::now`
    uint8_t* prints;               // fingerprints: [row][2][lanes]
    uint64_t* chose;               // [row]: lanes whose position there counts
    uint64_t* movers;              // [row]
    uint64_t segment[most_lanes];  // the first row after the lane's last capture
    uint64_t beyond_window;        // That may be before the rows of `window`.
    uint64_t history_is_drivers;   // The history is long, and the driver keeps it.
};

struct Lanes {
    int width;  // how many lanes there are
    LaneRules rules;
    Pace pace;
    Driver driver;
    Rings rings;
    Turn turn;
    Phase phase;
    Sowing sowing;
    Choice choice;
    Counts counts;
    Step step;
    Log log;
};

}  // namespace relaysow::lanes
