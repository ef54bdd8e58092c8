#include "crds/machine.h"

#include "crds/shapes.h"

namespace atl::crds {

using nlohmann::json;

Result<Machine> decode_machine(const json& object) {
    return read_object<Machine>(object);
}

json encode(const MachineSpec& spec) {
    return Writer::write(spec);
}

json encode(const MachineStatus& status) {
    return Writer::write(status);
}

}  // namespace atl::crds
