// Plays single games move by move: what a simulation does, without lanes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "play/course.hpp"
#include "play/game_row.hpp"
#include "play/moves.hpp"
#include "play/redistributions.hpp"
#include "play/simulation_plan.hpp"
#include "play/sowing.hpp"
#include "support/random.hpp"

namespace relaysow {

inline constexpr int no_move = -1;

// Draws candidates until `try_move` proves one legal.  Returns its number, or `no_move`.
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

// Serves a plan in which no player searches.
struct NoSearcher {
    template <class B>
    NoSearcher(const SimulationPlan&, const SowingContext<B>&) {}
    template <class B>
    int choose(Course<B>&, Policy, Chance&) {
        return no_move;
    }
};

// Plays single games from the start of a plan.  Each thread has its own.
template <class B, class Searcher = NoSearcher>
class GamePlayer {
public:
    GamePlayer(const SimulationPlan& plan, const Poll& poll)
        : plan_(plan),
          rules_(plan.rules),
          context_(
              plan.rules, poll,
              plan.policies[0].searches() || plan.policies[1].searches() ? &endless_ : nullptr),
          start_(board_as<B>(plan.rules, plan.start)),
          searcher_(plan, context_) {
        if (start_.redistributions < 2) {
            ways_.emplace(rules_.ring(), start_.row_seeds(rules_, 0) + start_.row_seeds(rules_, 1));
        }
        if (start_.drawn || start_.redistributions < 2) return;
        const Candidates<B> candidates(rules_, start_);
        std::int64_t legal = 0;
        candidates.any([&](Sow move) {
            legal_number_.push_back(legal);
            legal += is_legal(context_, start_, course_.next(), move);
            return false;
        });
    }

    // Makes the opening redistributions that are still to be made.  Returns false if `max_moves`
    // cuts them.
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
        course_.board() = start_;
        course_.begin();
        if (!redistribute_all(course_.board(), chance, row)) return cut(row, course_.board());
        for (;;) {
            B& board = course_.board();
            Verdict verdict = judge_at_sight(rules_, board);
            if (verdict.end != End::running) return finished(row, board, verdict);
            // The sowing that the mover draws proves that they can move.  A player who cannot move
            // draws no words.
            const Chance before_draw = chance;
            const int number = choose(board, chance);
            if (number == no_move) {
                chance = before_draw;
                verdict = judge_stuck(context_, board);
                if (verdict.end != End::running) return finished(row, board, verdict);
                course_.new_turn = true;
                continue;
            }
            if (course_.repeats(rules_)) {
                return finished(row, board, judge_repetition(rules_));
            }
            if (row.moves == plan_.max_moves) return cut(row, board);
            if (row.moves == 0 && !legal_number_.empty()) row.first_move = legal_number(number);
            row.count(course_.sown, course_.new_turn);
            course_.make();
        }
    }

    // From now on games begin at this board, and their first moves have no numbers.
    void start_from(const B& board) {
        start_ = board;
        ways_.reset();
        legal_number_.clear();
    }

    const SowingContext<B>& context() const { return context_; }
    const B& start() const { return start_; }
    const B& board() const { return course_.board(); }  // the position of the game
    const B& next() const { return course_.next(); }    // what the move tried last makes of it
    const Sown& sown() const { return course_.sown; }   // what that move did
    std::int64_t legal_number(int candidate_of_the_start) const {
        return legal_number_[static_cast<std::size_t>(candidate_of_the_start)];
    }

    // Sows a candidate into `next`.  Returns whether it is legal.
    RELAYSOW_INLINE bool try_move(const B& board, Sow move) {
        return course_.try_move(context_, board, move);
    }

    // Draws candidates until one is legal, and leaves it as the move tried last.
    int choose_at_random(const B& board, Chance& chance) {
        const Candidates<B> candidates(rules_, board);
        return draw_candidate(candidates, chance, left_,
                              [&](Sow move) { return try_move(board, move); });
    }

    GameRow& finished(GameRow& row, const B& board, Verdict verdict) const {
        row.finish(rules_, verdict, final_stores(rules_, board, verdict.sweep));
        return row;
    }
    GameRow& cut(GameRow& row, const B& board) const {
        row.set_scores(final_stores(rules_, board, Sweep::nobody));
        return row;
    }

private:
    int choose(const B& board, Chance& chance) {
        const Policy policy = plan_.policies[board.mover];
        if (policy.kind == Policy::random) return choose_at_random(board, chance);
        if (policy.kind == Policy::greedy) return choose_greedily(board, chance);
        return searcher_.choose(course_, policy, chance);
    }

    int choose_greedily(const B& board, Chance& chance) {
        const Candidates<B> candidates(rules_, board);
        left_.clear();
        int most = 0, number = 0;
        candidates.any([&](Sow move) {
            if (try_move(board, move)) {
                if (course_.sown.captured > most) {
                    most = course_.sown.captured;
                    left_.clear();
                }
                if (course_.sown.captured == most) left_.push_back(number);
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
    const SowingContext<B> context_;
    B start_;
    std::vector<std::int64_t> legal_number_;  // of each candidate of the start
    Course<B> course_;
    std::vector<int> left_;
    std::optional<Ways> ways_;  // of the opening redistributions
    Searcher searcher_;
};

}  // namespace relaysow
