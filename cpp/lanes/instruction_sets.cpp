// Which copy of the kernel is used: told by the processor, or by RELAYSOW_ISA.
#include "lanes/instruction_sets.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace relaysow::lanes {

std::vector<InstructionSet> instruction_sets() {
    std::vector<InstructionSet> found;
#ifdef RELAYSOW_KERNELS
    __builtin_cpu_init();
    const bool bits = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                      __builtin_cpu_supports("popcnt");
    if (bits && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        found.push_back({"avx512", avx512::run, avx512::width, avx512::by_lane, avx512::stages});
    }
    if (bits && __builtin_cpu_supports("avx2"))
        found.push_back({"avx2", avx2::run, avx2::width, avx2::by_lane, avx2::stages});
    found.push_back(
        {"baseline", baseline::run, baseline::width, baseline::by_lane, baseline::stages});
#endif
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
