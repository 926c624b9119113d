// Simulations of many games.

#include "games/simulate.hpp"

#include <pybind11/stl.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "python/bindings.hpp"
#include "python/position.hpp"
#include "python/simulate.hpp"
#include "search/worth.hpp"

namespace relaysow {

namespace {

py::tuple simulate_games(const Position& start_position, std::size_t games, std::uint64_t seed,
                         std::uint64_t first_game, int threads, const std::string& south,
                         const std::string& north, std::optional<std::int64_t> max_moves,
                         const py::object& poll) {
    SimulationPlan plan;
    plan.rules = start_position.rules();
    plan.start = start_position.board;
    plan.seed = seed;
    plan.first_game = first_game;
    plan.games = games;
    plan.policies = {policy_named(south), policy_named(north)};
    if (max_moves) plan.max_moves = *max_moves;
    plan.threads = threads;
    if (threads < 1 || threads > 1024) {
        throw py::value_error("threads=" + std::to_string(threads) + ": must be 1…1024");
    }
    if (max_moves && *max_moves < 1) {
        throw py::value_error("max_moves=" + std::to_string(*max_moves) + ": must be 1 or more");
    }
    if (!max_moves && plan.rules.repetition == Repetition::off) {
        throw py::value_error("repetition='off' needs max_moves: a game may never end");
    }

    py::dict columns;
    GameColumns out;
#define RESULT(type, width, name, at_first) out.name = column<type, width>(columns, #name, games);
#include "play/result_columns.def"

    return fill(columns, poll, [&](const auto& tick) { return simulate(plan, out, tick); });
}

// NumPy's name of an integer type, without NumPy, which may not be loaded yet.
template <class T>
std::string name_of_type() {
    return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T));
}

py::dict result_columns() {
    py::dict types;
#define RESULT(type, width, name, at_first) types[#name] = name_of_type<type>();
#include "play/result_columns.def"
    return types;
}

}  // namespace

Policy policy_named(const std::string& name) {
    if (name == "random") return Policy::random;
    if (name == "greedy") return Policy::greedy;
    constexpr std::string_view depth = "search:depth=", nodes = "search:nodes=";
    for (const auto prefix : {depth, nodes}) {
        if (!name.starts_with(prefix)) continue;
        const Policy::Kind kind = prefix == depth ? Policy::search_depth : Policy::search_nodes;
        const std::uint64_t most = prefix == depth ? max_search_depth : 1'000'000'000;
        std::uint64_t limit = 0;
        const char* const end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + prefix.size(), end, limit);
        if (read.ec == std::errc() && read.ptr == end && limit >= 1 && limit <= most) {
            return {kind, limit};
        }
    }
    throw py::value_error("policy '" + name +
                          "': must be 'random', 'greedy', 'search:depth=N' or 'search:nodes=N'");
}

void bind_simulate(py::module_& m) {
    using namespace py::literals;
    m.def("result_columns", &result_columns,
          "The columns of `simulate` with the names of their types.");
    m.attr("end_names") = py::tuple(py::cast(end_names));
    m.def(
        "simulate", &simulate_games, "start"_a, "games"_a.noconvert(), "seed"_a.noconvert(),
        "first_game"_a.noconvert(), "threads"_a.noconvert(), "south"_a, "north"_a,
        "max_moves"_a.noconvert(), "poll"_a,
        "The columns of many games, the number of games done, and what stopped them, if anything.");
}

}  // namespace relaysow
