// How many paths of moves there are.  The last move of a path is proved legal, but not played.
#pragma once

#include <cstdint>
#include <cstring>

#include "play/board.hpp"
#include "play/moves.hpp"
#include "play/redistributions.hpp"
#include "play/sowing.hpp"
#include "play/verdict.hpp"
#include "rules/rules.hpp"
#include "support/natural.hpp"

namespace relaysow {

// Returns how many candidates are legal.  It sows those that must be sown side by side, a lap of
// each in turn, so that the processor works on several at once and need not guess where each ends.
// Against sowing one after the other this made perft faster by 1.8 (Giuthi 2×8·8, six moves), 1.3
// (En Gehé 2×50, four) and 1.6 (En Gehé 2×8, eight).
template <class B>
int count_legal(const SowingContext<B>& context, const B& board) {
    struct Begun {
        alignas(16) typename B::seeds_type ring[B::capacity];
        Sow move, lap;
    };
    constexpr int most = 16;
    const Rules& rules = context.rules;
    const bool reversed = rules.relay == Relay::reversed;
    const bool unwatched = rules.endless == Endless::illegal && rules.max_laps > unwatched_laps;
    int legal = 0;
    B scratch;
    Begun begun[most];
    int started = 0;
    const auto sow_all = [&] {
        std::uint8_t going[most];
        for (int i = 0; i < started; ++i) going[i] = static_cast<std::uint8_t>(i);
        int left = started;
        for (std::uint64_t laps = 0; left > 0 && laps < unwatched_laps; ++laps) {
            int still = 0;
            for (int i = 0; i < left; ++i) {
                Begun& one = begun[going[i]];
                Sow& lap = one.lap;
                [[maybe_unused]] unsigned crossed = 0;
                lap.pit =
                    context.lap_table.lap(one.ring, lap.pit, lap.lift, lap.direction, crossed);
                lap.lift = one.ring[lap.pit];
                if (reversed) lap.direction = opposite(lap.direction);
                going[still] = going[i];
                still += lap.lift != 1;
            }
            left = still;
        }
        legal += started - left;
        for (int i = 0; i < left; ++i) {
            legal += is_legal(context, board, scratch, begun[going[i]].move);
        }
        started = 0;
    };
    Candidates<B>(rules, board).any([&](Sow move) {
        const Legality sight = legality_at_sight(rules, board, board.mover, move);
        // A long first lap may come round and break the rule of the first lap.
        const bool only_endless = rules.first_lap == FirstLap::free || move.lift < rules.ring() - 1;
        if (sight != Legality::unknown) {
            legal += sight == Legality::legal;
        } else if (!unwatched || !only_endless) {
            legal += is_legal(context, board, scratch, move);
        } else {
            Begun& one = begun[started++];
            std::memcpy(one.ring, board.ring, sizeof board.ring);
            one.move = one.lap = move;
            if (started == most) {
                context.poll();  // there may be thousands
                sow_all();
            }
        }
        return false;
    });
    sow_all();
    return legal;
}

// Counts the paths of `depth` moves from a settled board.  A forced pass costs no depth.
template <class B>
Natural perft(const SowingContext<B>& context, const B& board, Verdict verdict, int depth) {
    const Rules& rules = context.rules;
    if (depth == 0) return 1;
    if (verdict.end != End::running) return 0;
    if (board.redistributions < 2) {
        const Redistributions<B> moves(rules, board);
        if (depth == 1) return moves.count();
        Natural nodes;
        for (Natural number; number < moves.count(); number += Natural(1)) {
            context.poll();
            B after = board;
            redistribute(rules, after, moves[number]);
            const Verdict next = settle(context, after);
            nodes += perft(context, after, next, depth - 1);
        }
        return nodes;
    }
    const auto sowings = [&](const auto& self, const B& from, int below) -> std::uint64_t {
        if (below == 1) return static_cast<std::uint64_t>(count_legal(context, from));
        if (below >= 3) context.poll();
        const Candidates<B> candidates(rules, from);
        std::uint64_t nodes = 0;
        B after;
        candidates.any([&](Sow move) {
            NoTrace trace;
            Sown sown;
            sow(context, from, after, move, trace, sown);
            if (sown.legal && settle(context, after).end == End::running) {
                nodes += self(self, after, below - 1);
            }
            return false;
        });
        return nodes;
    };
    return sowings(sowings, board, depth);
}

}  // namespace relaysow
