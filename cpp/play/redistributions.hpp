// The opening redistributions of a position as a numbered set that is never listed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "play/board.hpp"
#include "play/move.hpp"
#include "rules/rules.hpp"
#include "support/natural.hpp"

namespace relaysow {

// Holds in how many ways each number of seeds can be put into each number of pits.
class Ways {
public:
    static constexpr std::uint64_t too_many = std::uint64_t{1}
                                              << 53;  // stands for any greater number too

    Ways(int pits, int seeds)
        : columns_(static_cast<std::size_t>(seeds) + 1),
          ways_(columns_ * (static_cast<std::size_t>(pits) + 1)) {
        ways_[0] = 1;
        for (std::size_t at = columns_; at < ways_.size(); ++at) {
            const std::uint64_t ways =
                ways_[at - columns_] + (at % columns_ > 0 ? ways_[at - 1] : 0);
            ways_[at] = ways < too_many ? ways : too_many;
        }
    }
    const std::uint64_t* operator[](int pits) const {  // by the number of seeds
        return ways_.data() + static_cast<std::size_t>(pits) * columns_;
    }

private:
    std::size_t columns_;
    std::vector<std::uint64_t> ways_;
};

// Numbers all redistributions of a position without listing them: first by the emptied pits (fewer
// first, then lexicographic), then by the placed seeds (lexicographic, in ring order).
template <class B>
class Redistributions {
public:
    // `known`, if given, covers the ring's length and seeds, and saves most of the work.
    Redistributions(const Rules& rules, const B& board, const Ways* known = nullptr)
        : size_(rules.ring()), known_(known) {
        const int row = rules.row(board.mover);
        for (int pit = row; pit < row + rules.pits; ++pit) {
            if (board.ring[pit] != 0) occupied_[occupied_count_++] = {pit, board.ring[pit]};
        }
        const int named = rules.redistribution == Redistribution::one ? 1 : 2;
        most_ = occupied_count_ < named ? occupied_count_ : named;
        fewest_ = rules.redistribution == Redistribution::up_to_two ? 0 : most_;
        if (known_ != nullptr) {
            std::uint64_t count = 0;
            const std::uint64_t* ways = (*known_)[size_];
            each_group([&](const Emptied&, int seeds) {
                count += ways[seeds];
                return count >= Ways::too_many;
            });
            count_ = count;
            if (count < Ways::too_many) return;
            known_ = nullptr;
            count_ = 0;
        }
        int most_seeds = 0;
        each_group([&](const Emptied&, int seeds) {
            if (seeds > most_seeds) most_seeds = seeds;
            return false;
        });
        ways_.reserve(static_cast<std::size_t>(most_seeds) + 1);
        ways_.emplace_back(1);
        for (int seeds = 1; seeds <= most_seeds; ++seeds) {
            Natural ways = ways_.back();
            ways *= static_cast<std::uint32_t>(seeds + size_ - 1);
            ways /= static_cast<std::uint32_t>(seeds);
            ways_.push_back(ways);
        }
        each_group([&](const Emptied&, int seeds) {
            count_ += ways_[static_cast<std::size_t>(seeds)];
            return false;
        });
    }

    const Natural& count() const { return count_; }
    int fewest_emptied() const { return fewest_; }
    int most_emptied() const { return most_; }

    Redistribute operator[](Natural number) const {  // number < count(); without `known`
        Redistribute found;
        each_group([&](const Emptied& group, int seeds) {
            const Natural& ways = ways_[static_cast<std::size_t>(seeds)];
            if (number >= ways) {
                number -= ways;
                return false;
            }
            static_cast<Emptied&>(found) = group;
            const Natural to_the_right = ways_to_the_right(seeds);
            if (ways.bits() <= 53) {  // which leaves room for a factor of seeds
                place(found, seeds, number.low64(), to_the_right.low64());
            } else {
                place(found, seeds, number, to_the_right);
            }
            return true;
        });
        return found;
    }

    // Plays the redistribution of this number on the board.
    void play(const Rules& rules, B& board, const Natural& number) const {
        if (known_ == nullptr) return redistribute(rules, board, (*this)[number]);
        std::uint64_t left = number.low64();
        const std::uint64_t* ways = (*known_)[size_];
        each_group([&](const Emptied& group, int seeds) {
            if (left >= ways[seeds]) {
                left -= ways[seeds];
                return false;
            }
            empty_pits(board, group);
            place(board, seeds, left);
            return true;
        });
        end_redistribution(rules, board);
    }

    // Returns the number of a redistribution, which must be one of this position.
    Natural index(const Redistribute& move) const {
        Natural number;
        each_group([&](const Emptied& group, int seeds) {
            if (group.emptied_count == move.emptied_count && group.emptied == move.emptied) {
                number += placed_before(move, seeds);
                return true;
            }
            number += ways_[static_cast<std::size_t>(seeds)];
            return false;
        });
        return number;
    }

    // Whether `other` numbers the same redistributions, which are those of the same seeds in the
    // same pits.
    bool same_moves(const Redistributions& other) const {
        if (size_ != other.size_ || fewest_ != other.fewest_ || most_ != other.most_ ||
            occupied_count_ != other.occupied_count_) {
            return false;
        }
        for (int i = 0; i < occupied_count_; ++i) {
            if (occupied_[i].pit != other.occupied_[i].pit ||
                occupied_[i].seeds != other.occupied_[i].seeds) {
                return false;
            }
        }
        return true;
    }

    // Calls `f(emptied pits, their seeds)` for each choice of pits in order until it returns true.
    template <class F>
    void each_group(F&& f) const {
        Emptied group;
        if (fewest_ == 0 && f(group, 0)) return;
        if (fewest_ <= 1 && most_ >= 1) {
            group.emptied_count = 1;
            for (int i = 0; i < occupied_count_; ++i) {
                group.emptied = {occupied_[i].pit, 0};
                if (f(group, occupied_[i].seeds)) return;
            }
        }
        if (most_ == 2) {
            group.emptied_count = 2;
            for (int i = 0; i < occupied_count_; ++i) {
                for (int j = i + 1; j < occupied_count_; ++j) {
                    group.emptied = {occupied_[i].pit, occupied_[j].pit};
                    if (f(group, occupied_[i].seeds + occupied_[j].seeds)) return;
                }
            }
        }
    }

private:
    // Places the seeds by steps, each of which puts one seed into the present pit or goes on to the
    // next pit.  No branch predictor could foretell which, so the step loads the number of ways of
    // both and chooses by a mask.  `after` is the number of placings, from the wanted one on, that
    // share what is decided so far.
    void place(B& board, int seeds, std::uint64_t number) const {
        const std::ptrdiff_t columns = (*known_)[1] - (*known_)[0];
        const std::uint64_t* at = (*known_)[size_] + seeds;
        std::uint64_t after = *at - number;
        std::uint64_t ways = *--at;
        for (std::ptrdiff_t left = seeds, pit = 0; left > 0;) {
            const std::uint64_t of_a_seed_less = at[-1], of_a_pit_less = at[-columns];
            const std::uint64_t here = -std::uint64_t{ways >= after};  // all bits, or none
            after -= ways & ~here;
            ways = of_a_pit_less ^ ((of_a_seed_less ^ of_a_pit_less) & here);
            const auto one = static_cast<std::ptrdiff_t>(here);  // −1 or 0
            at -= columns - ((columns - 1) & one);
            board.ring[pit] = static_cast<typename B::seeds_type>(board.ring[pit] - one);
            left += one;
            pit += 1 + one;
        }
    }

    // Walks through the placings of `seeds` in order.  `ways` is always the number of placings that
    // share what is decided so far and put the seeds still `left` into the `rest` pits to the
    // right.
    template <class Number>
    void place(Redistribute& move, int seeds, Number number, Number ways) const {
        int left = seeds;
        for (int pit = 0; pit < size_; ++pit) {
            const int rest = size_ - 1 - pit;
            if (rest == 0) {
                move.placed[static_cast<std::size_t>(pit)] = static_cast<std::uint16_t>(left);
                return;
            }
            int here = 0;
            while (number >= ways) {
                number -= ways;
                one_more_here(ways, left, rest);
                --left;
                ++here;
            }
            move.placed[static_cast<std::size_t>(pit)] = static_cast<std::uint16_t>(here);
            next_pit(ways, left, rest);
        }
    }

    Natural placed_before(const Redistribute& move, int seeds) const {
        int left = seeds;
        Natural ways = ways_to_the_right(seeds);
        Natural number;
        for (int pit = 0; pit < size_ - 1; ++pit) {
            const int rest = size_ - 1 - pit;
            for (int here = 0; here < move.placed[static_cast<std::size_t>(pit)]; ++here) {
                number += ways;
                one_more_here(ways, left, rest);
                --left;
            }
            next_pit(ways, left, rest);
        }
        return number;
    }

    // These compute C(left + rest − 1, rest − 1) from that of one pit more, and of one seed more.
    Natural ways_to_the_right(int seeds) const {
        Natural ways = ways_[static_cast<std::size_t>(seeds)];
        next_pit(ways, seeds, size_);
        return ways;
    }
    template <class Number>
    static void next_pit(Number& ways, int left, int rest) {
        if (rest == 1) return;
        ways *= static_cast<std::uint32_t>(rest - 1);
        ways /= static_cast<std::uint32_t>(left + rest - 1);
    }
    template <class Number>
    static void one_more_here(Number& ways, int left, int rest) {
        ways *= static_cast<std::uint32_t>(left);
        ways /= static_cast<std::uint32_t>(left + rest - 1 == 0 ? 1 : left + rest - 1);
    }

    struct Occupied {
        int pit, seeds;
    };
    int size_;
    const Ways* known_;  // null: not used
    std::array<Occupied, max_pits> occupied_;
    int occupied_count_ = 0;
    int fewest_ = 0, most_ = 0;
    std::vector<Natural> ways_;  // of placing a number of seeds anywhere on the ring
    Natural count_;
};

template <class B>
void empty_pits(B& board, const Emptied& pits) {
    for (int i = 0; i < pits.emptied_count; ++i)
        board.ring[pits.emptied[static_cast<std::size_t>(i)]] = 0;
}

template <class B>
void end_redistribution(const Rules& rules, B& board) {
    ++board.redistributions;
    board.mover = static_cast<std::uint8_t>(1 - board.mover);
    board.passed = false;
    if (board.redistributions == 2 && rules.protection == Protection::until_lifted) {
        for (int pit = 0; pit < rules.ring(); ++pit) {
            if (board.ring[pit] != 0) board.protected_pits.add(pit);
        }
    }
}

// Plays a redistribution that is one of the position.
template <class B>
void redistribute(const Rules& rules, B& board, const Redistribute& move) {
    using Seeds = typename B::seeds_type;
    empty_pits(board, move);
    for (int pit = 0; pit < rules.ring(); ++pit) {
        board.ring[pit] =
            static_cast<Seeds>(board.ring[pit] + move.placed[static_cast<std::size_t>(pit)]);
    }
    end_redistribution(rules, board);
}

}  // namespace relaysow
