// Tables of the exact values of all positions of so many seeds on the ring, total by total.
//
// A table is a head and one section for each total from 0, in little-endian numbers:
//   head     magic[8] · version u32 · pits u32 · max_seeds u32 · text bytes u32 · the rules as
//   text,
//            with zeros to a multiple of 8 · checksum u64 of all of that
//   section  total u32 · bytes an entry u32 (1 or 2) · entries u64 · pairs u32 · 0 u32 · the pairs
//            of thresholds i16 i16, with zeros to 8 · checksum u64 of each block of the entries ·
//            checksum u64 of all of that · the entries, with zeros to 8
// An entry is the number of a pair.  Entries stand in the order of `Ranking`, the player to move
// first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "exact/thresholds.hpp"
#include "play/board.hpp"
#include "play/sowing.hpp"
#include "rules/rules.hpp"

namespace relaysow {

inline constexpr int max_table_seeds = 125;  // so that a threshold fits a byte

// Numbers all ways to lay out so many seeds: all in the last pit first, all in the first pit last.
class Ranking {
public:
    Ranking(int pits, int most_seeds);

    std::uint64_t count(int seeds) const { return counts_[static_cast<std::size_t>(seeds)]; }

    // Of the ring read from the first pit of `player`, which holds so many seeds in all.
    template <class Seeds>
    std::uint32_t rank(const Seeds* ring, int player) const {
        const int row = pits_ / 2;
        const Seeds* first = ring + player * row;
        const Seeds* second = ring + (1 - player) * row;
        const std::uint32_t* below = below_.data();
        std::uint32_t rank = 0;
        std::size_t seeds = 0;
        for (int i = 0; i < row; ++i, below += stride) rank += below[seeds += first[i]];
        for (int i = 0; i < row - 1; ++i, below += stride) rank += below[seeds += second[i]];
        return rank;
    }

    template <class Seeds>
    void unrank(std::uint32_t rank, int seeds, Seeds* ring) const {
        auto left = static_cast<std::size_t>(seeds);
        for (int i = pits_ - 1; i > 0; --i) {
            const std::uint32_t* below = &below_[static_cast<std::size_t>(i - 1) * stride];
            std::size_t under = left;  // seeds in the pits before this one
            while (below[under] > rank) --under;
            rank -= below[under];
            ring[i] = static_cast<Seeds>(left - under);
            left = under;
        }
        ring[0] = static_cast<Seeds>(left);
    }

    // The ring of the next rank; that of the last rank has none.
    template <class Seeds>
    static void next(Seeds* ring) {
        int i = 1;
        while (ring[i] == 0) ++i;
        const Seeds moved = ring[0];
        ring[0] = 0;
        --ring[i];
        ring[i - 1] = static_cast<Seeds>(moved + 1);
    }

private:
    static constexpr std::size_t stride = max_table_seeds + 1;

    int pits_;
    std::vector<std::uint64_t> counts_;
    std::vector<std::uint32_t> below_;  // row i, column s: C(s + i, i + 1)
};

// What is wrong with a table.
struct TableError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The values of one total, read from memory that is kept elsewhere.
class Section {
public:
    static constexpr std::size_t block_bytes = 1 << 16;

    // Reads and checks the head of a section at `data`.
    Section(const std::uint8_t* data, std::size_t size, int total, std::uint64_t count);

    std::size_t bytes() const { return entries_at_ + padded_; }
    std::size_t pairs() const { return pairs_.size(); }
    Thresholds pair(std::size_t number) const { return pairs_[number]; }

    // The number of the pair of an entry; its block is checked on first touch.
    std::size_t operator[](std::uint32_t rank) const {
        const std::size_t at = std::size_t{rank} * width_;
        if (!checked_[at / block_bytes].load(std::memory_order_relaxed)) [[unlikely]] {
            check_block(at / block_bytes);
        }
        const std::uint8_t* entry = data_ + entries_at_ + at;
        const std::size_t high = width_ == 1 ? 0 : entry[1], number = entry[0] | high << 8;
        if (number >= pairs_.size()) [[unlikely]]
            refuse_entry(rank);
        return number;
    }
    Thresholds values(std::uint32_t rank) const { return pairs_[(*this)[rank]]; }

    void check_all() const {
        for (std::size_t block = 0; block < blocks_; ++block) check_block(block);
    }

private:
    void check_block(std::size_t block) const;
    [[noreturn]] void refuse_entry(std::uint32_t rank) const;

    const std::uint8_t* data_;
    int total_;
    std::size_t width_ = 0, padded_ = 0, blocks_ = 0, checksums_at_ = 0, entries_at_ = 0;
    std::vector<Thresholds> pairs_;
    std::unique_ptr<std::atomic<bool>[]> checked_;
};

// The first so many totals of a table.
class Table {
public:
    Table(const Rules& rules, int max_seeds)
        : rules_(rules), max_seeds_(max_seeds), ranking_(rules.ring(), max_seeds) {}

    const Rules& rules() const { return rules_; }
    int max_seeds() const { return max_seeds_; }
    const Ranking& ranking() const { return ranking_; }
    int totals() const { return static_cast<int>(sections_.size()); }
    const Section& section(int total) const { return sections_[static_cast<std::size_t>(total)]; }

    // Adds the section of the next total, all its blocks checked if wished; its size.
    std::size_t add(const std::uint8_t* data, std::size_t size, bool check_all) {
        Section section(data, size, totals(), ranking_.count(totals()));
        if (check_all) section.check_all();
        sections_.push_back(std::move(section));
        return sections_.back().bytes();
    }

    template <class B>
    Thresholds values(const B& board, int total) const {
        return section(total).values(ranking_.rank(board.ring, board.mover));
    }

private:
    Rules rules_;
    int max_seeds_;
    Ranking ranking_;
    std::vector<Section> sections_;
};

// The rules of the table that holds the positions of some in which nothing is protected and no
// redistribution is due: what only the opening asks is overwritten, and all else must be the same.
inline RulesOfPlay table_rules(RulesOfPlay rules) {
    rules.protection = Protection::none;
    rules.redistribution = Redistribution::none;
    return rules;
}

struct TableHead {
    std::uint32_t pits = 0, max_seeds = 0;
    std::string rules;
    std::size_t bytes = 0;
};
std::string write_head(const TableHead& head);
TableHead read_head(const std::uint8_t* data, std::size_t size);

// The most bytes that building needs, the sections of smaller totals with it.
std::uint64_t memory_for_building(const Rules& rules, int most_seeds);

// The section of the next total of a table.  `tick` is called in the calling thread now and then
// with how many of the positions have been looked at, and throws to stop the work.
std::string build_section(const Table& table, int threads,
                          const std::function<void(std::uint64_t)>& tick);

// Checks every entry of a total against what its moves lead to; the number of the first that
// differs, or the number of entries.
std::uint64_t verify_section(const Table& table, int total, int threads,
                             const std::function<void(std::uint64_t)>& tick);

}  // namespace relaysow
