#pragma once

#include <memory>

#include "operator/apiserver/worker.h"

namespace atl::apiserver {

/// The store's writer thread: the production binding of Worker. The executor must outlive it. Destroying it finishes
/// the jobs that were handed over; their `done` may then still be posted.
std::unique_ptr<Worker> make_worker_thread(Executor& executor);

}  // namespace atl::apiserver
