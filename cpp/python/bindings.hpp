// The concepts that `relaysow._core` has, one file each.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>

namespace relaysow {

namespace py = pybind11;

void bind_action_numbers(py::module_& m);
void bind_batch(py::module_& m);
void bind_book(py::module_& m);
void bind_errors(py::module_& m);
void bind_kernel(py::module_& m);
void bind_legal_moves(py::module_& m);
void bind_match(py::module_& m);
void bind_perft(py::module_& m);
void bind_position(py::module_& m);
void bind_search(py::module_& m);
void bind_signals(py::module_& m);
void bind_simulate(py::module_& m);
void bind_solve(py::module_& m);
void bind_sowing(py::module_& m);
void bind_tablebase(py::module_& m);

// An object that Python made without `__init__` holds nothing; pybind11 would hand out raw memory.
template <class T>
void refuse_raw() {
    py::detail::get_type_info(typeid(T))->operator_new = [](std::size_t) -> void* {
        throw py::type_error("this object was made without __init__");
    };
}

// Protocols 0 and 1 of pickling make an object of the first base class written in C, and the
// failure of pybind11's ends the process: they are done as protocol 2.
inline py::object reduce_ex(const py::object& self, const py::int_& protocol) {
    const py::handle object(reinterpret_cast<PyObject*>(&PyBaseObject_Type));
    return object.attr("__reduce_ex__")(self, std::max(protocol.cast<int>(), 2));
}

}  // namespace relaysow
