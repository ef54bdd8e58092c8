#include "operator/commands/deletion_audit.h"

#include <nlohmann/json.hpp>

#include "controllers/types.h"
#include "operator/apiserver/json_access.h"

namespace atl::commands {

namespace {

namespace types = controllers::types;

const kube::ResourceType* find_type(const std::string& kind) {
    for (const kube::ResourceType* type : {&types::kCluster, &types::kStack, &types::kServiceInstance}) {
        if (type->kind == kind) return type;
    }
    return nullptr;
}

}  // namespace

DeletionAudit::DeletionAudit(Executor& executor, Random& random, Log log)
    : random_(random), log_(log), spawner_(executor, [log](const std::string& name, const Error& error, bool) {
          log.error("Losing a task", {{key::kName, name}, {key::kError, error.message()}});
      }) {}

void DeletionAudit::write_with(kube::Client& client) {
    kube::EventRecorder::Options options;
    options.instance = "admission";
    events_ = std::make_unique<kube::EventRecorder>(client, random_, spawner_, options);
}

void DeletionAudit::note(const kube::AdmissionCall& call) {
    if (call.operation != "DELETE" || call.dry_run || !call.old_object) return;
    tell({call.kind, call.key, call.user}, *call.old_object);
}

void DeletionAudit::note(const apiserver::AdmissionRequest& request) {
    const bool ours = request.type.group == types::kCluster.group && request.subresource.empty();
    if (!ours || request.verb != "delete" || request.dry_run || request.old == nullptr) return;
    tell({request.type.kind, kube::ObjectKey(request.ns, request.name), request.user.name}, *request.old);
}

void DeletionAudit::tell(const Deletion& deletion, const nlohmann::json& object) {
    const kube::ResourceType* type = find_type(deletion.kind);
    const nlohmann::json& meta = apiserver::child(object, "metadata");
    if (type == nullptr || !meta.is_object() || meta.contains("deletionTimestamp")) return;
    log_.info("Admitting a deletion", {{key::kKind, deletion.kind},
                                       {key::kNamespace, deletion.key.ns},
                                       {key::kName, deletion.key.name},
                                       {key::kUser, deletion.user}});
    if (!events_) return;
    const nlohmann::json& uid = apiserver::child(meta, "uid");
    events_->record({*type, deletion.key, uid.is_string() ? uid.get<std::string>() : ""}, kube::EventType::Normal,
                    "DeletionRequested", "user \"" + deletion.user + "\" asked for the deletion");
}

}  // namespace atl::commands
