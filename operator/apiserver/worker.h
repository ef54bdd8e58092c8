#pragma once

#include <functional>

#include "operator/base/spawner.h"

namespace atl::apiserver {

/// Runs the store's commits, one at a time, in order. Production gives them a thread of their own; in simulation they
/// run on the loop.
class Worker {
public:
    virtual ~Worker() = default;
    /// Runs `job` (on the worker), then `done` (on the loop).
    virtual void run(std::function<void()> job, std::function<void()> done) = 0;
};

/// Runs jobs on the loop: the simulation's binding.
class LoopWorker final : public Worker {
public:
    explicit LoopWorker(Executor& executor) : executor_(executor) {}
    void run(std::function<void()> job, std::function<void()> done) override {
        Executor* executor = &executor_;
        executor_.post([executor, job = std::move(job), done = std::move(done)] {
            job();
            executor->post(done);
        });
    }

private:
    Executor& executor_;
};

}  // namespace atl::apiserver
