// Class `Batch`; `batch.py` documents it and checks what it is given.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>

#include "play/redistributions.hpp"
#include "python/bindings.hpp"
#include "python/python_batch.hpp"

namespace relaysow {
namespace {

constexpr const char* step_doc =
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
)doc";

constexpr const char* sample_doc =
    R"doc(A legal action for each row, all legal ones equally likely: int64 (n,).

Each row draws from the stream of its game, as a random player of `simulate` does; what is drawn is
proved, and costs nothing to prove again in `step`.  A row whose game is over gets 0.  `out` is an
int64 array to write to instead of the batch's own.  Raises as `step` does.
)doc";

}  // namespace

void bind_batch(py::module_& m) {
    using namespace py::literals;
    py::class_<PythonBatch> batch(m, "Batch");
    batch.attr("__module__") = "relaysow";
    batch
        .def(py::init<const Position&, std::size_t, const py::object&, std::optional<std::int32_t>,
                      bool, const std::string&, bool, int>(),
             "start"_a, "n"_a, "seed"_a, "max_moves"_a, "exact_mask"_a, "autoreset"_a, "raises"_a,
             "threads"_a)
        .def("step", &PythonBatch::step, "actions"_a, "out"_a = py::none(), step_doc)
        .def("sample", &PythonBatch::sample, "out"_a = py::none(), sample_doc)
        .def("_reset", &PythonBatch::reset, "rows"_a, "seed"_a, "starts"_a, "out"_a)
        .def("_position", &PythonBatch::position, "row"_a)
        .def("_has_room", &PythonBatch::has_room, "start"_a)
        .def_static(
            "_is_playable",
            [](const Position& start, std::optional<std::int32_t> max_moves) {
                return is_playable(start, max_moves ? *max_moves : INT64_MAX);
            },
            "start"_a, "max_moves"_a)
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
        .def("__len__", &PythonBatch::rows);
    batch.attr("_begin") = batch.attr("__init__");
    for (std::size_t place = 0; place < batch_arrays.size(); ++place) {
        const BatchArray& array = batch_arrays[place];
        if (array.doc == nullptr) continue;
        batch.def_property_readonly(
            array.name, [place](PythonBatch& b) { return b.array(place); }, array.doc);
    }
    refuse_raw<PythonBatch>();
}

}  // namespace relaysow
