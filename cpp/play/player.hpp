// Plays single games move by move: the plain text of what a simulation does.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "games/simulate.hpp"
#include "play/moves.hpp"
#include "play/repetition.hpp"
#include "play/sowing.hpp"
#include "search/search.hpp"
#include "support/random.hpp"

namespace relaysow {

struct GameRow {
    std::array<int, 2> scores{};
    int winner = -2;
    std::int32_t moves = 0, turns = 0, captures = 0;
    std::int64_t laps = 0, longest = 0, first_move = -1;
    End end = End::cut;
};

inline constexpr int no_move = -1;

// Who has won a game that ended so: 0, 1, or −1 for a draw.
inline int winner_of(const Rules& rules, End end, const std::array<int, 2>& scores) {
    const bool drawn = scores[0] == scores[1] || end == End::endless ||
                       (end == End::repetition && rules.repetition == Repetition::draw);
    return drawn ? -1 : scores[1] > scores[0];
}

// The end of a game in which a position has come again.
inline Verdict repetition_verdict(const Rules& rules) {
    return {End::repetition,
            rules.repetition == Repetition::score ? Sweep::own_rows : Sweep::nobody};
}

// Draws candidates until one is legal, as `try_move` proves; its number.
template <class B, class Try>
RELAYSOW_INLINE int draw_candidate(const Candidates<B>& candidates, Chance& chance,
                                   std::vector<int>& left, Try&& try_move) {
    if (candidates.empty()) return no_move;
    const int count = candidates.count();
    const int number = chance.below(count);
    if (try_move(candidates[number])) [[likely]]
        return number;
    left.clear();
    for (int i = 0; i < count; ++i) {
        if (i != number) left.push_back(i);
    }
    while (!left.empty()) {
        const auto at = left.begin() + chance.below(static_cast<int>(left.size()));
        const int next = *at;
        if (try_move(candidates[next])) return next;
        left.erase(at);
    }
    return no_move;
}

// Plays single games from the start of a plan.  One player a thread.
template <class B>
class GamePlayer {
public:
    GamePlayer(const SimulationPlan& plan, const Poll& poll)
        : plan_(plan),
          rules_(plan.rules),
          referee_(
              plan.rules, poll,
              plan.policies[0].searches() || plan.policies[1].searches() ? &endless_ : nullptr),
          start_(board_as<B>(plan.rules, plan.start)),
          compares_(plan.rules.repetition != Repetition::off),
          by_turn_(compares_by_turn(plan.rules)) {
        std::uint64_t most_nodes = 0;
        for (const Policy policy : plan.policies) {
            if (policy.kind == Policy::search_depth) by_depth_.emplace(referee_, nullptr, nullptr);
            if (policy.kind == Policy::search_nodes) {
                most_nodes = std::max(most_nodes, policy.limit);
            }
        }
        if (most_nodes > 0) {
            transpositions_.emplace(std::size_t{32} * std::min<std::uint64_t>(most_nodes, 1 << 22));
            by_nodes_.emplace(referee_, nullptr, &*transpositions_);
        }
        if (start_.redistributions < 2) {
            ways_.emplace(rules_.ring(), start_.row_seeds(rules_, 0) + start_.row_seeds(rules_, 1));
        }
        if (start_.drawn || start_.redistributions < 2) return;
        const Candidates<B> candidates(rules_, start_);
        std::int64_t legal = 0;
        candidates.any([&](Sow move) {
            legal_number_.push_back(legal);
            legal += is_legal(referee_, start_, boards_[1], move);
            return false;
        });
    }

    // The opening redistributions still to be made; false if they are cut by `max_moves`.
    bool redistribute_all(B& board, Chance& chance, GameRow& row) const {
        while (board.redistributions < 2 && !board.drawn) {
            if (row.moves == plan_.max_moves) return false;
            const Redistributions<B> moves(rules_, board, ways_ ? &*ways_ : nullptr);
            const Natural number = chance.below(moves.count());
            if (row.moves == 0 && number.fits_63_bits()) {
                row.first_move = static_cast<std::int64_t>(number.low64());
            }
            moves.play(rules_, board, number);
            ++row.moves;
            ++row.turns;
        }
        return true;
    }

    GameRow play(std::uint64_t game) {
        Chance chance(plan_.seed, game);
        GameRow row;
        boards_[0] = start_;
        now_ = 0;
        bool new_turn = true;
        history_.clear();
        if (!redistribute_all(boards_[0], chance, row)) return cut(row, boards_[0]);
        for (;;) {
            B& board = boards_[now_];
            if (board.drawn) return finished(row, board, {End::endless, Sweep::nobody});
            if (rules_.end == EndRule::row_empty && board.row_seeds(rules_, board.mover) == 0) {
                return finished(row, board, {End::row_empty, Sweep::opponent});
            }
            // Whether the mover can move is proved by the sowing he draws; a player who cannot
            // draws no words.
            const Chance before_draw = chance;
            if (by_turn_ && new_turn) turn_.clear();
            if (by_turn_) turn_.add(board);
            excluded_ = false;
            const int number = choose(board, chance, new_turn);
            if (number == no_move) {
                chance = before_draw;
                const bool has_duties = board.direction != Duty::none || board.barred != no_pit;
                const bool own_free_move =
                    (has_duties || excluded_) &&
                    can_move(referee_, board, board.mover, Duty::none, no_pit);
                const Verdict verdict = judge_stuck(referee_, board, own_free_move);
                if (verdict.end != End::running) return finished(row, board, verdict);
                new_turn = true;
                continue;
            }
            if (compares_ && (!by_turn_ || new_turn) && !history_.add(board)) {
                return finished(row, board, repetition());
            }
            if (row.moves == plan_.max_moves) return cut(row, board);
            if (row.moves == 0 && !legal_number_.empty()) row.first_move = legal_number(number);
            ++row.moves;
            row.turns += new_turn;
            if (sown_.laps.end != SowingEnd::endless) {
                const auto laps = static_cast<std::int64_t>(sown_.laps.count);
                row.laps += laps;
                if (laps > row.longest) row.longest = laps;
            }
            if (sown_.captured > 0) {
                ++row.captures;
                history_.clear();
            }
            new_turn = !sown_.moves_again;
            now_ ^= 1;
        }
    }

    // Games begin here from now on; their first moves have no numbers.
    void start_from(const B& board) {
        start_ = board;
        ways_.reset();
        legal_number_.clear();
    }

    const Referee<B>& referee() const { return referee_; }
    const B& start() const { return start_; }
    const B& board() const { return boards_[now_]; }     // where the game stands
    const B& next() const { return boards_[now_ ^ 1]; }  // after the move tried last
    const Sown& sown() const { return sown_; }           // what that did
    std::int64_t legal_number(int candidate_of_the_start) const {
        return legal_number_[static_cast<std::size_t>(candidate_of_the_start)];
    }

    // Sows a candidate into the other board; whether it is legal.
    RELAYSOW_INLINE bool try_move(const B& board, Sow move) {
        NoTrace trace;
        B& next = boards_[now_ ^ 1];
        sow(referee_, board, next, move, trace, sown_);
        if (!sown_.legal) return false;
        if (by_turn_ && sown_.moves_again && turn_.contains(next)) {
            excluded_ = true;
            return false;
        }
        return true;
    }

    // Draws candidates until one is legal, which is then the one tried last.
    int choose_at_random(const B& board, Chance& chance) {
        const Candidates<B> candidates(rules_, board);
        return draw_candidate(candidates, chance, left_,
                              [&](Sow move) { return try_move(board, move); });
    }

    GameRow& finished(GameRow& row, const B& board, Verdict verdict) const {
        row.end = verdict.end;
        row.scores = final_stores(rules_, board, verdict.sweep);
        row.winner = winner_of(rules_, verdict.end, row.scores);
        return row;
    }
    Verdict repetition() const { return repetition_verdict(rules_); }
    GameRow& cut(GameRow& row, const B& board) const {
        row.scores = final_stores(rules_, board, Sweep::nobody);
        return row;
    }

private:
    int choose(const B& board, Chance& chance, bool new_turn) {
        const Policy policy = plan_.policies[board.mover];
        if (policy.kind == Policy::random) return choose_at_random(board, chance);
        if (policy.kind == Policy::greedy) return choose_greedily(board, chance);
        return choose_by_search(board, chance, policy, new_turn);
    }

    // By depth: one of the moves best by minimax.  By nodes: the first of the best, in an order
    // that begins anywhere.  One word of chance either way.
    int choose_by_search(const B& board, Chance& chance, Policy policy, bool new_turn) {
        const bool by_depth = policy.kind == Policy::search_depth;
        Search<B>& search = *(by_depth ? by_depth_ : by_nodes_);
        const bool is_compared = compares_ && (!by_turn_ || new_turn);
        search.begin(board, history_.keys(), turn_.keys(), is_compared);
        auto& moves = search.moves();
        excluded_ = search.excluded();
        if (moves.empty()) return no_move;
        if (is_compared && history_.contains(board)) return moves.front().number;  // the end
        std::size_t best = 0;
        if (by_depth) {
            int most = -past_every_score;
            left_.clear();
            for (std::size_t at = 0; at < moves.size(); ++at) {
                const int score = search.score(moves[at], static_cast<int>(policy.limit), most - 1);
                if (score > most) {
                    most = score;
                    left_.clear();
                }
                if (score == most) left_.push_back(static_cast<int>(at));
            }
            best = static_cast<std::size_t>(
                left_[static_cast<std::size_t>(chance.below(static_cast<int>(left_.size())))]);
        } else {
            const int first = chance.below(static_cast<int>(moves.size()));
            std::rotate(moves.begin(), moves.begin() + first, moves.end());
            // Who leads would rather go on than repeat a position.
            const bool leads = board.stores[board.mover] > board.stores[1 - board.mover];
            std::stable_partition(moves.begin(), moves.end(),
                                  [&](const auto& move) { return move.repeats != leads; });
            transpositions_->clear();
            if (moves.size() > 1) search.deepen(policy.limit);
        }
        const int number = moves[best].number;
        try_move(board, moves[best].move);
        return number;
    }

    int choose_greedily(const B& board, Chance& chance) {
        const Candidates<B> candidates(rules_, board);
        left_.clear();
        int most = 0, number = 0;
        candidates.any([&](Sow move) {
            if (try_move(board, move)) {
                if (sown_.captured > most) {
                    most = sown_.captured;
                    left_.clear();
                }
                if (sown_.captured == most) left_.push_back(number);
            }
            ++number;
            return false;
        });
        if (left_.empty()) return no_move;
        number = left_[static_cast<std::size_t>(chance.below(static_cast<int>(left_.size())))];
        try_move(board, candidates[number]);
        return number;
    }

    const SimulationPlan& plan_;
    const Rules& rules_;
    EndlessCache<B> endless_;
    const Referee<B> referee_;
    B start_;
    const bool compares_, by_turn_;
    std::vector<std::int64_t> legal_number_;  // of each candidate of the start
    History<B> history_;                      // of the game since its last capture
    History<B> turn_;                         // of this turn, where the scope is the turn
    std::vector<int> left_;
    B boards_[2];  // the position, and where a move from it is tried
    std::size_t now_ = 0;
    Sown sown_;
    bool excluded_ = false;     // some move repeats a position of this turn
    std::optional<Ways> ways_;  // of the opening redistributions
    std::optional<Search<B>> by_depth_, by_nodes_;
    std::optional<Transpositions> transpositions_;
};

}  // namespace relaysow
