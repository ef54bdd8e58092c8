#include "crds/stack.h"

#include "crds/stack_shapes.h"

namespace atl::crds {

using nlohmann::json;

namespace {

template <class T>
const T* find_named(const std::vector<T>& list, std::string_view name) {
    for (const T& item : list)
        if (item.name == name) return &item;
    return nullptr;
}

}  // namespace

const ContainerPort* Container::find_port(std::string_view name) const {
    return find_named(ports, name);
}

std::optional<std::uint16_t> port_number(const Container& container, const IntOrString& port) {
    std::int64_t number = 0;
    if (port.is_number()) {
        number = port.number();
    } else if (const ContainerPort* named = container.find_port(port.text())) {
        number = named->container_port;
    }
    if (number < 1 || number > 65535) return std::nullopt;
    return static_cast<std::uint16_t>(number);
}

const Service* StackSpec::find_service(std::string_view name) const {
    return find_named(services, name);
}

const Volume* StackSpec::find_volume(std::string_view name) const {
    return find_named(volumes, name);
}

Result<Stack> decode_stack(const json& object) {
    return read_object<Stack>(object);
}

json encode(const StackSpec& spec) {
    return Writer::write(spec);
}

json encode(const StackStatus& status) {
    return Writer::write(status);
}

}  // namespace atl::crds
