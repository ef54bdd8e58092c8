#pragma once

#include "cloud/orchestrator.h"
#include "operator/kube/admission_review.h"
#include "operator/kube/cache.h"

namespace atl::controllers {

/// Says of a write what the controllers would say of it, before it happens: errors for what can never work, warnings
/// for what a back end emulates or refuses, and for what is not there yet. Asks nobody: it knows the caches, and calls
/// the same functions as the controllers, which check everything again.
class Admission {
public:
    struct Parts {
        const cloud::Registry& registry;
        const kube::Cache& clusters;
        const kube::Cache& stacks;
        const kube::Cache& instances;
    };
    explicit Admission(Parts parts) : parts_(parts) {}

    kube::AdmissionAnswer judge(const kube::AdmissionCall& call) const;

private:
    void judge_cluster(const nlohmann::json& object, kube::AdmissionAnswer& answer) const;
    void judge_stack(const nlohmann::json& object, kube::AdmissionAnswer& answer) const;
    void judge_instance(const nlohmann::json& object, kube::AdmissionAnswer& answer) const;
    void judge_deletion(const kube::AdmissionCall& call, kube::AdmissionAnswer& answer) const;
    const cloud::Orchestrator* orchestrator_at(const kube::ObjectKey& cluster, kube::AdmissionAnswer& answer) const;

    Parts parts_;
};

}  // namespace atl::controllers
