// Threads that serve the rows of a batch.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "play/batch.hpp"
#include "python/signals.hpp"
#include "support/workers.hpp"

namespace relaysow {

namespace py = pybind11;

// Serves ranges of rows, by threads if there are many.
class Crew {
public:
    static constexpr std::size_t together = 64;  // rows that are never parted

    Poll poll() {
        return {[](void* self) { static_cast<const Crew*>(self)->ask(); }, this};
    }

    // What comes next is done in the calling thread.
    void alone() {
        workers_ = nullptr;
        holds_gil_ = true;
    }

    // Calls `serve(begin, end)` for ranges that make up `rows`.
    template <class F>
    void run(std::size_t rows, int threads, F&& serve) {
        alone();
        constexpr std::size_t fewest = 256, many = 1024;
        const std::size_t parts =
            std::min(static_cast<std::size_t>(threads), (rows + fewest - 1) / fewest);
        holds_gil_ = rows < many && parts == 1;
        if (holds_gil_) return serve(std::size_t{0}, rows);
        const py::gil_scoped_release others_run;
        if (parts == 1) return serve(std::size_t{0}, rows);
        const std::size_t groups = (rows + together - 1) / together;
        const auto cut = [&](std::size_t part) {
            return std::min(rows, groups * part / parts * together);
        };
        std::atomic<std::size_t> next{0};
        Workers workers;
        workers_ = &workers;
        try {
            workers.run(
                parts,
                [&] {
                    for (std::size_t part; (part = next.fetch_add(1)) < parts;) {
                        serve(cut(part), cut(part + 1));
                    }
                },
                [] {
                    poll_without_gil();
                    return true;
                });
        } catch (const NoThread&) {
            workers_ = nullptr;
            serve(std::size_t{0}, rows);
        }
    }

private:
    void ask() const {
        if (workers_ != nullptr) {
            workers_->poll();
            if (!batches_ask_often()) return;
        }
        (holds_gil_ ? poll_with_gil : poll_without_gil)();
    }

    Workers* workers_ = nullptr;
    bool holds_gil_ = true;
};

}  // namespace relaysow
