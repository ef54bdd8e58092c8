#include "crds/definitions.h"

#include <nlohmann/json.hpp>

#include "crds/documents.h"
#include "operator/base/manifest.h"

namespace atl::crds {

using nlohmann::json;

namespace {

/// The documents of texts that come with the binary. One that does not parse is left out: a test counts them.
std::vector<json> documents_of(std::initializer_list<const char*> texts) {
    std::vector<json> all;
    for (const char* text : texts) {
        Result<std::vector<ManifestDocument>> documents = parse_manifests(text);
        if (!documents.ok()) continue;
        for (ManifestDocument& document : *documents) all.push_back(std::move(document.object));
    }
    return all;
}

}  // namespace

const std::vector<json>& definitions() {
    static const std::vector<json> kDefinitions =
        documents_of({kClusterYaml, kStackYaml, kServiceInstanceYaml, kMachineYaml});
    return kDefinitions;
}

const std::vector<json>& policies() {
    static const std::vector<json> kPolicies = documents_of({kDeletionProtectionYaml, kDestroyYaml});
    return kPolicies;
}

const std::string& manifest_text() {
    static const std::string kText = std::string(kClusterYaml) + "---\n" + kStackYaml + "---\n" + kServiceInstanceYaml +
                                     "---\n" + kMachineYaml + "---\n" + kDeletionProtectionYaml + "---\n" +
                                     kDestroyYaml;
    return kText;
}

}  // namespace atl::crds
