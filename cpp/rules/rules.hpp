// The options of a game as one aggregate; values, defaults and refusals are those of rules.py.
#pragma once

#include <array>
#include <cstdint>

// For the few functions on the way of every move: their small structs must stay in registers, since
// reading back at once what was just written in smaller parts stalls.
#ifdef _MSC_VER
#define RELAYSOW_INLINE __forceinline
#else
#define RELAYSOW_INLINE inline __attribute__((always_inline))
#endif

namespace relaysow {

inline constexpr int min_pits = 3;
inline constexpr int max_pits = 64;
inline constexpr int max_ring = 2 * max_pits;
inline constexpr int max_seeds = 1000;

// The enumerators stand in the order of `CHOICES` in rules.py.
enum class Lift : std::uint8_t { all, any };
enum class DirectionChoice : std::uint8_t { ccw, either };
enum class Relay : std::uint8_t { onward, reversed };
enum class Origin : std::uint8_t { sown, skipped };
enum class FirstLap : std::uint8_t { free, not_into_own_occupied };
enum class Uncrossed : std::uint8_t { captures, moves_again, ends_turn };
enum class ExtraDirection : std::uint8_t { free, opposite };
enum class ExtraPit : std::uint8_t { any, not_origin };
enum class LoneSeed : std::uint8_t { stays, taken };
enum class CapturingSeed : std::uint8_t { taken, stays };
enum class Chain : std::uint8_t { none, next, run, run_over_gaps };
enum class Bonus : std::uint8_t { none, three, up_to_three, run };
enum class Protection : std::uint8_t { none, until_lifted, until_owner_lifts };
enum class Redistribution : std::uint8_t { none, one, two, up_to_two };
enum class EndRule : std::uint8_t { both_stuck, row_empty, able_player_sweeps, last_mover_sweeps };
enum class Repetition : std::uint8_t { draw, stores, score, off };
enum class RepetitionScope : std::uint8_t { position, turn };
enum class Endless : std::uint8_t { illegal, draw, ends_turn };

enum class Direction : std::uint8_t { ccw, cw };

constexpr Direction opposite(Direction d) {
    return d == Direction::ccw ? Direction::cw : Direction::ccw;
}

struct Rules {
    int pits = 8;  // in each row
    std::array<std::uint16_t, max_ring> setup{};
    int minimum_lift = 2;
    Lift lift{};
    DirectionChoice direction{};
    Relay relay{};
    Origin origin{};
    FirstLap first_lap{};
    Uncrossed uncrossed{};
    ExtraDirection extra_direction{};
    ExtraPit extra_pit{};
    LoneSeed lone_seed{};
    CapturingSeed capturing_seed{};
    Chain chain{};
    Bonus bonus{};
    Protection protection{};
    Redistribution redistribution{};
    EndRule end{};
    Repetition repetition{};
    RepetitionScope repetition_scope{};
    Endless endless{};
    std::uint64_t max_laps = UINT64_MAX;  // no cap

    friend bool operator==(const Rules&, const Rules&) = default;

    constexpr int ring() const { return 2 * pits; }
    constexpr int facing(int pit) const { return 2 * pits - 1 - pit; }
    constexpr int owner(int pit) const { return pit >= pits; }
    constexpr int row(int player) const { return player * pits; }  // its first ring index
};

// Whether repetition is told by turns.  Where every move is a turn of its own, the scopes are one.
constexpr bool compares_by_turn(const Rules& rules) {
    return rules.repetition != Repetition::off && rules.repetition_scope == RepetitionScope::turn &&
           rules.uncrossed == Uncrossed::moves_again;
}

}  // namespace relaysow
