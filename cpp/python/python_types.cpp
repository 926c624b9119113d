// Python's own classes and names that the core uses, and the refusals it raises.

#include "python/python_types.hpp"

#include <memory>

#include "python/options.hpp"

namespace relaysow {

namespace {

// A module that the package has imported before this one: `import` would run Python code, which
// Ctrl-C can interrupt, and pybind11 would make an ImportError of that.
py::module_ imported(const char* name) {
    PyObject* const found = PyImport_GetModule(py::str(name).ptr());
    if (found != nullptr) return py::reinterpret_steal<py::module_>(found);
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return py::module_::import(name);
}

}  // namespace

PythonTypes* python = nullptr;

void import_python_types() {
    auto types = std::make_unique<PythonTypes>();
    const auto rules = imported("relaysow.rules");
    const auto moves = imported("relaysow.moves");
    compare_options(rules);
    types->rules = rules.attr("Rules");
    types->checks = imported("relaysow._support.checks");
    types->sow = moves.attr("Sow");
    types->redistribute = moves.attr("Redistribute");
    types->lap = moves.attr("Lap");
    types->sowing = moves.attr("Sowing");
    types->illegal_move = moves.attr("IllegalMove");
    types->position_error = moves.attr("PositionError");
    for (py::str* name : {&types->pit, &types->lift, &types->direction, &types->emptied,
                          &types->placed, &types->ccw, &types->cw}) {
        PyObject* interned = name->release().ptr();
        PyUnicode_InternInPlace(&interned);
        *name = py::reinterpret_steal<py::str>(interned);
    }
    python = types.release();
}

void refuse(const std::string& why, const py::handle& error) {
    py::set_error(error, why.c_str());
    throw py::error_already_set();
}

}  // namespace relaysow
