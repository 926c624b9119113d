// Analysis: deeper and deeper, by threads that share what they find.
#include "search/analysis.hpp"

#include <chrono>
#include <optional>
#include <system_error>
#include <thread>

namespace relaysow {
namespace {

using Clock = std::chrono::steady_clock;

template <class B>
class Analyst {
public:
    Analyst(const AnalysisPlan& plan, Analysis& found, const Poll& poll)
        : plan_(plan), found_(found), poll_(poll), begun_(Clock::now()) {
        if (plan.bytes > 0) shared_.emplace(plan.bytes);
        for (const AnyBoard& board : plan.compared) compared_.emplace_back(as_narrow(board));
    }
    ~Analyst() { join(); }

    void run(const std::function<void()>& report) {
        const Poll poll{[](void* self) { static_cast<Analyst*>(self)->ask(); }, this};
        EndlessCache<B> endless;
        const SowingContext<B> context(plan_.rules, poll, &endless);
        Search<B> search = begun(context);
        found_.lines.resize(std::min(plan_.lines, search.moves().size()));
        try {
            for (int depth = 1; depth <= plan_.depth && !found_.exact; ++depth) {
                search.iterate(depth, plan_.lines);
                found_.depth = depth;
                update(search);
                if (depth == 1) {
                    first_is_done_ = true;
                    search.stop_after(plan_.nodes);
                    start_helpers();
                }
                report();
                if (search.nodes() >= plan_.nodes) break;
            }
        } catch (const SearchStopped&) {
            // If the best move of the last depth, which came first, was searched one deeper, the
            // moves searched so far are the better answer.
            if (search.moves().front().depth > found_.depth) update(search);
        } catch (...) {
            if (first_is_done_) update(search);
            throw;
        }
        stop_.store(true, std::memory_order_relaxed);
        join();
        found_.nodes = search.nodes() + nodes_.load();
    }

private:
    B as_narrow(const AnyBoard& board) const { return board_as<B>(plan_.rules, board); }

    Search<B> begun(const SowingContext<B>& context) {
        Search<B> search(context, plan_.table, shared_ ? &*shared_ : nullptr);
        search.begin(as_narrow(plan_.root), compared_);
        return search;
    }

    // Takes over the lines of the moves searched deepest, if there are enough of them.
    void update(Search<B>& search) {
        auto& moves = search.moves();
        const int depth = moves.front().depth;
        std::size_t done = 0;
        while (done < found_.lines.size() && moves[done].depth == depth) ++done;
        if (done < found_.lines.size()) return;
        for (std::size_t at = 0; at < found_.lines.size(); ++at) {
            search.prolong(moves[at]);
            found_.lines[at] = {moves[at].worth.score, moves[at].worth.exact(), moves[at].depth,
                                moves[at].line};
        }
        found_.exact = depth == found_.depth && search.is_exact(found_.lines.size());
        found_.nodes = search.nodes() + nodes_.load();
    }

    void ask() {
        poll_();
        if (first_is_done_ &&
            std::chrono::duration<double>(Clock::now() - begun_).count() > plan_.seconds) {
            throw SearchStopped{};
        }
    }

    void start_helpers() {
        if (!shared_) return;
        for (int number = 1; number < plan_.threads; ++number) {
            try {
                threads_.emplace_back([this, number] { help(number); });
            } catch (const std::system_error&) {
                return;  // The system allows no more threads, so fewer help.
            }
        }
    }

    // Fills the transpositions with what the search will need; every other thread is a depth ahead.
    void help(int number) noexcept {
        std::uint64_t nodes = 0;
        try {
            const Poll poll{
                [](void* self) {
                    if (static_cast<Analyst*>(self)->stop_.load(std::memory_order_relaxed)) {
                        throw SearchStopped{};
                    }
                },
                this};
            EndlessCache<B> endless;
            const SowingContext<B> context(plan_.rules, poll, &endless);
            Search<B> search = begun(context);
            try {
                for (int depth = 1 + number % 2; depth <= plan_.depth; ++depth) {
                    search.iterate(depth, plan_.lines);
                }
            } catch (...) {
            }
            nodes = search.nodes();
        } catch (...) {  // the search goes on without this thread
        }
        nodes_.fetch_add(nodes);
    }

    void join() {
        stop_.store(true, std::memory_order_relaxed);
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

    const AnalysisPlan& plan_;
    Analysis& found_;
    const Poll& poll_;
    const Clock::time_point begun_;
    std::optional<Transpositions> shared_;
    std::vector<RepetitionKey<B>> compared_;
    std::vector<std::thread> threads_;
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> nodes_{0};  // of the helpers that are done
    bool first_is_done_ = false;
};

}  // namespace

void analyse(const AnalysisPlan& plan, Analysis& found, const Poll& poll,
             const std::function<void()>& report) {
    on_narrowest(plan.rules, plan.root, [&]<class B>(const B&) {
        Analyst<B>(plan, found, poll).run(report);
        return 0;
    });
}

}  // namespace relaysow
