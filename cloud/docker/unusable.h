#pragma once

#include <memory>

#include "cloud/driver.h"

namespace atl::cloud::docker {

/// A driver that answers everything with the error: for an account that cannot be opened.
std::shared_ptr<Driver> unusable(Error error);

}  // namespace atl::cloud::docker
