// Games side by side, a move at a time in each: for learners and for players of one's own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "play/action_numbers.hpp"
#include "play/board.hpp"
#include "play/moves.hpp"
#include "play/observation.hpp"
#include "play/sowing.hpp"
#include "play/verdict.hpp"
#include "rules/rules.hpp"
#include "support/random.hpp"

namespace relaysow {

// Whether a batch asks in each row if it is to stop.  Tests set it.
inline std::atomic<bool> asks_in_each_row{false};
inline bool batches_ask_often() { return asks_in_each_row.load(std::memory_order_relaxed); }

// What a row does after its game has ended.  The names are Gymnasium's.
enum class Autoreset : std::uint8_t { next_step, same_step, disabled };

struct BatchPlan {
    Rules rules;
    AnyBoard start;  // settled, not over
    std::size_t rows = 0;
    std::int64_t max_moves = INT64_MAX;
    Autoreset autoreset{};
    bool exact_mask = false;
};

// Where a step writes: arrays with an entry for each row, which the caller owns.
struct BatchOutput {
    std::int16_t* observations = nullptr;
    std::uint8_t* mask = nullptr;
    float* rewards = nullptr;  // two a row: South's, North's
    std::uint8_t* terminated = nullptr;
    std::uint8_t* truncated = nullptr;
    std::uint8_t* illegal = nullptr;
};

// The result of the game that ended last in each row.
struct BatchResults {
    std::int16_t* observations = nullptr;
    std::int16_t* scores = nullptr;  // two a row
    std::int8_t* winners = nullptr;  // 0, 1, −1 drawn, −2 cut
    std::uint8_t* ends = nullptr;
    std::int32_t* lengths = nullptr;  // in moves
};

// Integers of any width, one for each row.
struct ActionView {
    const char* data = nullptr;
    std::ptrdiff_t stride = 0;
    int bytes = 8;
    bool is_signed = true;

    std::int64_t operator[](std::size_t row) const;
    // Returns `lanes` integers side by side from row `first` on, of which the first `count` exist.
    // They stand in `copies` if the caller's array cannot be used as it is.
    const std::int64_t* whole(std::size_t first, std::size_t lanes, std::size_t count,
                              std::int64_t* copies) const;
};

// The random stream of a row's game, which is that of game `game` of a simulation with this seed.
struct GameSeed {
    std::uint64_t seed = 0, game = 0;
    std::uint64_t stride = 1;  // from one game of the row to the next
};

// Each method serves the rows from `begin` to `end`, and threads may serve different ranges side by
// side.  Where a proof takes long the method polls, and the poll may throw.  Then the caller drops
// what `prove` did, but calls `draw`, `commit` and `observe` again with the same arguments until
// they return; they go on where they were interrupted.
class Batch {
public:
    static constexpr std::size_t none = SIZE_MAX;

    virtual ~Batch() = default;

    // Begins a game in a row, from `start` if it is given.  The caller must then call `observe`.
    virtual void reset(std::size_t row, const GameSeed& seed, const AnyBoard* start) = 0;
    virtual GameSeed seed(std::size_t row) const = 0;
    // Tells that the next `draw` or `commit` is a new one, not the last one called again.
    void begin_another() { ++call_; }
    // Draws a legal action for each row.
    virtual void draw(std::size_t begin, std::size_t end, std::int64_t* actions) = 0;
    // Proves actions and moves no game.  Returns the first row whose action is illegal, or `none`.
    virtual std::size_t prove(std::size_t begin, std::size_t end, const ActionView& actions) = 0;
    // Makes the moves of the actions proved last.  A row whose action is illegal does not change.
    virtual void commit(std::size_t begin, std::size_t end, const BatchOutput& output) = 0;
    // Writes observations and masks, and nothing else.
    virtual void observe(std::size_t begin, std::size_t end, const BatchOutput& output) = 0;
    // Returns the position of a row; during a redistribution, the position before it.
    virtual AnyBoard position(std::size_t row) const = 0;
    virtual bool is_over(std::size_t row) const = 0;
    // Whether a start fits the boards of this batch, and all its lifts have numbers.
    virtual bool has_room(const AnyBoard& start) const = 0;

protected:
    std::uint64_t call_ = 0;  // the number of the present `draw` or `commit`
};

std::unique_ptr<Batch> make_batch(const BatchPlan& plan, const BatchResults& results,
                                  const Poll& poll);

}  // namespace relaysow
