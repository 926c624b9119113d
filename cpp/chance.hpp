// The stream of chance of one game: xoshiro128++ seeded by SplitMix64 from seed and game index.
#pragma once

#include <bit>
#include <cstdint>

#include "natural.hpp"

namespace relaysow {

class SplitMix64 {
public:
    constexpr explicit SplitMix64(std::uint64_t state) : state_(state) {}
    constexpr std::uint64_t operator()() {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

class Chance {
public:
    constexpr Chance(std::uint64_t seed, std::uint64_t game) {
        SplitMix64 mix(SplitMix64(seed)() ^ game);
        const std::uint64_t low = mix(), high = mix();
        s0_ = static_cast<std::uint32_t>(low);
        s1_ = static_cast<std::uint32_t>(low >> 32);
        s2_ = static_cast<std::uint32_t>(high);
        s3_ = static_cast<std::uint32_t>(high >> 32);
    }

    constexpr std::uint32_t word() {
        const std::uint32_t result = std::rotl(s0_ + s3_, 7) + s0_;
        const std::uint32_t t = s1_ << 9;
        s2_ ^= s0_;
        s3_ ^= s1_;
        s1_ ^= s2_;
        s0_ ^= s3_;
        s2_ ^= t;
        s3_ = std::rotl(s3_, 11);
        return result;
    }

    // 0…count−1, from one word by multiply-shift.
    constexpr int below(int count) {
        return static_cast<int>(std::uint64_t{word()} * static_cast<std::uint32_t>(count) >> 32);
    }

    // 0…count−1 from ⌈bits/32⌉ + 1 words, high word first, so that the bias is below 2⁻³².
    constexpr Natural below(const Natural& count) {
        const std::size_t words = (count.bits() + 31) / 32 + 1;
        Natural drawn;
        for (std::size_t i = 0; i < words; ++i) drawn.append_low_word(word());
        return (drawn * count).without_low_words(words);
    }

private:
    std::uint32_t s0_, s1_, s2_, s3_;
};

}  // namespace relaysow
