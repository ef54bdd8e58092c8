#include "controllers/stack_instances.h"

#include <nlohmann/json.hpp>

#include "controllers/types.h"
#include "controllers/workloads.h"
#include "crds/service_instance.h"

namespace atl::controllers {

nlohmann::json instance_object(const crds::Stack& stack, const crds::Service& service) {
    crds::ServiceInstanceSpec spec;
    spec.stack_ref.name = stack.meta.name;
    spec.service = service.name;
    spec.replicas = service.replicas.value_or(1);
    const auto with_replicas = service.replicas ? crds::WithReplicas::Yes : crds::WithReplicas::No;
    const std::string name = instance_name(stack.meta.name, service.name);
    nlohmann::json object{{"apiVersion", crds::kApiVersion}, {"kind", "ServiceInstance"}};
    object["metadata"] = {
        {"name", name},
        {"namespace", stack.meta.name_space},
        {"labels", {{marks::kStack, stack.meta.name}, {marks::kService, service.name}, {marks::kInstance, name}}}};
    object["spec"] = crds::encode(spec, with_replicas);
    return object;
}

}  // namespace atl::controllers
