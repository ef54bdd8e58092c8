#include "crds/service_instance.h"

#include "crds/stack_shapes.h"

namespace atl::crds {

using nlohmann::json;

const Configuration* ServiceInstanceSpec::find_configuration(std::string_view path) const {
    for (const Configuration& entry : configuration)
        if (entry.path == path) return &entry;
    return nullptr;
}

Result<ServiceInstance> decode_service_instance(const json& object) {
    return read_object<ServiceInstance>(object);
}

json encode(const ServiceInstanceSpec& spec, WithReplicas with_replicas) {
    json written = Writer::write(spec);
    if (with_replicas == WithReplicas::No) written.erase("replicas");
    return written;
}

json encode(const ServiceInstanceStatus& status) {
    return Writer::write(status);
}

}  // namespace atl::crds
