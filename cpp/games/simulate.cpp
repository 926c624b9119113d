// Many games from one position, played by threads; results are one row a game.
#include "games/simulate.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "games/search_policy.hpp"
#include "lanes/instruction_sets.hpp"
#include "lanes/lockstep.hpp"
#include "play/player.hpp"
#include "support/workers.hpp"

namespace relaysow {
namespace {

// What the threads of one simulation share.
class SharedWork {
public:
    static constexpr std::size_t chunk = 64;

    SharedWork(const SimulationPlan& plan, const GameColumns& columns)
        : plan_(plan),
          columns_(columns),
          instruction_set_(lanes::instruction_set_in_use()),
          left_((plan.games + chunk - 1) / chunk, chunk) {
        if (plan.games % chunk != 0) left_.back() = plan.games % chunk;
    }

    // The games that one thread takes, chunk by chunk.
    class GameSource {
    public:
        explicit GameSource(SharedWork& work) : work_(work) {}

        bool next(std::size_t& game) {
            if (next_ == end_) {
                const std::size_t number =
                    work_.next_chunk_.fetch_add(1, std::memory_order_relaxed);
                if (number >= work_.left_.size()) return false;
                next_ = number * chunk;
                end_ = next_ + work_.left_[number];
            }
            poll();
            game = next_++;
            return true;
        }
        void write(std::size_t game, const GameRow& row) {
            work_.columns_.write(game, row);
            if (--work_.left_[game / chunk] == 0) {
                const std::size_t games = work_.plan_.games - game / chunk * chunk;
                work_.games_done_.fetch_add(games < chunk ? games : chunk,
                                            std::memory_order_relaxed);
            }
        }
        void poll() const { work_.workers_.poll(); }

    private:
        SharedWork& work_;
        std::size_t next_ = 0, end_ = 0;
    };

    template <class B>
    void play_all() {
        GameSource games(*this);
        const Poll poll = workers_.as_poll();
        LapCounts counts;
        if (instruction_set_.run != nullptr && lanes::plays(plan_)) {
            const auto lockstep = std::make_unique<lanes::Lockstep<B, GameSource>>(
                plan_, poll, games, instruction_set_);
            lockstep->play();
            counts = lockstep->counts();
        } else {
            GamePlayer<B, SearchPolicy<B>> player(plan_, poll);
            for (std::size_t game = 0; games.next(game);) {
                const GameRow row = player.play(plan_.first_game + game);
                counts.laps += static_cast<std::uint64_t>(row.laps);
                games.write(game, row);
            }
            counts.on_scalar = counts.laps;
        }
        const std::lock_guard lock(counts_lock_);
        counts_.laps += counts.laps;
        counts_.on_scalar += counts.on_scalar;
    }

    std::size_t run(const std::function<bool(std::size_t)>& tick) {
        workers_.run(
            static_cast<std::size_t>(plan_.threads),
            [this] {
                on_narrowest(plan_.rules, plan_.start, [&]<class B>(const B&) { play_all<B>(); });
            },
            [&] { return tick(games_done_.load()); });
        std::size_t whole = 0;
        while (whole < left_.size() && left_[whole] == 0) ++whole;
        return whole * chunk < plan_.games ? whole * chunk : plan_.games;
    }

    const LapCounts& counts() const { return counts_; }

private:
    const SimulationPlan& plan_;
    const GameColumns& columns_;
    const lanes::InstructionSet instruction_set_;
    std::vector<std::size_t> left_;  // games of each chunk not yet done
    LapCounts counts_;
    std::atomic<std::size_t> next_chunk_{0}, games_done_{0};
    std::mutex counts_lock_;
    Workers workers_;
};

}  // namespace

std::size_t simulate(const SimulationPlan& plan, const GameColumns& columns,
                     const std::function<bool(std::size_t)>& tick, LapCounts* counts) {
    SharedWork work(plan, columns);
    const std::size_t done = work.run(tick);
    if (counts != nullptr) *counts = work.counts();
    return done;
}

}  // namespace relaysow
