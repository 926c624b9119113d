// The rules of a position in both worlds.

#include "python/book.hpp"

#include "python/bindings.hpp"

namespace relaysow {

BookPointer book_of(const py::object& rules) {
    if (!py::isinstance(rules, python->rules)) {
        throw py::type_error("rules must be Rules, not " + shown(rules));
    }
    PyObject* const kept = PyDict_GetItemWithError(python->books.ptr(), rules.ptr());
    if (kept != nullptr) return py::reinterpret_borrow<py::object>(kept).cast<BookPointer>();
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    auto book = std::make_shared<Book>(rules);
    if (python->books.size() >= 256) python->books.clear();
    python->books[rules] = py::cast(book);
    return book;
}

void bind_book(py::module_& m) {
    py::class_<Book, BookPointer>(m, "_Book");
    refuse_raw<Book>();
}

}  // namespace relaysow
