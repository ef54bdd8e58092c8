#include "operator/base/spawner.h"

#include <utility>

namespace atl {

struct Spawner::State {
    Executor& executor;
    OnFailure on_failure;
    JobId next = 1;
    std::map<JobId, std::unique_ptr<RootTask<void>>> jobs;
};

Spawner::Spawner(Executor& executor, OnFailure on_failure)
    : state_(std::make_shared<State>(State{executor, std::move(on_failure), 1, {}})) {}

Spawner::~Spawner() {
    // Moved out first: a task's locals may call back into this Spawner while they are destroyed.
    auto jobs = std::exchange(state_->jobs, {});
    jobs.clear();
}

Spawner::JobId Spawner::start(std::string name, Task<> task) {
    const JobId id = state_->next++;
    std::weak_ptr<State> weak = state_;
    auto done = [weak, id, name = std::move(name)](const Result<Unit>& result, const std::exception_ptr& bug) {
        auto state = weak.lock();
        if (!state) return;
        auto finished = state->jobs.extract(id);
        if (!result.ok() && state->on_failure) state->on_failure(name, result.error(), bug != nullptr);
    };
    state_->jobs.emplace(id, std::make_unique<RootTask<void>>(std::move(task), done));
    post([weak, id] {
        auto state = weak.lock();
        if (!state) return;
        auto job = state->jobs.find(id);
        if (job != state->jobs.end()) job->second->start();
    });
    return id;
}

void Spawner::cancel(JobId job) {
    std::weak_ptr<State> weak = state_;
    post([weak, job] {
        if (auto state = weak.lock()) state->jobs.extract(job);
    });
}

void Spawner::post(std::function<void()> callback) {
    std::weak_ptr<State> weak = state_;
    state_->executor.post([weak, callback = std::move(callback)] {
        if (weak.lock()) callback();
    });
}

std::size_t Spawner::running() const {
    return state_->jobs.size();
}

Executor& Spawner::executor() {
    return state_->executor;
}

}  // namespace atl
