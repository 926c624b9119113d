// The games of a batch, each by itself: what a batch does, without lanes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "play/batch.hpp"
#include "play/course.hpp"
#include "play/observation.hpp"
#include "play/player.hpp"
#include "play/redistributions.hpp"
#include "play/repetition.hpp"

namespace relaysow {

template <class B>
class BatchGames : public Batch {
public:
    BatchGames(const BatchPlan& plan, const BatchResults& results, const Poll& poll)
        : plan_(plan),
          rules_(plan_.rules),
          results_(results),
          poll_(poll),
          context_(rules_, poll_),
          start_(board_as<B>(rules_, plan.start)),
          numbers_(rules_),
          features_(rules_),
          rows_(plan.rows) {}

    void reset(std::size_t r, const GameSeed& seed, const AnyBoard* start) override {
        rows_[r].seed = seed;
        begin_game(r, start != nullptr ? board_as<B>(rules_, *start) : start_);
    }

    GameSeed seed(std::size_t r) const override { return rows_[r].seed; }

    void draw(std::size_t begin, std::size_t end, std::int64_t* actions) override {
        std::vector<int> left;
        for (std::size_t r = begin; r < end; ++r) {
            if (r % rows_between_polls == 0) poll_();
            draw_once(r, actions[r], left);
        }
    }

    std::size_t prove(std::size_t begin, std::size_t end, const ActionView& actions) override {
        std::size_t first = none;
        for (std::size_t r = begin; r < end; ++r) {
            if (r % rows_between_polls == 0) poll_();
            if (!prove_action(r, actions[r]) && first == none) first = r;
        }
        return first;
    }

    void commit(std::size_t begin, std::size_t end, const BatchOutput& output) override {
        for (std::size_t r = begin; r < end; ++r) {
            if (rows_[r].served != call_) commit_row(r, output);
            rows_[r].served = call_;
            observe_row(r, output);
        }
    }

    void observe(std::size_t begin, std::size_t end, const BatchOutput& output) override {
        for (std::size_t r = begin; r < end; ++r) {
            arrive(r);
            observe_row(r, output);
        }
    }

    AnyBoard position(std::size_t r) const override {
        return board_as<AnyBoard>(rules_, rows_[r].board());
    }
    bool is_over(std::size_t r) const override { return rows_[r].over; }

    bool has_room(const AnyBoard& start) const override {
        const int seeds = start.row_seeds(rules_, 0) + start.row_seeds(rules_, 1);
        return (sizeof(typename B::seeds_type) > 1 || seeds <= 255) &&
               (rules_.lift == Lift::all || seeds <= numbers_.lifts);
    }

protected:
    static constexpr int no_action = -1;
    static constexpr std::size_t few_slots = 16;
    static constexpr std::size_t rows_between_polls = 4096;

    // Whether the position of a row is still to be judged, and how the row came to it.
    enum class Arrival : std::uint8_t { none, by_move, by_start };

    struct Row {
        Chance chance{0, 0};
        GameSeed seed;
        std::int64_t moves = 0;
        std::int32_t since_capture = 0;
        int proved = no_action;  // the action whose move stands on the other board
        Partial partial;
        bool over = false, cut = false;
        Arrival arrival{};
        std::uint64_t served = 0;  // the number of the last call that drew for it or moved it
        Course<B> course{few_slots};

        B& board() { return course.board(); }
        const B& board() const { return course.board(); }
        B& next() { return course.next(); }
        const B& next() const { return course.next(); }
    };

    void ask() const {
        if (batches_ask_often()) [[unlikely]]
            poll_();
    }

    static bool is_redistributing(const Row& row) {
        return !row.over && row.board().redistributions < 2;
    }

    // ------------------------------------------------------------------------------- games

    void begin_game(std::size_t r, const B& start) {
        Row& row = rows_[r];
        row.chance = Chance(row.seed.seed, row.seed.game);
        row.board() = start;
        row.moves = 0;
        row.since_capture = 0;
        row.proved = no_action;
        row.over = row.cut = false;
        row.course.begin();
        row.arrival = Arrival::by_start;
    }

    void next_game(std::size_t r) {
        rows_[r].seed.game += rows_[r].seed.stride;
        begin_game(r, start_);
    }

    // Moves a row's game and judges the position.  Called again after an interruption it goes on
    // with the judging.
    void commit_row(std::size_t r, const BatchOutput& output) {
        Row& row = rows_[r];
        if (row.arrival == Arrival::none) {
            const bool illegal = !row.over && row.proved == no_action;
            output.rewards[2 * r] = output.rewards[2 * r + 1] = 0;
            output.illegal[r] = illegal;
            output.terminated[r] = output.truncated[r] = 0;
            if (row.over && plan_.autoreset == Autoreset::next_step) {
                next_game(r);
            } else if (!row.over && !illegal) {
                move(r);
            }
        }
        if (row.arrival == Arrival::by_move) {
            arrive(r);
            if (row.over) reward(r, output);
        }
        if (row.over) {
            output.terminated[r] = !row.cut;
            output.truncated[r] = row.cut;
            if (plan_.autoreset == Autoreset::same_step) next_game(r);
        }
        arrive(r);
    }

    void reward(std::size_t r, const BatchOutput& output) const {
        const int winner = results_.winners[r];
        if (winner < 0) return;
        output.rewards[2 * r + static_cast<std::size_t>(winner)] = 1;
        output.rewards[2 * r + static_cast<std::size_t>(1 - winner)] = -1;
    }

    // Makes the move that was proved.
    void move(std::size_t r) {
        Row& row = rows_[r];
        if (is_redistributing(row)) {
            decide(row);
            row.proved = no_action;
            if (!row.partial.placing || row.partial.in_hand > 0) return;
            end_redistribution(row);
        } else {
            row.proved = no_action;
            ++row.moves;
            ++row.since_capture;
            if (row.course.sown.captured > 0) row.since_capture = 0;
            row.course.make();
        }
        row.arrival = Arrival::by_move;
    }

    // Judges the position in which the next decision is made, if that is still to be done.
    RELAYSOW_INLINE void arrive(std::size_t r) {
        if (rows_[r].arrival == Arrival::none) return;
        judge_arrival(r);
        rows_[r].arrival = Arrival::none;
    }

    // What an interruption may end comes before what must not be done twice.
    void judge_arrival(std::size_t r) {
        Row& row = rows_[r];
        while (row.board().redistributions < 2 && !row.board().drawn) {
            if (row.moves == plan_.max_moves) return finish(r, running);
            if (begin_redistribution(row)) return;
            end_redistribution(row);  // The player has nothing to decide.
        }
        B& board = row.board();
        ask();
        Verdict verdict = settle(context_, board);
        if (verdict.end == End::running && row.course.repeats(rules_)) {
            verdict = judge_repetition(rules_);
        }
        if (verdict.end != End::running || row.moves == plan_.max_moves) finish(r, verdict);
    }

    void finish(std::size_t r, Verdict verdict) {
        Row& row = rows_[r];
        const B& board = row.board();
        row.over = true;
        row.cut = verdict.end == End::running;
        const auto scores = final_stores(rules_, board, verdict.sweep);
        results_.scores[2 * r] = static_cast<std::int16_t>(scores[0]);
        results_.scores[2 * r + 1] = static_cast<std::int16_t>(scores[1]);
        results_.winners[r] =
            static_cast<std::int8_t>(row.cut ? -2 : winner_of(rules_, verdict.end, scores));
        results_.ends[r] = static_cast<std::uint8_t>(row.cut ? End::cut : verdict.end);
        results_.lengths[r] = static_cast<std::int32_t>(row.moves);
        write_observation(row, results_.observations + r * static_cast<std::size_t>(features_.all));
    }

    // ----------------------------------------------------------------------------- sowings

    // Finds the candidate that an action means.  Returns whether there is one.
    bool decode(const B& board, std::int64_t action, Sow& sowing) const {
        if (action < 0 || action >= numbers_.sowings) return false;
        sowing = numbers_.sowing(static_cast<int>(action), rules_.row(board.mover));
        const int content = board.ring[sowing.pit];
        if (rules_.lift == Lift::all) sowing.lift = content;
        const bool clockwise = sowing.direction == Direction::cw;
        return content >= rules_.minimum_lift && sowing.lift <= content &&
               sowing.pit != board.barred &&
               (board.direction == Duty::none || (board.direction == Duty::cw) == clockwise);
    }

    int encode(const B& board, Sow sowing) const {
        return numbers_.number(sowing, rules_.row(board.mover));
    }

    // Sows a candidate on the other board.  Returns whether it may be played.
    RELAYSOW_INLINE bool sow_candidate(std::size_t r, Sow candidate) {
        Row& row = rows_[r];
        return row.course.try_move(context_, row.board(), candidate);
    }

    bool prove_action(std::size_t r, std::int64_t action) {
        Row& row = rows_[r];
        if (row.over || (action == row.proved && action != no_action)) return true;
        row.proved = no_action;
        if (is_redistributing(row)) {
            if (!may_decide(row, action)) return false;
        } else {
            Sow candidate{};
            ask();
            if (!decode(row.board(), action, candidate) || !sow_candidate(r, candidate)) {
                return false;
            }
        }
        row.proved = static_cast<int>(action);
        return true;
    }

    void draw_once(std::size_t r, std::int64_t& action, std::vector<int>& left) {
        if (rows_[r].served == call_) return;
        action = draw_action(r, left);
        rows_[r].served = call_;
    }

    std::int64_t draw_action(std::size_t r, std::vector<int>& left) {
        Row& row = rows_[r];
        if (row.over) return 0;
        row.proved = no_action;
        ask();
        Chance chance = row.chance;  // An interrupted draw takes no words.
        if (is_redistributing(row)) {
            row.proved = draw_decision(row, chance);
        } else {
            const B& board = row.board();
            const Candidates<B> candidates(rules_, board);
            const int number = draw_candidate(candidates, chance, left, [&](Sow candidate) {
                return sow_candidate(r, candidate);
            });
            row.proved = encode(board, candidates[number]);
        }
        row.chance = chance;
        return row.proved;
    }

    // -------------------------------------------------------------------- redistributions

    // Begins a redistribution on the other board.  Returns false if there is nothing to decide.
    bool begin_redistribution(Row& row) {
        const B& board = row.board();
        row.next() = board;
        const std::uint64_t occupied = pits_holding(rules_, board, board.mover, 1);
        const int named = rules_.redistribution == Redistribution::one ? 1 : 2;
        row.partial = {};
        row.partial.most = static_cast<std::uint8_t>(std::min(named, std::popcount(occupied)));
        return row.partial.most > 0;
    }

    void end_redistribution(Row& row) {
        redistribute(rules_, row.next(), Redistribute{});
        row.course.now ^= 1;
        ++row.moves;
    }

    // The ring index of a decision about a pit.
    int decided_pit(const Row& row, int action) const {
        const int pit = rules_.row(row.board().mover) + action - numbers_.pits;
        return pit < rules_.ring() ? pit : pit - rules_.ring();
    }

    template <class F>
    void each_decision(const Row& row, F&& f) const {
        const Partial& partial = row.partial;
        for (int k = 0; k < (partial.placing ? rules_.ring() : rules_.pits); ++k) {
            const int action = numbers_.pits + k;
            if (partial.placing || row.next().ring[decided_pit(row, action)] != 0) f(action);
        }
        if (!partial.placing && numbers_.stop != 0) f(numbers_.stop);
    }

    bool may_decide(const Row& row, std::int64_t action) const {
        bool may = false;
        each_decision(row, [&](int allowed) { may |= action == allowed; });
        return may;
    }

    int draw_decision(const Row& row, Chance& chance) const {
        int count = 0;
        each_decision(row, [&](int) { ++count; });
        int at = chance.below(count), drawn = no_action;
        each_decision(row, [&](int action) {
            if (at-- == 0) drawn = action;
        });
        return drawn;
    }

    void decide(Row& row) {
        using Seeds = typename B::seeds_type;
        Partial& partial = row.partial;
        if (row.proved == numbers_.stop) {
            partial.placing = true;
            return;
        }
        Seeds& pit = row.next().ring[decided_pit(row, row.proved)];
        if (partial.placing) {
            pit = static_cast<Seeds>(pit + 1);
            --partial.in_hand;
        } else {
            partial.in_hand = static_cast<std::uint16_t>(partial.in_hand + pit);
            pit = 0;
            partial.placing = ++partial.emptied == partial.most;
        }
    }

    // ------------------------------------------------------------------------------ output

    void observe_row(std::size_t r, const BatchOutput& output) {
        const Row& row = rows_[r];
        write_observation(row, output.observations + r * static_cast<std::size_t>(features_.all));
        write_mask(r, output.mask + r * static_cast<std::size_t>(numbers_.all));
    }

    void write_observation(const Row& row, std::int16_t* out) const {
        const bool partial = is_redistributing(row);
        const B& board = partial ? row.next() : row.board();
        observe_board(rules_, features_, board, row.since_capture,
                      partial ? row.partial : Partial{}, out);
    }

    void write_mask(std::size_t r, std::uint8_t* mask) {
        if (plan_.exact_mask && (r % 64 == 63 || batches_ask_often()))
            poll_();  // it may take its time
        const Row& row = rows_[r];
        std::memset(mask, 0, static_cast<std::size_t>(numbers_.all));
        if (row.over) return;
        if (is_redistributing(row)) {
            each_decision(row, [&](int action) { mask[action] = 1; });
            return;
        }
        const B& board = row.board();
        const bool checks = plan_.exact_mask || rules_.first_lap != FirstLap::free;
        Candidates<B>(rules_, board).any([&](Sow candidate) {
            if (!checks || is_shown(r, candidate)) mask[encode(board, candidate)] = 1;
            return false;
        });
    }

    // Whether the mask shows a candidate.
    bool is_shown(std::size_t r, Sow candidate) {
        Row& row = rows_[r];
        row.proved = no_action;
        const B& board = row.board();
        if (plan_.exact_mask) return is_legal(context_, board, row.next(), candidate);
        if (candidate.lift < rules_.ring() - 1) {
            return legality_at_sight(rules_, board, board.mover, candidate) != Legality::illegal;
        }
        B& after = row.next();
        after.copy(rules_, board);
        unsigned left_row = 0;
        const int last = context_.lap_table.lap(after.ring, candidate.pit, candidate.lift,
                                                candidate.direction, left_row);
        return after.ring[last] == 1 || rules_.owner(last) != board.mover;
    }

    const BatchPlan plan_;
    const Rules& rules_;
    const BatchResults results_;
    const Poll poll_;
    const SowingContext<B> context_;
    const B start_;
    const ActionNumbers numbers_;
    const Features features_;
    std::vector<Row> rows_;
};

}  // namespace relaysow
