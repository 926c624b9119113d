// Alpha-beta search: what the moves of a position are worth, and what of it is proved.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "exact/tablebase.hpp"
#include "exact/thresholds.hpp"
#include "play/board.hpp"
#include "play/moves.hpp"
#include "play/repetition.hpp"
#include "play/sowing.hpp"
#include "play/verdict.hpp"
#include "rules/rules.hpp"
#include "search/transpositions.hpp"
#include "search/worth.hpp"
#include "support/mixing.hpp"

namespace relaysow {

// Thrown where a search ends before its time.
struct SearchStopped {};

// The score, which is a lead at the end, of a position of these values at a given lead.  Endless
// play that is a draw counts 0.
constexpr int score_of(Thresholds values, int lead) {
    if (lead >= values.win) return lead - values.win + 1;
    return lead >= values.draw ? 0 : lead - values.draw;
}

// Searches from one position after the other.  Each thread has its own.
//
// A score is the lead at the end of the game, as the player to move sees it.  Where the search does
// not reach the end, the score is the present lead or what the table says; a game that is drawn
// whatever the stores has score 0.  The search follows all rules of the game and knows its history:
// a position that comes again ends the game.  A score is proved where play to the end bears it out.
//
// Where `transpositions` shares values, a position counts as having one value on all paths, as it
// has when endless play has one value throughout (see `refused_option`).  A proof that rests on the
// path is not shared.  Any other proof holds on every path, because a player who can do better than
// endless play need never let a position come again.
template <class B>
class Search {
public:
    using Key = RepetitionKey<B>;

    struct RootMove {
        Sow move;
        int number;  // among the candidates
        B board;     // after it
        std::uint64_t hash;
        bool is_leaf, same_mover, repeats;
        int captured;
        Worth worth;
        int depth;              // to which it was searched with its score in the window; 0: never
        std::vector<Sow> line;  // with the move itself
    };

    Search(const SowingContext<B>& context, const Table* table, Transpositions* transpositions)
        : context_(context),
          rules_(context.rules),
          table_(table),
          transpositions_(transpositions),
          compares_(rules_.repetition != Repetition::off),
          shares_values_(transpositions != nullptr &&
                         (!compares_ || refused_option(rules_) == nullptr)),
          may_be_drawn_((compares_ && rules_.repetition == Repetition::draw) ||
                        rules_.endless == Endless::draw),
          plies_(max_search_depth + 2) {}

    // Begins at a settled position that is not over.  `compared` are the earlier positions with
    // which the repetition rule compares.
    void begin(const B& root, std::span<const Key> compared) {
        root_ = root;
        seeds_ =
            root.stores[0] + root.stores[1] + root.row_seeds(rules_, 0) + root.row_seeds(rules_, 1);
        tabled_ = table_ == nullptr ? 0 : table_->totals();
        path_.clear();
        filter_.fill(0);
        merits_.fill(0);
        nodes_ = 0;
        most_nodes_ = UINT64_MAX;
        const int lead = lead_of(root, 0);
        for (const Key& key : compared) visit(key, hash_of(key, lead));
        const Key own(root);
        visit(own, hash_of(own, lead));
        before_ = path_.size();
        moves_.clear();
        int number = 0;
        Candidates<B>(rules_, root).any([&](Sow move) {
            Child child;
            if (try_move(root, move, 0, max_search_depth, child)) {
                moves_.push_back({move,
                                  number,
                                  child.board,
                                  child.hash,
                                  child.is_leaf,
                                  child.same_mover,
                                  child.repeats,
                                  child.captured,
                                  child.worth,
                                  0,
                                  {move}});
            }
            ++number;
            return false;
        });
    }

    std::vector<RootMove>& moves() { return moves_; }
    std::uint64_t nodes() const { return nodes_; }
    void stop_after(std::uint64_t nodes) { most_nodes_ = nodes; }

    // Searches all moves to this depth and puts the best `lines` of them first, with exact scores.
    // Throws where it is stopped: then the moves may be in any order, and the worth of each is of
    // the depth that it names.
    void iterate(int depth, std::size_t lines) {
        std::size_t done = 0;
        for (std::size_t at = 0; at < moves_.size(); ++at) {
            RootMove& move = moves_[at];
            int alpha = -past_every_score;
            if (done >= lines) alpha = moves_[lines - 1].worth.score;
            Worth worth = move.worth;
            if (!move.is_leaf) {
                if (done >= lines) {
                    worth = look_after(move, depth, alpha, alpha + 1);
                    if (worth.score > alpha) {
                        worth = look_after(move, depth, alpha, past_every_score);
                    }
                } else {
                    worth = look_after(move, depth, alpha, past_every_score);
                }
            }
            move.worth = worth;
            move.depth = depth;
            if (done >= lines && worth.score <= alpha) continue;
            move.line.assign(1, move.move);
            if (!move.is_leaf && depth > 1) {
                move.line.insert(move.line.end(), plies_[1].line.begin(), plies_[1].line.end());
            }
            std::size_t to = std::min(done, at);
            while (to > 0 && moves_[to - 1].worth.score < worth.score) --to;
            std::rotate(moves_.begin() + static_cast<std::ptrdiff_t>(to),
                        moves_.begin() + static_cast<std::ptrdiff_t>(at),
                        moves_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
            done = std::min(done + 1, lines);
        }
    }

    // Searches deeper and deeper until so many moves are sown or the best move is proved.  The best
    // move is then the first.
    void deepen(std::uint64_t most_nodes) {
        try {
            for (int depth = 1; depth <= max_search_depth && !is_exact(1); ++depth) {
                iterate(depth, 1);
                stop_after(most_nodes);
            }
        } catch (const SearchStopped&) {
        }
    }

    // Whether the best `lines` moves, and their scores, are proved.
    bool is_exact(std::size_t lines) const {
        for (std::size_t at = 0; at < moves_.size(); ++at) {
            const Worth& worth = moves_[at].worth;
            if (at < lines ? !worth.exact() : worth.upper_needs == Worth::unproved) return false;
        }
        return true;
    }

    // Prolongs the line of an exact score by the moves that bear it out, as far as the
    // transpositions remember them.
    void prolong(RootMove& move) {
        if (!shares_values_ || !move.worth.exact()) return;
        const std::uint64_t nodes = nodes_, most_nodes = most_nodes_;
        most_nodes_ = UINT64_MAX;
        try {
            prolong_line(move);
        } catch (const SearchStopped&) {  // The line is not worth more time.
        }
        nodes_ = nodes;
        most_nodes_ = most_nodes;
    }

    // The score of one of the moves at this depth, exact if it is above `alpha`.
    int score(const RootMove& move, int depth, int alpha) {
        return move.is_leaf ? move.worth.score
                            : look_after(move, depth, alpha, past_every_score).score;
    }

private:
    void prolong_line(RootMove& move) {
        std::vector<std::uint64_t> hashes;
        Child child;
        child.board = root_;
        int worth = move.worth.score;  // to the player who makes the next move
        for (std::size_t at = 0; at < max_search_depth; ++at) {
            const B board = child.board;
            const auto bears_out = [&](Sow next) {
                if (!try_move(board, next, path_.size(), max_search_depth, child)) {
                    return false;
                }
                if (child.is_leaf) return child.worth.exact() && child.worth.score == worth;
                Transpositions::Entry known;
                return at + 1 < move.line.size() ||
                       (transpositions_->find(child.hash, known) && known.lower == known.upper &&
                        known.lower == (child.same_mover ? worth : -worth));
            };
            if (at < move.line.size()) {
                if (!bears_out(move.line[at])) return;
            } else if (!Candidates<B>(rules_, board).any(bears_out)) {
                return;
            } else {
                move.line.push_back(child.move);
            }
            if (child.is_leaf ||
                std::find(hashes.begin(), hashes.end(), child.hash) != hashes.end()) {
                return;
            }
            hashes.push_back(child.hash);
            worth = child.same_mover ? worth : -worth;
        }
    }

    struct Visited {
        Key key;
        std::uint64_t hash;
    };
    struct Child {
        B board;
        std::uint64_t hash;
        Sow move;
        int captured;
        bool is_leaf, same_mover, repeats;
        Worth worth;  // of a leaf, to the player before the move
    };
    // What one ply of the searched path needs.
    struct Ply {
        std::vector<Child> children;
        std::size_t used = 0;
        std::vector<std::pair<int, std::size_t>> order;
        std::vector<Sow> line;  // what was found best

        Child& child() {  // the next free one
            if (used == children.size()) children.resize(used + 16);
            return children[used];
        }
    };

    static int lead_of(const B& board, int player) {
        return board.stores[player] - board.stores[1 - player];
    }
    int seeds_on_ring(const B& board) const { return seeds_ - board.stores[0] - board.stores[1]; }

    static std::uint64_t hash_of(const Key& key, int lead_of_south) {
        std::uint64_t h = spread(mixed(
            0, key.mover_and_duties | static_cast<std::uint64_t>(lead_of_south + 4'096) << 32));
        if (!key.protected_pits.empty()) {
            h = spread(mixed(h, key.protected_pits.low));
            h = spread(mixed(h, key.protected_pits.high));
        }
        constexpr std::size_t words = sizeof key.ring / 8;
        std::uint64_t ring[words];
        std::memcpy(ring, key.ring, sizeof ring);
        for (std::size_t k = 0; k < words; ++k) h = spread(mixed(h, ring[k]));
        return h;
    }

    void visit(const Key& key, std::uint64_t hash) {
        path_.push_back({key, hash});
        ++filter_[hash % filter_.size()];
    }
    void leave() {
        --filter_[path_.back().hash % filter_.size()];
        path_.pop_back();
    }

    // The place of a position in the path from `since` on, or the path's end if it is not there.
    std::size_t find(const Key& key, std::uint64_t hash, std::size_t since) const {
        if (filter_[hash % filter_.size()] == 0) [[likely]]
            return path_.size();
        std::size_t at = since;
        while (at < path_.size() && !(path_[at].hash == hash && path_[at].key == key)) {
            ++at;
        }
        return at;
    }

    void count_node() {
        if (++nodes_ > most_nodes_) throw SearchStopped{};
        if (nodes_ % 4'096 == 0) context_.poll();
    }

    // The lead of `player` at the end of the game, after the sweep.
    int lead_at_end(const B& board, Sweep sweep, int player) const {
        const auto stores = final_stores(rules_, board, sweep);
        const int lead = stores[0] - stores[1];
        return player == 0 ? lead : -lead;
    }
    Worth at_repetition(const B& board, int player, std::size_t at) const {
        const bool drawn = rules_.repetition == Repetition::draw;
        const int score = drawn ? 0 : lead_at_end(board, judge_repetition(rules_).sweep, player);
        // The moves played before, and the position searched, do not change with the path.
        const int place = at < before_ ? Worth::clean : static_cast<int>(at);
        return {score, place, place};
    }
    bool is_tabled(const B& board, int below) const {
        return seeds_on_ring(board) < below && board.protected_pits.empty();
    }
    int table_score(const B& board, int player) const {
        const Thresholds values = table_->values(board, seeds_on_ring(board));
        const int score = score_of(values, lead_of(board, board.mover));
        return player == board.mover ? score : -score;
    }

    // Plays a candidate into `child`.  Returns false if it is illegal.  Sets the worth of `child`
    // where the game ends or the table knows it.  The search will look `depth` moves beyond it.
    RELAYSOW_INLINE bool try_move(const B& board, Sow move, std::size_t since, int depth,
                                  Child& child) {
        count_node();
        NoTrace trace;
        Sown sown;
        sow(context_, board, child.board, move, trace, sown);
        if (!sown.legal) return false;
        const int mover = board.mover;
        child.move = move;
        child.captured = sown.captured;
        const Verdict verdict = settle(context_, child.board);
        child.same_mover = child.board.mover == mover;
        child.is_leaf = true;
        child.repeats = false;
        if (verdict.end != End::running) [[unlikely]] {
            child.worth = proved(
                verdict.end == End::endless ? 0 : lead_at_end(child.board, verdict.sweep, mover));
            return true;
        }
        // With fewer seeds than at the root no position of the history can come again.
        if (is_tabled(child.board, std::min(tabled_, seeds_on_ring(root_)))) {
            child.worth = proved(table_score(child.board, mover));
            return true;
        }
        child.is_leaf = false;
        // At the horizon a position that comes again mostly has the same score as any other.
        if (depth == 0 && tabled_ == 0 &&
            (rules_.repetition == Repetition::stores || lead_of(child.board, 0) == 0 ||
             sown.captured != 0)) {
            return true;
        }
        const Key key(child.board);
        child.hash = hash_of(key, lead_of(child.board, 0));
        if (depth > 1 && transpositions_ != nullptr) transpositions_->fetch(child.hash);
        if (compares_ && sown.captured == 0) {
            const std::size_t at = find(key, child.hash, since);
            if (at < path_.size()) {
                child.worth = at_repetition(child.board, mover, at);
                child.is_leaf = child.repeats = true;
            }
        }
        return true;
    }

    // The worth of a position beyond which the search does not go.
    Worth at_horizon(const B& board, int player) const {
        if (is_tabled(board, tabled_)) return guessed(table_score(board, player));
        return guessed(lead_of(board, player));
    }

    Worth look_after(const RootMove& move, int depth, int alpha, int beta) {
        try {
            return look_beyond(move, depth, alpha, beta, 0, 0);
        } catch (...) {
            while (path_.size() > before_) leave();
            throw;
        }
    }

    // The worth of a move that is no leaf, to the player who makes it.  The last capture before it
    // is at place `since` of the path.
    template <class Move>
    Worth look_beyond(const Move& move, int depth, int alpha, int beta, std::size_t since,
                      std::size_t ply) {
        const int mover = move.same_mover ? move.board.mover : 1 - move.board.mover;
        if (depth == 1) return at_horizon(move.board, mover);
        const std::size_t next = move.captured > 0 ? path_.size() : since;
        if (move.same_mover) {
            return look(move.board, move.hash, depth - 1, alpha, beta, next, ply + 1);
        }
        return look(move.board, move.hash, depth - 1, -beta, -alpha, next, ply + 1).before(false);
    }

    // The worth, to the player to move, of a position in which the game goes on.  The score is only
    // a bound where it is not between `alpha` and `beta`.
    Worth look(const B& board, std::uint64_t hash, int depth, int alpha, int beta,
               std::size_t since, std::size_t at_ply) {
        Ply& ply = plies_[at_ply];
        const bool in_line = beta - alpha > 1;
        if (in_line) ply.line.clear();

        // These bounds hold however the seeds left on the ring are shared out.
        const int lead = lead_of(board, board.mover), left = seeds_on_ring(board);
        const int highest = may_be_drawn_ ? std::max(lead + left, 0) : lead + left;
        const int lowest = may_be_drawn_ ? std::min(lead - left, 0) : lead - left;
        if (highest <= alpha) return {highest, Worth::unproved, Worth::clean};
        if (lowest >= beta) return {lowest, Worth::clean, Worth::unproved};

        Transpositions::Entry known;
        const bool remembers = transpositions_ != nullptr && depth > 1;
        if (remembers && transpositions_->find(hash, known) && shares_values_) {
            const bool settled = known.lower == known.upper;
            if (settled) return proved(known.lower);
            if (known.lower >= beta) return {known.lower, Worth::clean, Worth::unproved};
            if (known.upper <= alpha) return {known.upper, Worth::unproved, Worth::clean};
            if (!in_line && known.depth >= depth &&
                (((known.bound & 1) != 0 && known.score >= beta) ||
                 ((known.bound & 2) != 0 && known.score <= alpha))) {
                return guessed(known.score);
            }
        }

        const std::size_t me = path_.size();
        visit(Key(board), hash);
        Worth best;
        std::uint32_t best_move = 0;
        int above = alpha;
        bool first = true;
        // Looks at a move.  Returns whether it is so good that the others do not matter.
        const auto look_at = [&](const Child& child) {
            Worth worth = child.worth;
            if (!child.is_leaf) {
                if (first || !in_line) {
                    worth = look_beyond(child, depth, above, beta, since, at_ply);
                } else {
                    worth = look_beyond(child, depth, above, above + 1, since, at_ply);
                    if (worth.score > above && worth.score < beta) {
                        worth = look_beyond(child, depth, above, beta, since, at_ply);
                    }
                }
            }
            first = false;
            best.upper_needs = std::min(best.upper_needs, worth.upper_needs);
            if (worth.score > best.score) {
                best.score = worth.score;
                best.lower_needs = worth.lower_needs;
                best_move = code(board, child.move);
                if (in_line && worth.score > above) {
                    ply.line.assign(1, child.move);
                    if (!child.is_leaf && depth > 1) {
                        const auto& rest = plies_[at_ply + 1].line;
                        ply.line.insert(ply.line.end(), rest.begin(), rest.end());
                    }
                }
                above = std::max(above, worth.score);
            } else if (worth.score == best.score && worth.lower_needs > best.lower_needs) {
                best.lower_needs = worth.lower_needs;
                best_move = code(board, child.move);
                if (in_line) ply.line.assign(1, child.move);
            }
            if (best.score < beta) return false;
            best.upper_needs = Worth::unproved;  // Nothing is known of the remaining moves.
            return true;
        };
        if (depth == 1) {
            ply.used = 0;
            Child& child = ply.child();
            Candidates<B>(rules_, board).any([&](Sow move) {
                return try_move(board, move, since, 0, child) && look_at(child);
            });
        } else {
            look_at_all(board, depth, since, ply, known.move, look_at);
        }
        leave();

        if (best.lower_needs >= static_cast<int>(me)) best.lower_needs = Worth::clean;
        if (best.upper_needs >= static_cast<int>(me)) best.upper_needs = Worth::clean;
        if (remembers) remember(hash, known, best, depth, alpha, beta, best_move);
        return best;
    }

    // Looks at the moves, the likely best first, until one is good enough.
    template <class F>
    void look_at_all(const B& board, int depth, std::size_t since, Ply& ply,
                     std::uint32_t known_move, F&& look_at) {
        const Candidates<B> candidates(rules_, board);
        ply.used = 0;
        if (known_move != 0) {
            const Sow move = decode(board, known_move);
            const bool is_candidate = candidates.any([&](Sow one) { return one == move; });
            if (!is_candidate) {
                known_move = 0;
            } else if (try_move(board, move, since, depth - 1, ply.child()) &&
                       look_at(ply.child())) {
                return;
            }
        }
        ply.order.clear();
        candidates.any([&](Sow move) {
            if (known_move != 0 && code(board, move) == known_move) return false;
            Child& child = ply.child();
            if (try_move(board, move, since, depth - 1, child)) {
                // Captures first, then extra moves, then what was good elsewhere.
                const int order = child.captured * 4'096 + child.same_mover * 1'024 +
                                  static_cast<int>(merit(move));
                ply.order.emplace_back(-order, ply.used);
                ++ply.used;
            }
            return false;
        });
        for (auto next = ply.order.begin(); next != ply.order.end(); ++next) {
            std::iter_swap(next, std::min_element(next, ply.order.end()));
            const Child& child = ply.children[next->second];
            if (!look_at(child)) continue;
            if (child.captured == 0) praise(child.move, depth);
            return;
        }
    }

    void remember(std::uint64_t hash, Transpositions::Entry known, Worth& best, int depth,
                  int alpha, int beta, std::uint32_t best_move) {
        if (shares_values_) {
            // What was proved before still holds.
            if (best.score <= known.lower) {
                best = {known.lower, Worth::clean,
                        best.score == known.lower ? best.upper_needs : Worth::unproved};
            } else if (best.score >= known.upper) {
                best = {known.upper, best.score == known.upper ? best.lower_needs : Worth::unproved,
                        Worth::clean};
            }
            if (best.lower_needs == Worth::clean) known.lower = std::max(known.lower, best.score);
            if (best.upper_needs == Worth::clean) known.upper = std::min(known.upper, best.score);
            known.score = best.score;
            known.bound = best.score >= beta ? 1 : best.score <= alpha ? 2 : 3;
        }
        known.depth = depth;
        if (best_move != 0) known.move = best_move;
        transpositions_->store(hash, known);
    }

    std::uint32_t code(const B& board, Sow move) const {
        const auto pit = static_cast<std::uint32_t>(move.pit - rules_.row(board.mover));
        return (pit << 10 | static_cast<std::uint32_t>(move.lift)) << 1 |
               static_cast<std::uint32_t>(move.direction);
    }
    Sow decode(const B& board, std::uint32_t code) const {
        return {static_cast<int>(code >> 11) + rules_.row(board.mover),
                static_cast<int>(code >> 1 & 0x3FF), static_cast<Direction>(code & 1)};
    }

    // How often of late a move without a capture was better than all others.
    std::uint32_t& merit(Sow move) {
        return merits_[static_cast<std::size_t>(2 * move.pit) +
                       static_cast<std::size_t>(move.direction)];
    }
    void praise(Sow move, int depth) {
        if ((merit(move) += static_cast<std::uint32_t>(depth * depth)) < 1'024) return;
        for (std::uint32_t& one : merits_) one /= 2;
    }

    const SowingContext<B>& context_;
    const Rules& rules_;
    const Table* table_;
    Transpositions* transpositions_;
    const bool compares_, shares_values_, may_be_drawn_;
    B root_;
    int seeds_ = 0, tabled_ = 0;
    std::size_t before_ = 0;  // how much of the path was played before
    std::vector<Visited> path_;
    std::array<std::uint32_t, 4'096> filter_{};  // how many positions of the path have such a hash
    std::vector<RootMove> moves_;
    std::vector<Ply> plies_;
    std::array<std::uint32_t, 2 * max_ring> merits_{};
    std::uint64_t nodes_ = 0, most_nodes_ = UINT64_MAX;
};

}  // namespace relaysow
