// A product by tiles, divided among threads.
//
// A task takes a group of tiles' rows by a group of panels of columns. An operand that several tasks read is packed
// once, by tasks that stand at the front of the same job; one that a single task reads is packed by that task, a piece
// at a time, while it is in the cache. Groups depend on the number of threads, the sum of an element does not: the
// inner dimension goes by steps, in order.
#pragma once
#include <atomic>
#include <thread>

#include "gemm.h"

namespace weft {

// Until `done` is `wanted`: what is waited for is being worked on already, since tasks are begun in order.
inline void wait_for(const std::atomic<int64_t>& done, int64_t wanted) {
    for (int turns = 0; done.load(std::memory_order_acquire) < wanted;) {
        if (++turns < 2000) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        } else std::this_thread::yield();
    }
}

struct Division {
    int64_t rows = 1, columns = 1;      // groups
    int64_t tasks() const { return rows * columns; }
    // `tiles` of rows (`most` of them fit the second cache when packed), `panels` of columns, a task for each
    // TASK multiply-adds and eight for each thread at the most
    static Division of(int64_t tiles, int64_t tile, int64_t panels, int64_t panel, int64_t most, double work,
                       bool only_rows) {
        constexpr double TASK = 1e6;
        const int threads = host->threads();
        const int64_t wanted = threads > 1 ? int64_t(std::min(8.0 * threads, work / TASK)) : 1;
        const int64_t blocks = (tiles + most - 1) / most;
        if (wanted > 1 && !only_rows)
            if (const Division d = straight(tiles, tile, panels, panel, blocks, wanted); d.tasks() > 1) return d;
        const int64_t few_tiles = only_rows ? 4 : 8;
        Division d{blocks, 1};
        while (d.tasks() < wanted) {
            const bool by_rows = tiles / d.rows >= few_tiles, by_columns = panels / d.columns >= 4 && !only_rows;
            if (by_columns && (!by_rows || panels * panel / d.columns >= tiles * tile / d.rows)) d.columns++;
            else if (by_rows) d.rows++;
            else break;
        }
        // three tasks of one size keep two threads busy for as long as four
        if (d.columns == 1 && d.rows > threads && d.rows < 4 * threads && tiles / (d.rows - d.rows % threads) <= most)
            d.rows -= d.rows % threads;
        return d;
    }

    // Groups of rows only, or of columns only, so that each task packs one operand for itself: what another core has
    // packed is read at a quarter of the speed of one's own. The larger operand is the one to keep, if there is enough
    // to divide; {1, 1} where neither has.
    static Division straight(int64_t tiles, int64_t tile, int64_t panels, int64_t panel, int64_t blocks,
                             int64_t wanted) {
        const int64_t threads = host->threads(), enough = std::min(wanted, 2 * threads);
        const auto groups = [&](int64_t n, int64_t each, int64_t least) {
            const int64_t most = std::max(least, std::min(wanted, n / each));
            return most > threads ? most - most % threads : most;
        };
        const int64_t rows = groups(tiles, 4, blocks), columns = groups(panels, 2, 1);
        const bool keeps_columns = panels * panel >= tiles * tile;
        if (columns >= enough && (keeps_columns || rows < enough)) return {1, columns};
        if (rows >= enough && rows >= blocks) return {rows, 1};
        return {};
    }
};

template <class T, class S> struct Blocked {
    static constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS, KC = Tile<T>::KC;
    static constexpr int64_t MOST_TILES = Tile<T>::MC / R;
    static constexpr int64_t NARROW = 8 * N * KC;   // elements of a step's panels: A is then read where it lies
    static constexpr int64_t NEAR = 16384 / int64_t(sizeof(T));     // elements of panels that the first cache holds
    static constexpr int64_t OWN_PANELS = 4;        // that a task packs at a time
    static constexpr int64_t SHARED = 1 << 21;      // elements of B packed ahead

    int64_t m, n, k;
    Matrix<T> a;
    Matrix<S> b;
    T* c;
    int64_t ldc;
    Epilogue<T> e;
    const T* after = nullptr;                       // k * n elements that are read next, by another product

    int64_t depth = 0, height = 0, tiles = 0;       // of a step; of a tile, rows shared out evenly
    bool in_place = false, own_a = false, own_b = false;
    int64_t first = 0, panels = 0;                  // the slice of B in hand
    T *packed_a = nullptr, *packed_b = nullptr;     // all steps: panels of a step side by side

    int64_t depth_at(int64_t p) const { return std::min(depth, k - p); }
    void pack_tiles(int64_t from, int64_t to, int64_t p, T* into) const {
        const int64_t i = from * height;
        pack_rows<T>({a.data + i * a.row + p * a.column, a.row, a.column}, std::min(m, to * height) - i, height,
                     depth_at(p), into);
    }
    void pack_panels(int64_t from, int64_t to, int64_t p, T* into) const {
        const int64_t deep = depth_at(p), j = (first + from) * N;
        const S* at = b.data + p * b.row + j * b.column;
        int64_t q = from;
        if (b.column == 1) {                        // some together: longer pieces of B's rows, asked for ahead
            constexpr int L = LANES<T>;
            constexpr int64_t AHEAD = 12, LINE = 64 / int64_t(sizeof(S));
            const int64_t whole = std::min(to, n / N - first);
            for (int64_t some; q < whole; q += some, at += some * N, into += some * N * deep) {
                some = std::min<int64_t>(4, whole - q);
                for (int64_t s = 0; s < deep; s++) {
                    const S* row = at + s * b.row;
                    for (int64_t l = 0; l < some * N; l += LINE) __builtin_prefetch(row + AHEAD * b.row + l);
                    for (int64_t r = 0; r < some; r++)
                        for (int64_t l = 0; l < N; l += L)
                            store(into + (r * deep + s) * N + l, load_as<T>(row + r * N + l));
                }
            }
        }
        for (; q < to; q++, at += N * b.column, into += N * deep)
            pack_columns<T, S>({at, b.row, b.column}, deep, std::min(N, n - (first + q) * N), into);
    }

    // What `group` packs after panels [q, q_end) of the step p; null where it doesn't lie in rows, or nothing is left.
    const T* packed_next(int64_t p, int64_t q_end, int64_t q, int64_t q1) const {
        if constexpr (!std::is_same_v<T, S>) return nullptr;
        else {
            if (b.column != 1) return nullptr;
            if (p + depth < k) return b.data + (p + depth) * b.row + (first + q) * N;
            return q_end < q1 ? b.data + (first + q_end) * N : after;
        }
    }

    // tiles [t0, t1) by panels [q0, q1) of one step; meanwhile `raw`, as wide a piece of B, is brought nearer
    void multiply(int64_t p, int64_t t0, int64_t t1, int64_t q0, int64_t q1, const T* pa, const T* pb,
                  const T* raw) const {
        const int64_t deep = depth_at(p);
        const auto tile = [&](int64_t t, int64_t q, Ahead<T> ahead) {
            const int64_t i = t * height, j = (first + q) * N, rows = std::min(height, m - i);
            const Epilogue<T> now{e.accumulate || p > 0, p == 0 && e.bias ? e.bias + j : nullptr,
                                  p == 0 && e.row_bias ? e.row_bias + i : nullptr};
            const T* panel = pb + (q - q0) * N * deep;
            T* to = c + i * ldc + j;
            if (in_place)
                edge_tile<T, false>(rows, deep, a.data + i * a.row + p * a.column, a.row, a.column, panel, N, to, ldc,
                                    n - j, now, ahead);
            else edge_tile<T, true>(rows, deep, pa + (t - t0) * R * deep, 1, R, panel, N, to, ldc, n - j, now, ahead);
        };
        constexpr int64_t LINE = 64 / int64_t(sizeof(T));
        if (in_place) {         // a tile of A by all panels; lines of what comes after, from tiles of the last step
            const T* soon = after && p + depth >= k ? after : nullptr;
            for (int64_t t = t0; t < t1; t++)
                for (int64_t q = q0; q < q1; q++) {
                    if (soon && soon >= after + k * n) soon = nullptr;
                    tile(t, q, {soon, LINE});
                    if (soon) soon += LINE * deep;
                }
            return;
        }
        // short panels, some together: so much more of C's rows is written in a row
        const int64_t some = std::max<int64_t>(1, NEAR / (N * deep));
        // all tiles together ask for the next panels, a line at a step at the most
        const int64_t share = std::min<int64_t>(LINE, (N + t1 - t0 - 1) / (t1 - t0));
        const T* raw_end = raw ? raw + (q1 - q0) * N : nullptr;
        for (int64_t q = q0; q < q1; q += some)
            for (int64_t t = t0; t < t1; t++)
                for (int64_t r = q; r < std::min(q1, q + some); r++) {
                    const T* next = pb + ((r + some - q0) * N + (t - t0) * share) * deep;
                    if (raw < raw_end) { tile(t, r, {raw, b.row}); raw += LINE; }
                    else tile(t, r, r + some < q1 ? Ahead<T>{next, share} : Ahead<T>{});
                }
    }

    void group(int64_t t0, int64_t t1, int64_t q0, int64_t q1) const {
        T* mine_a = own_a ? thread_buffer<T>(size_t(MOST_TILES * R * depth), 0) : nullptr;
        T* mine_b = own_b ? thread_buffer<T>(size_t(NARROW), 1) : nullptr;
        if ((own_a && !mine_a) || (own_b && !mine_b)) throw std::bad_alloc();
        const int64_t some_tiles = in_place ? t1 - t0 : MOST_TILES;
        const int64_t some_panels = own_b && !in_place ? OWN_PANELS : q1 - q0;
        const auto some = [&](int64_t p, int64_t t, int64_t t_end, int64_t q, int64_t q_end, const T* raw) {
            const int64_t deep = depth_at(p);
            multiply(p, t, t_end, q, q_end, own_a ? mine_a : packed_a + p * tiles * R + t * R * deep,
                     own_b ? mine_b : packed_b + p * panels * N + q * N * deep, raw);
        };
        if (own_a) {
            for (int64_t t = t0, t_end; t < t1; t = t_end) {
                t_end = std::min(t1, t + some_tiles);
                for (int64_t p = 0; p < k; p += depth) {
                    pack_tiles(t, t_end, p, mine_a);
                    some(p, t, t_end, q0, q1, nullptr);
                }
            }
            return;
        }
        for (int64_t q = q0, q_end; q < q1; q = q_end) {
            q_end = std::min(q1, q + some_panels);
            for (int64_t p = 0; p < k; p += depth) {
                if (own_b) pack_panels(q, q_end, p, mine_b);
                const T* raw = own_b ? packed_next(p, q_end, q, q1) : nullptr;
                for (int64_t t = t0; t < t1; t += some_tiles, raw = nullptr)
                    some(p, t, std::min(t1, t + some_tiles), q, q_end, raw);
            }
        }
    }

    // One job: first what is shared is packed, then the groups are multiplied.
    void slice(const Division& d, bool pack_a) {
        const int64_t size = std::max<int64_t>(1, 32768 / (N * k));         // panels, and as many tiles, of a task
        const int64_t for_a = pack_a ? (tiles + 2 * size - 1) / (2 * size) : 0;
        const int64_t for_b = own_b ? 0 : (panels + size - 1) / size;
        std::atomic<int64_t> done{0};
        const auto task = [&](int64_t i) {
            if (i < for_a) {
                const int64_t from = i * 2 * size, to = std::min(tiles, from + 2 * size);
                for (int64_t p = 0; p < k; p += depth)
                    pack_tiles(from, to, p, packed_a + p * tiles * R + from * R * depth_at(p));
            } else if (i < for_a + for_b) {
                const int64_t from = (i - for_a) * size, to = std::min(panels, from + size);
                for (int64_t p = 0; p < k; p += depth)
                    pack_panels(from, to, p, packed_b + p * panels * N + from * N * depth_at(p));
            } else {
                wait_for(done, for_a + for_b);
                const int64_t g = i - for_a - for_b, r = g / d.columns, h = g % d.columns;
                group(tiles * r / d.rows, tiles * (r + 1) / d.rows, panels * h / d.columns,
                      panels * (h + 1) / d.columns);
                return;
            }
            done.fetch_add(1, std::memory_order_release);
        };
        const int64_t tasks = for_a + for_b + d.tasks();
        if (d.tasks() > 1 && host->threads() > 1) run_tasks(tasks, task);
        else for (int64_t i = 0; i < tasks; i++) task(i);
    }

    // False when there is no memory for the panels; nothing is written then.
    bool run() {
        const int64_t steps = (k + KC - 1) / KC, all = (n + N - 1) / N;
        depth = (k + steps - 1) / steps;
        in_place = all * N * depth <= NARROW && (a.column == 1 || (a.row == 1 && m <= 32));
        // one vector of columns leaves registers for twice as many rows
        int64_t most = in_place && n <= LANES<T> ? std::max<int64_t>(R, 12) : R;
        // rows whose elements share a place of the first cache, which has eight of each: fewer at a time
        if (in_place && a.column == 1 && a.row * int64_t(sizeof(T)) % 4096 == 0) most = std::min<int64_t>(most, 6);
        tiles = (m + most - 1) / most;
        height = (m + tiles - 1) / tiles;
        tiles = (m + height - 1) / height;
        const bool huge = double(m) * double(k) > double(SHARED);
        const Division d = Division::of(tiles, height, all, N, in_place ? tiles : MOST_TILES,
                                        double(m) * double(n) * double(k), in_place || huge);
        own_b = d.rows == 1;
        own_a = !in_place && !own_b && d.columns == 1;
        const bool shared_a = !in_place && !own_a;
        const int64_t slice_panels = own_b ? all : std::clamp<int64_t>(SHARED / (k * N), 1, all);
        Workspace memory(size_t((shared_a ? tiles * R * k : 0) + (own_b ? 0 : slice_panels * N * k)) * sizeof(T));
        if (!memory) return false;
        if (shared_a) packed_a = memory.template cut<T>(tiles * R * k);
        if (!own_b) packed_b = memory.template cut<T>(slice_panels * N * k);
        for (first = 0; first < all; first += slice_panels) {
            panels = std::min(slice_panels, all - first);
            slice({d.rows, std::min(d.columns, panels)}, shared_a && first == 0);
        }
        return true;
    }
};

}  // namespace weft
