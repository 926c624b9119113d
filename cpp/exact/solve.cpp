// The exact value of a position, from all positions that can be reached from it.
#include "exact/solve.hpp"

#include <cstring>
#include <span>
#include <string>

#include "play/moves.hpp"
#include "play/verdict.hpp"
#include "support/mixing.hpp"

namespace relaysow {
namespace {

// Positions as strings of bytes, the stores left out and the player to move always South: a game
// looks the same to both players.
template <class B>
class Codec {
public:
    explicit Codec(const Rules& rules)
        : rules_(rules),
          row_bytes_(B::ring_bytes(rules) / 2),
          protection_bytes_(rules.protection == Protection::none
                                ? 0
                                : static_cast<std::size_t>(rules.ring() + 7) / 8),
          has_duties_(rules.extra_direction != ExtraDirection::free ||
                      rules.extra_pit != ExtraPit::any),
          has_redistributions_(rules.redistribution != Redistribution::none) {}

    std::size_t bytes() const {
        return 2 * row_bytes_ + protection_bytes_ + 2 * has_duties_ + has_redistributions_;
    }

    void write(const B& board, std::uint8_t* out) const {
        const int turn = rules_.row(board.mover);
        const auto* ring = reinterpret_cast<const std::uint8_t*>(board.ring);
        std::memcpy(out, ring + board.mover * row_bytes_, row_bytes_);
        std::memcpy(out + row_bytes_, ring + (1 - board.mover) * row_bytes_, row_bytes_);
        out += 2 * row_bytes_;
        if (protection_bytes_ != 0) {
            std::memset(out, 0, protection_bytes_);
            for (int k = 0; k < rules_.ring(); ++k) {
                const int pit = k + turn < rules_.ring() ? k + turn : k + turn - rules_.ring();
                if (board.protected_pits.has(pit)) {
                    out[k / 8] = static_cast<std::uint8_t>(out[k / 8] | 1 << k % 8);
                }
            }
            out += protection_bytes_;
        }
        if (has_duties_) {
            *out++ = static_cast<std::uint8_t>(board.direction);
            *out++ =
                static_cast<std::uint8_t>(board.barred == no_pit ? 0 : board.barred - turn + 1);
        }
        if (has_redistributions_) *out = board.redistributions;
    }

    B read(const std::uint8_t* in) const {
        B board;
        std::memcpy(board.ring, in, 2 * row_bytes_);
        in += 2 * row_bytes_;
        if (protection_bytes_ != 0) {
            for (int k = 0; k < rules_.ring(); ++k) {
                if ((in[k / 8] >> k % 8 & 1) != 0) board.protected_pits.add(k);
            }
            in += protection_bytes_;
        }
        if (has_duties_) {
            board.direction = static_cast<Duty>(*in++);
            board.barred = static_cast<std::int16_t>(*in++ - 1);
        }
        if (has_redistributions_) board.redistributions = *in;
        return board;
    }

private:
    const Rules& rules_;
    std::size_t row_bytes_, protection_bytes_;
    bool has_duties_, has_redistributions_;
};

// Different positions, numbered as they come.
template <class B>
class Positions {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    Positions(const Rules& rules, std::size_t most)
        : codec_(rules), stride_(codec_.bytes()), most_(most), slots_(1 << 12, none) {}

    std::size_t size() const { return size_; }
    B operator[](std::size_t number) const { return codec_.read(&codes_[number * stride_]); }

    std::uint32_t find(const B& board) const {
        std::uint8_t code[max_code];
        codec_.write(board, code);
        return slots_[slot_of(code)];
    }

    std::uint32_t find_or_add(const B& board) {
        std::uint8_t code[max_code];
        codec_.write(board, code);
        const std::size_t slot = slot_of(code);
        if (slots_[slot] != none) return slots_[slot];
        if (size_ == most_) {
            throw TooManyPositions("more than max_positions=" + std::to_string(most_) +
                                   " positions can be reached");
        }
        const auto number = static_cast<std::uint32_t>(size_++);
        codes_.insert(codes_.end(), code, code + stride_);
        slots_[slot] = number;
        if (2 * size_ > slots_.size()) grow();
        return number;
    }

private:
    static constexpr std::size_t max_code =
        sizeof(typename B::seeds_type) * B::capacity + max_ring / 8 + 3;

    std::size_t slot_of(const std::uint8_t* code) const {
        std::uint64_t hash = stride_;
        for (std::size_t at = 0; at < stride_; at += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, code + at, stride_ - at < 8 ? stride_ - at : 8);
            hash = mixed(hash, word);
        }
        std::size_t slot = hash * second_factor >> 20 & (slots_.size() - 1);
        while (slots_[slot] != none &&
               std::memcmp(&codes_[slots_[slot] * stride_], code, stride_) != 0) {
            slot = (slot + 1) & (slots_.size() - 1);
        }
        return slot;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), none);
        for (std::size_t k = 0; k < size_; ++k) {
            slots_[slot_of(&codes_[k * stride_])] = static_cast<std::uint32_t>(k);
        }
    }

    Codec<B> codec_;
    std::size_t stride_, most_, size_ = 0;
    std::vector<std::uint8_t> codes_;
    std::vector<std::uint32_t> slots_;
};

template <class B>
class Solver {
public:
    Solver(const Rules& rules, const B& root, const Table* table, std::size_t max_positions,
           const Poll& poll)
        : rules_(rules),
          context_(rules, poll),
          table_(table),
          tabled_seeds_(table == nullptr ? 0 : std::min(table->totals(), seeds_of(root))),
          positions_(rules, max_positions) {
        positions_.find_or_add(root);
        for (std::size_t k = 0; k < positions_.size(); ++k) {
            if (k % 1024 == 0) poll();
            each_successor(context_, positions_[k], [&](const B& after, int, Verdict verdict) {
                if (verdict.end == End::running && !is_tabled(after)) {
                    positions_.find_or_add(after);
                }
            });
        }
        const std::size_t count = positions_.size();
        values_.assign(count, endless_play(rules));
        place_.resize(count);
        std::vector<int> totals(count);
        int most = 0;
        for (std::size_t k = 0; k < count; ++k) {
            totals[k] = seeds_of(positions_[k]);
            most = std::max(most, totals[k]);
        }
        members_.resize(static_cast<std::size_t>(most) + 1);
        for (std::size_t k = 0; k < count; ++k) {
            auto& group = members_[static_cast<std::size_t>(totals[k])];
            place_[k] = static_cast<std::uint32_t>(group.size());
            group.push_back(static_cast<std::uint32_t>(k));
        }
        for (int total = 0; total <= most; ++total) solve_total(total);
    }

    std::size_t positions() const { return positions_.size(); }
    Thresholds values(const B& board) const {
        return is_tabled(board) ? table_->values(board, seeds_of(board))
                                : values_[positions_.find(board)];
    }

    std::vector<Thresholds> move_values(const B& board) const {
        std::vector<Thresholds> moves;
        each_successor(context_, board, [&](const B& after, int captured, Verdict verdict) {
            moves.push_back(verdict.end != End::running
                                ? values_at_end(rules_, board, after, verdict)
                                : after_move(values(after), after.mover == board.mover, captured));
        });
        return moves;
    }

    // Perfect play: who can force their result takes the shortest way to a capture or the end that
    // keeps it, their opponent the longest; else the first move that keeps the result, until a
    // position comes again.
    std::vector<std::uint64_t> line(B board) {
        std::vector<std::uint64_t> numbers;
        std::vector<std::uint64_t> since_capture;
        Distances distances;
        int total = -1;
        for (Verdict verdict = running; verdict.end == End::running && !is_tabled(board);) {
            context_.poll();
            const std::uint32_t here = positions_.find(board);
            const std::uint64_t seen = 2 * std::uint64_t{here} + board.mover;
            if (std::find(since_capture.begin(), since_capture.end(), seen) !=
                since_capture.end()) {
                break;
            }
            since_capture.push_back(seen);
            const int lead = lead_of(board);
            const int result = values_[here].result(lead);
            const bool forced = result != endless_play(rules_).result(lead);
            const int now = seeds_of(board);
            if (forced && now != total) {
                distances = distances_to_capture(now, lead < 0 ? -lead : lead);
                total = now;
            }
            struct {
                B board;
                Verdict verdict;
                std::uint64_t number;
                int captured;
            } best{};
            std::int64_t best_worth = INT64_MIN;
            std::uint64_t number = 0;
            each_successor(context_, board, [&](const B& after, int captured, Verdict ended) {
                const bool same = after.mover == board.mover;
                const bool over = ended.end != End::running;
                const Thresholds worth_it = over ? values_at_end(rules_, board, after, ended)
                                                 : after_move(values(after), same, captured);
                if (worth_it.result(lead) == result) {
                    std::int64_t worth = 0;
                    if (forced && !over && captured == 0 && !is_tabled(after)) {
                        const std::int64_t way =
                            distances.of(place_[positions_.find(after)], lead_of(after));
                        worth = result > 0 || (result == 0 && lead < 0) ? -way : way;
                    }
                    if (worth > best_worth) {
                        best_worth = worth;
                        best = {after, ended, number, captured};
                    }
                }
                ++number;
            });
            numbers.push_back(best.number);
            if (best.captured > 0) since_capture.clear();
            board = best.board;
            verdict = best.verdict;
        }
        return numbers;
    }

private:
    // The moves between the positions of one total, and what the other moves are worth.
    struct Total {
        std::vector<Thresholds> exits;       // the better of moves that capture or end the game
        std::vector<std::size_t> first;      // of a position's edges; one more at the end
        std::vector<std::uint32_t> edges;    // 2 · place + (1: the same player moves)
        std::vector<std::size_t> first_in;   // likewise, into a position
        std::vector<std::uint32_t> sources;  // 2 · place + (1: the same player moves)
    };

    // For the positions of one total and both signs of one lead: moves to the capture or the end
    // that gives a result other than endless play; none: that is the result.
    struct Distances {
        std::vector<std::uint32_t> ways;
        std::uint32_t of(std::uint32_t place, int lead) const {
            return ways[2 * std::size_t{place} + (lead < 0)];
        }
    };

    int seeds_of(const B& board) const {
        return board.row_seeds(rules_, 0) + board.row_seeds(rules_, 1);
    }
    bool is_tabled(const B& board) const {
        return tabled_seeds_ > 0 && board.redistributions == 2 && board.protected_pits.empty() &&
               seeds_of(board) < tabled_seeds_;
    }
    int lead_of(const B& board) const {
        return board.stores[board.mover] - board.stores[1 - board.mover];
    }

    Total total_of(int number) const {
        const auto& group = members_[static_cast<std::size_t>(number)];
        Total total;
        total.exits.resize(group.size());
        total.first.reserve(group.size() + 1);
        total.first_in.assign(group.size() + 1, 0);
        for (std::size_t at = 0; at < group.size(); ++at) {
            if (at % 1024 == 0) context_.poll();
            total.first.push_back(total.edges.size());
            const B board = positions_[group[at]];
            each_successor(context_, board, [&](const B& after, int captured, Verdict verdict) {
                if (verdict.end != End::running) {
                    take_better(total.exits[at], values_at_end(rules_, board, after, verdict));
                    return;
                }
                const bool same = after.mover == board.mover;
                if (captured > 0 || is_tabled(after)) {
                    take_better(total.exits[at], after_move(values(after), same, captured));
                } else {
                    const std::uint32_t next = positions_.find(after);
                    total.edges.push_back(2 * place_[next] + same);
                    ++total.first_in[place_[next] + 1];
                }
            });
        }
        total.first.push_back(total.edges.size());
        for (std::size_t at = 0; at < group.size(); ++at) {
            total.first_in[at + 1] += total.first_in[at];
        }
        total.sources.resize(total.edges.size());
        std::vector<std::size_t> filled(total.first_in);
        for (std::size_t at = 0; at < group.size(); ++at) {
            for (std::size_t e = total.first[at]; e < total.first[at + 1]; ++e) {
                const std::uint32_t edge = total.edges[e];
                total.sources[filled[edge / 2]++] = static_cast<std::uint32_t>(2 * at) + edge % 2;
            }
        }
        return total;
    }

    void solve_total(int number) {
        const auto& group = members_[static_cast<std::size_t>(number)];
        const Total total = total_of(number);
        // Positions one of whose successors has changed are valued again, until nothing changes.
        std::vector<std::uint32_t> now(group.size()), later;
        std::vector<bool> waits(group.size(), true);
        for (std::size_t at = 0; at < group.size(); ++at) now[at] = static_cast<std::uint32_t>(at);
        while (!now.empty()) {
            context_.poll();
            for (const std::uint32_t at : now) {
                waits[at] = false;
                Thresholds best = total.exits[at];
                for (std::size_t e = total.first[at]; e < total.first[at + 1]; ++e) {
                    const std::uint32_t edge = total.edges[e];
                    take_better(best, after_move(values_[group[edge / 2]], edge % 2 != 0, 0));
                }
                if (best == values_[group[at]]) continue;
                values_[group[at]] = best;
                for (std::size_t e = total.first_in[at]; e < total.first_in[at + 1]; ++e) {
                    const std::uint32_t source = total.sources[e] / 2;
                    if (waits[source]) continue;
                    waits[source] = true;
                    later.push_back(source);
                }
            }
            now.swap(later);
            later.clear();
        }
    }

    Distances distances_to_capture(int number, int lead) const {
        const auto& group = members_[static_cast<std::size_t>(number)];
        const Total total = total_of(number);
        const std::size_t nodes = 2 * group.size();
        Distances distances{std::vector<std::uint32_t>(nodes, 0)};
        std::vector<std::uint32_t> open(nodes), ready;
        const auto lead_at = [&](std::size_t node) { return node % 2 == 0 ? lead : -lead; };
        const auto result_at = [&](std::size_t node) {
            return values_[group[node / 2]].result(lead_at(node));
        };
        // Who gains by the result's not being that of endless play.
        const auto gains = [&](std::size_t node) {
            return result_at(node) > endless_play(rules_).result(lead_at(node));
        };
        const auto forced = [&](std::size_t node) {
            return result_at(node) != endless_play(rules_).result(lead_at(node));
        };
        // The node at the other end of an edge; at lead 0 both signs are the same lead.
        const auto to = [](std::size_t node, std::uint32_t edge) {
            return edge / 2 * std::size_t{2} + (edge % 2 != 0 ? node % 2 : 1 - node % 2);
        };
        const auto leads_on = [&](std::size_t from, std::size_t next, bool same) {
            return result_at(from) == (same ? result_at(next) : -result_at(next));
        };
        for (std::size_t node = 0; node < nodes; ++node) {
            if (!forced(node)) continue;
            const std::size_t at = node / 2;
            for (std::size_t e = total.first[at]; e < total.first[at + 1]; ++e) {
                open[node] += leads_on(node, to(node, total.edges[e]), total.edges[e] % 2 != 0);
            }
            if (gains(node) ? total.exits[at].result(lead_at(node)) == result_at(node)
                            : open[node] == 0) {
                distances.ways[node] = 1;
                ready.push_back(static_cast<std::uint32_t>(node));
            }
        }
        // In order of distance: the first way found is the gainer's shortest, the last way left
        // the other's longest.
        for (std::size_t next = 0; next < ready.size(); ++next) {
            if (next % 4096 == 0) context_.poll();
            const std::size_t node = ready[next], at = node / 2;
            for (std::size_t e = total.first_in[at]; e < total.first_in[at + 1]; ++e) {
                const std::size_t from = to(node, total.sources[e]);
                if (distances.ways[from] != 0 || !forced(from)) continue;
                if (!leads_on(from, node, total.sources[e] % 2 != 0)) continue;
                if (gains(from) || --open[from] == 0) {
                    distances.ways[from] = distances.ways[node] + 1;
                    ready.push_back(static_cast<std::uint32_t>(from));
                }
            }
        }
        return distances;
    }

    const Rules& rules_;
    const SowingContext<B> context_;
    const Table* table_;
    int tabled_seeds_;  // fewer are looked up
    Positions<B> positions_;
    std::vector<Thresholds> values_;
    std::vector<std::vector<std::uint32_t>> members_;  // of each total
    std::vector<std::uint32_t> place_;                 // of a position among those of its total
};

}  // namespace

Solution solve(const Rules& rules, const AnyBoard& board, const Table* table,
               std::size_t max_positions, const Poll& poll) {
    return on_narrowest(rules, board, [&]<class B>(const B& root) {
        Solver<B> solver(rules, root, table, max_positions, poll);
        return Solution{solver.values(root), solver.move_values(root), solver.line(root),
                        solver.positions()};
    });
}

}  // namespace relaysow
