// The positions of a lane's game since its last capture, where they are many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace relaysow::playout {

// Their fingerprints, and the rows of the log in which they are.
class LongHistory {
public:
    void clear() {
        met_.assign(65536 / 64, 0);
        prints_.clear();
        rows_.clear();
    }

    void add(std::uint16_t print, std::uint64_t row) {
        met_[print / 64] |= std::uint64_t{1} << print % 64;
        prints_.push_back(print);
        rows_.push_back(row);
    }

    // Takes out the position added last.
    void take_back() {
        prints_.pop_back();
        rows_.pop_back();
    }

    // Whether `same(row)` of some position of this fingerprint.
    template <class Same>
    bool holds(std::uint16_t print, const Same& same) const {
        return (met_[print / 64] >> print % 64 & 1) != 0 && holds_met(print, same);
    }

private:
    template <class Same>
    [[gnu::noinline]] bool holds_met(std::uint16_t print, const Same& same) const {
        constexpr std::size_t block = 64;
        const std::size_t size = prints_.size();
        for (std::size_t begin = 0; begin < size; begin += block) {
            const std::size_t end = begin + block < size ? begin + block : size;
            // All of them without a branch: most blocks have none, and vectors do it.
            unsigned like = 0;
            for (std::size_t k = begin; k < end; ++k) like |= prints_[k] == print;
            for (std::size_t k = begin; like != 0 && k < end; ++k) {
                if (prints_[k] == print && same(rows_[k])) return true;
            }
        }
        return false;
    }

    std::vector<std::uint64_t> met_;  // a bit for each fingerprint
    std::vector<std::uint16_t> prints_;
    std::vector<std::uint64_t> rows_;
};

}  // namespace relaysow::playout
