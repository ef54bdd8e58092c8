#pragma once

#include "operator/apiserver/admission.h"
#include "operator/apiserver/registry.h"
#include "operator/apiserver/store.h"
#include "operator/apiserver/watch_cache.h"
#include "operator/base/clock.h"
#include "operator/base/log.h"
#include "operator/base/random.h"

namespace atl::apiserver {

/// What every verb works with. Made once by the server; all of it outlives the requests.
struct Serving {
    Clock& clock;
    Random& random;
    Store& store;
    WatchCache& watches;
    Registry& registry;
    Admission& admission;
    Log log;
};

}  // namespace atl::apiserver
