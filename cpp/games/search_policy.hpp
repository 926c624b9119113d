// The policy of a player who searches: they choose a move by looking ahead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "play/course.hpp"
#include "play/player.hpp"
#include "play/simulation_plan.hpp"
#include "search/search.hpp"
#include "support/random.hpp"

namespace relaysow {

template <class B>
class SearchPolicy {
public:
    SearchPolicy(const SimulationPlan& plan, const SowingContext<B>& context)
        : context_(context), rules_(plan.rules) {
        std::uint64_t most_nodes = 0;
        for (const Policy policy : plan.policies) {
            if (policy.kind == Policy::search_depth) by_depth_.emplace(context_, nullptr, nullptr);
            if (policy.kind == Policy::search_nodes) {
                most_nodes = std::max(most_nodes, policy.limit);
            }
        }
        if (most_nodes > 0) {
            transpositions_.emplace(std::size_t{32} * std::min<std::uint64_t>(most_nodes, 1 << 22));
            by_nodes_.emplace(context_, nullptr, &*transpositions_);
        }
    }

    // By depth the player draws one of the moves that are best by minimax.  By nodes they take the
    // first of the best moves, in an order that begins at a move drawn.  Either draws one word.
    int choose(Course<B>& course, Policy policy, Chance& chance) {
        const B& board = course.board();
        const bool by_depth = policy.kind == Policy::search_depth;
        Search<B>& search = *(by_depth ? by_depth_ : by_nodes_);
        search.begin(board, course.history.keys());
        auto& moves = search.moves();
        if (moves.empty()) return no_move;
        if (rules_.repetition != Repetition::off && course.history.contains(board))
            return moves.front().number;  // The move ends the game.
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
            // A player who leads would rather go on than repeat a position.
            const bool leads = board.stores[board.mover] > board.stores[1 - board.mover];
            std::stable_partition(moves.begin(), moves.end(),
                                  [&](const auto& move) { return move.repeats != leads; });
            transpositions_->clear();
            if (moves.size() > 1) search.deepen(policy.limit);
        }
        const int number = moves[best].number;
        course.try_move(context_, board, moves[best].move);
        return number;
    }

private:
    const SowingContext<B>& context_;
    const Rules& rules_;
    std::vector<int> left_;
    std::optional<Search<B>> by_depth_, by_nodes_;
    std::optional<Transpositions> transpositions_;
};

}  // namespace relaysow
