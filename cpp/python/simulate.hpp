// What simulations of games and of matches share: columns, progress, names of policies.
#pragma once

#include <pybind11/numpy.h>

#include <optional>
#include <string>
#include <vector>

#include "python/python_types.hpp"
#include "python/signals.hpp"

namespace relaysow {

// The policy of a name that Python has checked.
struct Policy;
Policy policy_named(const std::string& name);

// A NumPy column of so many rows for results, added to `columns`.
template <class T, std::size_t width = 1>
T* column(py::dict& columns, const char* name, std::size_t rows) {
    std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows)};
    if (width > 1) shape.push_back(static_cast<py::ssize_t>(width));
    py::array_t<T> array(shape);
    columns[name] = array;
    return array.mutable_data();
}

// Runs `play(tick)` without the GIL; its tick calls `poll`, unless that is None, with the rows
// done. The columns, the number of rows that `play` says are done, and the exception that stopped
// it or None.
template <class Play>
py::tuple fill(const py::dict& columns, const py::object& poll, const Play& play) {
    std::optional<py::error_already_set> stopped_by;
    std::size_t done = 0;
    {
        const py::gil_scoped_release others_run;
        done = play([&](std::size_t rows_done) {
            const py::gil_scoped_acquire gil;
            try {
                check_signals();
                if (!poll.is_none()) poll(rows_done);
                return true;
            } catch (const py::error_already_set& error) {
                stopped_by.emplace(error);
                return false;
            }
        });
    }
    return py::make_tuple(columns, done,
                          stopped_by ? py::object(stopped_by->value()) : py::object(py::none()));
}

}  // namespace relaysow
