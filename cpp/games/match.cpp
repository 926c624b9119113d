// Many matches of Giuthi: rounds laid out with what the last one left, played by threads.
#include "games/match.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include "games/search_policy.hpp"
#include "play/board.hpp"
#include "play/moves.hpp"
#include "play/player.hpp"
#include "play/verdict.hpp"
#include "support/workers.hpp"

namespace relaysow {
namespace {

constexpr int nobody = -1;

using Row = std::span<std::uint16_t>;
using Totals = std::array<int, 2>;

// As even as can be, with a pit of two or more (from two seeds on).
void lay_out_evenly(int seeds, Row row) {
    const int filled = std::min(static_cast<int>(row.size()), seeds - 1);
    for (int pit = 0; pit < static_cast<int>(row.size()); ++pit) {
        row[static_cast<std::size_t>(pit)] =
            static_cast<std::uint16_t>(pit < filled ? seeds / filled + (pit < seeds % filled) : 0);
    }
}

// What a lay-out must hold: the least of each pit, which is open if it may hold anything.
struct Least {
    std::array<std::uint16_t, max_pits> seeds{};
    std::array<bool, max_pits> open{};
    int pits = 0, spare = 0;  // open pits; seeds beyond the least

    explicit Least(const LayOutTask& task) : spare(task.seeds) {
        for (std::size_t pit = 0; pit < static_cast<std::size_t>(task.pits); ++pit) {
            open[pit] = !task.facing || task.faced[pit] > 0;
            if (!open[pit]) continue;
            ++pits;
            if (!task.facing) continue;
            seeds[pit] =
                task.twice ? static_cast<std::uint16_t>(2 * task.faced[pit]) : std::uint16_t{1};
            spare -= seeds[pit];
        }
    }
};

void lay_out_evenly(const LayOutTask& task, Row row) {
    if (!task.facing) return lay_out_evenly(task.seeds, row);
    const Least least(task);
    int over = least.spare % least.pits;
    for (std::size_t pit = 0; pit < row.size(); ++pit) {
        if (!least.open[pit]) continue;
        row[pit] =
            static_cast<std::uint16_t>(least.seeds[pit] + least.spare / least.pits + (over > 0));
        over -= over > 0;
    }
}

// Every legal lay-out alike: of the places of all spare seeds and the bars between pits, those of
// the bars are drawn one after the other; again until one pit holds two.
void lay_out_at_random(const LayOutTask& task, Row row) {
    const Least least(task);
    std::uint16_t most = 0;
    while (most < 2) {
        int places = least.spare + least.pits - 1, bars = least.pits - 1;
        most = 0;
        for (std::size_t pit = 0; pit < row.size(); ++pit) {
            row[pit] = least.seeds[pit];
            if (!least.open[pit]) continue;
            while (places > bars && (bars == 0 || task.chance->below(places) >= bars)) {
                ++row[pit];
                --places;
            }
            --bars;
            --places;
            most = std::max(most, row[pit]);
        }
    }
}

struct MatchRow {
    Totals totals{};
    int winner = -2, rounds = 0, first = 0, pits = 0;
    std::int64_t moves = 0;
};

// Plays single matches.  One player a thread; `B` holds all seeds in one pit.
template <class B>
class MatchPlayer {
public:
    MatchPlayer(const MatchPlan& plan, const Poll& poll)
        : plan_(plan), pits_(plan.rules.back().pits) {
        const Rules& rules = plan.rules.back();
        for (int pit = 0; pit < rules.ring(); ++pit) {
            original_[pit >= pits_] += rules.setup[static_cast<std::size_t>(pit)];
        }
        for (const Rules& one : plan.rules)
            games_.push_back(std::make_unique<Games>(plan, one, poll));
    }

    MatchRow play(std::uint64_t match) {
        MatchRow row;
        totals_ = half_of_ = original_;
        int pits = pits_, starter = plan_.first;
        if (starter < 0) starter = Chance(~plan_.seed, match << round_bits).below(2);
        row.first = starter;
        row.pits = pits_;
        while (row.rounds < plan_.max_rounds) {
            ++row.rounds;
            const std::uint64_t number =
                match << round_bits | static_cast<std::uint64_t>(row.rounds);
            const bool even = row.rounds == 1 || totals_[0] == totals_[1];
            const int weaker = even ? nobody : totals_[1] < totals_[0];
            Chance chance(~plan_.seed, number);
            B board = lay_out(weaker, pits, chance);
            board.mover = static_cast<std::uint8_t>(starter);
            row.pits = std::min(row.pits, pits);
            const Totals before = totals_;
            if (plan_.half_of_round) half_of_ = before;
            const GameRow game = play_round(pits, board, number);
            row.moves += game.moves;
            if (game.winner != nobody) starter = game.winner;
            for (int player = 0; player < 2; ++player) {
                if (totals_[static_cast<std::size_t>(player)] < 2) row.winner = 1 - player;
            }
            if (even && game.moves == 0 && totals_ == before) row.winner = -1;
            if (row.winner != -2) break;
        }
        row.totals = totals_;
        return row;
    }

private:
    // The start of a round; `pits` comes as the last round left it.
    B lay_out(int weaker, int& pits, Chance& chance) {
        bool twice = false;
        if (weaker == nobody) {
            if (plan_.scheme == Scheme::leakey) pits = pits_;
        } else {
            const int seeds = total(weaker), began = half_of_[static_cast<std::size_t>(weaker)];
            const bool few = 2 * seeds < began && total(1 - weaker) >= 2 * seeds;
            if (plan_.scheme == Scheme::leakey) {
                pits = std::max(min_pits, pits_ - (2 * seeds < began) - (4 * seeds < began) -
                                              (8 * seeds < began));
            } else if (few && plan_.shorten && pits > min_pits) {
                pits = std::max(min_pits, pits - 2);
                twice = true;
            }
            twice = twice || (plan_.twice_while_short && pits < pits_ && few);
        }
        const auto length = static_cast<std::size_t>(pits);
        std::array<std::array<std::uint16_t, max_pits>, 2> rows{};
        const auto row = [&](int player) {
            return Row(rows[static_cast<std::size_t>(player)].data(), length);
        };
        AnyBoard board;
        if (weaker != nobody) {
            LayOutTask task{weaker, total(weaker), pits, false, {}, false, &chance};
            fill(task, row(weaker));
            task.facing = true;
            std::reverse_copy(row(weaker).begin(), row(weaker).end(), task.faced.begin());
            task.player = 1 - weaker;
            task.seeds = total(1 - weaker);
            task.twice = twice;
            if (plan_.scheme == Scheme::leakey) {
                std::copy_n(task.faced.begin(), length, row(1 - weaker).begin());
                board.stores[1 - weaker] =
                    static_cast<std::uint16_t>(total(1 - weaker) - total(weaker));
            } else {
                fill(task, row(1 - weaker));
            }
        } else if (totals_ == original_) {
            const auto& setup = plan_.rules[length].setup;
            for (const int player : {0, 1}) {
                std::copy_n(setup.begin() + (player ? pits : 0), length, row(player).begin());
            }
        } else {
            for (const int player : {0, 1}) lay_out_evenly(total(player), row(player));
        }
        for (std::size_t pit = 0; pit < length; ++pit) {
            board.ring[pit] = rows[0][pit];
            board.ring[length + pit] = rows[1][pit];
        }
        return board_as<B>(plan_.rules[length], board);
    }

    void fill(const LayOutTask& task, Row row) const {
        switch (plan_.layouts[static_cast<std::size_t>(task.player)]) {
            case LayOutPolicy::even:
                return lay_out_evenly(task, row);
            case LayOutPolicy::random:
                return lay_out_at_random(task, row);
            case LayOutPolicy::asked:
                return plan_.ask(task, row);
        }
    }

    // Plays a game from the board and makes `totals_` what it leaves.
    GameRow play_round(int pits, B& board, std::uint64_t number) {
        Games& games = *games_[static_cast<std::size_t>(pits)];
        const Rules& rules = games.plan.rules;
        GameRow row;
        const Verdict verdict = settle(games.player.context(), board);
        if (verdict.end == End::running) {
            games.player.start_from(board);
            row = games.player.play(number);
            board = games.player.board();
        } else {
            row.finish(rules, verdict, final_stores(rules, board, verdict.sweep));
        }
        // Seeds that a game left on the ring for nobody count for the owner of their row.
        const bool all = row.scores[0] + row.scores[1] == original_[0] + original_[1];
        for (const int player : {0, 1}) {
            totals_[static_cast<std::size_t>(player)] =
                row.scores[static_cast<std::size_t>(player)] +
                (all ? 0 : board.row_seeds(rules, player));
        }
        return row;
    }

    int total(int player) const { return totals_[static_cast<std::size_t>(player)]; }

    // The games on rows of one length.
    struct Games {
        Games(const MatchPlan& match, const Rules& rules, const Poll& poll)
            : plan{.rules = rules, .start = {}, .seed = match.seed, .policies = match.policies},
              player(plan, poll) {}
        SimulationPlan plan;
        GamePlayer<B, SearchPolicy<B>> player;
    };

    const MatchPlan& plan_;
    const int pits_;
    Totals original_{}, totals_{};
    Totals half_of_{};  // of these the weaker who asks must have fewer than half
    std::vector<std::unique_ptr<Games>> games_;  // by the pits of a row
};

// What the threads of one run share.
class SharedMatches {
public:
    static constexpr std::size_t chunk = 16;

    SharedMatches(const MatchPlan& plan, const MatchColumns& columns)
        : plan_(plan), columns_(columns), chunk_done_((plan.matches + chunk - 1) / chunk) {}

    std::size_t run(const std::function<bool(std::size_t)>& tick) {
        workers_.run(
            static_cast<std::size_t>(plan_.threads), [this] { work(); },
            [&] { return tick(matches_done_.load()); });
        std::size_t whole = 0;
        while (whole < chunk_done_.size() && chunk_done_[whole] != 0) ++whole;
        return std::min(whole * chunk, plan_.matches);
    }

private:
    void work() {
        const Rules& rules = plan_.rules.back();
        AnyBoard full;
        std::copy_n(rules.setup.begin(), rules.ring(), full.ring);
        on_narrowest(rules, full, [&]<class B>(const B&) { play_chunks<B>(); });
    }

    template <class B>
    void play_chunks() {
        const Poll poll = workers_.as_poll();
        MatchPlayer<B> player(plan_, poll);
        for (;;) {
            const std::size_t number = next_chunk_.fetch_add(1, std::memory_order_relaxed);
            if (number >= chunk_done_.size()) return;
            const std::size_t to = std::min((number + 1) * chunk, plan_.matches);
            for (std::size_t match = number * chunk; match < to; ++match) {
                workers_.poll();
                write(match, player.play(plan_.first_match + match));
                matches_done_.fetch_add(1, std::memory_order_relaxed);
            }
            chunk_done_[number] = 1;
        }
    }

    void write(std::size_t at, const MatchRow& row) const {
        columns_.totals[2 * at] = static_cast<std::int16_t>(row.totals[0]);
        columns_.totals[2 * at + 1] = static_cast<std::int16_t>(row.totals[1]);
        columns_.winner[at] = static_cast<std::int8_t>(row.winner);
        columns_.rounds[at] = row.rounds;
        columns_.moves[at] = row.moves;
        columns_.first[at] = static_cast<std::int8_t>(row.first);
        columns_.pits[at] = static_cast<std::int8_t>(row.pits);
    }

    const MatchPlan& plan_;
    const MatchColumns& columns_;
    std::vector<std::uint8_t> chunk_done_;
    std::atomic<std::size_t> next_chunk_{0}, matches_done_{0};
    Workers workers_;
};

}  // namespace

std::size_t play_matches(const MatchPlan& plan, const MatchColumns& columns,
                         const std::function<bool(std::size_t)>& tick) {
    return SharedMatches(plan, columns).run(tick);
}

}  // namespace relaysow
