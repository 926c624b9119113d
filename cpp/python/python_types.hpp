// Python's own classes and names that the core uses, and the refusals it raises.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace relaysow {

namespace py = pybind11;

// Python's own types and names, set once at import and kept for good.
struct PythonTypes {
    py::object rules, sow, redistribute, lap, sowing;
    py::object illegal_move, position_error;
    py::object checks;
    py::str pit{"pit"}, lift{"lift"}, direction{"direction"}, emptied{"emptied"}, placed{"placed"};
    py::str ccw{"ccw"}, cw{"cw"};
    py::dict books;
};
extern PythonTypes* python;

// Sets `python`, at import.
void import_python_types();

inline std::string text(const py::handle& value) { return py::str(value).cast<std::string>(); }
inline std::string repr_text(const py::handle& value) {
    return py::repr(value).cast<std::string>();
}
// What a refusal shows of a value: its representation, cut if it is long; see `checks.py`.
inline std::string shown(const py::handle& value) {
    return python->checks.attr("shown")(value).cast<std::string>();
}

// Raises `PositionError`, or another kind of error.
[[noreturn]] void refuse(const std::string& why, const py::handle& error = python->position_error);

}  // namespace relaysow
