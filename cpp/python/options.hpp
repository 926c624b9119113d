// The rules in both worlds: compared when the module is imported, and read from Python.
#pragma once

#include <pybind11/pybind11.h>

#include "rules/rules.hpp"

namespace relaysow {

// Raises `ImportError` naming the first option or limit in which the module `relaysow.rules` is not
// what this one was compiled for.
void compare_options(const pybind11::module_& rules);

// What a Python `Rules` tells.  Options are read by the names of their values; a subclass may have
// evaded the checks of `Rules`, so a `ValueError` refuses what they would have refused.
Rules read_rules(const pybind11::object& given);

}  // namespace relaysow
