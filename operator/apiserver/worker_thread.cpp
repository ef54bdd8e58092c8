#include "operator/apiserver/worker_thread.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace atl::apiserver {

namespace {

class WorkerThread final : public Worker {
public:
    explicit WorkerThread(Executor& executor) : executor_(executor), thread_([this] { work(); }) {}
    WorkerThread(const WorkerThread&) = delete;
    WorkerThread& operator=(const WorkerThread&) = delete;
    ~WorkerThread() override {
        {
            const std::lock_guard guard(mutex_);
            ended_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

    void run(std::function<void()> job, std::function<void()> done) override {
        {
            const std::lock_guard guard(mutex_);
            jobs_.emplace_back(std::move(job), std::move(done));
        }
        changed_.notify_one();
    }

private:
    using Job = std::pair<std::function<void()>, std::function<void()>>;

    void work() {
        while (auto job = next()) {
            job->first();
            executor_.post(std::move(job->second));
        }
    }

    std::optional<Job> next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ended_ || !jobs_.empty(); });
        if (jobs_.empty()) return std::nullopt;
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        return job;
    }

    Executor& executor_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace

std::unique_ptr<Worker> make_worker_thread(Executor& executor) {
    return std::make_unique<WorkerThread>(executor);
}

}  // namespace atl::apiserver
