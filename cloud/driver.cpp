#include "cloud/driver.h"

#include "operator/base/root_task.h"

namespace atl::cloud {

Task<std::vector<Marked>> Driver::marked(std::string, Instant) {
    co_return unsupported("NotListed", "this back end cannot list what carries our mark");
}

Task<> Driver::remove_marked(std::string, Marked what, Instant) {
    co_await fail(unsupported("NotRemovable", "this back end cannot remove " + what.kind + " \"" + what.name + "\""));
}

}  // namespace atl::cloud
