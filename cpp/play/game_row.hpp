// The result of one game, and the arrays that hold the results of many.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "play/sowing.hpp"
#include "play/verdict.hpp"

namespace relaysow {

struct GameRow {
    template <class T, std::size_t width>
    using Cell = std::conditional_t<width == 1, T, std::array<T, width>>;

#define RESULT(type, width, name, at_first) Cell<type, width> name = at_first;
#include "play/result_columns.def"

    // Counts a move that is made.
    void count(const Sown& sown, bool begins_turn) {
        ++moves;
        turns += begins_turn;
        captures += sown.captured > 0;
        if (sown.laps.end == SowingEnd::endless) return;
        const auto sown_laps = static_cast<std::int64_t>(sown.laps.count);
        laps += sown_laps;
        longest = std::max(longest, sown_laps);
    }

    void finish(const Rules& rules, Verdict verdict, const std::array<int, 2>& stores) {
        end = static_cast<std::uint8_t>(verdict.end);
        winner = static_cast<std::int8_t>(winner_of(rules, verdict.end, stores));
        set_scores(stores);
    }
    void set_scores(const std::array<int, 2>& stores) {
        scores = {static_cast<std::int16_t>(stores[0]), static_cast<std::int16_t>(stores[1])};
    }
};

// The arrays of the results of many games, which the caller owns.  A column that nobody wants is
// null.
struct GameColumns {
#define RESULT(type, width, name, at_first) type* name = nullptr;
#include "play/result_columns.def"

    void write(std::size_t at, const GameRow& row) const {
#define RESULT(type, width, name, at_first) put<width>(name, at, row.name);
#include "play/result_columns.def"
    }

private:
    template <std::size_t width, class T>
    static void put(T* column, std::size_t at, const GameRow::Cell<T, width>& cell) {
        if (column == nullptr) return;
        if constexpr (width == 1) {
            column[at] = cell;
        } else {
            for (std::size_t k = 0; k < width; ++k) column[width * at + k] = cell[k];
        }
    }
};

}  // namespace relaysow
