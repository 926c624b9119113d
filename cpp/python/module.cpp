// The Python module `relaysow._core`: one `bind_…` for each concept.
#include "python/bindings.hpp"

namespace {

constexpr const char* only_in_main =
    "relaysow cannot be imported in a sub-interpreter, only in a process";

bool in_main_interpreter() { return PyInterpreterState_Get() == PyInterpreterState_Main(); }

}  // namespace

// What PYBIND11_MODULE makes of its block, asked only in the main interpreter: in another, pybind11
// would wait for ever for a lock.  From Python 3.13 on, this runs in the main one for all others.
#undef PYBIND11_PLUGIN_IMPL
#define PYBIND11_PLUGIN_IMPL(name)                         \
    static PyObject* init_##name();                        \
    extern "C" PYBIND11_EXPORT PyObject* PyInit_##name() { \
        if (in_main_interpreter()) return init_##name();   \
        PyErr_SetString(PyExc_ImportError, only_in_main);  \
        return nullptr;                                    \
    }                                                      \
    static PyObject* init_##name()

PYBIND11_MODULE(_core, m, pybind11::mod_gil_not_used()) {
    using namespace relaysow;
    m.doc() = "The C++ core of relaysow.";
    if (!in_main_interpreter()) throw py::import_error(only_in_main);
    for (const auto bind :
         {&bind_errors, &bind_book, &bind_legal_moves, &bind_position, &bind_action_numbers,
          &bind_sowing, &bind_signals, &bind_perft, &bind_simulate, &bind_kernel, &bind_solve,
          &bind_tablebase, &bind_search, &bind_match, &bind_batch}) {
        bind(m);
    }
}
