// Threads that share one piece of work, watched from the thread that asked for it.
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

// The system allows not one more thread.
struct NoThread : std::system_error {
    explicit NoThread(const std::system_error& error) : std::system_error(error) {}
};

class Workers {
public:
    // Calls `work()` in each of `threads` threads, and here, until all have returned, `tick()`
    // about twenty times a second.  When `tick` returns false or anything throws, the work stops at
    // its next `poll`; what was thrown first is thrown here once all threads have ended.  Where the
    // system allows fewer threads, those share the work; it throws `NoThread` if there is none.
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

    // To be called by the work now and then: ends it there once it is to stop.
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
    std::ptrdiff_t running_ = 0;  // a thread may end before it is counted
    std::exception_ptr error_;
};

}  // namespace relaysow
