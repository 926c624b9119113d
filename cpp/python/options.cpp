// The rules in both worlds: compared when the module is imported, and read from Python.
#include "python/options.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "python/integers.hpp"
#include "python/python_types.hpp"

namespace relaysow {

namespace {

struct OptionNames {
    const char* option;
    std::string_view values;  // parted by ", "
};
constexpr OptionNames all_options[] = {
#define RELAYSOW_OPTION(Type, name, ...) {#name, #__VA_ARGS__},
#include "rules/options.def"
};

// The place of a value among `values`, −1 where it is none of them.
constexpr int place_of(std::string_view value, std::string_view values) {
    for (int place = 0;; ++place) {
        const std::size_t end = values.find(", ");
        if (values.substr(0, end) == value) return place;
        if (end == values.npos) return -1;
        values.remove_prefix(end + 2);
    }
}

int number(const py::handle& value, const char* name, int low, int high) {
    const std::string allowed = "must be " + std::to_string(low) + "…" + std::to_string(high);
    return whole_number(value, name, low, high, allowed, PyExc_ValueError);
}

int place_of(const py::object& given, const char* option, std::string_view values) {
    const py::object value = given.attr(option);
    const int place = py::isinstance<py::str>(value) ? place_of(text(value), values) : -1;
    if (place < 0) {
        throw py::value_error(std::string(option) + "=" + shown(value) + ": must be one of " +
                              std::string(values));
    }
    return place;
}

[[noreturn]] void refuse_import(const std::string& what, const std::string& in_python,
                                const std::string& here) {
    throw py::import_error(what + " is " + in_python + " in relaysow.rules and " + here +
                           " in relaysow._core, which has to be built again");
}

}  // namespace

void compare_options(const py::module_& rules) {
    const py::dict choices = rules.attr("CHOICES");
    const auto compare = [&](const std::string& option, const std::string& values) {
        const std::string in_python =
            choices.contains(option) ? text(py::str(", ").attr("join")(choices[py::str(option)]))
                                     : "missing";
        if (in_python != values) refuse_import("the option '" + option + "'", in_python, values);
    };
    py::set known;
    for (const OptionNames& names : all_options) {
        compare(names.option, std::string(names.values));
        known.add(names.option);
    }
    for (const auto& [option, values] : choices) {
        if (!known.contains(option)) compare(text(option), "missing");
    }
    const auto compare_limit = [&](const char* name, std::int64_t here) {
        const py::int_ in_python = rules.attr(name);
        if (!in_python.equal(py::int_(here))) {
            refuse_import(std::string("the limit ") + name, text(in_python), std::to_string(here));
        }
    };
    compare_limit("MIN_PITS", min_pits);
    compare_limit("MAX_PITS", max_pits);
    compare_limit("MAX_SEEDS", max_seeds);
    compare_limit("MAX_LAPS", most_laps);
}

Rules read_rules(const py::object& given) {
    Rules rules;
    rules.pits = number(given.attr("pits"), "pits", min_pits, max_pits);
    const py::tuple setup = given.attr("setup");
    number(py::int_(setup.size()), "counts in setup", rules.ring(), rules.ring());
    int all = 0;
    for (std::size_t pit = 0; pit < setup.size(); ++pit) {
        const int seeds = number(setup[pit], "seeds in a pit of setup", 0, max_seeds);
        rules.setup[pit] = static_cast<std::uint16_t>(seeds);
        all += seeds;
    }
    number(py::int_(all), "seeds in setup", 1, max_seeds);
    rules.minimum_lift = number(given.attr("minimum_lift"), "minimum_lift", 1, 2);
#define RELAYSOW_OPTION(Type, name, ...) \
    rules.name = static_cast<Type>(place_of(given, #name, #__VA_ARGS__));
#include "rules/options.def"
    const py::object max_laps = given.attr("max_laps");
    if (!max_laps.is_none()) {
        rules.max_laps = max_laps.cast<std::uint64_t>();
        if (rules.max_laps < 1 || rules.max_laps > static_cast<std::uint64_t>(most_laps)) {
            throw py::value_error("max_laps=" + shown(max_laps) + ": must be None or 1…" +
                                  std::to_string(most_laps));
        }
    }
    return rules;
}

}  // namespace relaysow
