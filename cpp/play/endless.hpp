// Sowings that never end: how one is recognised, and which ones were met before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <unordered_map>

#include "play/board.hpp"
#include "play/move.hpp"
#include "rules/rules.hpp"
#include "support/poll.hpp"

namespace relaysow {

// Remembers the endless sowings met before with their periods, since a proof may take millions of
// laps.
template <class B>
struct EndlessSowings {
    virtual std::uint64_t period(const Rules& rules, const B& before, Sow move) const = 0;  // or 0
    virtual void add(const Rules& rules, const B& before, Sow move, std::uint64_t period,
                     const Poll& poll) = 0;

protected:
    ~EndlessSowings() = default;
};

template <class B>
class EndlessCache final : public EndlessSowings<B> {
public:
    std::uint64_t period(const Rules& rules, const B& before, Sow move) const override {
        const auto found = periods_.find(key(rules, before, move));
        return found == periods_.end() ? 0 : found->second;
    }
    void add(const Rules& rules, const B& before, Sow move, std::uint64_t period,
             const Poll&) override {
        if (periods_.size() == most) periods_.clear();
        periods_.emplace(key(rules, before, move), period);
    }

private:
    static constexpr std::size_t most = 1 << 16;

    static std::string key(const Rules& rules, const B& before, Sow move) {
        std::string bytes(reinterpret_cast<const char*>(before.ring), B::ring_bytes(rules));
        for (const int number : {move.pit, move.lift & 0xFF, move.lift >> 8}) {
            bytes.push_back(static_cast<char>(number));
        }
        bytes.push_back(static_cast<char>(move.direction));
        return bytes;
    }

    std::unordered_map<std::string, std::uint64_t> periods_;
};

// A state of a sowing, with which later states are compared up to a rotation or a reflection of
// the whole ring.
//
// Laps do the same wherever on the ring they begin and whichever way they go.  So if a state comes
// again rotated, what follows it comes rotated likewise; and if `times` such rotations restore the
// ring, the state itself comes again after `times` as many laps.
template <class B>
class RotatedState {
public:
    using Seeds = typename B::seeds_type;

    RotatedState(const Rules& rules, const Seeds* ring, int pit, Direction direction) {
        save(rules, ring, pit, direction);
    }

    void save(const Rules& rules, const Seeds* ring, int pit, Direction direction) {
        size_ = rules.ring();
        pit_ = pit;
        direction_ = direction;
        const int step = direction == Direction::ccw ? 1 : size_ - 1;
        for (int k = 0, at = pit; k < size_; ++k) {
            onward_[k] = onward_[k + size_] = ring[at];
            const int mirrored = k == 0 ? 0 : size_ - k;
            backward_[mirrored] = backward_[mirrored + size_] = ring[at];
            at += step;
            if (at >= size_) at -= size_;
        }
    }

    // Whether the ring, with `seeds` in `pit` about to be lifted, is the saved state rotated or
    // reflected.
    bool is(const Seeds* ring, int pit, int seeds, Direction direction) const {
        if (seeds != onward_[0]) [[likely]]
            return false;
        const bool ccw = direction == Direction::ccw;
        const int next = ccw ? (pit + 1 == size_ ? 0 : pit + 1) : (pit == 0 ? size_ : pit) - 1;
        if (ring[next] != onward_[1]) return false;
        return std::memcmp(ring, (ccw ? onward_ : backward_) + (pit == 0 ? 0 : size_ - pit),
                           sizeof(Seeds) * static_cast<std::size_t>(size_)) == 0;
    }

    // How many such rotations, or reflections, restore the ring.
    std::uint64_t times(int pit, Direction direction) const {
        if (direction != direction_) return 2;  // a reflection
        const int turn = pit < pit_ ? pit_ - pit : pit - pit_;
        return static_cast<std::uint64_t>(size_ / std::gcd(size_, turn));
    }

private:
    int size_, pit_;
    Direction direction_;
    Seeds onward_[2 * B::capacity], backward_[2 * B::capacity];  // from its pit on, twice
};

// Whether this state proves that an onward sowing, with origin "sown", never ends.
//
// Let one seed be sown at each moment of time, so that the sowing passes the R pits of the ring one
// by one.  A pit that is lifted at time t and holds s seeds was lifted before at t − sR, and the
// next pit is lifted at t + s.  The two times are equal modulo R + 1.  So each lift passes on the
// residue that the lifted pit kept, and the pit keeps the residue of t instead: no residue is ever
// lost, and none is new.  A sowing ends when a single seed would be lifted, and that lift would
// pass on the residue that follows its own.  So where no two residues are neighbours the sowing
// never ends.
template <class Seeds>
bool never_ends(const Rules& rules, const Seeds* ring, int pit, Direction direction) {
    const int size = rules.ring();
    std::array<bool, max_ring + 2> kept{};          // by residue; the last is the first again
    kept[0] = kept[ring[pit] % (size + 1)] = true;  // now and by the pit now lifted
    for (int k = 1; k < size; ++k) {
        const int at = direction == Direction::ccw ? pit + k : pit + size - k;
        kept[(k + 1 + ring[at % size]) % (size + 1)] = true;
    }
    kept[size + 1] = kept[0];
    for (int k = 0; k <= size; ++k) {
        if (kept[k] && kept[k + 1]) return false;
    }
    return true;
}

}  // namespace relaysow
