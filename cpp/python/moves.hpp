// Moves of Python: which candidate each is, or why it is none.
#pragma once

#include <string>

#include "play/moves.hpp"
#include "play/redistributions.hpp"
#include "python/position.hpp"

namespace relaysow {

bool is_sow(const py::handle& move);
bool is_redistribute(const py::handle& move);

[[noreturn]] void refuse_move(const py::handle& move, const Position& position,
                              const std::string& reason);
[[noreturn]] void refuse_type(const py::handle& move);

// The candidate that a Python `Sow` means, or why it is none.
std::string as_candidate(const Position& p, const py::handle& given, Sow& move);

// The redistribution that a Python `Redistribute` means, or why it is none.
std::string as_redistribution(const Position& p, const py::handle& given,
                              const Redistributions<AnyBoard>& all, Redistribute& move);

}  // namespace relaysow
