#include "controllers/content.h"

#include "crds/composition.h"

namespace atl::controllers {

namespace {

void add_environment(const crds::Container& container, ContentNames& names) {
    for (const crds::EnvVar& variable : container.env) {
        if (!variable.value_from) continue;
        if (const auto& ref = variable.value_from->config_map_key_ref) names.config_maps.insert(ref->name);
        if (const auto& ref = variable.value_from->secret_key_ref) names.secrets.insert(ref->name);
    }
    for (const crds::EnvFrom& source : container.env_from) {
        if (source.config_map_ref) names.config_maps.insert(source.config_map_ref->name);
        if (source.secret_ref) names.secrets.insert(source.secret_ref->name);
    }
}

void add_mounts(const crds::Container& container, const crds::StackSpec& stack, ContentNames& names) {
    for (const crds::VolumeMount& mount : container.volume_mounts) {
        const crds::Volume* volume = stack.find_volume(mount.name);
        if (volume == nullptr) continue;
        if (volume->config_map) names.config_maps.insert(volume->config_map->name);
        if (volume->secret) names.secrets.insert(volume->secret->secret_name);
    }
}

}  // namespace

ContentNames content_of(const crds::StackSpec& stack, const crds::ServiceInstanceSpec& instance) {
    ContentNames names;
    for (const crds::ConfiguredLeaf& leaf : crds::configured_leaves(stack, instance)) {
        if (!leaf.service.container) continue;
        add_environment(*leaf.service.container, names);
        add_mounts(*leaf.service.container, stack, names);
    }
    return names;
}

}  // namespace atl::controllers
