// The history of a game since its last capture, and whether a position stands in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "play/board.hpp"
#include "support/mixing.hpp"

namespace relaysow {

// What the repetition rule compares of two positions: ring, player to move, protection, duties.
template <class B>
struct RepetitionKey {
    alignas(16) typename B::seeds_type ring[B::capacity];
    PitSet protected_pits;
    std::uint32_t mover_and_duties;

    explicit RepetitionKey(const B& board)
        : protected_pits(board.protected_pits),
          mover_and_duties(board.mover | static_cast<std::uint32_t>(board.direction) << 1 |
                           static_cast<std::uint32_t>(board.barred + 1) << 3) {
        std::memcpy(ring, board.ring, sizeof ring);
    }
    friend bool operator==(const RepetitionKey& a, const RepetitionKey& b) {
        return a.mover_and_duties == b.mover_and_duties && a.protected_pits == b.protected_pits &&
               std::memcmp(a.ring, b.ring, sizeof a.ring) == 0;
    }
    RELAYSOW_INLINE std::uint32_t hash() const {
        // A multiplication takes several cycles, so up to four words are mixed side by side.
        constexpr std::size_t words = sizeof ring / 8, lanes = words < 4 ? words : 4;
        std::uint64_t h[4] = {mover_and_duties, protected_pits.low, protected_pits.high, 0};
        std::uint64_t ring_words[words];
        std::memcpy(ring_words, ring, sizeof ring);
        for (std::size_t at = 0; at < words; at += lanes) {
            for (std::size_t k = 0; k < lanes; ++k) {
                h[k] = mixed(h[k], ring_words[at + k]);
            }
        }
        const std::uint64_t all = (h[0] ^ (h[1] << 21 | h[1] >> 43) ^ (h[2] << 42 | h[2] >> 22) ^
                                   (h[3] << 11 | h[3] >> 53)) *
                                  second_factor;
        return static_cast<std::uint32_t>(all >> 32);
    }
};

// A set of positions, which the game empties at every capture.  It compares the positions
// themselves where their hashes are equal.
template <class B>
class History {
public:
    using Key = RepetitionKey<B>;

    // At first it has room for half as many positions as `slots`, which is a power of two.
    explicit History(std::size_t slots = 256) : slots_(slots) {}

    void clear() {
        keys_.clear();
        if (++generation_ == 0) {
            std::fill(slots_.begin(), slots_.end(), Slot{});
            generation_ = 1;
        }
    }

    const std::vector<Key>& keys() const { return keys_; }

    bool contains(const B& board) const {
        const Key key(board);
        const std::uint32_t hash = key.hash();
        for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
            const Slot& slot = slots_[at];
            if (slot.generation != generation_) return false;
            if (slot.hash == hash && keys_[slot.key] == key) return true;
        }
    }

    // Makes room for one more position, so that adding it cannot fail.
    void make_room() {
        if (keys_.size() == keys_.capacity()) keys_.reserve(2 * keys_.size() + 1);
        if (2 * keys_.size() + 2 > slots_.size()) grow();
    }

    // Adds the position.  Returns false if it was there before.
    bool add(const B& board) {
        make_room();
        const Key& key = keys_.emplace_back(board);
        const std::uint32_t hash = key.hash();
        std::size_t at = hash & mask();
        for (; slots_[at].generation == generation_; at = (at + 1) & mask()) {
            if (slots_[at].hash == hash && keys_[slots_[at].key] == key) {
                keys_.pop_back();
                return false;
            }
        }
        slots_[at] = {generation_, hash, static_cast<std::uint32_t>(keys_.size() - 1)};
        return true;
    }

private:
    struct Slot {
        std::uint32_t generation = 0, hash = 0, key = 0;
    };
    std::size_t mask() const { return slots_.size() - 1; }

    void grow() {
        slots_.assign(2 * slots_.size(), Slot{});
        generation_ = 1;
        for (std::size_t k = 0; k < keys_.size(); ++k) {
            const std::uint32_t hash = keys_[k].hash();
            std::size_t at = hash & mask();
            while (slots_[at].generation == generation_) at = (at + 1) & mask();
            slots_[at] = {generation_, hash, static_cast<std::uint32_t>(k)};
        }
    }

    std::vector<Slot> slots_;
    std::vector<Key> keys_;
    std::uint32_t generation_ = 1;
};

}  // namespace relaysow
