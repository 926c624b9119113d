// Tables of the exact values of all positions of so many seeds on the ring, total by total.
#include "exact/tablebase.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>

#include "play/moves.hpp"
#include "play/verdict.hpp"
#include "support/mixing.hpp"
#include "support/workers.hpp"

namespace relaysow {
namespace {

static_assert(std::endian::native == std::endian::little, "tables are little-endian");

constexpr char magic[8] = {'\x89', 'R', 'S', 'O', 'W', '\r', '\n', '\x1A'};
constexpr std::uint32_t version = 1;

// Each step can be undone, so a change within one word of eight bytes always shows.
std::uint64_t checksum(const void* data, std::size_t size) {
    std::uint64_t hash = golden_factor ^ size;
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    for (std::size_t at = 0; at < size; at += 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes + at, 8);
        hash = mixed<second_factor>(hash, word);
    }
    return hash;
}

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

template <class T>
void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void pad(std::string& out) { out.resize(padded(out.size())); }

// Reads numbers one after another.
class Reader {
public:
    Reader(const std::uint8_t* data, std::size_t size, std::string what)
        : data_(data), size_(size), what_(std::move(what)) {}

    template <class T>
    T get() {
        T value;
        std::memcpy(&value, take(sizeof value), sizeof value);
        return value;
    }
    const std::uint8_t* take(std::size_t bytes) {
        if (bytes > size_ - at_) throw TableError(what_ + " is cut off");
        at_ += bytes;
        return data_ + at_ - bytes;
    }
    void skip_padding() { take(padded(at_) - at_); }
    void check_checksum() {
        const std::uint64_t sum = checksum(data_, at_);
        if (get<std::uint64_t>() != sum) throw TableError(what_ + " is damaged");
    }
    std::size_t at() const { return at_; }

private:
    const std::uint8_t* data_;
    std::size_t size_, at_ = 0;
    std::string what_;
};

// Thresholds in two bytes.
struct Packed {
    std::int8_t win = 127, draw = 127;

    static std::int8_t pack(int threshold) {
        if (threshold >= Thresholds::never) return 127;
        if (threshold <= Thresholds::always) return -128;
        return static_cast<std::int8_t>(threshold);
    }
    static std::int16_t unpack(std::int8_t threshold) {
        if (threshold == 127) return Thresholds::never;
        if (threshold == -128) return Thresholds::always;
        return threshold;
    }
    static Packed of(Thresholds values) { return {pack(values.win), pack(values.draw)}; }
    Thresholds thresholds() const { return {unpack(win), unpack(draw)}; }
    std::uint16_t bits() const { return std::bit_cast<std::uint16_t>(*this); }
};

// Numbers 0…count−1 in chunks, shared by threads.
class Shared {
public:
    static constexpr std::uint64_t chunk = 1 << 14;

    Shared(std::uint64_t count, int threads, const std::function<void(std::uint64_t)>& tick)
        : count_(count), threads_(threads), tick_(tick) {}

    // Calls `make()` in every thread, and what it makes with a poll and the bounds of chunks.
    template <class Make>
    void run(Make&& make) {
        next_ = 0;
        const std::uint64_t chunks = (count_ + chunk - 1) / chunk;
        const auto started = static_cast<std::size_t>(
            std::min<std::uint64_t>(static_cast<std::uint64_t>(threads_), chunks));
        workers_.run(
            started,
            [&] {
                auto&& each = make(workers_.as_poll());
                for (std::uint64_t number; (number = next_.fetch_add(1)) < chunks;) {
                    workers_.poll();
                    each(number, number * chunk, std::min(count_, (number + 1) * chunk));
                }
            },
            [&] {
                tick_(std::min(count_, next_.load() * chunk));
                return true;
            });
    }

private:
    std::uint64_t count_;
    int threads_;
    const std::function<void(std::uint64_t)>& tick_;
    std::atomic<std::uint64_t> next_{0};
    Workers workers_;
};

// Calls `exit(values)` for every move that ends the game or captures, `edge(rank, same mover)` for
// the others, of a position of the table whose player to move may be unable to.
template <class B, class Exit, class Edge>
void each_move(const SowingContext<B>& context, const Table& table, const B& board, int total,
               Exit&& exit, Edge&& edge) {
    const Rules& rules = context.rules;
    const Ranking& ranking = table.ranking();
    bool stuck = true;
    B after;
    const bool ends_at_once =
        rules.end == EndRule::row_empty && board.row_seeds(rules, board.mover) == 0;
    if (!ends_at_once) {
        Candidates<B>(rules, board).any([&](Sow move) {
            NoTrace trace;
            Sown sown;
            sow(context, board, after, move, trace, sown);
            if (!sown.legal) return false;
            stuck = false;
            const bool same = after.mover == board.mover;
            if (after.drawn) {
                exit(drawn_at_any_lead);
            } else if (sown.captured > 0) {
                exit(after_move(table.values(after, total - sown.captured), same, sown.captured));
            } else {
                edge(ranking.rank(after.ring, after.mover), same);
            }
            return false;
        });
        if (!stuck) return;
    }
    after = board;
    const Verdict verdict =
        ends_at_once ? Verdict{End::row_empty, Sweep::opponent} : judge_stuck(context, after);
    if (verdict.end != End::running) {
        exit(values_at_end(rules, board, after, verdict));
    } else {
        edge(ranking.rank(after.ring, after.mover), after.mover == board.mover);
    }
}

// Which whole pits, of all positions of one total, are sown without end.  All states of an endless
// sowing that takes long are marked together: to follow it from each of them would take its square.
template <class B>
class EndlessStates final : public EndlessSowings<B> {
public:
    EndlessStates(const Rules& rules, const Ranking& ranking, std::uint64_t count)
        : ranking_(ranking),
          lap_table_(rules),
          marks_((count * static_cast<std::uint64_t>(2 * rules.pits) + 63) / 64) {}

    std::uint64_t period(const Rules& rules, const B& before, Sow move) const override {
        if (move.lift != before.ring[move.pit]) return 0;
        const std::uint64_t at = number(rules, before, move.pit, move.direction);
        return marks_[at / 64].load(std::memory_order_relaxed) >> at % 64 & 1;
    }
    void add(const Rules& rules, const B& before, Sow move, std::uint64_t period,
             const Poll& poll) override {
        B board = before;
        unsigned left_row = 0;
        int pit = move.pit;
        int seeds = move.lift;
        Direction direction = move.direction;
        for (std::uint64_t lap = 0; lap < period; ++lap) {
            if (lap % laps_between_polls == 0) poll();
            if (seeds == board.ring[pit]) {
                const std::uint64_t at = number(rules, board, pit, direction);
                marks_[at / 64].fetch_or(std::uint64_t{1} << at % 64, std::memory_order_relaxed);
            }
            pit = lap_table_.lap(board.ring, pit, seeds, direction, left_row);
            seeds = board.ring[pit];
            if (rules.relay == Relay::reversed) direction = opposite(direction);
        }
    }

private:
    std::uint64_t number(const Rules& rules, const B& board, int pit, Direction direction) const {
        const int owner = rules.owner(pit);
        const auto pits = static_cast<std::uint64_t>(rules.pits);
        const auto of_row = static_cast<std::uint64_t>(pit - rules.row(owner));
        return 2 * (ranking_.rank(board.ring, owner) * pits + of_row) +
               (direction == Direction::cw);
    }

    const Ranking& ranking_;
    LapTable<B> lap_table_;
    std::vector<std::atomic<std::uint64_t>> marks_;
};

template <class B>
class Builder {
public:
    Builder(const Table& table, int threads, const std::function<void(std::uint64_t)>& tick)
        : table_(table),
          total_(table.totals()),
          count_(table.ranking().count(total_)),
          exits_(count_),
          degrees_(count_),
          values_(count_, Packed::of(endless_play(table.rules()))),
          waits_(count_, 1),
          first_source_(count_ + 1),
          chunks_((count_ + Shared::chunk - 1) / Shared::chunk),
          endless_(table.rules(), table.ranking(), count_),
          shared_(count_, threads, tick) {}

    std::string section() {
        list_moves();
        list_sources();
        while (sweep()) {
        }
        chunks_ = {};
        sources_ = {};
        return write();
    }

private:
    void list_moves() {
        shared_.run([&](const Poll& poll) {
            return [&, context = SowingContext<B>(table_.rules(), poll, &endless_)](
                       std::uint64_t number, std::uint64_t from, std::uint64_t to) {
                std::vector<std::uint32_t> edges;
                B board;
                table_.ranking().unrank(static_cast<std::uint32_t>(from), total_, board.ring);
                for (std::uint64_t k = from; k < to; ++k) {
                    if (k != from) Ranking::next(board.ring);
                    const std::size_t before = edges.size();
                    Thresholds best;
                    each_move(
                        context, table_, board, total_,
                        [&](Thresholds values) { take_better(best, values); },
                        [&](std::uint32_t rank, bool same) { edges.push_back(2 * rank + same); });
                    exits_[k] = Packed::of(best);
                    degrees_[k] = static_cast<std::uint8_t>(edges.size() - before);
                    if (edges.size() == before) values_[k] = exits_[k];
                }
                edges.shrink_to_fit();
                chunks_[number].edges = std::move(edges);
            };
        });
    }

    // The edges the other way round, but for those to positions whose values are known.
    void list_sources() {
        const auto each_source = [&](auto&& f) {
            shared_.run([&](const Poll&) {
                return [&](std::uint64_t number, std::uint64_t from, std::uint64_t to) {
                    const std::uint32_t* edge = chunks_[number].edges.data();
                    for (std::uint64_t k = from; k < to; ++k) {
                        for (int i = 0; i < degrees_[k]; ++i, ++edge) {
                            if (degrees_[*edge / 2] == 0) continue;
                            f(static_cast<std::uint32_t>(k),
                              std::atomic_ref(first_source_[*edge / 2]));
                        }
                    }
                };
            });
        };
        each_source(
            [](std::uint32_t, auto number) { number.fetch_add(1, std::memory_order_relaxed); });
        std::inclusive_scan(first_source_.begin(), first_source_.end(), first_source_.begin());
        sources_.resize(first_source_.back());
        each_source([&](std::uint32_t source, auto end) {
            sources_[end.fetch_sub(1, std::memory_order_relaxed) - 1] = source;
        });
    }

    // Values the positions that wait for it again; whether any changed, on which those wait that
    // move to it.  The order, and so the threads, do not matter to where it ends: all changes go
    // one way.
    bool sweep() {
        std::atomic<bool> changed{false};
        shared_.run([&](const Poll&) {
            return [&](std::uint64_t number, std::uint64_t from, std::uint64_t to) {
                const std::uint32_t* edge = chunks_[number].edges.data();
                bool changed_here = false;
                for (std::uint64_t k = from; k < to; ++k) {
                    const std::uint32_t* const end = edge + degrees_[k];
                    if (edge == end || !stops_waiting(k)) {
                        edge = end;
                        continue;
                    }
                    Packed best = exits_[k];
                    for (; edge != end; ++edge) {
                        const Packed next = load(*edge / 2);
                        const bool same = *edge % 2 != 0;
                        best.win = std::min(best.win, same ? next.win : handed_over(next.draw));
                        best.draw = std::min(best.draw, same ? next.draw : handed_over(next.win));
                    }
                    if (best.bits() == load(k).bits()) continue;
                    store(k, best);
                    for (std::uint64_t at = first_source_[k]; at < first_source_[k + 1]; ++at) {
                        std::atomic_ref(waits_[sources_[at]]).store(1, std::memory_order_release);
                    }
                    changed_here = true;
                }
                if (changed_here) changed = true;
            };
        });
        return changed;
    }

    // Whether a position waited; what made it wait is seen from here on.
    bool stops_waiting(std::uint64_t k) {
        std::atomic_ref waits(waits_[k]);
        return waits.load(std::memory_order_relaxed) != 0 &&
               waits.exchange(0, std::memory_order_acquire) != 0;
    }

    // What the opponent's threshold means to the player before a hand-over: 1 − threshold, in which
    // 127 stands for +∞ and −128 for −∞.
    static std::int8_t handed_over(std::int8_t threshold) {
        if (threshold == 127) return -128;
        if (threshold == -128) return 127;
        return static_cast<std::int8_t>(1 - threshold);
    }

    // Threads read what others write; either value, the old or the new, will do.
    Packed load(std::uint64_t k) const {
        return std::bit_cast<Packed>(
            std::atomic_ref(reinterpret_cast<std::uint16_t&>(const_cast<Packed&>(values_[k])))
                .load(std::memory_order_relaxed));
    }
    void store(std::uint64_t k, Packed value) {
        std::atomic_ref(reinterpret_cast<std::uint16_t&>(values_[k]))
            .store(value.bits(), std::memory_order_relaxed);
    }

    std::string write() {
        std::vector<bool> occurs(1 << 16);
        for (const Packed value : values_) occurs[value.bits()] = true;
        std::vector<Packed> pairs;
        for (std::size_t bits = 0; bits < occurs.size(); ++bits) {
            if (occurs[bits]) {
                pairs.push_back(std::bit_cast<Packed>(static_cast<std::uint16_t>(bits)));
            }
        }
        std::vector<std::uint16_t> number(1 << 16);
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            number[pairs[k].bits()] = static_cast<std::uint16_t>(k);
        }
        const std::size_t width = pairs.size() <= 256 ? 1 : 2;
        std::vector<std::uint8_t> entries(padded(count_ * width));
        for (std::size_t k = 0; k < count_; ++k) {
            std::memcpy(&entries[k * width], &number[values_[k].bits()], width);
        }
        std::string out;
        out.reserve(entries.size() + entries.size() / 4096 + 2048);
        put(out, static_cast<std::uint32_t>(total_));
        put(out, static_cast<std::uint32_t>(width));
        put(out, count_);
        put(out, static_cast<std::uint32_t>(pairs.size()));
        put(out, std::uint32_t{0});
        for (const Packed pair : pairs) {
            put(out, pair.thresholds().win);
            put(out, pair.thresholds().draw);
        }
        pad(out);
        for (std::size_t at = 0; at < entries.size(); at += Section::block_bytes) {
            put(out, checksum(&entries[at], std::min(Section::block_bytes, entries.size() - at)));
        }
        put(out, checksum(out.data(), out.size()));
        out.append(reinterpret_cast<const char*>(entries.data()), entries.size());
        return out;
    }

    struct Chunk {
        std::vector<std::uint32_t> edges;  // 2 · rank + (1: the same player moves)
    };

    const Table& table_;
    int total_;
    std::uint64_t count_;
    std::vector<Packed> exits_;
    std::vector<std::uint8_t> degrees_;
    std::vector<Packed> values_;
    std::vector<std::uint8_t> waits_;
    std::vector<std::uint64_t> first_source_;  // of a position's; one more at the end
    std::vector<std::uint32_t> sources_;
    std::vector<Chunk> chunks_;
    EndlessStates<B> endless_;
    Shared shared_;
};

template <class F>
auto on_table_board(const Rules& rules, F&& f) {
    return on_narrowest(rules, AnyBoard{}, std::forward<F>(f));
}

}  // namespace

Ranking::Ranking(int pits, int most_seeds)
    : pits_(pits), below_(static_cast<std::size_t>(pits - 1) * stride) {
    // Pascal's triangle, as far as the numbers are less than 2³¹.
    constexpr std::uint64_t most = std::uint64_t{1} << 31;
    std::vector<std::uint64_t> row(stride);  // C(s + i, i + 1)
    for (std::size_t s = 0; s < stride; ++s) row[s] = s;
    for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(pits); ++i) {
        for (std::size_t s = 0; s < stride; ++s) {
            below_[i * stride + s] = static_cast<std::uint32_t>(std::min(row[s], most));
        }
        for (std::size_t s = 1; s < stride; ++s) row[s] = std::min(most, row[s] + row[s - 1]);
    }
    for (int s = 0; s <= most_seeds; ++s) {
        const auto k = static_cast<std::size_t>(s);
        std::uint64_t count = 1;
        for (std::uint64_t i = 1; i < static_cast<std::uint64_t>(pits); ++i) {
            count = count * (k + i) / i;
            if (count >= most) break;
        }
        if (count >= most) {
            throw TableError(std::to_string(s) + " seeds on " + std::to_string(pits) +
                             " pits have 2³¹ positions or more: a total must have fewer");
        }
        counts_.push_back(count);
    }
}

Section::Section(const std::uint8_t* data, std::size_t size, int total, std::uint64_t count)
    : data_(data), total_(total) {
    const std::string what = "the head of total " + std::to_string(total);
    Reader reader(data, size, what);
    const auto its_total = reader.get<std::uint32_t>();
    width_ = reader.get<std::uint32_t>();
    const auto its_count = reader.get<std::uint64_t>();
    const auto pairs = reader.get<std::uint32_t>();
    reader.get<std::uint32_t>();
    if (its_total != static_cast<std::uint32_t>(total) || its_count != count ||
        (width_ != 1 && width_ != 2) || pairs < 1 || pairs > 1 << 16) {
        throw TableError(what + " is damaged");
    }
    padded_ = padded(count * width_);
    blocks_ = (padded_ + block_bytes - 1) / block_bytes;
    for (std::uint32_t k = 0; k < pairs; ++k) {
        const auto win = reader.get<std::int16_t>();
        const auto draw = reader.get<std::int16_t>();
        pairs_.push_back({win, draw});
    }
    reader.skip_padding();
    checksums_at_ = reader.at();
    reader.take(8 * blocks_);
    reader.check_checksum();
    entries_at_ = reader.at();
    Reader(data + entries_at_, size - entries_at_, "total " + std::to_string(total)).take(padded_);
    checked_ = std::make_unique<std::atomic<bool>[]>(blocks_);
}

void Section::check_block(std::size_t block) const {
    const std::size_t at = block * block_bytes;
    std::uint64_t expected;
    std::memcpy(&expected, data_ + checksums_at_ + 8 * block, 8);
    if (checksum(data_ + entries_at_ + at, std::min(block_bytes, padded_ - at)) != expected) {
        throw TableError("block " + std::to_string(block) + " of total " + std::to_string(total_) +
                         " is damaged");
    }
    checked_[block].store(true, std::memory_order_relaxed);
}

void Section::refuse_entry(std::uint32_t rank) const {
    throw TableError("entry " + std::to_string(rank) + " of total " + std::to_string(total_) +
                     " names no pair of thresholds");
}

std::string write_head(const TableHead& head) {
    std::string out(magic, sizeof magic);
    put(out, version);
    put(out, head.pits);
    put(out, head.max_seeds);
    put(out, static_cast<std::uint32_t>(head.rules.size()));
    out += head.rules;
    pad(out);
    put(out, checksum(out.data(), out.size()));
    return out;
}

TableHead read_head(const std::uint8_t* data, std::size_t size) {
    Reader reader(data, size, "the head");
    if (size < sizeof magic || std::memcmp(reader.take(sizeof magic), magic, sizeof magic) != 0) {
        throw TableError("it is no table of relaysow");
    }
    const auto its_version = reader.get<std::uint32_t>();
    if (its_version != version) {
        throw TableError("it is of version " + std::to_string(its_version) +
                         ": this relaysow reads version " + std::to_string(version));
    }
    TableHead head;
    head.pits = reader.get<std::uint32_t>();
    head.max_seeds = reader.get<std::uint32_t>();
    const auto text = reader.get<std::uint32_t>();
    head.rules.assign(reinterpret_cast<const char*>(reader.take(text)), text);
    reader.skip_padding();
    reader.check_checksum();
    head.bytes = reader.at();
    return head;
}

std::uint64_t memory_for_building(const Rules& rules, int most_seeds) {
    const Ranking ranking(rules.ring(), most_seeds), row(rules.pits, most_seeds);
    const auto pits = static_cast<std::uint64_t>(rules.pits);
    std::uint64_t sections = 0, most = 0;
    for (int total = 0; total <= most_seeds; ++total) {
        // Every pit that holds k seeds leaves the rest anywhere: candidates are counted, not
        // listed.
        std::uint64_t candidates = 0;
        for (int k = rules.minimum_lift; k <= total; ++k) {
            candidates += ranking.count(total - k);
            if (rules.lift == Lift::all) break;
        }
        candidates *= pits * (rules.direction == DirectionChoice::either ? 2 : 1);
        // Who can lift nothing has at most one seed in so many of their pits, and passes.
        std::uint64_t chosen = 1;
        for (std::uint64_t ones = 0; ones <= pits && static_cast<int>(ones) <= total; ++ones) {
            candidates += chosen * row.count(total - static_cast<int>(ones));
            if (rules.minimum_lift == 1) break;
            chosen = chosen * (pits - ones) / (ones + 1);
        }
        const std::uint64_t count = ranking.count(total);
        // Exits, degree, value, whether it waits, its first source, the entry; two bits for each
        // pit; an edge both ways for each move.
        most = std::max(
            most, sections + count * (2 + 1 + 2 + 1 + 8 + 2) + count * pits / 4 + candidates * 8);
        sections += 2 * count;
    }
    return most + (std::uint64_t{32} << 20);
}

std::string build_section(const Table& table, int threads,
                          const std::function<void(std::uint64_t)>& tick) {
    return on_table_board(table.rules(), [&]<class B>(const B&) {
        return Builder<B>(table, threads, tick).section();
    });
}

std::uint64_t verify_section(const Table& table, int total, int threads,
                             const std::function<void(std::uint64_t)>& tick) {
    const Section& section = table.section(total);
    const std::uint64_t count = table.ranking().count(total);
    std::atomic<std::uint64_t> first_wrong{count};
    section.check_all();
    on_table_board(table.rules(), [&]<class B>(const B&) {
        EndlessStates<B> endless(table.rules(), table.ranking(), count);
        Shared(count, threads, tick).run([&](const Poll& poll) {
            return [&, context = SowingContext<B>(table.rules(), poll, &endless)](
                       std::uint64_t, std::uint64_t from, std::uint64_t to) {
                B board;
                table.ranking().unrank(static_cast<std::uint32_t>(from), total, board.ring);
                for (std::uint64_t k = from; k < to; ++k) {
                    if (k != from) Ranking::next(board.ring);
                    Thresholds best;
                    each_move(
                        context, table, board, total,
                        [&](Thresholds values) { take_better(best, values); },
                        [&](std::uint32_t rank, bool same) {
                            take_better(best, after_move(section.values(rank), same, 0));
                        });
                    if (best == section.values(static_cast<std::uint32_t>(k))) continue;
                    std::uint64_t before = first_wrong;
                    while (k < before && !first_wrong.compare_exchange_weak(before, k)) {
                    }
                    return;
                }
            };
        });
    });
    return first_wrong;
}

}  // namespace relaysow
