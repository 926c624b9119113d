// What a search found of positions met before, shared by its threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "search/worth.hpp"

namespace relaysow {

// Keeps what a search found of positions; its threads share it.
class Transpositions {
public:
    struct Entry {
        int score = 0;  // of a search to `depth`, a bound from below (1), above (2) or both (3)
        int bound = 0, depth = 0;
        int lower = -past_every_score, upper = past_every_score;  // proved bounds
        std::uint32_t move = 0;                                   // 0: none
    };

    // The system gives memory only where it is touched.
    explicit Transpositions(std::size_t bytes)
        : buckets_(std::bit_floor(std::max<std::size_t>(bytes / sizeof(Bucket), 1))),
          memory_(std::calloc(buckets_ + 1, sizeof(Bucket)), std::free) {
        if (!memory_) throw std::bad_alloc();
        void* begin = memory_.get();
        std::size_t space = (buckets_ + 1) * sizeof(Bucket);
        table_ = static_cast<Bucket*>(
            std::align(alignof(Bucket), buckets_ * sizeof(Bucket), begin, space));
    }

    void clear() {
        for (std::size_t at = 0; at < buckets_; ++at) {
            for (Slot& slot : table_[at].slots) slot.put(0, 0);
        }
    }

    bool find(std::uint64_t hash, Entry& entry) const {
        for (const Slot& slot : bucket(hash).slots) {
            const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
            if ((slot.check.load(std::memory_order_relaxed) ^ data) == hash && data != 0) {
                entry = unpack(data);
                return true;
            }
        }
        return false;
    }

    // Brings what is asked for soon into the cache.
    void fetch(std::uint64_t hash) const {
#ifdef _MSC_VER
        (void)hash;
#else
        __builtin_prefetch(&bucket(hash));
#endif
    }

    void store(std::uint64_t hash, const Entry& entry) {
        Slot* place = nullptr;
        int least_depth = 1 << 20;
        for (Slot& slot : bucket(hash).slots) {
            const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
            if ((slot.check.load(std::memory_order_relaxed) ^ data) == hash) {
                place = &slot;
                break;
            }
            const int depth = data == 0 ? -1 : unpack(data).depth;
            if (depth < least_depth) {
                least_depth = depth;
                place = &slot;
            }
        }
        place->put(hash, pack(entry));
    }

private:
    // If two threads write a slot at once, its data do not fit its check.
    struct Slot {
        std::atomic<std::uint64_t> check{0}, data{0};
        void put(std::uint64_t hash, std::uint64_t packed) {
            check.store(hash ^ packed, std::memory_order_relaxed);
            data.store(packed, std::memory_order_relaxed);
        }
    };
    struct alignas(64) Bucket {
        Slot slots[4];
    };

    Bucket& bucket(std::uint64_t hash) const { return table_[hash & (buckets_ - 1)]; }

    static std::uint64_t pack(const Entry& entry) {
        const auto score = [](int number) { return static_cast<std::uint64_t>(number + 2'048); };
        return score(entry.score) | score(entry.lower) << 12 | score(entry.upper) << 24 |
               static_cast<std::uint64_t>(entry.depth) << 36 |
               static_cast<std::uint64_t>(entry.bound) << 44 |
               static_cast<std::uint64_t>(entry.move) << 46;
    }
    static Entry unpack(std::uint64_t data) {
        const auto score = [&](int shift) {
            return static_cast<int>(data >> shift & 0xFFF) - 2'048;
        };
        return {score(0),
                static_cast<int>(data >> 44 & 3),
                static_cast<int>(data >> 36 & 0xFF),
                score(12),
                score(24),
                static_cast<std::uint32_t>(data >> 46)};
    }

    std::size_t buckets_;
    std::unique_ptr<void, void (*)(void*)> memory_;
    Bucket* table_;
};

}  // namespace relaysow
