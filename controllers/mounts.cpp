#include "controllers/mounts.h"

#include <algorithm>

#include "operator/base/names.h"
#include "operator/base/quantity.h"

namespace atl::controllers {

namespace {

using namespace std::chrono_literals;

/// A ConfigMap's or Secret's part in a mount.
struct Projection {
    std::string kind;
    std::string object;
    const std::map<std::string, Content::Values>& objects;
    const std::vector<crds::KeyToPath>& items;
    std::int64_t mode;
    bool secret;
};

Error missing(const std::string& what) {
    return Error::waiting("ContentMissing", what + " does not exist; create it", 30s);
}

/// The files below the mount, by relative path.
Result<std::map<std::string, std::string>> project(const Projection& projection) {
    const std::string name = projection.kind + " \"" + projection.object + "\"";
    const auto object = projection.objects.find(projection.object);
    if (object == projection.objects.end()) return missing(name);
    if (projection.items.empty()) return object->second;
    std::map<std::string, std::string> files;
    for (const crds::KeyToPath& item : projection.items) {
        const auto value = object->second.find(item.key);
        if (value == object->second.end()) return missing("key \"" + item.key + "\" of " + name);
        files[item.path] = value->second;
    }
    return files;
}

Result<Unit> add_files(const Projection& projection, const crds::VolumeMount& mount, Mounts& mounts) {
    const auto files = project(projection);
    if (!files.ok()) return files.error();
    const auto mode = static_cast<std::uint32_t>(projection.mode);
    if (!mount.sub_path.empty()) {
        const auto file = files->find(mount.sub_path);
        if (file == files->end()) {
            return missing("key \"" + mount.sub_path + "\" of " + projection.kind + " \"" + projection.object + "\"");
        }
        mounts.files.push_back({mount.mount_path, file->second, projection.secret, mode});
        return ok();
    }
    const std::string base = mount.mount_path.ends_with('/') ? mount.mount_path : mount.mount_path + "/";
    for (const auto& [path, content] : *files) mounts.files.push_back({base + path, content, projection.secret, mode});
    return ok();
}

Result<Unit> add_volume(const crds::Volume& volume, const crds::VolumeMount& mount,
                        std::pair<const std::string&, Mounts&> into) {
    cloud::VolumeMount result;
    result.volume = bounded_name({into.first, volume.name});
    result.path = mount.mount_path;
    result.read_only = mount.read_only;
    result.kind = volume.persistent ? cloud::VolumeMount::Kind::Persistent : cloud::VolumeMount::Kind::EmptyDir;
    if (volume.persistent) {
        result.retain = volume.persistent->retain;
        if (volume.persistent->size) {
            const auto size = Quantity::parse(volume.persistent->size->to_string());
            if (!size.ok()) return Error(size.error()).at_field("spec.volumes[" + volume.name + "].persistent.size");
            result.size_bytes = size->units();
        }
    }
    into.second.volumes.push_back(std::move(result));
    return ok();
}

Result<Unit> add(const crds::VolumeMount& mount, const MountSource& source, Mounts& mounts) {
    const crds::Volume* volume = source.stack.find_volume(mount.name);
    if (volume == nullptr) {
        return invalid("InvalidSpec", "volumeMount \"" + mount.name + "\" names no volume of the Stack");
    }
    if (volume->config_map) {
        const crds::ConfigMapVolume& from = *volume->config_map;
        return add_files({"ConfigMap", from.name, source.content.config_maps, from.items, from.default_mode, false},
                         mount, mounts);
    }
    if (volume->secret) {
        const crds::SecretVolume& from = *volume->secret;
        return add_files({"Secret", from.secret_name, source.content.secrets, from.items, from.default_mode, true},
                         mount, mounts);
    }
    return add_volume(*volume, mount, {source.instance, mounts});
}

}  // namespace

Result<Mounts> mounts_of(const crds::Container& container, const MountSource& source) {
    Mounts mounts;
    for (const crds::VolumeMount& mount : container.volume_mounts) {
        const Result<Unit> added = add(mount, source, mounts);
        if (!added.ok()) return added.error();
    }
    std::ranges::sort(mounts.files, {}, &cloud::FileMount::path);
    std::ranges::sort(mounts.volumes, {}, &cloud::VolumeMount::path);
    return mounts;
}

}  // namespace atl::controllers
