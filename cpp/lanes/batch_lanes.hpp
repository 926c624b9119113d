// The games of a batch in the lanes of the kernel: all rows of a group make their moves at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "lanes/instruction_sets.hpp"
#include "lanes/lanes.hpp"
#include "play/batch_games.hpp"
#include "play/verdict.hpp"

namespace relaysow::playout {

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
              const Level& level)
        : BatchGames<B>(plan, results, poll), lanes_(static_cast<std::size_t>(level.lanes)) {
        const std::size_t groups = (plan.rows + lanes_ - 1) / lanes_;
        const std::size_t log_row = (static_cast<std::size_t>(rules_.ring()) + 4) * lanes_;
        std::size_t log_rows = 256;
        while (log_rows > 32 && groups * log_row * log_rows > most_log) log_rows /= 2;
        shows_pits_ = features_.all == rules_.ring() + 4;
        shows_mask_ = shows_pits_ && !plan.exact_mask && rules_.lift == Lift::all &&
                      rules_.first_lap == FirstLap::free && numbers_.all >= 8;
        for (std::size_t g = 0; g < groups; ++g) {
            const std::size_t first = g * lanes_;
            const std::size_t rows = std::min(lanes_, plan.rows - first);
            groups_.push_back(std::make_unique<Group>(*this, first, rows, log_rows));
        }
        stages_ = &level.stages(groups_.front()->x);
    }

    void reset(std::size_t r, const GameSeed& seed, const AnyBoard* start) override {
        Group& g = group(r);
        g.forget_proofs();
        rows_[r].seed = seed;
        // Its first position joins those of the step before.
        --g.x.now;
        begin(g, lane_of(r), start != nullptr ? board_as<B>(rules_, *start) : start_);
        ++g.x.now;
    }

    void draw(std::size_t begin, std::size_t end, std::int64_t* actions) override {
        std::vector<int> left;
        for (std::size_t first = begin; first < end; first += 2 * lanes_) {
            if (first / lanes_ % groups_between_polls == 0) poll_();
            const std::size_t next = first + lanes_;
            Group* const pair[] = {&group(first), next < end ? &group(next) : nullptr};
            // Called again it may be with other ranges, which pair groups in another way.
            Group* fresh[] = {nullptr, nullptr};
            std::size_t count = 0;
            for (Group* const g : pair) {
                if (g == nullptr || g->drawn_in == call_) continue;
                choose(*g, actions + g->first);
                fresh[count++] = g;
            }
            if (count > 0) sow(*fresh[0], fresh[1]);
            for (std::size_t i = 0; i < count; ++i) fresh[i]->drawn_in = call_;
            for (Group* const g : pair) {
                if (g != nullptr) draw_rest(*g, actions + g->first, left);
            }
        }
    }

    std::size_t prove(std::size_t begin, std::size_t end, const ActionView& actions) override {
        std::size_t illegal = Batch::none;
        for (std::size_t first = begin; first < end; first += lanes_) {
            if (first / lanes_ % groups_between_polls == 0) poll_();
            const std::size_t found = prove_group(group(first), actions);
            if (illegal == Batch::none) illegal = found;
        }
        return illegal;
    }

    void commit(std::size_t begin, std::size_t end, const BatchOutput& output) override {
        for (std::size_t first = begin; first < end; first += lanes_) {
            Group& g = group(first);
            if (g.moved_in != call_) commit_group(g, output);
            g.moved_in = call_;
            show(g, output);
        }
    }

    void observe(std::size_t begin, std::size_t end, const BatchOutput& output) override {
        for (std::size_t first = begin; first < end; first += lanes_) {
            Group& g = group(first);
            g.forget_proofs();
            arrive_apart(g);
            show(g, output);
        }
    }

    AnyBoard position(std::size_t r) const override {
        const Group& g = *groups_[r / lanes_];
        const int lane = static_cast<int>(r % lanes_);
        if (!g.runs(lane)) return BatchGames<B>::position(r);
        return board_as<AnyBoard>(rules_, g.position(g.x.before, lane));
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
        std::uint64_t lanes = 0, were_over = 0, apart = 0, drawn = 0, ended = 0;
        Verdict verdicts[most_lanes];
    };

    struct Group {
        Group(LaneGames& games, std::size_t first_row, std::size_t rows, std::size_t log_rows)
            : owner(games),
              first(first_row),
              present(~std::uint64_t{0} >> (64 - rows)),
              ring(most_rows_of() * 2 * games.lanes_),
              log(log_rows * most_rows_of() * games.lanes_),
              prints(log_rows * 2 * games.lanes_),
              choosers(log_rows),
              movers(log_rows) {
            set_rules(x, games.rules_, static_cast<int>(games.lanes_));
            x.lifts = games.numbers_.lifts;
            x.ways = games.numbers_.directions;
            x.proves_backward =
                games.rules_.origin == Origin::sown && games.rules_.max_laps == UINT64_MAX;
            const B& start = games.start_;
            const int seeds = start.row_seeds(games.rules_, 0) + start.row_seeds(games.rules_, 1);
            const int half = x.marks ? 0x40 : 0x80;
            x.guard = static_cast<std::uint8_t>(counts_fit(games.rules_, seeds) ? 0 : half);
            // So few that a pit the guard lets pass has room for what they sow.
            x.steps_to_long = x.guard == 0 ? 64 : x.marks ? 24 : 60;
            x.patience = 64;  // all wait for the longest
            x.driver.context = this;
            x.driver.attend = [](void* self, int lane, Call call) {
                auto& g = *static_cast<Group*>(self);
                g.x.lapping &= ~bit(lane);
                (call == Call::forbidden ? g.forbidden : g.astray) |= bit(lane);
            };
            x.driver.repeated = [](void* self, std::uint64_t deep) {
                auto& g = *static_cast<Group*>(self);
                std::uint64_t found = 0;
                for (std::uint64_t left = deep; left != 0; left &= left - 1) {
                    g.row(std::countr_zero(left)).course.history.make_room();
                }
                for (std::uint64_t left = deep; left != 0; left &= left - 1) {
                    const int lane = std::countr_zero(left);
                    set(found, lane, !g.row(lane).course.history.add(g.position(g.x.ring, lane)));
                }
                return found;
            };
            x.ring = ring.begin();
            x.before = ring.begin() + most_rows_of() * games.lanes_;
            x.log = log.begin();
            x.prints = prints.begin();
            x.chose = choosers.data();
            x.movers = movers.data();
            x.log_mask = log_rows - 1;
            x.now = log_rows;
            x.recent = std::min<std::size_t>(48, log_rows * 3 / 4);  // older ones are sought apart
        }
        std::size_t most_rows_of() const {
            return static_cast<std::size_t>(owner.rules_.ring()) + 2;
        }

        Row& row(int lane) { return owner.rows_[first + static_cast<std::size_t>(lane)]; }
        std::size_t count() const { return static_cast<std::size_t>(std::popcount(present)); }
        bool runs(int lane) const { return (in_lanes & ~over & bit(lane)) != 0; }

        B position(const std::uint8_t* from, int lane) const {
            const bool north = (x.mover & bit(lane)) != 0;
            B board = read_lane<B>(x, from, lane, north);
            board.mover = north;
            board.passed = (x.passed & bit(lane)) != 0;
            return board;
        }
        void write(int lane, const B& board) {
            write_lane(x, lane, board);
            set(x.passed, lane, board.passed);
        }

        void forget_history(int lane) {
            x.deep &= ~bit(lane);
            x.old &= ~bit(lane);
            x.segment[lane] = x.now;
        }

        void forget_proofs() {
            if (!touched) return;
            std::memcpy(x.ring, x.before, static_cast<std::size_t>(x.rows * x.lanes));
            x.ended = x.lapping = x.choosing = aside = 0;
            touched = false;
        }

        // The history is the row's own from now on.
        void keep_history(int lane, std::uint64_t end) {
            if (!x.compares || (x.deep & bit(lane)) != 0) return;
            History<B>& history = row(lane).course.history;
            history.clear();
            for (std::uint64_t at = x.segment[lane]; at < end; ++at) {
                if (chose(x, at, lane)) history.add(logged<B>(x, at, lane));
            }
            x.deep |= bit(lane);
        }

        // The log will soon not hold a history that is long.
        void keep_long_histories(std::uint64_t now) {
            for (std::uint64_t left = in_lanes & ~over & ~x.deep; left; left &= left - 1) {
                const int lane = std::countr_zero(left);
                if (now - x.segment[lane] > x.log_mask / 2) keep_history(lane, now);
            }
        }

        LaneGames& owner;
        std::size_t first;
        std::uint64_t present, in_lanes = 0;  // the others' games are the rows' own
        std::uint64_t over = 0;
        std::uint64_t aside = 0;                   // proved on the row's boards
        std::uint64_t forbidden = 0, astray = 0;   // told by the kernel
        bool touched = false;                      // the ring holds moves not yet made
        std::uint64_t drawn_in = 0, moved_in = 0;  // the last calls that did
        Moving moving;                             // while a step is made
        Memory ring, log, prints;
        std::vector<std::uint64_t> choosers, movers;
        Lanes x{};
    };

    Group& group(std::size_t r) { return *groups_[r / lanes_]; }
    int lane_of(std::size_t r) const { return static_cast<int>(r % lanes_); }

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
        const bool guarded = g.x.guard != 0;
        const int most = guarded ? g.x.guard - 1 : bits_of_a_pit(g.x.marks);
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
        keep_chance(g.x, lane, row.chance);
        g.x.made[lane] = static_cast<std::uint32_t>(row.moves);
        g.x.since[lane] = 0;
        g.forget_history(lane);
        stages_->note_alone(g.x, lane);
    }

    // The game goes on on the row's boards.
    void leave(Group& g, int lane, std::uint64_t end_of_log) {
        Row& row = g.row(lane);
        g.keep_history(lane, end_of_log);
        row.moves = g.x.made[lane];
        row.since_capture = g.x.since[lane];
        row.chance = lane_chance(g.x, lane);
        row.proved = no_action;
        g.in_lanes &= ~bit(lane);
        g.x.deep &= ~bit(lane);
    }

    void begin_next(Group& g, int lane) {
        Row& row = g.row(lane);
        row.seed.game += row.seed.stride;
        begin(g, lane, start_);
    }

    void finish(Group& g, int lane, Verdict verdict, bool drawn = false) {
        Row& row = g.row(lane);
        row.board() = g.position(g.x.ring, lane);
        row.board().drawn = drawn;
        row.moves = g.x.made[lane];
        row.since_capture = g.x.since[lane];
        Base::finish(g.first + static_cast<std::size_t>(lane), verdict);
        g.over |= bit(lane);
    }

    // ------------------------------------------------------------------------------ proofs

    void choose(Group& g, std::int64_t* actions) {
        g.forget_proofs();
        Lanes& x = g.x;
        const std::uint64_t lanes = g.in_lanes & ~g.over;
        g.touched = true;
        x.choosing = lanes;
        const std::size_t rows = g.count();
        if (rows == lanes_) {
            stages_->choose(x, actions);
        } else {
            std::int64_t every[most_lanes];
            stages_->choose(x, every);
            std::copy_n(every, rows, actions);
        }
    }

    void draw_rest(Group& g, std::int64_t* actions, std::vector<int>& left) {
        Lanes& x = g.x;
        // The first word again, and what follows.
        for (std::uint64_t rest = g.forbidden | g.astray; rest; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const std::size_t r = g.first + static_cast<std::size_t>(lane);
            Row& row = rows_[r];
            Base::ask();
            row.board() = g.position(x.before, lane);
            Chance chance = lane_chance(g.x, lane);
            chance.undo_word();
            const Candidates<B> candidates(rules_, row.board());
            const int number = draw_candidate(candidates, chance, left, [&](Sow candidate) {
                return Base::sow_candidate(r, candidate);
            });
            keep_chance(g.x, lane, chance);
            actions[lane] = x.action[lane] = Base::encode(row.board(), candidates[number]);
            g.aside |= bit(lane);
            g.forbidden &= ~bit(lane);
            g.astray &= ~bit(lane);
        }
        for (std::uint64_t apart = g.present & ~g.in_lanes; apart; apart &= apart - 1) {
            const int lane = std::countr_zero(apart);
            Base::draw_once(g.first + static_cast<std::size_t>(lane), actions[lane], left);
        }
    }

    void sow(Group& g, Group* beside = nullptr) {
        g.forbidden = g.astray = 0;
        if (beside != nullptr) beside->forbidden = beside->astray = 0;
        stages_->sow(g.x, beside != nullptr ? &beside->x : nullptr);
    }

    // The first row whose action is illegal.
    std::size_t prove_group(Group& g, const ActionView& actions) {
        Lanes& x = g.x;
        std::uint64_t illegal = 0;
        std::int64_t copies[most_lanes];
        const std::int64_t* wanted = actions.whole(g.first, lanes_, g.count(), copies);
        for (std::uint64_t apart = g.present & ~g.in_lanes; apart; apart &= apart - 1) {
            const int lane = std::countr_zero(apart);
            const std::size_t r = g.first + static_cast<std::size_t>(lane);
            if (!Base::prove_action(r, wanted[lane])) illegal |= bit(lane);
        }
        const std::uint64_t anew =
            g.in_lanes & ~g.over & (stages_->differ(x, wanted) | ~(x.ended | g.aside));
        if (anew != 0) {
            if (g.touched) stages_->take_back(x, anew);
            g.touched = true;
            x.ended &= ~anew;
            g.aside &= ~anew;
            std::uint64_t clockwise = 0;
            for (std::uint64_t left = anew; left; left &= left - 1) {
                const int lane = std::countr_zero(left);
                if (lift(g, lane, wanted[lane], clockwise)) {
                    x.action[lane] = static_cast<std::int32_t>(wanted[lane]);
                    x.lapping |= bit(lane);
                } else {
                    illegal |= bit(lane);
                }
            }
            const std::uint64_t lifted = x.lapping;
            x.clockwise = (x.clockwise & ~lifted) | clockwise;
            x.from_clockwise = (x.from_clockwise & ~lifted) | clockwise;
            x.crossed &= ~lifted;
            sow(g);
            illegal |= g.forbidden;
            for (std::uint64_t left = g.astray; left; left &= left - 1) {
                const int lane = std::countr_zero(left);
                const std::size_t r = g.first + static_cast<std::size_t>(lane);
                Base::ask();
                rows_[r].board() = g.position(x.before, lane);
                Sow candidate{};
                if (Base::decode(rows_[r].board(), wanted[lane], candidate) &&
                    Base::sow_candidate(r, candidate)) {
                    g.aside |= bit(lane);
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
        Lanes& x = g.x;
        const Sow move = numbers_.sowing(static_cast<int>(action), 0);
        const int pit = move.pit, d = move.direction == Direction::cw;
        std::uint8_t& held = x.ring[pit * x.lanes + lane];
        const int content = held & bits_of_a_pit(x.marks);
        const int seeds = x.any_lift ? move.lift : content;
        if (content < rules_.minimum_lift || seeds > content) return false;
        if (x.direction_duty) {
            const int duty = x.ring[x.ring_rows * x.lanes + lane];
            if (duty != 0 && duty != d + 1) return false;
        }
        if (x.pit_duty && x.ring[(x.ring_rows + 1) * x.lanes + lane] == pit + 1) return false;
        held = static_cast<std::uint8_t>(content - seeds);
        x.pit[lane] = x.from[lane] = static_cast<std::uint8_t>(pit);
        x.hand[lane] = x.lift[lane] = static_cast<std::uint8_t>(seeds);
        x.laps[lane] = 0;
        clockwise |= std::uint64_t{d == 1} << lane;
        return true;
    }

    // ------------------------------------------------------------------------------- moves

    // Called again after an interruption it goes on.
    void commit_group(Group& g, const BatchOutput& output) {
        Lanes& x = g.x;
        Moving& moving = g.moving;
        if (moving.stage == Moving::not_begun) land(g, output);
        if (moving.stage == Moving::landed) {
            settle_landed(g);
            note(g);
        }
        end_games(g, output);
        for (; moving.apart != 0; moving.apart &= moving.apart - 1) {
            const int lane = std::countr_zero(moving.apart);
            Base::commit_row(g.first + static_cast<std::size_t>(lane), output);
            enter(g, lane);
        }
        arrive_apart(g);
        g.touched = false;
        const std::uint64_t next = x.now + 1;
        if (next % (x.log_mask / 4 + 1) == 0) g.keep_long_histories(next);
        x.now = next;
        moving.stage = Moving::not_begun;
    }

    // Judges where games have begun on the rows' boards.
    void arrive_apart(Group& g) {
        for (std::uint64_t left = g.present & ~g.in_lanes; left; left &= left - 1) {
            Base::arrive(g.first + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }

    // Makes the moves proved in the lanes.
    void land(Group& g, const BatchOutput& output) {
        Lanes& x = g.x;
        if (x.guard != 0) {
            for (std::uint64_t left = g.aside; left; left &= left - 1) {
                const int lane = std::countr_zero(left);
                if (fits(g, g.row(lane).next())) continue;
                leave(g, lane, x.now);
                g.row(lane).proved = x.action[lane];
                g.aside &= ~bit(lane);
            }
        }
        Moving& moving = g.moving;
        moving.were_over = g.in_lanes & g.over;
        moving.apart = g.present & ~g.in_lanes;
        moving.lanes = x.ended | g.aside;
        moving.drawn = 0;
        const std::uint64_t illegal = g.in_lanes & ~g.over & ~moving.lanes;
        const std::size_t rows = g.count();
        std::memset(output.rewards + 2 * g.first, 0, 2 * rows * sizeof(float));
        std::memset(output.terminated + g.first, 0, rows);
        std::memset(output.truncated + g.first, 0, rows);
        std::memset(output.illegal + g.first, 0, rows);
        for (std::uint64_t left = illegal; left; left &= left - 1) {
            output.illegal[g.first + static_cast<std::size_t>(std::countr_zero(left))] = 1;
        }
        if (g.touched && (~x.ended & g.in_lanes) != 0) stages_->take_back(x, ~x.ended);
        x.moved = moving.lanes;
        x.captured = 0;
        for (std::uint64_t left = g.aside; left; left &= left - 1) {
            const int lane = std::countr_zero(left);
            const Row& row = g.row(lane);
            g.write(lane, row.next());
            if (row.course.sown.captured > 0) {
                g.forget_history(lane);
                x.captured |= bit(lane);
            }
            if (row.next().drawn) moving.drawn |= bit(lane);
        }
        x.choosing = g.aside & ~moving.drawn;
        g.aside = 0;
        stages_->land(x);
        moving.ended = moving.drawn;
        moving.stage = Moving::landed;
    }

    // Judges the positions that the kernel could not judge at sight.
    void settle_landed(Group& g) {
        Lanes& x = g.x;
        for (; x.choosing != 0; x.choosing &= x.choosing - 1) {
            const int lane = std::countr_zero(x.choosing);
            B board = g.position(x.ring, lane);
            const int mover = board.mover;
            Base::ask();
            const Verdict verdict = g.moving.verdicts[lane] = settle(context_, board);
            if (board.mover != mover || board.passed) g.write(lane, board);
            if (verdict.end != End::running) g.moving.ended |= bit(lane);
        }
    }

    // Keeps the positions, and judges what is repeated or cut.
    void note(Group& g) {
        Lanes& x = g.x;
        Moving& moving = g.moving;
        const std::uint64_t on = moving.lanes & ~moving.ended;
        const std::uint64_t repeated = stages_->note(x, on);
        moving.stage = Moving::noted;  // not to be done twice
        std::uint64_t cut = 0;
        if (plan_.max_moves != INT64_MAX) {
            for (std::uint64_t left = on & ~repeated; left; left &= left - 1) {
                const int lane = std::countr_zero(left);
                if (x.made[lane] == plan_.max_moves) cut |= bit(lane);
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
        Lanes& x = g.x;
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
        for (std::uint64_t left = x.full & moving.lanes & ~g.over & g.in_lanes; left;
             left &= left - 1) {
            const int lane = std::countr_zero(left);
            g.row(lane).board() = g.position(x.ring, lane);
            leave(g, lane, x.now + 1);
        }
    }

    // ------------------------------------------------------------------------------ output

    void show(Group& g, const BatchOutput& output) {
        Lanes& x = g.x;
        const std::size_t rows = g.count();
        const auto features = static_cast<std::size_t>(features_.all);
        const auto actions = static_cast<std::size_t>(numbers_.all);
        std::int16_t* const seen = output.observations + g.first * features;
        std::uint8_t* const mask = output.mask + g.first * actions;
        if (shows_pits_) {
            Shown to{seen, shows_mask_ ? mask : nullptr, features, actions, g.in_lanes & ~g.over};
            std::vector<std::int16_t> pits;
            std::vector<std::uint8_t> whole_mask;
            if (rows < lanes_) {
                pits.resize(lanes_ * features);
                whole_mask.resize(lanes_ * actions);
                to.pits = pits.data();
                if (shows_mask_) to.mask = whole_mask.data();
            }
            stages_->show(x, to);
            if (rows < lanes_) {
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
            const bool apart = (g.in_lanes & bit(lane)) == 0;
            if (!apart && !row.over) {
                row.board() = g.position(x.ring, lane);
                row.since_capture = g.x.since[lane];
            }
            if (apart || !shows_pits_) {
                Base::write_observation(row, output.observations + r * features);
            }
            if (apart || !shows_mask_) Base::write_mask(r, output.mask + r * actions);
        }
    }

    const Stages* stages_;
    const std::size_t lanes_;
    bool shows_mask_ = false, shows_pits_ = false;
    std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace relaysow::playout
