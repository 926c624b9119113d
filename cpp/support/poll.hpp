// A question asked now and then in long work, whose answer may stop it.
#pragma once

namespace relaysow {

// `ask` throws to stop the work.
struct Poll {
    void (*ask)(void* context) = nullptr;
    void* context = nullptr;
    void operator()() const {
        if (ask) ask(context);
    }
};

}  // namespace relaysow
