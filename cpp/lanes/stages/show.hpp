// Shows what learners see: writes the observations and the masks of all lanes.
#pragma once

#include "lanes/fixed_rules.hpp"
#include "lanes/kernel.hpp"
#include "lanes/stages/draw.hpp"
#include "lanes/stages/prove.hpp"
#include "lanes/vectors.hpp"

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

// Makes of eight rows of sixteen lanes' bytes eight pairs of lanes, each lane's eight bytes in one
// piece.
INLINE void transpose(const uint8_t* rows, __m128i* pairs) {
    __m128i a[8], b[8], c[8];
    for (int i = 0; i < 8; ++i) {
        a[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + i * L));
    }
    for (int i = 0; i < 4; ++i) {
        b[i] = _mm_unpacklo_epi8(a[2 * i], a[2 * i + 1]);
        b[4 + i] = _mm_unpackhi_epi8(a[2 * i], a[2 * i + 1]);
    }
    for (int half = 0; half < 8; half += 4) {
        c[half] = _mm_unpacklo_epi16(b[half], b[half + 1]);
        c[half + 1] = _mm_unpackhi_epi16(b[half], b[half + 1]);
        c[half + 2] = _mm_unpacklo_epi16(b[half + 2], b[half + 3]);
        c[half + 3] = _mm_unpackhi_epi16(b[half + 2], b[half + 3]);
        pairs[half] = _mm_unpacklo_epi32(c[half], c[half + 2]);
        pairs[half + 1] = _mm_unpackhi_epi32(c[half], c[half + 2]);
        pairs[half + 2] = _mm_unpacklo_epi32(c[half + 1], c[half + 3]);
        pairs[half + 3] = _mm_unpackhi_epi32(c[half + 1], c[half + 3]);
    }
}

// Transposes rows of bytes, eight at a time, of which there are at least eight: calls `write` with
// a pair of lanes' eight bytes, the first of the lanes, and the first of the rows.
template <class Write>
INLINE void transpose_all(const uint8_t* rows, int count, const Write& write) {
    for (int done = 0; done < count; done += 8) {
        const int k = done + 8 > count ? count - 8 : done;
        for (int lane = 0; lane < L; lane += 16) {
            __m128i pairs[8];
            transpose(rows + k * L + lane, pairs);
            for (int i = 0; i < 8; ++i) write(pairs[i], static_cast<size_t>(lane + 2 * i), k);
        }
    }
}

// Writes the features behind the pits: the stores of the mover and of the other player, the mover,
// and the moves since the last capture.
INLINE void show_features(const Lanes& lanes, const Shown& to, int R) {
    const __m128i lane_bits = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    for (int lane = 0; lane < L; lane += 8) {
        const auto eight = [lane](const auto* from, int further = 0) {
            return _mm_load_si128(reinterpret_cast<const __m128i*>(from + lane + further));
        };
        const __m128i bits = _mm_set1_epi16(static_cast<int16_t>(lanes.turn.mover >> lane & 0xFF));
        const __m128i north = _mm_cmpeq_epi16(_mm_and_si128(bits, lane_bits), lane_bits);
        const __m128i south_store = eight(lanes.counts.stores[0]);
        const __m128i north_store = eight(lanes.counts.stores[1]);
        const __m128i other = _mm_and_si128(north, _mm_xor_si128(south_store, north_store));
        const __m128i mine = _mm_xor_si128(south_store, other);
        const __m128i theirs = _mm_xor_si128(north_store, other);
        const __m128i mover = _mm_srli_epi16(north, 15);
        const __m128i since =
            _mm_packs_epi32(eight(lanes.step.since_capture), eight(lanes.step.since_capture, 4));
        const __m128i halves[2][2] = {
            {_mm_unpacklo_epi16(mine, theirs), _mm_unpacklo_epi16(mover, since)},
            {_mm_unpackhi_epi16(mine, theirs), _mm_unpackhi_epi16(mover, since)}};
        int16_t* out = to.pits + static_cast<size_t>(lane) * to.features + R;
        for (const auto& half : halves) {
            const __m128i pairs[2] = {_mm_unpacklo_epi32(half[0], half[1]),
                                      _mm_unpackhi_epi32(half[0], half[1])};
            for (const __m128i pair : pairs) {
                _mm_storel_epi64(reinterpret_cast<__m128i*>(out), pair);
                _mm_storel_epi64(reinterpret_cast<__m128i*>(out + to.features),
                                 _mm_unpackhi_epi64(pair, pair));
                out += 2 * to.features;
            }
        }
    }
}

// Writes which actions are candidates, where all of a pit is lifted; `rows` are the pits' seeds.
template <class FixedRules>
INLINE void show_mask(const Lanes& lanes, const Shown& to, const uint8_t* rows) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows, n = rules.pits, ways = rules.either ? 2 : 1;
    const M running = mask(to.running);
    const V duty = rules.direction_duty ? load(lanes.rings.now + R * L) : all(0);
    const V barred = rules.pit_duty ? load(lanes.rings.now + (R + 1) * L) : all(0);
    alignas(64) uint8_t actions[128 * L];
    for (int j = 0; j < n; ++j) {
        const M may = running & liftable(rules, load(rows + j * L), barred, j);
        store(actions + ways * j * L, where(may & ~equal(duty, all(2)), all(1)));
        if (rules.either) {
            store(actions + (2 * j + 1) * L, where(may & ~equal(duty, all(1)), all(1)));
        }
    }
    transpose_all(actions, ways * n, [&](__m128i pair, size_t lane, int k) {
        uint8_t* const out = to.mask + lane * to.actions + k;
        _mm_storel_epi64(reinterpret_cast<__m128i*>(out), pair);
        _mm_storel_epi64(reinterpret_cast<__m128i*>(out + to.actions),
                         _mm_unpackhi_epi64(pair, pair));
    });
}

// Writes what learners see of all lanes, as their movers see it.
template <class FixedRules>
void show(const Lanes& lanes, const Shown& to) {
    const LaneRules rules = FixedRules::of(lanes.rules);
    const int R = rules.ring_rows;
    alignas(64) uint8_t rows[128 * L];
    for (int k = 0; k < R; ++k) store(rows + k * L, seeds_in<FixedRules>(lanes, k));
    const __m128i zero = _mm_setzero_si128();
    transpose_all(rows, R, [&](__m128i pair, size_t lane, int k) {
        int16_t* const out = to.pits + lane * to.features + k;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_unpacklo_epi8(pair, zero));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + to.features),
                         _mm_unpackhi_epi8(pair, zero));
    });
    show_features(lanes, to, R);
    if (to.mask != nullptr) show_mask<FixedRules>(lanes, to, rows);
}

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
