// The positions of a lane's game since its last capture, where they are many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace relaysow::lanes {

// Their fingerprints and the rows of the log in which they are; the oldest, which the log no longer
// holds, are kept here.
class LongHistory {
public:
    static constexpr std::size_t most = std::size_t{1} << 14;  // positions

    void clear() {
        newest_.assign(buckets, 0);
        entries_.clear();
        kept_.clear();
    }

    std::size_t size() const { return entries_.size(); }

    void add(std::uint16_t print, std::uint64_t row) {
        std::uint16_t& newest = newest_[bucket(print)];
        entries_.push_back({static_cast<std::uint32_t>(row), print, newest});
        newest = static_cast<std::uint16_t>(entries_.size());
    }

    // Takes out the position added last.
    void take_back() {
        newest_[bucket(entries_.back().print)] = entries_.back().older;
        entries_.pop_back();
    }

    // Whether `same(index)` of some position of this fingerprint.
    template <class Same>
    bool holds(std::uint16_t print, const Same& same) const {
        for (std::size_t k = newest_[bucket(print)]; k != 0; k = entries_[k - 1].older) {
            if (entries_[k - 1].print == print && same(k - 1)) return true;
        }
        return false;
    }

    // The row of a position, of the last 2³² before `now`.
    std::uint64_t row(std::size_t index, std::uint64_t now) const {
        return now - static_cast<std::uint32_t>(now - entries_[index].row);
    }

    // The bytes of the oldest positions, in order.
    const std::vector<std::uint8_t>& kept() const { return kept_; }
    void keep(std::uint8_t byte) { kept_.push_back(byte); }

private:
    static constexpr std::size_t buckets = 4096;
    struct Entry {
        std::uint32_t row;
        std::uint16_t print, older;  // the one before it in its bucket, seed_bits from 1; 0: none
    };

    static std::size_t bucket(std::uint16_t print) {
        return static_cast<std::uint16_t>(print * 40503u) / (65536 / buckets);
    }

    std::vector<std::uint16_t> newest_;  // of each bucket, likewise
    std::vector<Entry> entries_;
    std::vector<std::uint8_t> kept_;
};

}  // namespace relaysow::lanes
