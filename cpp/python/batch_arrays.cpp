// The arrays of a batch, and those of others that it writes to instead.
#include "python/batch_arrays.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace relaysow {

namespace {

bool is_native(const py::dtype& dtype) {
    const char order = dtype.byteorder();
    return order == '=' || order == '|';
}

bool is_integer(const py::dtype& dtype) { return dtype.kind() == 'i' || dtype.kind() == 'u'; }

template <class T>
void point(T*& pointer, py::array& array) {
    pointer = static_cast<T*>(array.mutable_data());
}

void write_to(py::array array, std::size_t place, BatchOutput& output) {
    switch (place) {
        case 0:
            return point(output.observations, array);
        case 1:
            return point(output.mask, array);
        case 2:
            return point(output.rewards, array);
        case 3:
            return point(output.terminated, array);
        case 4:
            return point(output.truncated, array);
        default:
            return point(output.illegal, array);
    }
}

}  // namespace

Extent::Extent(const py::array& array)
    : begin(static_cast<const char*>(array.data())), end(begin + array.itemsize()) {
    for (py::ssize_t d = 0; d < array.ndim(); ++d) {
        if (array.shape(d) == 0) end = begin;
        if (array.shape(d) == 0) return;
        const py::ssize_t last = (array.shape(d) - 1) * array.strides(d);
        (last < 0 ? begin : end) += last;
    }
}

BatchArrays::BatchArrays(std::size_t rows, int features, int actions) {
    for (std::size_t place = 0; place < arrays_.size(); ++place) {
        const py::ssize_t width[] = {1, 2, features, actions};
        const auto columns = batch_arrays[place].columns;
        std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows)};
        if (columns != BatchArray::none) shape.push_back(width[columns]);
        const py::dtype dtype(std::string(batch_arrays[place].dtype));
        // The array is not the owner of its memory, or NumPy would let a user resize it.
        auto memory = std::make_unique<std::vector<std::byte>>(
            rows * static_cast<std::size_t>(width[columns] * dtype.itemsize()));
        void* const data = memory->data();
        const py::capsule owner(
            memory.get(), [](void* held) { delete static_cast<std::vector<std::byte>*>(held); });
        memory.release();
        arrays_[place] = py::array(dtype, std::move(shape), data, owner);
        memory_[place] = Extent(arrays_[place]);
        if (place < sample) write_to(arrays_[place], place, output);
    }
    point(drawn, arrays_[sample]);
    point(results.observations, arrays_[7]);
    point(results.scores, arrays_[8]);
    point(results.winners, arrays_[9]);
    point(results.ends, arrays_[10]);
    point(results.lengths, arrays_[11]);
}

py::tuple BatchArrays::first(std::size_t most) const {
    py::tuple arrays(most);
    for (std::size_t place = 0; place < most; ++place) arrays[place] = arrays_[place];
    return arrays;
}

py::dict BatchArrays::by_name() const {
    py::dict arrays;
    for (std::size_t i = 0; i < arrays_.size(); ++i) arrays[batch_arrays[i].name] = arrays_[i];
    return arrays;
}

bool BatchArrays::fits(const py::handle& given, std::size_t place) const {
    if (!py::isinstance<py::array>(given)) return false;
    const auto array = py::reinterpret_borrow<py::array>(given);
    const py::array& own = arrays_[place];
    const py::dtype dtype = array.dtype();
    // A mask of any single bytes will do.
    const bool same_kind = dtype.kind() == own.dtype().kind() || (place == 1 && is_integer(dtype));
    constexpr int aligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
    if (!same_kind || dtype.itemsize() != own.itemsize() || !is_native(dtype) ||
        array.ndim() != own.ndim() ||
        !std::equal(own.shape(), own.shape() + own.ndim(), array.shape()) ||
        (array.flags() & py::array::c_style) == 0 || (array.flags() & aligned) == 0 ||
        !array.writeable()) {
        return false;
    }
    // It shares no memory with another array of the batch than the one in whose place it is.
    const Extent memory(array);
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        if (!memory.meets(memory_[i])) continue;
        if (i != place || memory.begin != memory_[i].begin) return false;
    }
    return true;
}

py::tuple BatchArrays::replaced(const py::object& out, std::size_t most, const py::object& actions,
                                BatchOutput& written, const std::function<void()>& refuse) const {
    py::tuple arrays = first(most);
    bool fit = py::isinstance<py::dict>(out);
    if (fit) {
        for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(out)) {
            std::size_t place = 0;
            while (place < most &&
                   !(py::isinstance<py::str>(key) &&
                     PyUnicode_CompareWithASCIIString(key.ptr(), batch_arrays[place].name) == 0)) {
                ++place;
            }
            fit = fit && place < most && fits(value, place);
            if (!fit) break;
            arrays[place] = value;
            write_to(py::reinterpret_borrow<py::array>(value), place, written);
        }
    }
    std::array<Extent, of_a_step> memory{};
    for (std::size_t i = 0; fit && i < most; ++i) {
        memory[i] = Extent(py::reinterpret_borrow<py::array>(arrays[i]));
        // Two arrays that share memory would overwrite each other.
        for (std::size_t k = 0; k < i; ++k) fit = fit && !memory[i].meets(memory[k]);
    }
    if (!fit) {
        refuse();
        throw std::invalid_argument("an array of out does not fit");
    }
    if (!actions.is_none()) {
        const Extent read(py::reinterpret_borrow<py::array>(actions));
        const auto meets = [&](const Extent& other) { return read.meets(other); };
        if (std::any_of(memory.begin(), memory.begin() + static_cast<int>(most), meets)) refuse();
    }
    return arrays;
}

ActionView view_of_actions(const py::object& actions, std::size_t rows) {
    if (!py::isinstance<py::array>(actions)) return {};
    const auto array = py::reinterpret_borrow<py::array>(actions);
    const py::dtype dtype = array.dtype();
    if (!is_integer(dtype) || !is_native(dtype) || array.ndim() != 1 ||
        array.shape(0) != static_cast<py::ssize_t>(rows)) {
        return {};
    }
    return {static_cast<const char*>(array.data()), array.strides(0),
            static_cast<int>(dtype.itemsize()), dtype.kind() == 'i'};
}

}  // namespace relaysow
