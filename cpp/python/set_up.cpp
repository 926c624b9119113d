// Positions of what Python gives: checks and conversions.

#include "python/integers.hpp"
#include "python/position.hpp"

namespace relaysow {

py::tuple protected_tuple(const Position& p) {
    py::list pits;
    for (int pit = 0; pit < p.rules().ring(); ++pit) {
        if (p.board.protected_pits.has(pit)) pits.append(pit);
    }
    return py::tuple(pits);
}

Position set_up(const py::object& rules_object, const py::object& pits, const py::object& stores,
                const py::object& mover, const py::object& protected_pits,
                const py::object& direction, const py::object& barred,
                const py::object& redistributions, const py::object& drawn) {
    Position position;
    position.book = book_of(rules_object);
    const Rules& rules = position.rules();
    AnyBoard& board = position.board;
    const int size = rules.ring();

    const py::tuple counts = sequence(pits, "pits");
    if (static_cast<int>(counts.size()) != size) {
        refuse("pits has " + std::to_string(counts.size()) + " counts: must be " +
               std::to_string(size) + " for pits=" + std::to_string(rules.pits));
    }
    int total = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const int seeds = whole_number(counts[i], "pits[" + std::to_string(i) + "]", 0, max_seeds,
                                       "must be 0…1000 seeds");
        total += seeds;
#ifdef RELAYSOW_PLANT_OVERFLOW  // a fault for the fuzzer to find: past the end of the ring
        board.ring[seeds > 900 ? i + 4096 : i] = static_cast<std::uint16_t>(seeds);
#else
        board.ring[i] = static_cast<std::uint16_t>(seeds);
#endif
    }
    const py::tuple both = sequence(stores, "stores");
    if (both.size() != 2) {
        refuse("stores has " + std::to_string(both.size()) +
               " counts: must be 2, South's and North's");
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const int seeds = whole_number(both[i], "stores[" + std::to_string(i) + "]", 0, max_seeds,
                                       "must be 0…1000 seeds");
        total += seeds;
        board.stores[i] = static_cast<std::uint16_t>(seeds);
    }
    if (total > max_seeds) {
        refuse("pits and stores hold " + std::to_string(total) + " seeds: must be at most 1000");
    }
    board.mover = static_cast<std::uint8_t>(
        whole_number(mover, "mover", 0, 1, "must be 0 (South) or 1 (North)"));

    const int made = redistributions.is_none() ? 2
                                               : whole_number(redistributions, "redistributions", 0,
                                                              2, "must be the number made, 0…2");
    if (made < 2 && rules.redistribution == Redistribution::none) {
        refuse("redistributions=" + std::to_string(made) +
               ": must be None or 2 with redistribution='none'");
    }
    board.redistributions = static_cast<std::uint8_t>(made);

    for (const py::handle pit : sequence(protected_pits, "protected", false)) {
        const int k = whole_number(pit, "protected pit", 0, size - 1,
                                   "must be a ring index, 0…" + std::to_string(size - 1));
        if (board.protected_pits.has(k)) {
            refuse("protected pit " + std::to_string(k) + " is named twice");
        }
        board.protected_pits.add(k);
    }
    if (rules.protection == Protection::none) board.protected_pits = {};
    if (rules.protection == Protection::until_lifted && board.redistributions < 2 &&
        !board.protected_pits.empty()) {
        refuse("protected=" + shown(protected_tuple(position)) +
               ": nothing is protected before the last redistribution");
    }

    if (!direction.is_none()) {
        const py::object way = python->checks.attr("one_of")(
            "direction", direction, py::make_tuple(python->ccw, python->cw, py::none()),
            python->position_error);
        if (rules.extra_direction != ExtraDirection::opposite) {
            refuse("direction=" + shown(way) +
                   ": there is such a duty only under extra_direction='opposite'");
        }
        board.direction = way.equal(python->ccw) ? Duty::ccw : Duty::cw;
    }
    if (!barred.is_none()) {
        const int row = rules.row(board.mover);
        const bool may_be_barred = rules.extra_pit == ExtraPit::not_origin;
        const std::string allowed =
            may_be_barred ? "must be None or a pit of the mover, " + std::to_string(row) + "…" +
                                std::to_string(row + rules.pits - 1)
                          : "there is such a duty only under extra_pit='not_origin'";
        board.barred = static_cast<std::int16_t>(whole_number(
            barred, "barred", row, may_be_barred ? row + rules.pits - 1 : row - 1, allowed));
    }
    if (board.redistributions < 2 && (board.direction != Duty::none || board.barred != no_pit)) {
        refuse("direction=" + shown(direction) + ", barred=" + shown(barred) +
               ": there are no duties before the last redistribution");
    }
    if (!py::isinstance<py::bool_>(drawn)) {
        throw py::type_error("drawn must be True or False, not " + shown(drawn));
    }
    board.drawn = drawn.cast<bool>();
    if (board.drawn && rules.endless != Endless::draw) {
        refuse("drawn=True: a sowing draws the game only under endless='draw'");
    }
    position.settle();
    return position;
}

Position start(const py::object& rules_object) {
    Position position;
    position.book = book_of(rules_object);
    const Rules& rules = position.rules();
    const bool redistributed = rules.redistribution != Redistribution::none;
    position.board.redistributions = redistributed ? 0 : 2;
    for (int pit = 0; pit < rules.ring(); ++pit) {
        const std::uint16_t seeds = rules.setup[static_cast<std::size_t>(pit)];
        position.board.ring[pit] = seeds;
        if (rules.protection == Protection::until_owner_lifts ||
            (rules.protection == Protection::until_lifted && !redistributed && seeds != 0)) {
            position.board.protected_pits.add(pit);
        }
    }
    position.settle();
    return position;
}

}  // namespace relaysow
