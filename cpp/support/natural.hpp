// Natural numbers wide enough to count and draw every redistribution.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace relaysow {

// The number of redistributions is greatest for 1,000 seeds on 2×64 pits, where it has fewer than
// 600 bits.  A draw multiplies it by a number of as many bits and 64 more.
class Natural {
public:
    static constexpr std::size_t capacity = 48;

    constexpr Natural(std::uint64_t value = 0) {
        for (; value != 0; value >>= 32) limbs_[size_++] = static_cast<std::uint32_t>(value);
    }

    constexpr Natural(const Natural& other) : size_(other.size_) {
        for (std::size_t i = 0; i < size_; ++i) limbs_[i] = other.limbs_[i];
    }
    constexpr Natural& operator=(const Natural& other) {
        size_ = other.size_;
        for (std::size_t i = 0; i < size_; ++i) limbs_[i] = other.limbs_[i];
        return *this;
    }

    constexpr bool is_zero() const { return size_ == 0; }
    constexpr std::size_t size() const { return size_; }  // in words of 32 bits, lowest first
    constexpr std::uint32_t limb(std::size_t i) const { return i < size_ ? limbs_[i] : 0; }
    constexpr std::size_t bits() const {
        return size_ == 0
                   ? 0
                   : 32 * size_ - static_cast<std::size_t>(std::countl_zero(limbs_[size_ - 1]));
    }
    constexpr bool fits_63_bits() const { return bits() < 64; }
    constexpr std::uint64_t low64() const { return limb(0) | std::uint64_t{limb(1)} << 32; }

    constexpr void append_low_word(std::uint32_t word) {  // this·2³² + word
        for (std::size_t i = size_; i > 0; --i) limbs_[i] = limbs_[i - 1];
        limbs_[0] = word;
        ++size_;
        trim();
    }
    constexpr Natural without_low_words(std::size_t words) const {
        Natural result;
        for (std::size_t i = words; i < size_; ++i) result.limbs_[result.size_++] = limbs_[i];
        return result;
    }
    constexpr Natural& operator+=(const Natural& other) {
        std::uint64_t carry = 0;
        const std::size_t n = size_ > other.size_ ? size_ : other.size_;
        for (std::size_t i = 0; i < n; ++i) {
            carry += std::uint64_t{limb(i)} + other.limb(i);
            limbs_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        size_ = n;
        if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
        return *this;
    }
    constexpr Natural& operator-=(const Natural& other) {  // other ≤ this
        std::uint64_t borrow = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            const std::uint64_t part = std::uint64_t{limbs_[i]} - other.limb(i) - borrow;
            limbs_[i] = static_cast<std::uint32_t>(part);
            borrow = part >> 63;
        }
        trim();
        return *this;
    }
    constexpr Natural& operator*=(std::uint32_t factor) {
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            carry += std::uint64_t{limbs_[i]} * factor;
            limbs_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
        trim();
        return *this;
    }
    constexpr Natural& operator/=(std::uint32_t divisor) {
        std::uint64_t rest = 0;
        for (std::size_t i = size_; i > 0; --i) {
            rest = rest << 32 | limbs_[i - 1];
            limbs_[i - 1] = static_cast<std::uint32_t>(rest / divisor);
            rest %= divisor;
        }
        trim();
        return *this;
    }
    friend constexpr Natural operator*(const Natural& a, const Natural& b) {
        Natural product;
        if (a.is_zero() || b.is_zero()) return product;
        for (std::size_t j = 0; j < b.size_; ++j) product.limbs_[j] = 0;
        for (std::size_t i = 0; i < a.size_; ++i) {
            std::uint64_t carry = 0;
            for (std::size_t j = 0; j < b.size_; ++j) {
                carry += std::uint64_t{a.limbs_[i]} * b.limbs_[j] + product.limbs_[i + j];
                product.limbs_[i + j] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
            product.limbs_[i + b.size_] = static_cast<std::uint32_t>(carry);
        }
        product.size_ = a.size_ + b.size_;
        product.trim();
        return product;
    }
    friend constexpr std::strong_ordering operator<=>(const Natural& a, const Natural& b) {
        if (a.size_ != b.size_) return a.size_ <=> b.size_;
        for (std::size_t i = a.size_; i > 0; --i) {
            if (a.limbs_[i - 1] != b.limbs_[i - 1]) return a.limbs_[i - 1] <=> b.limbs_[i - 1];
        }
        return std::strong_ordering::equal;
    }
    friend constexpr bool operator==(const Natural& a, const Natural& b) {
        return (a <=> b) == std::strong_ordering::equal;
    }

private:
    constexpr void trim() {
        while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
    }

    std::array<std::uint32_t, capacity> limbs_;  // beyond the size: anything
    std::size_t size_ = 0;
};

}  // namespace relaysow
