// Games side by side, a move at a time in each: for learners and for players of one's own.
#include "play/batch.hpp"

#include <cstring>

#include "lanes/batch_lanes.hpp"
#include "lanes/instruction_sets.hpp"
#include "play/batch_games.hpp"

namespace relaysow {

Features::Features(const Rules& rules)
    : stores(rules.ring()), mover(stores + 2), since_capture(mover + 1), all(since_capture + 1) {
    const auto place = [&](bool has, int& feature, int width) {
        if (!has) return;
        feature = all;
        all += width;
    };
    place(rules.protection != Protection::none, protection, rules.ring());
    place(rules.extra_direction == ExtraDirection::opposite, direction, 1);
    place(rules.extra_pit == ExtraPit::not_origin, barred, 1);
    place(rules.redistribution != Redistribution::none, redistribution, 4);
}

std::int64_t ActionView::operator[](std::size_t row) const {
    const char* const at = data + static_cast<std::ptrdiff_t>(row) * stride;
    const auto read = [&]<class T>(T value) {
        std::memcpy(&value, at, sizeof value);
        return static_cast<std::int64_t>(value);
    };
    switch (bytes) {
        case 1:
            return is_signed ? read(std::int8_t{}) : read(std::uint8_t{});
        case 2:
            return is_signed ? read(std::int16_t{}) : read(std::uint16_t{});
        case 4:
            return is_signed ? read(std::int32_t{}) : read(std::uint32_t{});
        default:  // an unsigned number too large comes out negative, and is no action either
            return read(std::int64_t{});
    }
}

const std::int64_t* ActionView::whole(std::size_t first, std::size_t lanes, std::size_t count,
                                      std::int64_t* copies) const {
    const char* const at = data + static_cast<std::ptrdiff_t>(first) * stride;
    if (count == lanes && bytes == 8 && stride == 8 &&
        reinterpret_cast<std::uintptr_t>(at) % alignof(std::int64_t) == 0) {
        return reinterpret_cast<const std::int64_t*>(at);
    }
    for (std::size_t i = 0; i < lanes; ++i) copies[i] = i < count ? (*this)[first + i] : 0;
    return copies;
}

std::unique_ptr<Batch> make_batch(const BatchPlan& plan, const BatchResults& results,
                                  const Poll& poll) {
    const lanes::InstructionSet instruction_set = lanes::instruction_set_in_use();
    return on_narrowest(plan.rules, plan.start, [&]<class B>(const B&) -> std::unique_ptr<Batch> {
        if (instruction_set.stages != nullptr && lanes::moves_in_lanes(plan)) {
            return std::make_unique<lanes::LaneGames<B>>(plan, results, poll, instruction_set);
        }
        return std::make_unique<BatchGames<B>>(plan, results, poll);
    });
}

}  // namespace relaysow
