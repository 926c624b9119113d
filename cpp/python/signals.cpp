// What long work asks now and then: has Ctrl-C been pressed?

#include "python/signals.hpp"

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "play/batch.hpp"
#include "python/bindings.hpp"

namespace relaysow {

namespace {

bool time_to_ask() {
    using clock = std::chrono::steady_clock;
    thread_local clock::time_point last{};
    const clock::time_point now = clock::now();
    if (now - last < std::chrono::milliseconds(20)) return false;
    last = now;
    return true;
}

// For tests: how many times long work is still to ask before it is interrupted; negative: never.
std::atomic<std::int64_t> asks_left{-1};

bool interrupted_by_test() {
    return asks_left.load(std::memory_order_relaxed) >= 0 && asks_left.fetch_sub(1) == 0;
}

void interrupt_at(std::int64_t ask) {
    asks_left = ask;
    asks_in_each_row = ask >= 0;
}

[[noreturn]] void interrupt() {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
}

}  // namespace

void check_signals() {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

const Poll poll_with_gil{[](void*) {
                             if (interrupted_by_test()) interrupt();
                             if (!time_to_ask()) return;
                             {
                                 const py::gil_scoped_release others_may_run;
                             }
                             check_signals();
                         },
                         nullptr};

const Poll poll_without_gil{[](void*) {
                                if (interrupted_by_test()) {
                                    const py::gil_scoped_acquire gil;
                                    interrupt();
                                }
                                if (!time_to_ask()) return;
                                const py::gil_scoped_acquire gil;
                                check_signals();
                            },
                            nullptr};

void bind_signals(py::module_& m) {
    using namespace py::literals;
    m.def(
        "_interrupt_at", [](std::int64_t ask) { interrupt_at(ask); }, "ask"_a.noconvert(),
        "For tests: as by Ctrl-C where long work asks for it for the so many-th time, a Batch "
        "in each row; -1: never, and no more often than in earnest.");
}

}  // namespace relaysow
