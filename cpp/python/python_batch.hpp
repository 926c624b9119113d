// A batch as Python holds it: games side by side, served by threads, and the arrays it writes.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "play/batch.hpp"
#include "python/batch_arrays.hpp"
#include "python/crew.hpp"
#include "python/position.hpp"

namespace relaysow {

// What Python should have checked.
inline void require(bool checked, const char* what) {
    if (!checked) throw std::invalid_argument(what);
}

// Whether something is to be decided in a start, and within so many moves.
inline bool is_playable(Position start, std::int64_t most_moves) {
    std::int64_t moves = 0;
    while (start.board.redistributions < 2 &&
           start.board.row_seeds(start.rules(), start.board.mover) == 0) {
        redistribute(start.rules(), start.board, {});
        ++moves;
    }
    if (moves > 0) start.settle();
    return !start.is_over() && moves < most_moves;
}

class PythonBatch {
public:
    PythonBatch(const Position& start, std::size_t rows, const py::object& seed,
                std::optional<std::int32_t> max_moves, bool exact_mask,
                const std::string& autoreset, bool raises, int threads)
        : start_(start),
          rows_(rows),
          numbers_(start.rules()),
          features_(start.rules()),
          threads_(threads),
          raises_(raises),
          max_moves_(max_moves),
          arrays_(checked_rows(rows), features_.all, numbers_.all),
          step_arrays_(arrays_.first(BatchArrays::of_a_step)) {
        require(threads >= 1 && threads <= 1024, "threads must be 1…1024");
        require(max_moves.value_or(1) >= 1, "max_moves must be 1 or more");
        require(is_playable(start, most_moves()), "nothing is left to play");
        BatchPlan plan;
        plan.rules = start.rules();
        plan.start = start.board;
        plan.rows = rows;
        plan.exact_mask = exact_mask;
        plan.autoreset = autoreset == "NextStep"   ? Autoreset::next_step
                         : autoreset == "SameStep" ? Autoreset::same_step
                                                   : Autoreset::disabled;
        plan.max_moves = most_moves();
        const std::vector<GameSeed> seeds = seeds_of(seed, all_rows());
        games_ = make_batch(plan, arrays_.results, crew_.poll());
        require(games_->has_room(start.board), "the start has no room");
        crew_.alone();
        for (std::size_t r = 0; r < rows; ++r) games_->reset(r, seeds[r], nullptr);
        games_->observe(0, rows, arrays_.output);
    }

    py::tuple step(const py::object& actions, const py::object& out) {
        const Turn turn(*this);
        finish();
        const ActionView view = view_of_actions(actions, rows_);
        if (view.data == nullptr) {
            ask_python("_refuse_actions", actions);
            require(false, "the actions do not fit");
        }
        BatchOutput output = arrays_.output;
        const py::tuple returned =
            out.is_none() ? step_arrays_ : given(out, BatchArrays::of_a_step, actions, output);
        std::atomic<std::size_t> first{Batch::none};
        crew_.run(rows_, threads_, [&](std::size_t begin, std::size_t end) {
            const std::size_t found = games_->prove(begin, end, view);
            std::size_t least = first.load();
            while (found < least && !first.compare_exchange_weak(least, found)) {
            }
        });
        if (raises_ && first != Batch::none) {
            const Position position = position_at(first);
            crew_.alone();
            ask_python("_refuse_action", first.load(), view[first], position);
            require(false, "an action is illegal");
        }
        change({Rest::commit, returned, output});
        return returned;
    }

    py::array sample(const py::object& out) {
        const Turn turn(*this);
        finish();
        py::array array = arrays_[BatchArrays::sample];
        std::int64_t* actions = arrays_.drawn;
        if (!out.is_none()) {
            if (!arrays_.fits(out, BatchArrays::sample)) {
                ask_python("_refuse_sample", out, arrays_.by_name());
                require(false, "out does not fit");
            }
            array = py::reinterpret_borrow<py::array>(out);
            actions = static_cast<std::int64_t*>(array.mutable_data());
        }
        change({Rest::draw, array, {}, actions});
        return array;
    }

    // `rows`: all if there are none; `seed` as in the constructor, None for the next game of each
    // row's own; `starts`: none, one for all, or one for each.
    py::tuple reset(const std::optional<std::vector<std::size_t>>& rows, const py::object& seed,
                    const std::vector<py::object>& starts, const py::object& out) {
        const Turn turn(*this);
        finish();
        const std::vector<std::size_t> chosen = rows ? *rows : all_rows();
        for (const std::size_t r : chosen) require(r < rows_, "there is no such row");
        std::vector<GameSeed> seeds;
        if (!seed.is_none()) {
            seeds = seeds_of(seed, chosen);
        } else {
            for (const std::size_t r : chosen) {
                seeds.push_back(games_->seed(r));
                seeds.back().game += seeds.back().stride;
            }
        }
        require(starts.size() <= 1 || starts.size() == chosen.size(), "starts do not fit");
        for (const py::object& start : starts) {
            const auto& position = start.cast<const Position&>();
            require(position.rules() == start_.rules() && is_playable(position, most_moves()) &&
                        games_->has_room(position.board),
                    "a start does not fit");
        }
        BatchOutput output = arrays_.output;
        const py::tuple returned = out.is_none()
                                       ? arrays_.first(BatchArrays::of_a_reset)
                                       : given(out, BatchArrays::of_a_reset, py::none(), output);
        // Nothing of this can fail.
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            games_->reset(chosen[i], seeds[i],
                          starts.empty()
                              ? nullptr
                              : &starts[i % starts.size()].cast<const Position&>().board);
        }
        change({Rest::observe, returned, output});
        return returned;
    }

    Position position(std::size_t row) {
        require(row < rows_, "there is no such row");
        const Turn turn(*this);
        finish();
        return position_at(row);
    }

    bool has_room(const Position& start) const { return games_->has_room(start.board); }

    py::dict features() const {
        py::dict slices;
        const auto add = [&](const char* name, int at, int width) {
            if (at >= 0) slices[name] = py::slice(at, at + width, 1);
        };
        const int ring = start_.rules().ring();
        add("pits", features_.pits, ring);
        add("stores", features_.stores, 2);
        add("mover", features_.mover, 1);
        add("since_capture", features_.since_capture, 1);
        add("protected", features_.protection, ring);
        add("direction", features_.direction, 1);
        add("barred", features_.barred, 1);
        add("redistribution", features_.redistribution, 4);
        return slices;
    }

    // One of the batch's own arrays.
    py::array array(std::size_t place) {
        finish_if_idle();
        return arrays_[place];
    }

    // How many steps and resets, and how many samples, have been made.
    std::uint64_t changes() {
        finish_if_idle();
        return changes_;
    }
    std::uint64_t samples() {
        finish_if_idle();
        return samples_;
    }

    const py::object& rules() const { return start_.book->python_rules; }
    const Position& start() const { return start_; }
    std::size_t rows() const { return rows_; }
    int actions() const { return numbers_.all; }
    int threads() const { return threads_; }
    std::optional<std::int32_t> max_moves() const { return max_moves_; }

private:
    // One caller at a time.
    class Turn {
    public:
        explicit Turn(PythonBatch& batch) : batch_(batch) {
            if (batch_.busy_.exchange(true)) {
                throw std::runtime_error("another thread is using this Batch");
            }
        }
        Turn(PythonBatch& batch, std::adopt_lock_t) : batch_(batch) {}
        ~Turn() { batch_.busy_.store(false, std::memory_order_release); }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        PythonBatch& batch_;
    };

    // What a step, sample or reset that has been made is still to do.
    struct Rest {
        enum What : std::uint8_t { draw, commit, observe } what{};
        py::object arrays;  // to which it writes
        BatchOutput output;
        std::int64_t* actions = nullptr;
    };

    // Makes a change: from here on, if it is interrupted, the rest is the first that the next call
    // does.
    void change(Rest&& rest) {
        games_->begin_another();
        std::atomic<std::uint64_t>& count = rest.what == Rest::draw ? samples_ : changes_;
        count.store(count + 1, std::memory_order_release);
        rest_ = std::move(rest);
        unfinished_.store(true, std::memory_order_release);
        finish();
    }
    void finish() {
        if (!unfinished_) return;
        crew_.run(rows_, threads_, [&](std::size_t begin, std::size_t end) {
            if (rest_.what == Rest::draw) return games_->draw(begin, end, rest_.actions);
            if (rest_.what == Rest::commit) return games_->commit(begin, end, rest_.output);
            games_->observe(begin, end, rest_.output);
        });
        unfinished_.store(false, std::memory_order_release);
        rest_.arrays = {};
    }
    // Finishes what an interrupted call left, unless another thread is at work.
    void finish_if_idle() {
        if (!unfinished_ || busy_.exchange(true)) return;
        const Turn turn(*this, std::adopt_lock);
        finish();
    }

    static std::size_t checked_rows(std::size_t rows) {
        require(rows >= 1 && rows <= 1 << 30, "n must be 1…2³⁰");
        return rows;
    }

    std::int64_t most_moves() const { return max_moves_ ? *max_moves_ : INT64_MAX; }

    // Calls a method that `batch.py` gives the class: it says what does not fit.
    template <class... Arguments>
    void ask_python(const char* method, Arguments&&... arguments) {
        py::cast(this, py::return_value_policy::reference).attr(method)(arguments...);
    }

    py::tuple given(const py::object& out, std::size_t most, const py::object& actions,
                    BatchOutput& output) {
        return arrays_.replaced(out, most, actions, output, [&] {
            ask_python("_refuse_out", out, most, actions, arrays_.by_name());
        });
    }

    std::vector<std::size_t> all_rows() const {
        std::vector<std::size_t> rows(rows_);
        for (std::size_t r = 0; r < rows_; ++r) rows[r] = r;
        return rows;
    }

    // One for all rows, each of which then plays other games of it, or one for each.
    std::vector<GameSeed> seeds_of(const py::object& seed,
                                   const std::vector<std::size_t>& rows) const {
        std::vector<GameSeed> seeds;
        seeds.reserve(rows.size());
        if (py::isinstance<py::int_>(seed)) {
            const auto number = seed.cast<std::uint64_t>();
            for (const std::size_t r : rows) seeds.push_back({number, r, rows_});
            return seeds;
        }
        for (const auto number : seed.cast<std::vector<std::uint64_t>>()) {
            seeds.push_back({number, 0, 1});
        }
        require(seeds.size() == rows.size(), "seeds do not fit");
        return seeds;
    }

    Position position_at(std::size_t r) const {
        Position position;
        position.book = start_.book;
        position.board = games_->position(r);
        position.settle();
        return position;
    }

    const Position start_;
    const std::size_t rows_;
    const ActionNumbers numbers_;
    const Features features_;
    const int threads_;
    const bool raises_;
    const std::optional<std::int32_t> max_moves_;
    Crew crew_;
    BatchArrays arrays_;
    py::tuple step_arrays_;
    std::unique_ptr<Batch> games_;
    std::atomic<bool> busy_{false};
    std::atomic<bool> unfinished_{false};
    Rest rest_;  // of the call that was interrupted
    std::atomic<std::uint64_t> changes_{0}, samples_{0};
};

}  // namespace relaysow
