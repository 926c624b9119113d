// Vectors of a byte a lane and sets of lanes, for the instruction set of RELAYSOW_INSTRUCTION_SET.
#pragma once

#include <immintrin.h>
#include <stdint.h>

namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET {
namespace {

#define INLINE inline __attribute__((always_inline))
#define RARE __attribute__((noinline, cold))

// V holds a byte of each lane, M a truth of each lane.
#if defined(__AVX512BW__)

typedef __m512i V;
typedef uint64_t M;
INLINE V load(const uint8_t* from) { return _mm512_load_si512(from); }
INLINE void store(uint8_t* to, V v) { _mm512_store_si512(to, v); }
INLINE V all(int byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }
INLINE V add(V a, V b) { return _mm512_add_epi8(a, b); }
INLINE V sub(V a, V b) { return _mm512_sub_epi8(a, b); }
INLINE V larger(V a, V b) { return _mm512_max_epu8(a, b); }
INLINE V smaller(V a, V b) { return _mm512_min_epu8(a, b); }
INLINE M equal(V a, V b) { return _mm512_cmpeq_epi8_mask(a, b); }
INLINE M at_most(V a, V b) { return _mm512_cmple_epu8_mask(a, b); }
INLINE M below(V a, V b) { return _mm512_cmplt_epu8_mask(a, b); }
INLINE M bits_in(V a, V b) { return _mm512_test_epi8_mask(a, b); }
INLINE V choose(M m, V yes, V no) { return _mm512_mask_blend_epi8(m, no, yes); }
INLINE V where(M m, V v) { return _mm512_maskz_mov_epi8(m, v); }
INLINE V add_where(M m, V a, V b) { return _mm512_mask_add_epi8(a, m, a, b); }
INLINE V add_capped(M m, V a, V b) { return _mm512_mask_adds_epu8(a, m, a, b); }
INLINE uint64_t bits(M m) { return m; }
INLINE M mask(uint64_t lanes) { return lanes; }
INLINE V halved(V v) { return _mm512_and_si512(_mm512_srli_epi16(v, 1), all(0x7F)); }
INLINE V load_anywhere(const uint8_t* from) { return _mm512_loadu_si512(from); }
INLINE void lift_where_equal(V a, V b, V& seeds, V& lifted) {
    const M unlike = _mm512_cmpneq_epi8_mask(a, b);
    lifted = choose(unlike, lifted, seeds);
    seeds = where(unlike, seeds);
}

#elif defined(__AVX2__)

typedef __m256i V;
typedef __m256i M;
INLINE V load(const uint8_t* from) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}
INLINE void store(uint8_t* to, V v) { _mm256_store_si256(reinterpret_cast<__m256i*>(to), v); }
INLINE V all(int byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }
INLINE V add(V a, V b) { return _mm256_add_epi8(a, b); }
INLINE V sub(V a, V b) { return _mm256_sub_epi8(a, b); }
INLINE V larger(V a, V b) { return _mm256_max_epu8(a, b); }
INLINE V smaller(V a, V b) { return _mm256_min_epu8(a, b); }
INLINE M equal(V a, V b) { return _mm256_cmpeq_epi8(a, b); }
INLINE M at_most(V a, V b) { return equal(_mm256_min_epu8(a, b), a); }
INLINE M below(V a, V b) { return ~equal(_mm256_max_epu8(a, b), a); }
INLINE M bits_in(V a, V b) { return ~equal(a & b, all(0)); }
INLINE V choose(M m, V yes, V no) { return _mm256_blendv_epi8(no, yes, m); }
INLINE V where(M m, V v) { return m & v; }
INLINE V add_where(M m, V a, V b) { return add(a, m & b); }
INLINE V add_capped(M m, V a, V b) { return _mm256_adds_epu8(a, m & b); }
INLINE uint64_t bits(M m) { return static_cast<uint32_t>(_mm256_movemask_epi8(m)); }
INLINE M mask(uint64_t lanes) {
    const __m256i spread = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                            2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i bit = _mm256_set1_epi64x(static_cast<int64_t>(0x8040201008040201));
    const __m256i words = _mm256_set1_epi32(static_cast<int>(lanes));
    return equal(_mm256_shuffle_epi8(words, spread) & bit, bit);
}
INLINE V halved(V v) { return _mm256_srli_epi16(v, 1) & all(0x7F); }
INLINE V load_anywhere(const uint8_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

#else

typedef __m128i V;
typedef __m128i M;
INLINE V load(const uint8_t* from) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(from));
}
INLINE void store(uint8_t* to, V v) { _mm_store_si128(reinterpret_cast<__m128i*>(to), v); }
INLINE V all(int byte) { return _mm_set1_epi8(static_cast<char>(byte)); }
INLINE V add(V a, V b) { return _mm_add_epi8(a, b); }
INLINE V sub(V a, V b) { return _mm_sub_epi8(a, b); }
INLINE V larger(V a, V b) { return _mm_max_epu8(a, b); }
INLINE V smaller(V a, V b) { return _mm_min_epu8(a, b); }
INLINE M equal(V a, V b) { return _mm_cmpeq_epi8(a, b); }
INLINE M at_most(V a, V b) { return equal(_mm_min_epu8(a, b), a); }
INLINE M below(V a, V b) { return ~equal(_mm_max_epu8(a, b), a); }
INLINE M bits_in(V a, V b) { return ~equal(a & b, all(0)); }
INLINE V choose(M m, V yes, V no) { return (m & yes) | (~m & no); }
INLINE V where(M m, V v) { return m & v; }
INLINE V add_where(M m, V a, V b) { return add(a, m & b); }
INLINE V add_capped(M m, V a, V b) { return _mm_adds_epu8(a, m & b); }
INLINE uint64_t bits(M m) { return static_cast<uint32_t>(_mm_movemask_epi8(m)); }
INLINE M mask(uint64_t lanes) {
    const __m128i bit = _mm_set1_epi64x(static_cast<int64_t>(0x8040201008040201));
    const __m128i bytes = _mm_unpacklo_epi64(_mm_set1_epi8(static_cast<char>(lanes)),
                                             _mm_set1_epi8(static_cast<char>(lanes >> 8)));
    return equal(bytes & bit, bit);
}
INLINE V halved(V v) { return _mm_srli_epi16(v, 1) & all(0x7F); }
INLINE V load_anywhere(const uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

#endif

#if !defined(__AVX512BW__)
INLINE void lift_where_equal(V a, V b, V& seeds, V& lifted) {
    const M like = equal(a, b);
    lifted = choose(like, seeds, lifted);
    seeds = where(~like, seeds);
}
#endif

enum : int { L = sizeof(V) };
constexpr uint64_t every_lane = ~uint64_t{0} >> (64 - L);

INLINE M none() { return mask(0); }
INLINE M nonzero(V v) { return bits_in(v, v); }
INLINE int count_bits(uint64_t lanes) { return __builtin_popcountll(lanes); }
INLINE int first_bit(uint64_t lanes) { return __builtin_ctzll(lanes); }

}  // namespace
}  // namespace relaysow::lanes::RELAYSOW_INSTRUCTION_SET
