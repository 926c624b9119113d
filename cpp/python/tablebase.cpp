// Tables of exact values: class `Table`, conversions and checks, no rules.

#include "exact/tablebase.hpp"

#include <pybind11/stl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exact/solve.hpp"
#include "python/bindings.hpp"
#include "python/tablebase.hpp"

namespace relaysow {

namespace {

// Calls `f` with what checks for signals, and calls `tick` if it is one.
template <class F>
auto without_gil(const py::object& tick, F&& f) {
    const py::gil_scoped_release others_run;
    return f(std::function<void(std::uint64_t)>([&](std::uint64_t done) {
        const py::gil_scoped_acquire gil;
        check_signals();
        if (!tick.is_none()) tick(done);
    }));
}

// A table over sections that Python keeps: bytes, or a file mapped into memory.
class PythonTable {
public:
    // `value` makes what `probe` tells, of a result and two leads.
    PythonTable(const py::object& rules, int max_seeds, const py::object& value)
        : book_(book_of(rules)), value_(value), table_(book_->rules, max_seeds) {
        refuse_history(book_->rules);
        const bool directed = table_.rules().extra_direction != ExtraDirection::free;
        if (directed || table_.rules().extra_pit != ExtraPit::any) {
            const char* const name = directed ? "extra_direction" : "extra_pit";
            throw py::value_error(std::string(name) + "=" + shown(rules.attr(name)) +
                                  ": a table has no room for the duties of extra moves");
        }
    }

    // Adds the section of the next total, which begins `at` so many bytes; where it ends.
    std::size_t add(const py::buffer& buffer, std::size_t at, bool check_all) {
        auto view = std::make_unique<py::buffer_info>(buffer.request());
        const auto size = static_cast<std::size_t>(view->size * view->itemsize);
        if (at > size) throw py::value_error("at=" + std::to_string(at) + ": past the end");
        const std::size_t end =
            at + table_.add(static_cast<const std::uint8_t*>(view->ptr) + at, size - at, check_all);
        buffers_.push_back(std::move(view));
        const Section& section = table_.section(table_.totals() - 1);
        auto& objects = values_.emplace_back();
        for (std::size_t pair = 0; pair < section.pairs(); ++pair) {
            for (int result = -1; result <= 1; ++result) {
                const Thresholds values = section.pair(pair);
                objects.push_back(value_(result, threshold(values.win), threshold(values.draw)));
            }
        }
        return end;
    }

    py::bytes build(int threads, const py::object& tick) const {
        if (table_.totals() > table_.max_seeds()) throw py::value_error("the table is complete");
        return py::bytes(without_gil(
            tick, [&](const auto& poll) { return build_section(table_, threads, poll); }));
    }

    std::uint64_t verify(int total, int threads, const py::object& tick) const {
        if (total < 0 || total >= table_.totals()) throw py::value_error("no such total");
        return without_gil(
            tick, [&](const auto& poll) { return verify_section(table_, total, threads, poll); });
    }

    int totals() const { return table_.totals(); }
    std::uint64_t count(int total) const { return table_.ranking().count(total); }
    std::size_t pairs(int total) const { return table_.section(total).pairs(); }

    const Table& table() const { return table_; }

    void refuse_other_rules(const Position& p) const {
        if (!(table_rules(table_.rules()) == table_rules(p.rules()))) {
            refuse_position(p, "the table is of " + shown(book_->python_rules));
        }
    }

    py::object probe(const Position& p) const {
        const Rules& rules = p.rules();
        refuse_other_rules(p);
        if (p.board.redistributions < 2) refuse_position(p, "a redistribution is due");
        if (!p.board.protected_pits.empty()) refuse_position(p, "pits are protected");
        const int total = p.board.row_seeds(rules, 0) + p.board.row_seeds(rules, 1);
        if (total >= table_.totals()) {
            refuse_position(p, std::to_string(total) + " seeds are on the ring: the table holds " +
                                   std::to_string(table_.totals() - 1) + " at most");
        }
        if (p.board.drawn)
            return value_(0, threshold(drawn_at_any_lead.win), threshold(drawn_at_any_lead.draw));
        const int lead = p.board.stores[p.board.mover] - p.board.stores[1 - p.board.mover];
        const Section& section = table_.section(total);
        const std::size_t pair = section[table_.ranking().rank(p.board.ring, p.board.mover)];
        return values_[static_cast<std::size_t>(total)]
                      [3 * pair + static_cast<std::size_t>(section.pair(pair).result(lead) + 1)];
    }

private:
    [[noreturn]] static void refuse_position(const Position& p, const std::string& why) {
        throw py::value_error("no value of " + position_text(p) + ": " + why);
    }

    BookPointer book_;
    py::object value_;
    Table table_;
    std::vector<std::unique_ptr<py::buffer_info>> buffers_;
    std::vector<std::vector<py::object>> values_;  // of each total: pair by pair, by the result
};

}  // namespace

py::object threshold(int lead) {
    if (lead >= Thresholds::never) return py::float_(HUGE_VAL);
    if (lead <= Thresholds::always) return py::float_(-HUGE_VAL);
    return py::int_(lead);
}

void refuse_history(const Rules& rules) {
    if (const char* option = refused_option(rules)) {
        throw py::value_error(std::string(option) +
                              " makes a position's value depend on the moves before it: exact play "
                              "needs repetition='draw' or 'stores'");
    }
}

const Table* table_for(const py::object& table, const Position& p) {
    if (table.is_none()) return nullptr;
    const auto& python_table = table.cast<const PythonTable&>();
    python_table.refuse_other_rules(p);
    return &python_table.table();
}

void bind_tablebase(py::module_& m) {
    using namespace py::literals;
    auto& error = py::register_local_exception<TableError>(m, "TablebaseError", PyExc_ValueError);
    error.attr("__doc__") =
        "A file that is no table, is damaged or of another version, or whose values are wrong.";
    error.attr("__module__") = "relaysow";
    py::class_<PythonTable>(m, "Table")
        .def(py::init<const py::object&, int, const py::object&>(), "rules"_a, "max_seeds"_a,
             "value"_a)
        .def_property_readonly("totals", &PythonTable::totals)
        .def("add", &PythonTable::add, "buffer"_a, "at"_a, "check_all"_a)
        .def("build", &PythonTable::build, "threads"_a, "tick"_a)
        .def("verify", &PythonTable::verify, "total"_a, "threads"_a, "tick"_a)
        .def("count", &PythonTable::count, "total"_a)
        .def("pairs", &PythonTable::pairs, "total"_a)
        .def("probe", &PythonTable::probe, "position"_a);
    m.def(
        "table_head",
        [](int pits, int most, const std::string& rules) {
            return py::bytes(write_head(
                {static_cast<std::uint32_t>(pits), static_cast<std::uint32_t>(most), rules, 0}));
        },
        "pits"_a, "max_seeds"_a, "rules"_a);
    m.def(
        "read_table_head",
        [](const py::buffer& buffer) {
            const py::buffer_info view = buffer.request();
            const TableHead head = read_head(static_cast<const std::uint8_t*>(view.ptr),
                                             static_cast<std::size_t>(view.size * view.itemsize));
            return py::make_tuple(head.pits, head.max_seeds, head.rules, head.bytes);
        },
        "buffer"_a);
    m.def(
        "table_memory",
        [](const py::object& rules, int most) {
            return memory_for_building(book_of(rules)->rules, most);
        },
        "rules"_a, "max_seeds"_a);
}

}  // namespace relaysow
