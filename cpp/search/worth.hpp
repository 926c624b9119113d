// What a search knows of a value: a score, and what of it is proved.
#pragma once

namespace relaysow {

inline constexpr int max_search_depth = 200;
inline constexpr int past_every_score = 2'000;

// What is known of a value v: it is about `score`, and v ≥ score and v ≤ score may be proved.  A
// proof may use that a position of the searched path comes again.  Then it holds only below the
// place of that position in the path.
struct Worth {
    static constexpr int unproved = -1, clean = 1 << 20;

    int score = -past_every_score;
    // The first place of the path that the proof of v ≥ score, of v ≤ score, needs to come again.
    int lower_needs = unproved, upper_needs = clean;

    bool exact() const { return lower_needs != unproved && upper_needs != unproved; }
    // The same for the player who made the move and now moves again, or does not.
    Worth before(bool same_mover) const {
        return same_mover ? *this : Worth{-score, upper_needs, lower_needs};
    }
};

constexpr Worth proved(int score) { return {score, Worth::clean, Worth::clean}; }
constexpr Worth guessed(int score) { return {score, Worth::unproved, Worth::unproved}; }

}  // namespace relaysow
