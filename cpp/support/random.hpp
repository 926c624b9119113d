// The random numbers of one game: xoshiro128++ seeded by SplitMix64 from seed and game index.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "support/natural.hpp"

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

    constexpr explicit Chance(const std::array<std::uint32_t, 4>& state)
        : s0_(state[0]), s1_(state[1]), s2_(state[2]), s3_(state[3]) {}
    constexpr std::array<std::uint32_t, 4> state() const { return {s0_, s1_, s2_, s3_}; }

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

    // Undoes one call of `word`.
    constexpr void undo_word() {
        const std::uint32_t d = std::rotr(s3_, 11), mixed = s1_ ^ s2_;
        s0_ ^= d;
        const std::uint32_t b = mixed ^ mixed << 9 ^ mixed << 18 ^ mixed << 27;
        s2_ = s1_ ^ b ^ s0_;
        s1_ = b;
        s3_ = d ^ b;
    }

    // Draws one of 0…count−1 from one word by multiply-shift.
    constexpr int below(int count) {
        return static_cast<int>(std::uint64_t{word()} * static_cast<std::uint32_t>(count) >> 32);
    }

    // Draws one of 0…count−1 from ⌈bits/32⌉ + 1 words, high word first.  The bias is below 2⁻³².
    constexpr Natural below(const Natural& count) {
        const std::size_t words = (count.bits() + 31) / 32 + 1;
        if (count.size() <= 2) return below(count.low64(), words);
        Natural drawn;
        for (std::size_t i = 0; i < words; ++i) drawn.append_low_word(word());
        return (drawn * count).without_low_words(words);
    }

private:
    // Does the same where the count fits 64 bits.  Each step drops the lower half of a product.
    constexpr std::uint64_t below(std::uint64_t count, std::size_t words) {
        constexpr std::uint64_t low = 0xFFFFFFFF;
        std::array<std::uint32_t, 3> drawn{};
        for (std::size_t i = words; i > 0; --i) drawn[i - 1] = word();
        std::uint64_t number = 0;
        for (std::size_t i = 0; i < words; ++i) {
            const std::uint64_t product = drawn[i] * (count & low);
            number = drawn[i] * (count >> 32) + (product >> 32) + (number >> 32) +
                     (((product & low) + (number & low)) >> 32);
        }
        return number;
    }

    std::uint32_t s0_, s1_, s2_, s3_;
};

}  // namespace relaysow
