// The games of a batch in the lanes of the kernel: all rows of a group make their moves at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "lanes/instruction_sets.hpp"
#include "lanes/lane_boards.hpp"
#include "play/batch_games.hpp"
#include "play/verdict.hpp"

namespace relaysow::lanes {

// Whether lanes are of use for a batch.
inline bool moves_in_lanes(const BatchPlan& plan) {
    constexpr std::size_t fewest_rows = 8;
    constexpr int fewest_pits = 4;  // eight of the ring are shown at once
    const int seeds = plan.start.row_seeds(plan.rules, 0) + plan.start.row_seeds(plan.rules, 1);
    // Single moves are not watched for captures or candidates past a byte.
    const bool single_captures = plan.rules.chain == Chain::none && plan.rules.bonus == Bonus::none;
    return plan.rows >= fewest_rows && plan.rules.pits >= fewest_pits &&
           lanes_play(plan.rules, seeds) && most_candidates(plan.rules, seeds) == 0 &&
           (single_captures || counts_fit(plan.rules, seeds));
}

template <class B>
class LaneGames final : public BatchGames<B> {
public:
    LaneGames(const BatchPlan& plan, const BatchResults& results, const Poll& poll,
              const InstructionSet& instruction_set)
        : BatchGames<B>(plan, results, poll),
          width_(static_cast<std::size_t>(instruction_set.width)) {
        const std::size_t groups = (plan.rows + width_ - 1) / width_;
        const std::size_t log_row = (static_cast<std::size_t>(rules_.ring()) + 4) * width_;
        std::size_t log_rows = 256;
        while (log_rows > 32 && groups * log_row * log_rows > most_log) log_rows /= 2;
        shows_pits_ = features_.all == rules_.ring() + 4;
        shows_mask_ = shows_pits_ && !plan.exact_mask && rules_.lift == Lift::all &&
                      rules_.first_lap == FirstLap::free && numbers_.all >= 8;
        for (std::size_t g = 0; g < groups; ++g) {
            const std::size_t first = g * width_;
            const std::size_t rows = std::min(width_, plan.rows - first);
            groups_.push_back(std::make_unique<Group>(*this, first, rows, log_rows));
        }
        stages_ = &instruction_set.stages(groups_.front()->lanes);
    }

    void reset(std::size_t r, const GameSeed& seed, const AnyBoard* start) override {
        Group& g = group(r);
        g.forget_proofs();
        rows_[r].seed = seed;
        // Its first position joins those of the step before.
        --g.lanes.log.now;
        begin(g, lane_of(r), start != nullptr ? board_as<B>(rules_, *start) : start_);
        ++g.lanes.log.now;
    }

    void draw(std::size_t begin, std::size_t end, std::int64_t* actions) override {
        std::vector<int> left;
        for (std::size_t first = begin; first < end; first += 2 * width_) {
            if (first / width_ % groups_between_polls == 0) poll_();
            const std::size_t next = first + width_;
            Group* const pair[] = {&group(first), next < end ? &group(next) : nullptr};
            // Called again it may be with other ranges, which pair groups in another way.
            Group* undrawn[] = {nullptr, nullptr};
            std::size_t count = 0;
            for (Group* const g : pair) {
                if (g == nullptr || g->drawn_in == call_) continue;
                choose(*g, actions + g->first);
                undrawn[count++] = g;
            }
            if (count > 0) sow(*undrawn[0], undrawn[1]);
            for (std::size_t i = 0; i < count; ++i) undrawn[i]->drawn_in = call_;
            for (Group* const g : pair) {
                if (g != nullptr) draw_rest(*g, actions + g->first, left);
            }
        }
    }

    std::size_t prove(std::size_t begin, std::size_t end, const ActionView& actions) override {
        std::size_t illegal = Batch::none;
        for (std::size_t first = begin; first < end; first += width_) {
            if (first / width_ % groups_between_polls == 0) poll_();
            const std::size_t found = prove_group(group(first), actions);
            if (illegal == Batch::none) illegal = found;
        }
        return illegal;
    }

    void commit(std::size_t begin, std::size_t end, const BatchOutput& output) override {
        for (std::size_t first = begin; first < end; first += width_) {
            Group& g = group(first);
            if (g.moved_in != call_) commit_group(g, output);
            g.moved_in = call_;
            show(g, output);
        }
    }

    void observe(std::size_t begin, std::size_t end, const BatchOutput& output) override {
        for (std::size_t first = begin; first < end; first += width_) {
            Group& g = group(first);
            g.forget_proofs();
            arrive_on_scalar(g);
            show(g, output);
        }
    }

    AnyBoard position(std::size_t r) const override {
        const Group& g = *groups_[r / width_];
        const int lane = static_cast<int>(r % width_);
        if (!g.runs(lane)) return BatchGames<B>::position(r);
        return board_as<AnyBoard>(rules_, g.position(g.lanes.rings.before, lane));
    }

private:
    using Base = BatchGames<B>;
    using Base::call_;
    using Base::features_, Base::numbers_, Base::plan_, Base::poll_, Base::context_, Base::rows_;
    using Base::no_action, Base::rules_, Base::start_;
    using typename Base::Row;

    static constexpr std::size_t most_log = std::size_t{1} << 26;
    static constexpr std::size_t groups_between_polls = 64;

    // How far a group has come in a step, and what it will need to go on.
    struct Moving {
        enum : std::uint8_t { not_begun, landed, noted } stage = not_begun;
        std::uint64_t moved = 0, were_over = 0, on_scalar = 0, drawn = 0, ended = 0;
        Verdict verdicts[most_lanes];
    };

    struct Group {
        Group(LaneGames& games, std::size_t first_row, std::size_t rows, std::size_t log_rows)
            : owner(games),
              first(first_row),
              present(~std::uint64_t{0} >> (64 - rows)),
              ring(most_rows_of() * 2 * games.width_),
              log(log_rows * most_rows_of() * games.width_),
              prints(log_rows * 2 * games.width_),
              choosers(log_rows),
              movers(log_rows) {
            set_rules(lanes, games.rules_, static_cast<int>(games.width_));
            lanes.step.lifts = games.numbers_.lifts;
            lanes.step.ways = games.numbers_.directions;
            lanes.step.proves_backward =
                games.rules_.origin == Origin::sown && games.rules_.max_laps == UINT64_MAX;
            const B& start = games.start_;
            const int seeds = start.row_seeds(games.rules_, 0) + start.row_seeds(games.rules_, 1);
            const int half = lanes.rules.has_protection ? 0x40 : 0x80;
            lanes.rules.overflow_bits =
                static_cast<std::uint8_t>(counts_fit(games.rules_, seeds) ? 0 : half);
            // So few that a pit without overflow bits has room for what they sow.
            lanes.pace.steps_to_long = lanes.rules.overflow_bits == 0 ? 64
                                       : lanes.rules.has_protection   ? 24
                                                                      : 60;
            lanes.pace.patience = 64;  // all wait for the longest
            lanes.driver.context = this;
            lanes.driver.serve = [](void* self, int lane, Request request) {
                auto& g = *static_cast<Group*>(self);
                g.lanes.phase.lapping &= ~bit(lane);
                (request == Request::forbidden ? g.forbidden : g.left_to_scalar) |= bit(lane);
            };
            lanes.driver.repeated = [](void* self, std::uint64_t which) {
                auto& g = *static_cast<Group*>(self);
                std::uint64_t found = 0;
                for (std::uint64_t left = which; left != 0; left &= left - 1) {
                    g.row(std::countr_zero(left)).course.history.make_room();
                }
                for (std::uint64_t left = which; left != 0; left &= left - 1) {
                    const int lane = std::countr_zero(left);
                    set(found, lane,
                        !g.row(lane).course.history.add(g.position(g.lanes.rings.now, lane)));
                }
                return found;
            };
            lanes.rings.now = ring.begin();
            lanes.rings.before = ring.begin() + most_rows_of() * games.width_;
            lanes.log.positions = log.begin();
            lanes.log.prints = prints.begin();
            lanes.log.chose = choosers.data();
            lanes.log.movers = movers.data();
            lanes.log.mask = log_rows - 1;
            lanes.log.now = log_rows;
            lanes.log.window =
                std::min<std::size_t>(48, log_rows * 3 / 4);  // older ones are sought one by one
        }
        std::size_t most_rows_of() const {
            return static_cast<std::size_t>(owner.rules_.ring()) + 2;
        }

        Row& row(int lane) { return owner.rows_[first + static_cast<std::size_t>(lane)]; }
        std::size_t count() const { return static_cast<std::size_t>(std::popcount(present)); }
        std::uint64_t on_scalar() const { return present & ~in_lanes; }
        bool runs(int lane) const { return (in_lanes & ~over & bit(lane)) != 0; }

        B position(const std::uint8_t* from, int lane) const {
            const bool north = (lanes.turn.mover & bit(lane)) != 0;
            B board = read_lane<B>(lanes, from, lane, north);
            board.mover = north;
            board.passed = (lanes.turn.passed & bit(lane)) != 0;
            return board;
        }
        void write(int lane, const B& board) {
            write_lane(lanes, lane, board);
            set(lanes.turn.passed, lane, board.passed);
        }

        void forget_history(int lane) {
            lanes.log.history_is_drivers &= ~bit(lane);
            lanes.log.beyond_window &= ~bit(lane);
            lanes.log.segment[lane] = lanes.log.now;
        }

        void forget_proofs() {
            if (!touched) return;
            std::memcpy(lanes.rings.now, lanes.rings.before,
                        static_cast<std::size_t>(lanes.rules.rows * lanes.width));
            lanes.phase.ended = lanes.phase.lapping = lanes.phase.choosing = proved_on_row = 0;
            touched = false;
        }

        // The history is the row's own from now on.
        void keep_history(int lane, std::uint64_t end) {
            if (!lanes.rules.compares || (lanes.log.history_is_drivers & bit(lane)) != 0) return;
            History<B>& history = row(lane).course.history;
            history.clear();
            for (std::uint64_t at = lanes.log.segment[lane]; at < end; ++at) {
                if (chose(lanes, at, lane)) history.add(logged<B>(lanes, at, lane));
            }
            lanes.log.history_is_drivers |= bit(lane);
        }

        // The log will soon not hold a history that is long.
        void keep_long_histories(std::uint64_t now) {
            for (std::uint64_t left = in_lanes & ~over & ~lanes.log.history_is_drivers; left;
                 left &= left - 1) {
                const int lane = std::countr_zero(left);
                if (now - lanes.log.segment[lane] > lanes.log.mask / 2) keep_history(lane, now);
            }
        }

        LaneGames& owner;
        std::size_t first;
        std::uint64_t present, in_lanes = 0;  // the others' games are the rows' own
        std::uint64_t over = 0;
        std::uint64_t proved_on_row = 0;                  // the move stands on the row's boards
        std::uint64_t forbidden = 0, left_to_scalar = 0;  // told by the kernel
        bool touched = false;                             // the ring holds moves not yet made
        std::uint64_t drawn_in = 0, moved_in = 0;         // the last calls that did
        Moving moving;                                    // while a step is made
        Memory ring, log, prints;
        std::vector<std::uint64_t> choosers, movers;
        Lanes lanes{};
    };

    Group& group(std::size_t r) { return *groups_[r / width_]; }
    int lane_of(std::size_t r) const { return static_cast<int>(r % width_); }

    // ------------------------------------------------------------------------------- games

    void begin(Group& g, int lane, const B& start) {
        Row& row = g.row(lane);
        const std::size_t r = g.first + static_cast<std::size_t>(lane);
        if (start.redistributions == 2 && fits(g, start)) {
            row.chance = Chance(row.seed.seed, row.seed.game);
            row.board() = start;
            row.moves = 0;
            row.over = row.cut = false;
            return take_lane(g, lane);
        }
        g.in_lanes &= ~bit(lane);
        Base::begin_game(r, start);
    }

    bool fits(const Group& g, const B& board) const {
        const bool guarded = g.lanes.rules.overflow_bits != 0;
        const int most =
            guarded ? g.lanes.rules.overflow_bits - 1 : bits_of_a_pit(g.lanes.rules.has_protection);
        const int seeds = board.row_seeds(rules_, 0) + board.row_seeds(rules_, 1);
        return (guarded || counts_fit(rules_, seeds)) &&
               std::all_of(board.ring, board.ring + rules_.ring(),
                           [&](int in_pit) { return in_pit <= most; });
    }

    // A row whose history holds its position alone moves into its lane, if that has room.
    void enter(Group& g, int lane) {
        const Row& row = g.row(lane);
        if (!row.over && row.board().redistributions == 2 && row.since_capture == 0 &&
            fits(g, row.board())) {
            take_lane(g, lane);
        }
    }

    void take_lane(Group& g, int lane) {
        const Row& row = g.row(lane);
        g.in_lanes |= bit(lane);
        g.over &= ~bit(lane);
        g.write(lane, row.board());
        keep_chance(g.lanes, lane, row.chance);
        g.lanes.step.moves[lane] = static_cast<std::uint32_t>(row.moves);
        g.lanes.step.since_capture[lane] = 0;
        g.forget_history(lane);
        stages_->note_alone(g.lanes, lane);
    }

    // The game goes on on the row's boards.
    void leave(Group& g, int lane, std::uint64_t end_of_log) {
        Row& row = g.row(lane);
        g.keep_history(lane, end_of_log);
        row.moves = g.lanes.step.moves[lane];
        row.since_capture = g.lanes.step.since_capture[lane];
        row.chance = lane_chance(g.lanes, lane);
        row.proved = no_action;
        g.in_lanes &= ~bit(lane);
        g.lanes.log.history_is_drivers &= ~bit(lane);
    }

    void begin_next(Group& g, int lane) {
        Row& row = g.row(lane);
        row.seed.game += row.seed.stride;
        begin(g, lane, start_);
    }

    void finish(Group& g, int lane, Verdict verdict, bool drawn = false) {
        Row& row = g.row(lane);
        row.board() = g.position(g.lanes.rings.now, lane);
        row.board().drawn = drawn;
        row.moves = g.lanes.step.moves[lane];
        row.since_capture = g.lanes.step.since_capture[lane];
        Base::finish(g.first + static_cast<std::size_t>(lane), verdict);
        g.over |= bit(lane);
    }

    // ------------------------------------------------------------------------------ proofs

    void choose(Group& g, std::int64_t* actions) {
        g.forget_proofs();
        Lanes& lanes = g.lanes;
        g.touched = true;
        lanes.phase.choosing = g.in_lanes & ~g.over;
        const std::size_t rows = g.count();
        if (rows == width_) {
            stages_->choose(lanes, actions);
        } else {
            std::int64_t every[most_lanes];
            stages_->choose(lanes, every);
            std::copy_n(every, rows, actions);
        }
    }

    void draw_rest(Group& g, std::int64_t* actions, std::vector<int>& left) {
        Lanes& lanes = g.lanes;
        // The first word again, and what follows.
        for (std::uint64_t rest = g.forbidden | g.left_to_scalar; rest; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const std::size_t r = g.first + static_cast<std::size_t>(lane);
            Row& row = rows_[r];
            Base::ask();
            row.board() = g.position(lanes.rings.before, lane);
            Chance chance = lane_chance(g.lanes, lane);
            chance.undo_word();
            const Candidates<B> candidates(rules_, row.board());
            const int number = draw_candidate(candidates, chance, left, [&](Sow candidate) {
                return Base::sow_candidate(r, candidate);
            });
            keep_chance(g.lanes, lane, chance);
            actions[lane] = lanes.step.action[lane] = Base::encode(row.board(), candidates[number]);
            g.proved_on_row |= bit(lane);
            g.forbidden &= ~bit(lane);
            g.left_to_scalar &= ~bit(lane);
        }
        for (std::uint64_t rest = g.on_scalar(); rest; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            Base::draw_once(g.first + static_cast<std::size_t>(lane), actions[lane], left);
        }
    }

    void sow(Group& g, Group* beside = nullptr) {
        g.forbidden = g.left_to_scalar = 0;
        if (beside != nullptr) beside->forbidden = beside->left_to_scalar = 0;
        stages_->sow(g.lanes, beside != nullptr ? &beside->lanes : nullptr);
    }

    // The first row whose action is illegal.
    std::size_t prove_group(Group& g, const ActionView& actions) {
        Lanes& lanes = g.lanes;
        std::uint64_t illegal = 0;
        std::int64_t copies[most_lanes];
        const std::int64_t* wanted = actions.whole(g.first, width_, g.count(), copies);
        for (std::uint64_t left = g.on_scalar(); left; left &= left - 1) {
            const int lane = std::countr_zero(left);
            const std::size_t r = g.first + static_cast<std::size_t>(lane);
            if (!Base::prove_action(r, wanted[lane])) illegal |= bit(lane);
        }
        const std::uint64_t anew =
            g.in_lanes & ~g.over &
            (stages_->differ(lanes, wanted) | ~(lanes.phase.ended | g.proved_on_row));
        if (anew != 0) {
            if (g.touched) stages_->take_back(lanes, anew);
            g.touched = true;
            lanes.phase.ended &= ~anew;
            g.proved_on_row &= ~anew;
            std::uint64_t clockwise = 0;
            for (std::uint64_t left = anew; left; left &= left - 1) {
                const int lane = std::countr_zero(left);
                if (lift(g, lane, wanted[lane], clockwise)) {
                    lanes.step.action[lane] = static_cast<std::int32_t>(wanted[lane]);
                    lanes.phase.lapping |= bit(lane);
                } else {
                    illegal |= bit(lane);
                }
            }
            const std::uint64_t lifted = lanes.phase.lapping;
            lanes.sowing.clockwise = (lanes.sowing.clockwise & ~lifted) | clockwise;
            lanes.choice.from_clockwise = (lanes.choice.from_clockwise & ~lifted) | clockwise;
            lanes.sowing.crossed &= ~lifted;
            sow(g);
            illegal |= g.forbidden;
            for (std::uint64_t left = g.left_to_scalar; left; left &= left - 1) {
                const int lane = std::countr_zero(left);
                const std::size_t r = g.first + static_cast<std::size_t>(lane);
                Base::ask();
                rows_[r].board() = g.position(lanes.rings.before, lane);
                Sow candidate{};
                if (Base::decode(rows_[r].board(), wanted[lane], candidate) &&
                    Base::sow_candidate(r, candidate)) {
                    g.proved_on_row |= bit(lane);
                } else {
                    illegal |= bit(lane);
                }
            }
        }
        return illegal == 0 ? Batch::none
                            : g.first + static_cast<std::size_t>(std::countr_zero(illegal));
    }

    // Lifts the seeds of an action if it is a candidate.
    bool lift(Group& g, int lane, std::int64_t action, std::uint64_t& clockwise) const {
        if (action < 0 || action >= numbers_.sowings) return false;
        Lanes& lanes = g.lanes;
        const Sow move = numbers_.sowing(static_cast<int>(action), 0);
        const int pit = move.pit, d = move.direction == Direction::cw;
        std::uint8_t& held = lanes.rings.now[pit * lanes.width + lane];
        const int content = held & bits_of_a_pit(lanes.rules.has_protection);
        const int seeds = lanes.rules.any_lift ? move.lift : content;
        if (content < rules_.minimum_lift || seeds > content) return false;
        if (lanes.rules.direction_duty) {
            const int duty = lanes.rings.now[lanes.rules.ring_rows * lanes.width + lane];
            if (duty != 0 && duty != d + 1) return false;
        }
        if (lanes.rules.pit_duty &&
            lanes.rings.now[(lanes.rules.ring_rows + 1) * lanes.width + lane] == pit + 1)
            return false;
        held = static_cast<std::uint8_t>(content - seeds);
        lanes.sowing.pit[lane] = lanes.choice.from[lane] = static_cast<std::uint8_t>(pit);
        lanes.sowing.hand[lane] = lanes.choice.lift[lane] = static_cast<std::uint8_t>(seeds);
        lanes.sowing.laps[lane] = 0;
        clockwise |= std::uint64_t{d == 1} << lane;
        return true;
    }

    // ------------------------------------------------------------------------------- moves

    // Called again after an interruption it goes on.
    void commit_group(Group& g, const BatchOutput& output) {
        Lanes& lanes = g.lanes;
        Moving& moving = g.moving;
        if (moving.stage == Moving::not_begun) land(g, output);
        if (moving.stage == Moving::landed) {
            settle_landed(g);
            note(g);
        }
        end_games(g, output);
        for (; moving.on_scalar != 0; moving.on_scalar &= moving.on_scalar - 1) {
            const int lane = std::countr_zero(moving.on_scalar);
            Base::commit_row(g.first + static_cast<std::size_t>(lane), output);
            enter(g, lane);
        }
        arrive_on_scalar(g);
        g.touched = false;
        const std::uint64_t next = lanes.log.now + 1;
        if (next % (lanes.log.mask / 4 + 1) == 0) g.keep_long_histories(next);
        lanes.log.now = next;
        moving.stage = Moving::not_begun;
    }

    // Judges where games have begun on the rows' boards.
    void arrive_on_scalar(Group& g) {
        for (std::uint64_t left = g.on_scalar(); left; left &= left - 1) {
            Base::arrive(g.first + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }

    // Makes the moves proved in the lanes.
    void land(Group& g, const BatchOutput& output) {
        Lanes& lanes = g.lanes;
        if (lanes.rules.overflow_bits != 0) {
            for (std::uint64_t left = g.proved_on_row; left; left &= left - 1) {
                const int lane = std::countr_zero(left);
                if (fits(g, g.row(lane).next())) continue;
                leave(g, lane, lanes.log.now);
                g.row(lane).proved = lanes.step.action[lane];
                g.proved_on_row &= ~bit(lane);
            }
        }
        Moving& moving = g.moving;
        moving.were_over = g.in_lanes & g.over;
        moving.on_scalar = g.on_scalar();
        moving.moved = lanes.phase.ended | g.proved_on_row;
        moving.drawn = 0;
        const std::uint64_t illegal = g.in_lanes & ~g.over & ~moving.moved;
        const std::size_t rows = g.count();
        std::memset(output.rewards + 2 * g.first, 0, 2 * rows * sizeof(float));
        std::memset(output.terminated + g.first, 0, rows);
        std::memset(output.truncated + g.first, 0, rows);
        std::memset(output.illegal + g.first, 0, rows);
        for (std::uint64_t left = illegal; left; left &= left - 1) {
            output.illegal[g.first + static_cast<std::size_t>(std::countr_zero(left))] = 1;
        }
        if (g.touched && (~lanes.phase.ended & g.in_lanes) != 0)
            stages_->take_back(lanes, ~lanes.phase.ended);
        lanes.step.moved = moving.moved;
        lanes.step.captured = 0;
        for (std::uint64_t left = g.proved_on_row; left; left &= left - 1) {
            const int lane = std::countr_zero(left);
            const Row& row = g.row(lane);
            g.write(lane, row.next());
            if (row.course.sown.captured > 0) {
                g.forget_history(lane);
                lanes.step.captured |= bit(lane);
            }
            if (row.next().drawn) moving.drawn |= bit(lane);
        }
        lanes.phase.choosing = g.proved_on_row & ~moving.drawn;
        g.proved_on_row = 0;
        stages_->land(lanes);
        moving.ended = moving.drawn;
        moving.stage = Moving::landed;
    }

    // Judges the positions that the kernel could not judge at sight.
    void settle_landed(Group& g) {
        Lanes& lanes = g.lanes;
        for (; lanes.phase.choosing != 0; lanes.phase.choosing &= lanes.phase.choosing - 1) {
            const int lane = std::countr_zero(lanes.phase.choosing);
            B board = g.position(lanes.rings.now, lane);
            const int mover = board.mover;
            Base::ask();
            const Verdict verdict = g.moving.verdicts[lane] = settle(context_, board);
            if (board.mover != mover || board.passed) g.write(lane, board);
            if (verdict.end != End::running) g.moving.ended |= bit(lane);
        }
    }

    // Keeps the positions, and judges what is repeated or cut.
    void note(Group& g) {
        Lanes& lanes = g.lanes;
        Moving& moving = g.moving;
        const std::uint64_t on = moving.moved & ~moving.ended;
        const std::uint64_t repeated = stages_->note(lanes, on);
        moving.stage = Moving::noted;  // not to be done twice
        std::uint64_t cut = 0;
        if (plan_.max_moves != INT64_MAX) {
            for (std::uint64_t left = on & ~repeated; left; left &= left - 1) {
                const int lane = std::countr_zero(left);
                if (lanes.step.moves[lane] == plan_.max_moves) cut |= bit(lane);
            }
        }
        for (std::uint64_t left = moving.drawn | repeated | cut; left; left &= left - 1) {
            const int lane = std::countr_zero(left);
            moving.verdicts[lane] = (moving.drawn & bit(lane)) != 0
                                        ? Verdict{End::endless, Sweep::nobody}
                                    : (repeated & bit(lane)) != 0 ? judge_repetition(rules_)
                                                                  : running;
        }
        moving.ended |= repeated | cut;
    }

    // Ends games and begins others.  Called again after an interruption it goes on.
    void end_games(Group& g, const BatchOutput& output) {
        Lanes& lanes = g.lanes;
        Moving& moving = g.moving;
        for (; moving.ended != 0; moving.ended &= moving.ended - 1) {
            const int lane = std::countr_zero(moving.ended);
            finish(g, lane, moving.verdicts[lane], (moving.drawn & bit(lane)) != 0);
            Base::reward(g.first + static_cast<std::size_t>(lane), output);
        }
        for (std::uint64_t left = g.in_lanes & g.over; left; left &= left - 1) {
            const int lane = std::countr_zero(left);
            const std::size_t r = g.first + static_cast<std::size_t>(lane);
            const bool was_over = (moving.were_over & bit(lane)) != 0;
            if (was_over && plan_.autoreset == Autoreset::next_step) {
                begin_next(g, lane);
                continue;
            }
            output.terminated[r] = !rows_[r].cut;
            output.truncated[r] = rows_[r].cut;
            if (plan_.autoreset == Autoreset::same_step) begin_next(g, lane);
        }
        for (std::uint64_t left = lanes.step.overfull & moving.moved & ~g.over & g.in_lanes; left;
             left &= left - 1) {
            const int lane = std::countr_zero(left);
            g.row(lane).board() = g.position(lanes.rings.now, lane);
            leave(g, lane, lanes.log.now + 1);
        }
    }

    // ------------------------------------------------------------------------------ output

    void show(Group& g, const BatchOutput& output) {
        Lanes& lanes = g.lanes;
        const std::size_t rows = g.count();
        const auto features = static_cast<std::size_t>(features_.all);
        const auto actions = static_cast<std::size_t>(numbers_.all);
        std::int16_t* const seen = output.observations + g.first * features;
        std::uint8_t* const mask = output.mask + g.first * actions;
        if (shows_pits_) {
            Shown to{seen, shows_mask_ ? mask : nullptr, features, actions, g.in_lanes & ~g.over};
            std::vector<std::int16_t> pits;
            std::vector<std::uint8_t> whole_mask;
            if (rows < width_) {
                pits.resize(width_ * features);
                whole_mask.resize(width_ * actions);
                to.pits = pits.data();
                if (shows_mask_) to.mask = whole_mask.data();
            }
            stages_->show(lanes, to);
            if (rows < width_) {
                std::memcpy(seen, pits.data(), rows * features * sizeof(std::int16_t));
                if (shows_mask_) std::memcpy(mask, whole_mask.data(), rows * actions);
            }
        }
        std::uint64_t alone = g.present;
        if (shows_pits_ && shows_mask_) alone &= ~g.in_lanes;
        for (std::uint64_t left = alone; left; left &= left - 1) {
            const int lane = std::countr_zero(left);
            const std::size_t r = g.first + static_cast<std::size_t>(lane);
            Row& row = rows_[r];
            const bool on_scalar = (g.in_lanes & bit(lane)) == 0;
            if (!on_scalar && !row.over) {
                row.board() = g.position(lanes.rings.now, lane);
                row.since_capture = g.lanes.step.since_capture[lane];
            }
            if (on_scalar || !shows_pits_) {
                Base::write_observation(row, output.observations + r * features);
            }
            if (on_scalar || !shows_mask_) Base::write_mask(r, output.mask + r * actions);
        }
    }

    const Stages* stages_;
    const std::size_t width_;
    bool shows_mask_ = false, shows_pits_ = false;
    std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace relaysow::lanes
