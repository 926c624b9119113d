// Threads that share one piece of work, while the thread that asked for it watches.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "support/poll.hpp"

namespace relaysow {

// Thrown where the system allows not even one more thread.
struct NoThread : std::system_error {
    explicit NoThread(const std::system_error& error) : std::system_error(error) {}
};

class Workers {
public:
    // Calls `work()` in each of `threads` threads, and `tick()` in this one about twenty times a
    // second until all have returned.  When `tick` returns false or anything throws, the work stops
    // at its next `poll`; once all threads have ended this throws what was thrown first.  Where the
    // system allows fewer threads, those share the work; if it allows none this throws `NoThread`.
    template <class Work, class Tick>
    void run(std::size_t threads, const Work& work, const Tick& tick) {
        const auto guarded = [&]() noexcept {
            try {
                work();
            } catch (const Stopped&) {
            } catch (...) {
                fail(std::current_exception());
            }
            const std::lock_guard lock(mutex_);
            --running_;
            ended_.notify_all();
        };
        std::vector<std::thread> crew;
        try {
            crew.reserve(threads);
            while (crew.size() < threads) {
                try {
                    crew.emplace_back(guarded);
                } catch (const std::system_error& error) {
                    if (crew.empty()) throw NoThread(error);
                    break;
                }
                const std::lock_guard lock(mutex_);
                ++running_;
            }
            std::unique_lock lock(mutex_);
            while (!ended_.wait_for(lock, std::chrono::milliseconds(50),
                                    [&] { return running_ == 0; })) {
                lock.unlock();
                if (!stopped() && !tick()) stop_ = true;
                lock.lock();
            }
        } catch (...) {
            fail(std::current_exception());
        }
        for (std::thread& thread : crew) thread.join();
        if (error_) std::rethrow_exception(error_);
    }

    bool stopped() const { return stop_.load(std::memory_order_relaxed); }

    // The work calls this now and then; it ends the work there once that is to stop.
    void poll() const {
        if (stopped()) throw Stopped{};
    }
    Poll as_poll() {
        return {[](void* self) { static_cast<const Workers*>(self)->poll(); }, this};
    }

private:
    struct Stopped {};

    void fail(std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
        stop_ = true;
    }

    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable ended_;
    std::ptrdiff_t running_ = 0;  // signed, as a thread may end before it is counted
    std::exception_ptr error_;
};

}  // namespace relaysow
