// The arrays of a batch, and those of others that it writes to instead.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <functional>

#include "play/batch.hpp"

namespace relaysow {

namespace py = pybind11;

// The batch's own arrays, those of a step first.
struct BatchArray {
    const char *name, *dtype, *doc;
    enum Columns : std::uint8_t { none, two, features, actions } columns = none;
};
inline constexpr std::array<BatchArray, 12> batch_arrays{{
    {"observations", "int16", "int16 (n, features): where games stand.", BatchArray::features},
    {"mask", "bool", "bool (n, actions): what may be done.", BatchArray::actions},
    {"rewards", "float32", "float32 (n, 2): South's and North's, of the last step.",
     BatchArray::two},
    {"terminated", "bool", "bool (n,): games that the last step ended."},
    {"truncated", "bool", "bool (n,): games cut by `max_moves`."},
    {"illegal", "bool", "bool (n,): rows whose last action was illegal."},
    {"sample", "int64", nullptr},  // shown by no property
    {"final_observations", "int16",
     "int16 (n, features): the last of the game that ended last in each row.",
     BatchArray::features},
    {"scores", "int16",
     "int16 (n, 2): South's and North's seeds at the end of the game that ended last.",
     BatchArray::two},
    {"winners", "int8", "int8 (n,): who won it: 0, 1, −1 drawn, −2 cut by `max_moves`."},
    {"ends", "uint8", "uint8 (n,): how it ended, as in `Simulation.end`."},
    {"lengths", "int32", "int32 (n,): its moves."},
}};

// Between these two the memory of an array lies.
struct Extent {
    const char *begin = nullptr, *end = nullptr;

    Extent() = default;
    explicit Extent(const py::array& array);
    bool meets(const Extent& other) const {
        return std::less{}(begin, other.end) && std::less{}(other.begin, end);
    }
};

class BatchArrays {
public:
    static constexpr std::size_t of_a_step = 5, of_a_reset = 2, sample = 6;

    BatchArrays(std::size_t rows, int features, int actions);

    const py::array& operator[](std::size_t place) const { return arrays_[place]; }
    // The first so many, as a step or a reset returns them.
    py::tuple first(std::size_t most) const;
    py::dict by_name() const;

    // Whether an array may be written to in the place of one of these.
    bool fits(const py::handle& given, std::size_t place) const;

    // The arrays that a step or a reset writes, the first `most` of these or what `out` has for
    // them, and `written` so that it writes there.  `refuse` is called where some do not fit, or
    // may share memory with `actions`; it returns where they do not.
    py::tuple replaced(const py::object& out, std::size_t most, const py::object& actions,
                       BatchOutput& written, const std::function<void()>& refuse) const;

private:
    std::array<py::array, batch_arrays.size()> arrays_;
    std::array<Extent, batch_arrays.size()> memory_;

public:
    // Where the batch writes: to its own arrays.
    BatchOutput output;
    BatchResults results;
    std::int64_t* drawn = nullptr;
};

// Actions as a step reads them; their `data` is null where they are no integers, one a row.
ActionView view_of_actions(const py::object& actions, std::size_t rows);

}  // namespace relaysow
