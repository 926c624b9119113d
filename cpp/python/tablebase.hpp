// Tables of exact values as Python holds them.
#pragma once

#include <pybind11/pybind11.h>

#include "exact/tablebase.hpp"
#include "python/position.hpp"

namespace relaysow {

// The table of a `_core.Table`, nullptr of None; raises `ValueError` where it is not of the
// position's rules.
const Table* table_for(const py::object& table, const Position& p);

// Refuses rules under which a position has no value of its own.
void refuse_history(const Rules& rules);

// A lead, where it is beyond all an infinity.
py::object threshold(int lead);

}  // namespace relaysow
