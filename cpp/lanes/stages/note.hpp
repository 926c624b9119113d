// Single moves: keeps the positions that have come about, and tells which have occurred before.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/lanes.hpp"
#include "lanes/stages/repeat.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Keeps the positions of all lanes, where those of the `choosers` count.  Returns the choosers
// whose position has occurred before.
template <class FixedRules>
uint64_t note(Lanes& lanes, uint64_t choosers) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    Log& log = lanes.log;
    uint8_t* const positions = newest_positions(lanes, rules);
    Fingerprint fingerprint(lanes);
    V fullest = all(0);
    for (int i = 0; i < rules.rows; ++i) {
        const V row = load(lanes.rings.now + i * L);
        store(lanes.rings.before + i * L, row);
        store(positions + i * L, row);
        if (i < rules.ring_rows) fullest = fullest | row;
        fingerprint.take(row);
    }
    lanes.step.overfull =
        rules.overflow_bits ? bits(bits_in(fullest, all(rules.overflow_bits))) : 0;
    if (log.now % turns_between_looks == 0) {
        log.beyond_window = 0;
        for (int lane = 0; lane < L; ++lane) {
            const bool beyond = log.segment[lane] + log.window < log.now + turns_between_looks;
            log.beyond_window |= static_cast<uint64_t>(beyond) << lane;
        }
    }
    log.chose[slot_of(lanes, log.now)] = choosers;
    log.movers[slot_of(lanes, log.now)] = lanes.turn.mover;
    if (!rules.compares) return 0;
    return find_repeated<FixedRules>(lanes, choosers, fingerprint.first, fingerprint.second);
}

// Keeps the position of one lane, which begins a game, beside those of the others.
template <class FixedRules>
void note_alone(Lanes& lanes, int lane) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    Log& log = lanes.log;
    uint8_t* const positions = newest_positions(lanes, rules);
    Fingerprint fingerprint(lanes);  // of all lanes, which takes no longer
    for (int i = 0; i < rules.rows; ++i) {
        const int at = i * L + lane;
        lanes.rings.before[at] = positions[at] = lanes.rings.now[at];
        fingerprint.take(load(lanes.rings.now + i * L));
    }
    alignas(64) uint8_t first[L], second[L];
    store(first, fingerprint.first);
    store(second, fingerprint.second);
    const size_t slot = slot_of(lanes, log.now);
    const uint64_t bit = uint64_t{1} << lane;
    log.chose[slot] |= bit;
    log.movers[slot] = (log.movers[slot] & ~bit) | (lanes.turn.mover & bit);
    prints_of(lanes, log.now)[lane] = first[lane];
    prints_of(lanes, log.now)[L + lane] = second[lane];
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
