// Integers of Python: checked and converted.

#include "python/integers.hpp"

#include <pybind11/numpy.h>

#include <cstdint>

namespace relaysow {

using namespace py::literals;

py::int_ whole_number(const py::handle& value, const std::string& name) {
    if (PyLong_CheckExact(value.ptr())) return py::reinterpret_borrow<py::int_>(value);
    return python->checks.attr("whole_number")(name, value);
}

int whole_number(const py::handle& value, const std::string& name, int low, int high,
                 const std::string& allowed, const py::handle& error) {
    const py::int_ number = whole_number(value, name);
    int overflow = 0;
    const long long result = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0 || result < low || result > high) {
        refuse(name + "=" + shown(number) + ": " + allowed, error);
    }
    return static_cast<int>(result);
}

// Python ints; `checks.py` tells and refuses what is none, but for the commonest kinds.
py::tuple sequence(const py::handle& value, const std::string& name, bool ordered) {
    constexpr std::size_t most = 1000;  // no more are read
    py::object given = py::reinterpret_borrow<py::object>(value);
    if (py::isinstance<py::array>(value)) {
        const py::array array = py::reinterpret_borrow<py::array>(value);
        const char kind = array.dtype().kind();
        if (array.ndim() == 1 && static_cast<std::size_t>(array.size()) <= most &&
            (kind == 'i' || kind == 'u')) {
            given = array.attr("tolist")();
        }
    }
    if (PyTuple_CheckExact(given.ptr()) || PyList_CheckExact(given.ptr())) {
        const py::tuple items(given);
        bool ints = items.size() <= most;
        for (std::size_t i = 0; ints && i < items.size(); ++i) {
            ints = PyLong_CheckExact(PyTuple_GET_ITEM(items.ptr(), static_cast<py::ssize_t>(i)));
        }
        if (ints) return items;
    }
    return python->checks.attr("whole_numbers")(name, value, python->position_error,
                                                "ordered"_a = ordered);
}

py::int_ to_python(const Natural& number) {
    if (number.fits_63_bits()) return py::int_(number.low64());
    std::string bytes;
    for (std::size_t i = 0; i < number.size(); ++i) {
        for (int shift = 0; shift < 32; shift += 8) {
            bytes.push_back(static_cast<char>(number.limb(i) >> shift & 0xFF));
        }
    }
    const py::object int_type =
        py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(&PyLong_Type));
    return py::int_(int_type.attr("from_bytes")(py::bytes(bytes), "little"));
}

Natural to_natural(const py::int_& number, const Natural& count) {
    if (count.fits_63_bits()) return Natural(number.cast<std::uint64_t>());
    const auto bytes = number.attr("to_bytes")(4 * count.size(), "big").cast<std::string>();
    Natural result;
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            word = word << 8 | static_cast<unsigned char>(bytes[i + k]);
        }
        result.append_low_word(word);
    }
    return result;
}

}  // namespace relaysow
