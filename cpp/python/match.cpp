// Matches in Python: conversions and checks, no rules.
#include "games/match.hpp"

#include <pybind11/stl.h>

#include <string>

#include "python/bindings.hpp"
#include "python/book.hpp"
#include "python/simulate.hpp"

namespace relaysow {

using namespace py::literals;

namespace {

// All arguments are checked by `relaysow.match.simulate_match`; `layouts` are "even", "random" or
// other words, for which `ask` gives a legal row.
py::tuple simulate_matches(const py::list& rules, const std::string& scheme, bool twice_while_short,
                           bool half_of_round, bool shorten, int first,
                           const std::array<std::string, 2>& layouts, const py::object& ask,
                           const std::array<std::string, 2>& policies, std::size_t matches,
                           std::uint64_t seed, std::uint64_t first_match, int max_rounds,
                           int threads, const py::object& poll) {
    MatchPlan plan;
    plan.rules.resize(min_pits);  // no rows are that short
    for (const py::handle one : rules) {
        plan.rules.push_back(book_of(py::reinterpret_borrow<py::object>(one))->rules);
    }
    plan.scheme = scheme == "leakey" ? Scheme::leakey : Scheme::wikipedia;
    plan.twice_while_short = twice_while_short;
    plan.half_of_round = half_of_round;
    plan.shorten = shorten;
    plan.first = first;
    for (std::size_t player = 0; player < 2; ++player) {
        plan.layouts[player] = layouts[player] == "even"     ? LayOutPolicy::even
                               : layouts[player] == "random" ? LayOutPolicy::random
                                                             : LayOutPolicy::asked;
        plan.policies[player] = policy_named(policies[player]);
    }
    plan.ask = [&ask](const LayOutTask& task, std::span<std::uint16_t> row) {
        const py::gil_scoped_acquire gil;
        py::object faced = py::none();
        if (task.facing) {
            py::tuple counts(task.pits);
            for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = task.faced[i];
            faced = counts;
        }
        const auto counts = ask(task.player, task.seeds, task.pits, faced, task.twice)
                                .cast<std::vector<std::uint16_t>>();
        if (counts.size() != row.size()) throw py::value_error("a row of another length");
        std::copy(counts.begin(), counts.end(), row.begin());
    };
    plan.matches = matches;
    plan.seed = seed;
    plan.first_match = first_match;
    plan.max_rounds = max_rounds;
    plan.threads = threads;

    py::dict columns;
    MatchColumns out;
    out.totals = column<std::int16_t, 2>(columns, "totals", matches);
    out.winner = column<std::int8_t>(columns, "winner", matches);
    out.rounds = column<std::int32_t>(columns, "rounds", matches);
    out.moves = column<std::int64_t>(columns, "moves", matches);
    out.first = column<std::int8_t>(columns, "first", matches);
    out.pits = column<std::int8_t>(columns, "pits", matches);

    return fill(columns, poll, [&](const auto& tick) { return play_matches(plan, out, tick); });
}

}  // namespace

void bind_match(py::module_& m) {
    m.def("simulate_matches", &simulate_matches, "rules"_a, "scheme"_a, "twice_while_short"_a,
          "half_of_round"_a, "shorten"_a, "first"_a.noconvert(), "layouts"_a, "ask"_a, "policies"_a,
          "matches"_a.noconvert(), "seed"_a.noconvert(), "first_match"_a.noconvert(),
          "max_rounds"_a.noconvert(), "threads"_a.noconvert(), "poll"_a,
          "The columns of many matches, the number of matches done, and what stopped them, if "
          "anything.");
}

}  // namespace relaysow
