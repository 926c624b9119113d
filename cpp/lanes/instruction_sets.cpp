// Which copy of the kernel is used: told by the processor, or by RELAYSOW_ISA.
#include "lanes/instruction_sets.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace relaysow::lanes {

std::vector<InstructionSet> instruction_sets() {
    std::vector<InstructionSet> found;
#define ADD(set) found.push_back({#set, set::run, set::width, set::by_lane, set::stages})
#if defined(RELAYSOW_HAS_avx512) || defined(RELAYSOW_HAS_avx2)
    __builtin_cpu_init();
    const bool bits = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                      __builtin_cpu_supports("popcnt");
#endif
#ifdef RELAYSOW_HAS_avx512
    if (bits && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        ADD(avx512);
    }
#endif
#ifdef RELAYSOW_HAS_avx2
    if (bits && __builtin_cpu_supports("avx2")) ADD(avx2);
#endif
#ifdef RELAYSOW_HAS_baseline
    ADD(baseline);
#endif
#undef ADD
    found.push_back({"scalar", nullptr, 1, nullptr, nullptr});
    return found;
}

InstructionSet instruction_set_in_use() {
    const std::vector<InstructionSet> known = instruction_sets();
    const char* const forced = std::getenv("RELAYSOW_ISA");
    if (forced == nullptr || *forced == '\0') return known.front();
    std::string names;
    for (const InstructionSet& each : known) {
        if (each.name == forced) return each;
        names += (names.empty() ? "" : ", ") + std::string(each.name);
    }
    throw std::invalid_argument("RELAYSOW_ISA='" + std::string(forced) + "': this machine has " +
                                names);
}

}  // namespace relaysow::lanes
