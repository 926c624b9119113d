// Errors of C++ as Python's.

#include <pybind11/pybind11.h>

#include <string>

#include "python/bindings.hpp"
#include "python/python_types.hpp"
#include "support/workers.hpp"

namespace relaysow {

void bind_errors(py::module_& m) {
    import_python_types();
    m.def("_read_classes", [] { import_python_types(); });
    py::register_local_exception_translator([](std::exception_ptr error) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const NoThread& e) {
            const py::tuple arguments = py::make_tuple(
                e.code().value(), std::string("the system starts no thread: ") + e.what());
            PyErr_SetObject(PyExc_OSError, arguments.ptr());
        }
    });
}

}  // namespace relaysow
