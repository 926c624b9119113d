// What a search knows of a value: a score, and what of it is proved.
#pragma once

namespace relaysow {

inline constexpr int max_search_depth = 200;
inline constexpr int past_every_score = 2'000;

// What is known of a value v: that it is about `score`, and whether v ≥ score and v ≤ score are
// proved.  A proof may use that a position of the path searched comes again; it is then one only
// below that place of the path.
struct Worth {
    static constexpr int unproved = -1, clean = 1 << 20;

    int score = -past_every_score;
    int least = unproved, most = clean;  // the first place that v ≥ score, v ≤ score need

    bool exact() const { return least != unproved && most != unproved; }
    // For the player before the move, who moves again or not.
    Worth before(bool same_mover) const { return same_mover ? *this : Worth{-score, most, least}; }
};

constexpr Worth proved(int score) { return {score, Worth::clean, Worth::clean}; }
constexpr Worth guessed(int score) { return {score, Worth::unproved, Worth::unproved}; }

}  // namespace relaysow
