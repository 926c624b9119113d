// Integers of Python: checked and converted.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "python/python_types.hpp"
#include "support/natural.hpp"

namespace relaysow {

// A Python int of exactly that type; a `TypeError` naming what is none.
py::int_ whole_number(const py::handle& value, const std::string& name);

// A Python integer in `low`…`high`; a `TypeError` for anything else, an `error` outside that says
// what is `allowed`.
int whole_number(const py::handle& value, const std::string& name, int low, int high,
                 const std::string& allowed, const py::handle& error = python->position_error);

// Python ints, in a tuple or a list; of sets only where they need not be `ordered`.
py::tuple sequence(const py::handle& value, const std::string& name, bool ordered = true);

py::int_ to_python(const Natural& number);

// A Python int that is at least 0 and below `count`.
Natural to_natural(const py::int_& number, const Natural& count);

}  // namespace relaysow
