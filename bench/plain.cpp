// Random play of whole games in one plain scalar loop: what a good programmer writes by hand for
// Giuthi, En Gehé and Kiothi under their default rules.  It shares no code with the package and
// plays the same games from the same seed.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

enum class Kind { giuthi, engehe, kiothi };
enum End : std::uint8_t { both_stuck, row_empty, swept, repeated, endless, cut };

// One row of results; bench.py declares the same fields.
struct Result {
    std::int64_t laps = 0, longest = 0, first_move = -1;
    std::int32_t moves = 0, turns = 0, captures = 0;
    std::int16_t scores[2] = {0, 0};
    std::int8_t winner = 0;
    End end = cut;
};

struct SplitMix64 {
    std::uint64_t state;
    constexpr std::uint64_t next() {
        std::uint64_t z = state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
};

// xoshiro128++, one stream a game.
struct Chance {
    std::uint32_t a, b, c, d;

    Chance(std::uint64_t seed, std::uint64_t game) {
        SplitMix64 mix{SplitMix64{seed}.next() ^ game};
        const std::uint64_t first = mix.next(), second = mix.next();
        a = std::uint32_t(first), b = std::uint32_t(first >> 32);
        c = std::uint32_t(second), d = std::uint32_t(second >> 32);
    }
    std::uint32_t word() {
        const std::uint32_t result = std::rotl(a + d, 7) + a, t = b << 9;
        c ^= a, d ^= b, b ^= c, a ^= d, c ^= t;
        d = std::rotl(d, 11);
        return result;
    }
    int below(int count) { return int((word() * std::uint64_t(count)) >> 32); }

    // A number below `count` from one word more than it has, taken as one integer, high word first.
    std::uint64_t long_below(std::uint64_t count) {
        std::uint32_t words[3];
        const int n = (int(std::bit_width(count)) + 31) / 32 + 1;
        for (int i = 0; i < n; ++i) words[i] = word();
        unsigned __int128 carry = 0;
        for (int i = n; i-- > 0;)
            carry = (words[i] * static_cast<unsigned __int128>(count) + carry) >> 32;
        return std::uint64_t(carry);
    }
};

// choose[n][k], for the redistributions: at most 60 seeds over 20 pits, which fits 64 bits.
const auto choose = [] {
    std::array<std::array<std::uint64_t, 20>, 80> table{};
    for (std::size_t n = 0; n < 80; ++n) {
        table[n][0] = 1;
        for (std::size_t k = 1; n && k < 20; ++k)
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
    }
    return table;
}();

template <Kind kind, int N, bool repetition>
class Game {
    static constexpr int R = 2 * N, endless_test_from = 64;
    static constexpr int minimum_lift = kind == Kind::giuthi ? 2 : 1;
    static constexpr bool partial = kind == Kind::kiothi, either = kind == Kind::giuthi;
    // Hashing a long ring anew for every move would take a tenth of the time: its hash is kept up
    // in sowing.
    static constexpr bool rolling = repetition && kind == Kind::engehe;
    using Count = std::conditional_t<kind == Kind::engehe, std::int16_t, std::uint8_t>;

    static constexpr auto keys = [] {
        std::array<std::uint64_t, R> odd{};
        SplitMix64 mix{0};
        for (auto& key : odd) key = mix.next() | 1;
        return odd;
    }();

    struct Board {
        alignas(8) Count pit[(R * sizeof(Count) + 7) / 8 * 8 / sizeof(Count)];  // to a whole word
        std::uint64_t rolled;
        std::uint32_t shielded;  // the protected pits, a bit each

        bool operator==(const Board& other) const {
            return std::memcmp(pit, other.pit, sizeof pit) == 0 && shielded == other.shielded;
        }
        std::size_t hash() const {
            std::uint64_t h = rolled;
            if constexpr (!rolling) {
                std::uint64_t words[sizeof pit / 8];
                std::memcpy(words, pit, sizeof pit);
                for (std::size_t i = 0; i < std::size(words); ++i) h += words[i] * keys[i];
            }
            return h >> 54;
        }
        bool occupied_and_open(int p) const {
            return pit[p] && !(kind == Kind::kiothi && shielded >> p & 1);
        }
        int row(int home) const { return std::accumulate(pit + home, pit + home + N, 0); }
        int take(int p) {
            const int seeds = pit[p];
            pit[p] = 0;
            if constexpr (rolling) rolled -= keys[p] * std::uint64_t(seeds);
            return seeds;
        }
    };

    Board start{};
    std::int64_t limit;
    std::array<std::int64_t, 2 * N>
        first_number{};  // of each opening candidate among the legal ones

    // The positions since the last capture, chained by their hash.  `newest` holds serial numbers,
    // which never fall, so all is forgotten by `oldest = serial`.
    struct Past {
        Board board;
        int mover;
        std::uint64_t older;
    };
    std::vector<Past> past = std::vector<Past>(64);
    std::array<std::uint64_t, 1024> newest{};
    std::uint64_t serial = 1, oldest = 1;

    // Notes the position; true if it was there before.
    bool repeats(const Board& board, int mover) {
        if (serial - oldest == past.size()) past.resize(2 * past.size());
        Past& now = past[serial - oldest];
        std::uint64_t& head = newest[board.hash()];
        now.board = board, now.mover = mover, now.older = head;
        for (std::uint64_t at = head; at >= oldest; at = past[at - oldest].older) {
            const Past& then = past[at - oldest];
            if (then.mover == mover && then.board == board) return true;
        }
        head = serial++;
        return false;
    }

    struct Sowing {
        int last, step;
        bool crossed;
        std::int64_t laps;  // 0: illegal, and the board is spoilt
    };

    static int next(int pit, int step) {
        if constexpr ((R & (R - 1)) == 0) return (pit + step) & (R - 1);
        pit += step;
        if (either && pit < 0) return R - 1;
        return pit == R ? 0 : pit;
    }

    static Sowing sow(Board& board, int home, int origin, int seeds, int step) {
        Sowing s{origin, step, false, 0};
        if constexpr (kind == Kind::kiothi) {
            const int end = (origin + seeds) % R,
                      held = board.pit[end] - (end == origin ? seeds : 0);
            if (unsigned(end - home) < N && held + (seeds - 1) / R > 0) return s;
        }
        board.pit[origin] = Count(board.pit[origin] - seeds);
        std::uint64_t rolled = board.rolled;
        if constexpr (rolling) rolled -= keys[origin] * std::uint64_t(seeds);
        Board mark;  // an endless sowing is a cycle, so it comes back to any of its laps
        int mark_last = 0, mark_step = 0;
        for (;;) {
            if constexpr (kind == Kind::giuthi)
                s.crossed |= unsigned(s.last - home + s.step * seeds) >= N;
            if constexpr (kind == Kind::kiothi) board.shielded &= ~(1u << s.last);
            ++s.laps;
            do {
                s.last = next(s.last, s.step);
                ++board.pit[s.last];
                if constexpr (rolling) rolled += keys[s.last];
            } while (--seeds);
            seeds = board.pit[s.last];
            if (seeds == 1) {
                board.rolled = rolled;
                return s;
            }
            if constexpr (kind == Kind::giuthi) s.step = -s.step;
            if (s.laps == endless_test_from) {
                mark = board, mark_last = s.last, mark_step = s.step;
            } else if (s.laps > endless_test_from && s.last == mark_last && s.step == mark_step &&
                       board == mark) {
                s.laps = 0;
                return s;
            }
            board.pit[s.last] = 0;
            if constexpr (rolling) rolled -= keys[s.last] * std::uint64_t(seeds);
        }
    }

    static int capture(Board& board, int home, const Sowing& s) {
        const int q = s.last, o = R - 1 - q;
        if (unsigned(q - home) >= N || !board.occupied_and_open(o)) return 0;
        int taken = board.take(o) + board.take(q);
        if constexpr (kind == Kind::giuthi)
            for (int p = q + s.step; unsigned(p - home) < N && board.pit[p] == 0; p += s.step)
                taken += board.take(R - 1 - p);
        if constexpr (kind == Kind::kiothi)
            if (q == home && board.occupied_and_open(o - 1) && board.occupied_and_open(o - 2) &&
                board.occupied_and_open(o - 3))
                taken += board.take(o - 1) + board.take(o - 2) + board.take(o - 3);
        return taken;
    }

    // The candidate moves in canonical order.  Built in place: a copy would load words just written
    // by bytes, and stall.
    struct Candidates {
        std::uint8_t pits[N];
        int count = 0;

        Candidates(const Board& board, int home) {
            for (int p = home; p < home + N; ++p) {
                if constexpr (partial) {
                    count += board.pit[p];
                } else {
                    pits[count] = std::uint8_t(p);
                    count += board.pit[p] >= minimum_lift;
                }
            }
            if constexpr (either) count *= 2;
        }
        Sowing sow(Board& board, int home, int number) const {
            if constexpr (partial) {
                int p = home;
                for (; number >= board.pit[p]; ++p) number -= board.pit[p];
                return Game::sow(board, home, p, number + 1, 1);
            }
            const int p = pits[either ? number / 2 : number];
            return Game::sow(board, home, p, board.pit[p], either && number % 2 ? -1 : 1);
        }
    };

    static bool can_move(const Board& board, int home) {
        const Candidates all(board, home);
        for (int number = 0; number < all.count; ++number) {
            Board tried = board;
            if (all.sow(tried, home, number).laps) return true;
        }
        return false;
    }

    // An opening redistribution of Kiothi, drawn by its number: two occupied pits emptied, their
    // seeds put anywhere.
    static std::uint64_t redistribute(Board& board, int home, Chance& chance) {
        std::vector<int> occupied;
        for (int p = home; p < home + N; ++p)
            if (board.pit[p]) occupied.push_back(p);
        std::vector<std::array<int, 2>> choices;
        for (std::size_t i = 0; i < occupied.size(); ++i)
            for (std::size_t j = i + 1; j < occupied.size(); ++j)
                choices.push_back({occupied[i], occupied[j]});
        if (choices.empty()) {  // fewer than two: those there are, and a pit of nothing
            const int empty = int(std::find(board.pit + home, board.pit + home + N, 0) - board.pit);
            choices.push_back({occupied.empty() ? empty : occupied[0], empty});
        }
        const auto ways = [](int seeds, int pits) {
            return pits ? choose[seeds + pits - 1][pits - 1] : !seeds;
        };
        const auto seeds_of = [&](std::array<int, 2> two) {
            return board.pit[two[0]] + board.pit[two[1]];
        };
        std::uint64_t count = 0;
        for (const auto two : choices) count += ways(seeds_of(two), R);
        const std::uint64_t number = chance.long_below(count);

        std::uint64_t left = number;
        auto two = choices.begin();
        for (; left >= ways(seeds_of(*two), R); ++two) left -= ways(seeds_of(*two), R);
        int seeds = seeds_of(*two);
        board.take((*two)[0]), board.take((*two)[1]);
        for (int p = 0; p < R; ++p)
            for (; left >= ways(seeds, R - 1 - p); --seeds, ++board.pit[p])
                left -= ways(seeds, R - 1 - p);
        return number;
    }

    static Result finish(Result r, End end, int south, int north) {
        r.scores[0] = std::int16_t(south), r.scores[1] = std::int16_t(north);
        r.end = end;
        r.winner = end == cut ? -2 : end == repeated || south == north ? -1 : south < north;
        return r;
    }

public:
    Game(const std::int16_t* setup, std::int64_t max_moves) : limit(max_moves) {
        std::copy(setup, setup + R, start.pit);
        if constexpr (kind == Kind::kiothi) return;
        const Candidates all(start, 0);
        std::int64_t legal = 0;
        for (int number = 0; number < all.count; ++number) {
            Board tried = start;
            first_number[std::size_t(number)] = legal;
            legal += all.sow(tried, 0, number).laps != 0;
        }
    }

    Result play(Chance chance) {
        Result r;
        Board board = start;
        int stores[2] = {0, 0}, mover = 0;
        bool new_turn = true, passed = false;
        oldest = serial;
        if constexpr (kind == Kind::kiothi) {
            r.first_move = std::int64_t(redistribute(board, 0, chance));
            r.moves = r.turns = 1;
            if (limit == 1) return finish(r, cut, 0, 0);
            redistribute(board, N, chance);
            r.moves = r.turns = 2;
            for (int p = 0; p < R; ++p) board.shielded |= std::uint32_t(board.pit[p] != 0) << p;
        }
        for (;;) {
            const int home = mover * N;
            if (repetition && repeats(board, mover))
                return finish(r, repeated, stores[0], stores[1]);

            // The very sowing drawn proves that the mover can move; an illegal one is struck out
            // and another drawn.
            Board copy;
            const Board& before = repetition ? past[serial - 1 - oldest].board : (copy = board);
            const Chance chance_before = chance;
            const Candidates all(board, home);
            std::uint8_t struck[64];  // rising
            int strikes = 0, number = 0;
            Sowing s{};
            while (strikes < all.count) {
                number = chance.below(all.count - strikes);
                int at = 0;
                for (; at < strikes && struck[at] <= number; ++at) ++number;
                s = all.sow(board, home, number);
                if (s.laps) break;
                board = before;
                std::copy_backward(struck + at, struck + strikes, struck + strikes + 1);
                struck[at] = std::uint8_t(number);
                ++strikes;
            }
            if (s.laps == 0) {  // who cannot move draws no words
                chance = chance_before;
                if (kind == Kind::giuthi && !passed) {
                    mover ^= 1;
                    passed = new_turn = true;
                    continue;
                }
                const int rows[2] = {board.row(0), board.row(N)};
                if (kind == Kind::giuthi || (kind == Kind::kiothi && !can_move(board, N - home)))
                    return finish(r, both_stuck, stores[0] + rows[0], stores[1] + rows[1]);
                stores[mover ^ 1] += rows[0] + rows[1];
                return finish(r, swept, stores[0], stores[1]);
            }
            if (r.moves == limit) return finish(r, cut, stores[0], stores[1]);
            if (kind != Kind::kiothi && r.moves == 0)
                r.first_move = first_number[std::size_t(number)];
            ++r.moves;
            r.turns += new_turn;
            r.laps += s.laps;
            r.longest = std::max(r.longest, s.laps);
            passed = false;
            new_turn = kind != Kind::giuthi || s.crossed;
            if (!new_turn) continue;
            if (const int taken = capture(board, home, s)) {
                stores[mover] += taken;
                ++r.captures;
                oldest = serial;
            }
            mover ^= 1;
        }
    }
};

template <Kind kind, int N, bool repetition>
void run(const std::int16_t* setup, std::uint64_t seed, std::uint64_t first, std::int64_t games,
         std::int64_t limit, Result* results) {
    Game<kind, N, repetition> game(setup, limit);
    for (std::int64_t i = 0; i < games; ++i)
        results[i] = game.play(Chance(seed, first + std::uint64_t(i)));
}

}  // namespace

// Plays `games` games from number `first` on; a negative `limit` lets each end by itself.  False
// for a game (0 Giuthi, 1 En Gehé, 2 Kiothi) or a number of pits that is not compiled, or for more
// seeds than its counts hold.
extern "C" bool play(int kind, int pits, bool repetition, const std::int16_t* setup,
                     std::uint64_t seed, std::uint64_t first, std::int64_t games,
                     std::int64_t limit, Result* results) {
    const int seeds = std::accumulate(setup, setup + 2 * pits, 0);
    const auto plays = [&]<Kind K, int N>() {
        if (int(K) != kind || N != pits ||
            seeds > (K == Kind::engehe   ? 1000
                     : K == Kind::giuthi ? 255
                                         : 60))
            return false;
        (repetition ? run<K, N, true> : run<K, N, false>)(setup, seed, first, games, limit,
                                                          results);
        return true;
    };
    return plays.operator()<Kind::giuthi, 6>() || plays.operator()<Kind::giuthi, 8>() ||
           plays.operator()<Kind::giuthi, 10>() || plays.operator()<Kind::engehe, 40>() ||
           plays.operator()<Kind::engehe, 50>() || plays.operator()<Kind::kiothi, 10>();
}
