// Batches as Python sees them: NumPy arrays in and out, checks, threads; no rules.
#include "play/batch.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "play/redistributions.hpp"
#include "python/bindings.hpp"
#include "python/integers.hpp"
#include "python/position.hpp"
#include "support/workers.hpp"

namespace relaysow {
namespace {

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

// The memory of a batch's own arrays, which may outlive it.
struct Buffers {
    std::vector<std::int16_t> observations, final_observations, scores;
    std::vector<std::uint8_t> mask, terminated, truncated, illegal, ends;
    std::vector<float> rewards;
    std::vector<std::int8_t> winners;
    std::vector<std::int32_t> lengths;
    std::vector<std::int64_t> actions;
};

struct ArrayKind {
    const char* name;
    std::vector<py::ssize_t> shape;
    char kind;  // as NumPy's: b, i, f
    int bytes;
    const char* dtype;
};

std::string shape_text(const py::ssize_t* shape, std::size_t dimensions) {
    std::string text = "(";
    for (std::size_t d = 0; d < dimensions; ++d) {
        text += std::to_string(shape[d]) + (dimensions == 1 ? "," : d + 1 < dimensions ? ", " : "");
    }
    return text + ")";
}

bool is_native(const py::dtype& dtype) {
    const char order = dtype.byteorder();
    return order == '=' || order == '|';
}

std::uint64_t seed_number(const py::handle& value, const std::string& name) {
    const py::int_ number = whole_number(value, name);
    const unsigned long long seed = PyLong_AsUnsignedLongLong(number.ptr());
    if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw py::value_error(name + "=" + shown(number) + ": must be 0…2⁶⁴−1");
    }
    return seed;
}

// Whether it is a sequence, or another iterable that has an order and is no text.
bool is_listed(const py::handle& value) {
    return py::isinstance<py::iterable>(value) && !py::isinstance<py::str>(value) &&
           !py::isinstance<py::bytes>(value) && PyByteArray_Check(value.ptr()) == 0 &&
           !py::isinstance<py::dict>(value) && PyAnySet_Check(value.ptr()) == 0;
}

py::list items(const py::handle& value, const std::string& name, std::size_t wanted) {
    py::list found;
    for (const py::handle item : py::iter(value)) {
        if (found.size() == wanted) {  // an endless iterator must not fill the memory
            throw py::value_error(name + " has more than " + std::to_string(wanted) +
                                  " items: must be " + std::to_string(wanted));
        }
        found.append(item);
    }
    if (found.size() != wanted) {
        throw py::value_error(name + " has " + std::to_string(found.size()) + " items: must be " +
                              std::to_string(wanted));
    }
    return found;
}

// What names a choice: a string, or an enumeration's member that has it as its value.
std::string choice(const py::object& given, const char* name,
                   const std::vector<const char*>& allowed) {
    py::tuple words(allowed.size());
    for (std::size_t i = 0; i < allowed.size(); ++i) words[i] = allowed[i];
    const py::object value = py::hasattr(given, "value") ? py::object(given.attr("value")) : given;
    return python->checks.attr("one_of")(name, value, words).cast<std::string>();
}

class PythonBatch {
public:
    PythonBatch(const py::object& rules_or_start, const py::object& rows, const py::object& seed,
                const py::object& max_moves, const py::object& mask, const py::object& autoreset,
                const py::object& illegal, const py::object& threads) try
        : start_(start_of(rules_or_start)),
          rows_(static_cast<std::size_t>(
              whole_number(rows, "n", 1, 1 << 30, "must be 1…2³⁰", PyExc_ValueError))),
          numbers_(start_.rules()),
          features_(start_.rules()),
          threads_(whole_number(threads, "threads", 1, 1024, "must be 1…1024", PyExc_ValueError)),
          raises_(choice(illegal, "illegal", {"raise", "report"}) == "raise"),
          max_moves_(max_moves) {
        BatchPlan plan;
        plan.rules = start_.rules();
        plan.start = start_.board;
        plan.rows = rows_;
        plan.exact_mask = choice(mask, "mask", {"candidates", "exact"}) == "exact";
        const std::string reset_mode =
            choice(autoreset, "autoreset", {"NextStep", "SameStep", "Disabled"});
        plan.autoreset = reset_mode == "NextStep"   ? Autoreset::next_step
                         : reset_mode == "SameStep" ? Autoreset::same_step
                                                    : Autoreset::disabled;
        if (!max_moves.is_none()) {
            most_moves_ = whole_number(max_moves, "max_moves", 1, INT32_MAX,
                                       "must be 1…2³¹−1, or None", PyExc_ValueError);
        }
        plan.max_moves = most_moves_;
        check_start(start_);
        const std::vector<GameSeed> seeds = seeds_of(seed, all_rows());
        make_arrays();
        games_ = make_batch(plan, results_, crew_.poll());
        if (!games_->has_room(start_.board)) {
            throw py::value_error("the start holds " + std::to_string(seeds_on(start_.board)) +
                                  " seeds, the set-up " + std::to_string(numbers_.lifts) +
                                  ": some lifts have no action number");
        }
        crew_.alone();
        for (std::size_t r = 0; r < rows_; ++r) games_->reset(r, seeds[r], nullptr);
        games_->observe(0, rows_, own_);
    } catch (const std::bad_alloc&) {
        const std::string told = "n=" + shown(rows) + ": no room for so many games";
        py::set_error(PyExc_MemoryError, told.c_str());
        throw py::error_already_set();
    }

    py::tuple step(const py::object& actions, const py::object& out) {
        const Turn turn(*this);
        finish();
        const ActionView view = view_of(actions);
        BatchOutput output = own_;
        const py::tuple returned = out.is_none() ? step_arrays_ : given(out, output, 5, actions);
        std::atomic<std::size_t> first{Batch::none};
        crew_.run(rows_, threads_, [&](std::size_t begin, std::size_t end) {
            const std::size_t found = games_->prove(begin, end, view);
            std::size_t least = first.load();
            while (found < least && !first.compare_exchange_weak(least, found)) {
            }
        });
        if (raises_ && first != Batch::none) refuse_action(first, view[first]);
        change({Rest::commit, returned, output});
        return returned;
    }

    py::array sample(const py::object& out) {
        const Turn turn(*this);
        finish();
        py::array array = sampled_;
        std::int64_t* actions = buffers_->actions.data();
        if (!out.is_none()) {
            array = checked(out, {"out", {rows()}, 'i', 8, "int64"});
            refuse_own(extent(array), "out", sampled_place);
            actions = static_cast<std::int64_t*>(array.mutable_data());
        }
        change({Rest::draw, array, {}, actions});
        return array;
    }

    py::tuple reset(const py::object& rows, const py::object& seed, const py::object& start,
                    const py::object& out) {
        const Turn turn(*this);
        finish();
        const std::vector<std::size_t> chosen = rows_of(rows);
        std::vector<GameSeed> seeds;
        if (!seed.is_none()) {
            seeds = seeds_of(seed, chosen);
        } else {
            for (const std::size_t r : chosen) {
                seeds.push_back(games_->seed(r));
                seeds.back().game += seeds.back().stride;
            }
        }
        const std::vector<py::object> starts = starts_of(start, chosen.size());
        BatchOutput output = own_;
        const py::tuple returned = out.is_none() ? py::tuple(step_arrays_[py::slice(0, 2, 1)])
                                                 : given(out, output, 2, py::none());
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

    Position position(const py::object& row) {
        const int r = whole_number(row, "row", 0, static_cast<int>(rows_) - 1,
                                   "must be 0…" + std::to_string(rows_ - 1), PyExc_IndexError);
        const Turn turn(*this);
        finish();
        return position_at(static_cast<std::size_t>(r));
    }

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
    py::array array(py::array PythonBatch::*member) {
        finish_if_idle();
        return this->*member;
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
    py::ssize_t rows() const { return static_cast<py::ssize_t>(rows_); }
    int actions() const { return numbers_.all; }
    int threads() const { return threads_; }
    const py::object& max_moves() const { return max_moves_; }

    py::array observations_, mask_, rewards_, terminated_, truncated_, illegal_, sampled_;
    py::array final_observations_, scores_, winners_, ends_, lengths_;

private:
    // Between these two the memory of an array lies.
    struct Extent {
        const char *begin, *end;
        bool meets(const Extent& other) const {
            return std::less{}(begin, other.end) && std::less{}(other.begin, end);
        }
    };
    static Extent extent(const py::array& array) {
        const char* begin = static_cast<const char*>(array.data());
        const char* end = begin + array.itemsize();
        for (py::ssize_t d = 0; d < array.ndim(); ++d) {
            if (array.shape(d) == 0) return {begin, begin};
            const py::ssize_t last = (array.shape(d) - 1) * array.strides(d);
            (last < 0 ? begin : end) += last;
        }
        return {begin, end};
    }

    // The batch's own arrays, those of a step first.
    static constexpr std::array own_names{
        "observations",       "mask",   "rewards", "terminated", "truncated", "illegal", "sample",
        "final_observations", "scores", "winners", "ends",       "lengths"};
    static constexpr std::size_t sampled_place = 6;

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

    static Position start_of(const py::object& given) {
        if (py::isinstance<Position>(given)) return given.cast<Position>();
        if (!py::isinstance(given, python->rules)) {
            throw py::type_error("a Batch starts from Rules or a Position, not " + shown(given));
        }
        return given.attr("start")().cast<Position>();
    }

    static int seeds_on(const AnyBoard& board) {
        int seeds = 0;
        for (const std::uint16_t pit : board.ring) seeds += pit;
        return seeds;
    }

    void check_start(const Position& start) const {
        Position first = start;  // in which something is to be decided
        std::int64_t moves = 0;
        while (first.board.redistributions < 2 &&
               first.board.row_seeds(first.rules(), first.board.mover) == 0) {
            redistribute(first.rules(), first.board, {});
            ++moves;
        }
        if (moves > 0) first.settle();
        if (first.is_over() || moves >= most_moves_) refuse_start(start);
    }

    [[noreturn]] static void refuse_start(const Position& start) {
        throw py::value_error("nothing is left to play in the start " + shown(py::cast(start)));
    }

    template <class T>
    py::array own(std::vector<T>& values, const char* dtype, std::vector<py::ssize_t> shape,
                  const py::capsule& owner) {
        std::size_t size = 1;
        for (const py::ssize_t length : shape) size *= static_cast<std::size_t>(length);
        values.resize(size);
        return py::array(py::dtype(std::string(dtype)), std::move(shape), values.data(), owner);
    }

    void make_arrays() {
        buffers_ = std::make_shared<Buffers>();
        const py::capsule owner(new std::shared_ptr<Buffers>(buffers_), [](void* held) {
            delete static_cast<std::shared_ptr<Buffers>*>(held);
        });
        Buffers& b = *buffers_;
        const py::ssize_t n = rows();
        observations_ = own(b.observations, "int16", {n, features_.all}, owner);
        mask_ = own(b.mask, "bool", {n, numbers_.all}, owner);
        rewards_ = own(b.rewards, "float32", {n, 2}, owner);
        terminated_ = own(b.terminated, "bool", {n}, owner);
        truncated_ = own(b.truncated, "bool", {n}, owner);
        illegal_ = own(b.illegal, "bool", {n}, owner);
        sampled_ = own(b.actions, "int64", {n}, owner);
        final_observations_ = own(b.final_observations, "int16", {n, features_.all}, owner);
        scores_ = own(b.scores, "int16", {n, 2}, owner);
        winners_ = own(b.winners, "int8", {n}, owner);
        ends_ = own(b.ends, "uint8", {n}, owner);
        lengths_ = own(b.lengths, "int32", {n}, owner);
        own_ = {b.observations.data(), b.mask.data(),      b.rewards.data(),
                b.terminated.data(),   b.truncated.data(), b.illegal.data()};
        results_ = {b.final_observations.data(), b.scores.data(), b.winners.data(), b.ends.data(),
                    b.lengths.data()};
        const std::array arrays{&observations_, &mask_,    &rewards_, &terminated_,
                                &truncated_,    &illegal_, &sampled_, &final_observations_,
                                &scores_,       &winners_, &ends_,    &lengths_};
        for (std::size_t i = 0; i < arrays.size(); ++i) extents_[i] = extent(*arrays[i]);
        step_arrays_ = py::make_tuple(observations_, mask_, rewards_, terminated_, truncated_);
    }

    static py::array checked(const py::handle& given, const ArrayKind& wanted) {
        const std::string name = wanted.name;
        if (!py::isinstance<py::array>(given)) {
            throw py::type_error(name + " must be a NumPy array of " + wanted.dtype + ", not " +
                                 text(py::type::of(given).attr("__name__")));
        }
        py::array array = py::reinterpret_borrow<py::array>(given);
        const py::dtype dtype = array.dtype();
        const char kind = dtype.kind();
        // A mask of any single bytes will do.
        const bool byte_of_a_mask = wanted.kind == 'b' && dtype.itemsize() == 1 &&
                                    (kind == 'i' || kind == 'u') && name == "mask";
        if (!byte_of_a_mask && (kind != wanted.kind || dtype.itemsize() != wanted.bytes)) {
            throw py::type_error(name + " is an array of " + text(dtype) + ": must be " +
                                 wanted.dtype);
        }
        if (!is_native(dtype)) {
            throw py::type_error(name + " is an array of " + shown(dtype) +
                                 ": must be in the machine's byte order");
        }
        const auto dimensions = static_cast<std::size_t>(array.ndim());
        if (dimensions != wanted.shape.size() ||
            !std::equal(wanted.shape.begin(), wanted.shape.end(), array.shape())) {
            throw py::value_error(name + " has the shape " + shape_text(array.shape(), dimensions) +
                                  ": must be " +
                                  shape_text(wanted.shape.data(), wanted.shape.size()));
        }
        constexpr int aligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
        if ((array.flags() & py::array::c_style) == 0 || (array.flags() & aligned) == 0) {
            throw py::value_error(name + " must be C-contiguous and aligned");
        }
        if (!array.writeable()) throw py::value_error(name + " is read-only");
        return array;
    }

    // The arrays that a step writes: the given ones, and the batch's own for the rest.
    py::tuple given(const py::object& out, BatchOutput& output, std::size_t most,
                    const py::object& actions) const {
        if (!py::isinstance<py::dict>(out)) {
            throw py::type_error("out must be a dict of arrays, not " + shown(out));
        }
        py::list arrays;
        for (std::size_t i = 0; i < most; ++i) arrays.append(step_arrays_[i]);
        std::array<Extent, 5> extents;
        std::copy_n(extents_.begin(), extents.size(), extents.begin());
        for (const auto& item : py::reinterpret_borrow<py::dict>(out)) {
            const py::handle key = item.first, value = item.second;
            const char* const told =
                py::isinstance<py::str>(key) ? PyUnicode_AsUTF8(key.ptr()) : "";
            if (told == nullptr) PyErr_Clear();  // a lone surrogate
            const std::string name = told != nullptr ? told : "";
            const py::ssize_t n = rows();
            std::size_t at = 0;
            const auto take = [&](std::vector<py::ssize_t> shape, char kind, int bytes,
                                  const char* dtype, std::size_t place, auto*& pointer) {
                py::array array =
                    checked(value, {name.c_str(), std::move(shape), kind, bytes, dtype});
                pointer =
                    static_cast<std::remove_reference_t<decltype(pointer)>>(array.mutable_data());
                at = place;
            };
            if (name == "observations") {
                take({n, features_.all}, 'i', 2, "int16", 0, output.observations);
            } else if (name == "mask") {
                take({n, numbers_.all}, 'b', 1, "bool", 1, output.mask);
            } else if (name == "rewards" && most > 2) {
                take({n, 2}, 'f', 4, "float32", 2, output.rewards);
            } else if (name == "terminated" && most > 2) {
                take({n}, 'b', 1, "bool", 3, output.terminated);
            } else if (name == "truncated" && most > 2) {
                take({n}, 'b', 1, "bool", 4, output.truncated);
            } else {
                throw py::value_error(
                    "out has " + shown(key) + ": must be of 'observations', " +
                    (most > 2 ? "'mask', 'rewards', 'terminated', 'truncated'" : "'mask'"));
            }
            arrays[at] = value;
            extents[at] = extent(py::reinterpret_borrow<py::array>(value));
            refuse_own(extents[at], own_names[at], at);
        }
        // Two arrays that share memory would overwrite each other.
        for (std::size_t i = 0; i < most; ++i) {
            for (std::size_t k = 0; k < i; ++k) {
                if (extents[i].meets(extents[k])) refuse_shared(own_names[k], own_names[i]);
            }
        }
        if (actions.is_none()) return py::tuple(arrays);
        const Extent read = extent(py::reinterpret_borrow<py::array>(actions));
        for (std::size_t i = 0; i < most; ++i) {
            if (!read.meets(extents[i])) continue;
            const auto numpy = py::module_::import("numpy");  // they may have gaps
            if (numpy.attr("shares_memory")(actions, arrays[i]).cast<bool>()) {
                refuse_shared("actions", own_names[i]);
            }
        }
        return py::tuple(arrays);
    }

    [[noreturn]] static void refuse_shared(const std::string& one, const std::string& other) {
        throw py::value_error(one + " and " + other + " share memory: each must have its own");
    }

    // An array to write to is no other array of the batch than the one in whose place it is.
    void refuse_own(const Extent& given, const char* name, std::size_t place) const {
        for (std::size_t i = 0; i < extents_.size(); ++i) {
            if (!given.meets(extents_[i])) continue;
            if (i == place && given.begin == extents_[i].begin) continue;
            throw py::value_error(std::string(name) + " shares memory with the batch's own " +
                                  own_names[i] + ": it must have its own");
        }
    }

    ActionView view_of(const py::object& actions) const {
        if (!py::isinstance<py::array>(actions)) {
            throw py::type_error("actions must be a NumPy array of integers, not " +
                                 text(py::type::of(actions).attr("__name__")));
        }
        const py::array array = py::reinterpret_borrow<py::array>(actions);
        const py::dtype dtype = array.dtype();
        const char kind = dtype.kind();
        if ((kind != 'i' && kind != 'u') || !is_native(dtype)) {
            throw py::type_error("actions is an array of " + shown(dtype) +
                                 ": must be of integers in the machine's byte order");
        }
        if (array.ndim() != 1 || array.shape(0) != rows()) {
            throw py::value_error(
                "actions has the shape " +
                shape_text(array.shape(), static_cast<std::size_t>(array.ndim())) + ": must be (" +
                std::to_string(rows_) + ",)");
        }
        return {static_cast<const char*>(array.data()), array.strides(0),
                static_cast<int>(dtype.itemsize()), kind == 'i'};
    }

    std::vector<std::size_t> all_rows() const {
        std::vector<std::size_t> rows(rows_);
        for (std::size_t r = 0; r < rows_; ++r) rows[r] = r;
        return rows;
    }

    // None, a bool array of n, or row numbers.
    std::vector<std::size_t> rows_of(const py::object& given) const {
        if (given.is_none()) return all_rows();
        std::vector<std::size_t> rows;
        if (py::isinstance<py::array>(given)) {
            const py::array array = py::reinterpret_borrow<py::array>(given);
            if (array.dtype().kind() == 'b') {
                if (array.ndim() != 1 || array.shape(0) != this->rows()) {
                    throw py::value_error(
                        "rows has the shape " +
                        shape_text(array.shape(), static_cast<std::size_t>(array.ndim())) +
                        ": must be (" + std::to_string(rows_) + ",)");
                }
                const char* const at = static_cast<const char*>(array.data());
                for (std::size_t r = 0; r < rows_; ++r) {
                    if (at[static_cast<py::ssize_t>(r) * array.strides(0)] != 0) rows.push_back(r);
                }
                return rows;
            }
        }
        if (!is_listed(given)) {
            throw py::type_error("rows must be row numbers, a bool array or None, not " +
                                 shown(given));
        }
        std::vector<bool> named(rows_);
        for (const py::handle item : py::iter(given)) {
            const auto r = static_cast<std::size_t>(
                whole_number(item, "row", 0, static_cast<int>(rows_) - 1,
                             "must be 0…" + std::to_string(rows_ - 1), PyExc_IndexError));
            if (named[r]) throw py::value_error("row " + std::to_string(r) + " is named twice");
            named[r] = true;
            rows.push_back(r);
        }
        return rows;
    }

    std::vector<GameSeed> seeds_of(const py::object& given,
                                   const std::vector<std::size_t>& rows) const {
        std::vector<GameSeed> seeds;
        seeds.reserve(rows.size());
        if (PyIndex_Check(given.ptr()) != 0 && !py::isinstance<py::array>(given)) {
            const std::uint64_t seed = seed_number(given, "seed");
            for (const std::size_t r : rows) seeds.push_back({seed, r, rows_});
            return seeds;
        }
        if (!is_listed(given)) {
            throw py::type_error("seed must be an integer, or one for each row, not " +
                                 shown(given));
        }
        for (const py::handle item : items(given, "seed", rows.size())) {
            seeds.push_back({seed_number(item, "seed"), 0, 1});
        }
        return seeds;
    }

    std::vector<py::object> starts_of(const py::object& given, std::size_t wanted) const {
        std::vector<py::object> starts;
        if (given.is_none()) return starts;
        if (py::isinstance<Position>(given)) {
            starts.push_back(given);
        } else if (is_listed(given)) {
            for (const py::handle item : items(given, "start", wanted)) {
                starts.push_back(py::reinterpret_borrow<py::object>(item));
            }
        } else {
            throw py::type_error("start must be a Position, or one for each row, not " +
                                 shown(given));
        }
        for (const py::object& start : starts) {
            if (!py::isinstance<Position>(start)) {
                throw py::type_error("start must be a Position, not " + shown(start));
            }
            const auto& position = start.cast<const Position&>();
            if (position.rules() != start_.rules()) {
                throw py::value_error("a start is of other rules: " + shown(start));
            }
            check_start(position);
            if (!games_->has_room(position.board)) {
                throw py::value_error(
                    "a start has more seeds than this Batch has room for: make "
                    "the Batch from it, or from a larger set-up");
            }
        }
        return starts;
    }

    Position position_at(std::size_t r) const {
        Position position;
        position.book = start_.book;
        position.board = games_->position(r);
        position.settle();
        return position;
    }

    [[noreturn]] void refuse_action(std::size_t r, std::int64_t action) {
        const Position position = position_at(r);
        crew_.alone();
        std::string why = "row " + std::to_string(r) + ", action " + std::to_string(action) + ": ";
        const bool redistributes = position.board.redistributions < 2;
        if (action < 0 || action >= numbers_.all) {
            why += "must be 0…" + std::to_string(numbers_.all - 1);
        } else if (redistributes != (action >= numbers_.sowings)) {
            why += redistributes ? "a redistribution is due, not a sowing"
                                 : "a sowing is due, not a redistribution";
        } else if (redistributes) {
            why += "no such decision in this redistribution";
        } else {
            const py::object here = py::cast(position);
            try {
                here.attr("play")(here.attr("move")(action));
                why += "illegal";
            } catch (const py::error_already_set& error) {
                if (!error.matches(python->illegal_move)) throw;
                why += text(error.value());
            }
        }
        py::set_error(python->illegal_move, why.c_str());
        throw py::error_already_set();
    }

    const Position start_;
    const std::size_t rows_;
    const ActionNumbers numbers_;
    const Features features_;
    const int threads_;
    const bool raises_;
    const py::object max_moves_;
    std::int64_t most_moves_ = INT64_MAX;
    Crew crew_;
    std::shared_ptr<Buffers> buffers_;
    BatchOutput own_;
    BatchResults results_;
    py::tuple step_arrays_;
    std::array<Extent, own_names.size()> extents_{};
    std::unique_ptr<Batch> games_;
    std::atomic<bool> busy_{false};
    std::atomic<bool> unfinished_{false};
    Rest rest_;  // of the call that was interrupted
    std::atomic<std::uint64_t> changes_{0}, samples_{0};
};

constexpr const char* batch_doc =
    R"doc(`n` games side by side, a move at a time in each: for learners and for players of one's own.

`rules` are Rules, or the Position in which every game begins.  `seed` is one for all rows, or one
for each: row r then plays games r, r + n, r + 2n, … of `seed`, or games 0, 1, 2, … of its own.  Each
game has its own stream of chance: where every action is drawn by `sample`, the games are those
of `simulate` with the same seed and number (but for opening redistributions, which are drawn there
as a whole).

Action numbers are those of `rules.actions` and `Position.action`, own pits first to last.  Where the
rules have an opening redistribution, a player makes it by single decisions, numbered after the
sowings: with A = `rules.actions`, A + k empties his own pit k (0…n−1 from his left), in any order, until
as many are emptied as the rules name; then A + k places one of the seeds in hand in pit k of the
ring counted from his own leftmost, k = 0…2n−1, until none is left.  Under
`redistribution="up_to_two"` A + 2n empties no more.  `actions` is the number of all.

An observation is a row of int16, as the player to move sees the board; `features` names its parts:

* `pits`: the 2n counts, counter-clockwise from his own leftmost pit; `stores`: his, the other's;
* `mover`: 0 (South) or 1; `since_capture`: moves since the last capture, or since the opening;
* `protected`, where the rules protect pits: 1 for each such pit of the 2n;
* `direction`, `barred`, where extra moves have duties: 0 for none; 1 for "ccw", 2 for "cw"; the own
  pit, from 1, that the move may not start from;
* `redistribution`, where the rules have one: redistributions made (2: all), pits emptied in the
  present one, seeds in hand, and 1 once they are being placed.  `pits` are as decided so far.

`mask` says which actions may be made: `mask="candidates"` leaves out what the first-lap rule forbids,
but not the rare sowings that never end; `mask="exact"` proves each legal.  When a game is over no
action may be made.  `max_moves` (a redistribution counts one) truncates a game; with
`repetition="off"` and none, a game may go on for ever.  Repetition is judged as in `Game`.

`autoreset` is as in Gymnasium (the string, or a member of its `AutoresetMode`).  "NextStep": a row
whose game is over begins the next game in the following step, whatever its action; "SameStep": it
does at once, and its last observation is in `final_observations`; "Disabled": it stays over, and its
flags set, until `reset`.

`illegal="raise"`: an illegal action, one whose sowing never ends included, raises `IllegalMove`
naming the first such row, and no game has moved.  `illegal="report"`: it changes nothing in its row,
and `illegal` says so.

`threads` serve the rows; results do not depend on them.

A step, `sample` or `reset` that Ctrl-C interrupts has been made or has not: if it has, in part, the
next call, or who asks for one of the arrays, finishes it first.

Raises `ValueError` naming the value and what is allowed, `TypeError` for wrong types, `RuntimeError`
when two threads use one Batch at a time, `MemoryError` where so many rows find no room.
A Batch cannot be pickled.

>>> import relaysow as rs
>>> batch = rs.Batch(rs.giuthi(pits=5, seeds=4), n=256, seed=1)
>>> batch.observations.shape, batch.mask.shape, batch.actions
((256, 14), (256, 10), 10)
>>> returns = 0
>>> for _ in range(100):
...     movers = batch.observations[:, batch.features["mover"]].copy()
...     observations, mask, rewards, terminated, truncated = batch.step(batch.sample())
...     returns += rewards
>>> returns.shape, bool((returns.sum(axis=1) == 0).all())
((256, 2), True)
)doc";

}  // namespace

void bind_batch(py::module_& m) {
    using namespace py::literals;
    py::class_<PythonBatch> batch(m, "Batch", batch_doc);
    batch.attr("__module__") = "relaysow";
    batch
        .def(py::init<const py::object&, const py::object&, const py::object&, const py::object&,
                      const py::object&, const py::object&, const py::object&, const py::object&>(),
             "rules"_a, "n"_a, "seed"_a = 0, py::kw_only(), "max_moves"_a = py::none(),
             "mask"_a = "candidates", "autoreset"_a = "NextStep", "illegal"_a = "raise",
             "threads"_a = 1)
        .def(
            "step", &PythonBatch::step, "actions"_a, "out"_a = py::none(),
            R"doc(Make one decision in each row: (observations, mask, rewards, terminated, truncated).

`actions` is an array of n integers.  `rewards` (n, 2) holds South's and North's: +1, 0 or −1 where a
game has ended, else 0; a truncated game has none.  `terminated` and `truncated` are bools.

The arrays are the batch's own, written anew by every call, or those of the dict `out` by the same
names, for instance slices of a roll-out: C-contiguous, of exactly the shape and dtype of the
batch's own (a mask may also be int8 or uint8).  Nothing is copied.

Raises `IllegalMove` as said above, `ValueError` and `TypeError` naming the array that does not fit.

>>> import numpy as np, relaysow as rs
>>> batch = rs.Batch(rs.giuthi(), n=2, illegal="report")
>>> rollout = np.empty((10, *batch.observations.shape), np.int16)
>>> for t in range(10):
...     _ = batch.step(np.array([0, 99]), out={"observations": rollout[t]})
>>> batch.illegal.tolist(), rollout[9, 1, :16].tolist() == [8] * 16
([True, True], True)
)doc")
        .def("sample", &PythonBatch::sample, "out"_a = py::none(),
             R"doc(A legal action for each row, all legal ones equally likely: int64 (n,).

Each row draws from the stream of its game, as a random player of `simulate` does; what is drawn is
proved, and costs nothing to prove again in `step`.  A row whose game is over gets 0.  `out` is an
int64 array to write to instead of the batch's own.  Raises as `step` does.
)doc")
        .def("reset", &PythonBatch::reset, "rows"_a = py::none(), py::kw_only(),
             "seed"_a = py::none(), "start"_a = py::none(), "out"_a = py::none(),
             R"doc(Begin a new game in some rows: (observations, mask), of all rows.

`rows` are row numbers or a bool array of n; None: all.  `seed` is as in the constructor, one for each
of these rows or one for all; None: the next game of each row's own seed.  `start` is a Position of the
same rules, or one for each of these rows, in which this one game begins; later ones begin as all.

Raises `IndexError` for a row that is not there, `ValueError` and `TypeError` naming the value.

>>> import relaysow as rs
>>> batch = rs.Batch(rs.giuthi(pits=3, seeds=2), n=3)
>>> start = rs.Position(batch.rules, [3, 0, 1, 0, 2, 2], stores=(4, 0), mover=1)
>>> observations, mask = batch.reset([2], start=start)
>>> observations[2].tolist()
[0, 2, 2, 3, 0, 1, 0, 4, 1, 0]
)doc")
        .def("position", &PythonBatch::position, "row"_a,
             R"doc(The Position of a row; during a redistribution the one before it.

Raises `IndexError` for a row that is not there, `TypeError` for what is no integer.

>>> import relaysow as rs
>>> batch = rs.Batch(rs.engehe(pits=5), n=4)
>>> batch.position(3) == batch.rules.start()
True
)doc")
        .def_property_readonly("rules", &PythonBatch::rules, "The Rules of the games.")
        .def_property_readonly("start", &PythonBatch::start, "The Position they begin in.")
        .def_property_readonly("n", &PythonBatch::rows, "How many rows.")
        .def_property_readonly("actions", &PythonBatch::actions,
                               "How many action numbers: `rules.actions`, and those of "
                               "redistributions.")
        .def_property_readonly("threads", &PythonBatch::threads)
        .def_property_readonly("_changes", &PythonBatch::changes)
        .def_property_readonly("_samples", &PythonBatch::samples)
        .def_property_readonly("max_moves", &PythonBatch::max_moves)
        .def_property_readonly("features", &PythonBatch::features,
                               "The parts of an observation: a new dict of slices by name.")
        .def("__len__", &PythonBatch::rows)
        .def("__reduce__", [](const PythonBatch&) -> py::object {
            throw py::type_error(
                "a Batch cannot be pickled or copied: keep the positions of its "
                "rows, and reset another Batch to them");
        });
    const auto array = [&](const char* name, py::array PythonBatch::*member, const char* doc) {
        batch.def_property_readonly(
            name, [member](PythonBatch& b) { return b.array(member); }, doc);
    };
    array("observations", &PythonBatch::observations_, "int16 (n, features): where games stand.");
    array("mask", &PythonBatch::mask_, "bool (n, actions): what may be done.");
    array("rewards", &PythonBatch::rewards_,
          "float32 (n, 2): South's and North's, of the last step.");
    array("terminated", &PythonBatch::terminated_, "bool (n,): games that the last step ended.");
    array("truncated", &PythonBatch::truncated_, "bool (n,): games cut by `max_moves`.");
    array("illegal", &PythonBatch::illegal_, "bool (n,): rows whose last action was illegal.");
    array("final_observations", &PythonBatch::final_observations_,
          "int16 (n, features): the last of the game that ended last in each row.");
    array("scores", &PythonBatch::scores_,
          "int16 (n, 2): South's and North's seeds at the end of the game that ended last.");
    array("winners", &PythonBatch::winners_,
          "int8 (n,): who won it: 0, 1, −1 drawn, −2 cut by `max_moves`.");
    array("ends", &PythonBatch::ends_, "uint8 (n,): how it ended, as in `Simulation.end`.");
    array("lengths", &PythonBatch::lengths_, "int32 (n,): its moves.");
    py::detail::get_type_info(typeid(PythonBatch))->operator_new = [](std::size_t) -> void* {
        throw py::type_error("this object was made without __init__");
    };
}

}  // namespace relaysow
