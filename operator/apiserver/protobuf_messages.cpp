#include <map>
#include <string>

#include "operator/apiserver/protobuf.h"

namespace atl::apiserver {

namespace {

using enum ProtoType;
using Fields = std::vector<ProtoField>;

const char* const kMeta = "ObjectMeta";
const char* const kReview = "SubjectAccessReviewSpec";

// clang-format off
const std::map<std::string, Fields, std::less<>> kMessages = {
        // k8s.io/apimachinery
        {"Unknown",     {{1, "typeMeta", Message, "TypeMeta"}, {2, "raw", Bytes}}},
        {"TypeMeta",    {{1, "apiVersion", Text}, {2, "kind", Text}}},
        {kMeta,         {{1, "name", Text}, {2, "generateName", Text}, {3, "namespace", Text}, {5, "uid", Text}, {6, "resourceVersion", Text},
                         {7, "generation", Integer}, {8, "creationTimestamp", Time}, {9, "deletionTimestamp", Time},
                         {10, "deletionGracePeriodSeconds", Integer}, {11, "labels", TextMap}, {12, "annotations", TextMap},
                         {13, "ownerReferences", Message, "OwnerReference", true}, {14, "finalizers", Text, nullptr, true},
                         {17, "managedFields", Message, "ManagedFieldsEntry", true}}},
        {"OwnerReference", {{1, "kind", Text}, {3, "name", Text}, {4, "uid", Text}, {5, "apiVersion", Text}, {6, "controller", Flag},
                            {7, "blockOwnerDeletion", Flag}}},
        {"ManagedFieldsEntry", {{1, "manager", Text}, {2, "operation", Text}, {3, "apiVersion", Text}, {4, "time", Time}, {6, "fieldsType", Text},
                                {7, "fieldsV1", Message, "FieldsV1"}, {8, "subresource", Text}}},
        {"FieldsV1",      {{1, "Raw", Json}}},
        {"LabelSelector", {{1, "matchLabels", TextMap}, {2, "matchExpressions", Message, "LabelSelectorRequirement", true}}},
        {"LabelSelectorRequirement", {{1, "key", Text}, {2, "operator", Text}, {3, "values", Text, nullptr, true}}},
        {"DeleteOptions", {{1, "gracePeriodSeconds", Integer}, {2, "preconditions", Message, "Preconditions"}, {3, "orphanDependents", Flag},
                           {4, "propagationPolicy", Text}, {5, "dryRun", Text, nullptr, true}}},
        {"Preconditions", {{1, "uid", Text}, {2, "resourceVersion", Text}}},
        // core/v1
        {"v1/DeleteOptions", {{1, "gracePeriodSeconds", Integer}, {2, "preconditions", Message, "Preconditions"}, {3, "orphanDependents", Flag},
                              {4, "propagationPolicy", Text}, {5, "dryRun", Text, nullptr, true}}},
        {"v1/Namespace",     {{1, "metadata", Message, kMeta}, {2, "spec", Message, "NamespaceSpec"}, {3, "status", Message, "NamespaceStatus"}}},
        {"NamespaceSpec",    {{1, "finalizers", Text, nullptr, true}}},
        {"NamespaceStatus",  {{1, "phase", Text}}},
        {"v1/Secret",        {{1, "metadata", Message, kMeta}, {2, "data", BytesMap}, {3, "type", Text}, {4, "stringData", TextMap},
                              {5, "immutable", Flag}}},
        {"v1/ConfigMap",     {{1, "metadata", Message, kMeta}, {2, "data", TextMap}, {3, "binaryData", BytesMap}, {4, "immutable", Flag}}},
        {"v1/ServiceAccount", {{1, "metadata", Message, kMeta}, {2, "secrets", Message, "ObjectReference", true},
                               {3, "imagePullSecrets", Message, "LocalObjectReference", true}, {4, "automountServiceAccountToken", Flag}}},
        {"ObjectReference",  {{1, "kind", Text}, {2, "namespace", Text}, {3, "name", Text}, {4, "uid", Text}, {5, "apiVersion", Text},
                              {6, "resourceVersion", Text}, {7, "fieldPath", Text}}},
        {"LocalObjectReference", {{1, "name", Text}}},
        {"v1/Event",         {{1, "metadata", Message, kMeta}, {2, "involvedObject", Message, "ObjectReference"}, {3, "reason", Text},
                              {4, "message", Text}, {5, "source", Message, "EventSource"}, {6, "firstTimestamp", Time}, {7, "lastTimestamp", Time},
                              {8, "count", Integer}, {9, "type", Text}, {10, "eventTime", MicroTime}, {11, "series", Message, "EventSeries"},
                              {12, "action", Text}, {13, "related", Message, "ObjectReference"}, {14, "reportingComponent", Text},
                              {15, "reportingInstance", Text}}},
        {"EventSource",      {{1, "component", Text}, {2, "host", Text}}},
        {"EventSeries",      {{1, "count", Integer}, {2, "lastObservedTime", MicroTime}}},
        {"events.k8s.io/v1/Event", {{1, "metadata", Message, kMeta}, {2, "eventTime", MicroTime}, {3, "series", Message, "EventSeries"},
                              {4, "reportingController", Text}, {5, "reportingInstance", Text}, {6, "action", Text}, {7, "reason", Text},
                              {8, "regarding", Message, "ObjectReference"}, {9, "related", Message, "ObjectReference"}, {10, "note", Text},
                              {11, "type", Text}, {12, "deprecatedSource", Message, "EventSource"}, {13, "deprecatedFirstTimestamp", Time},
                              {14, "deprecatedLastTimestamp", Time}, {15, "deprecatedCount", Integer}}},
        // coordination.k8s.io/v1
        {"coordination.k8s.io/v1/Lease", {{1, "metadata", Message, kMeta}, {2, "spec", Message, "LeaseSpec"}}},
        {"LeaseSpec",        {{1, "holderIdentity", Text}, {2, "leaseDurationSeconds", Integer}, {3, "acquireTime", MicroTime},
                              {4, "renewTime", MicroTime}, {5, "leaseTransitions", Integer}, {6, "strategy", Text}, {7, "preferredHolder", Text}}},
        // rbac.authorization.k8s.io/v1
        {"rbac.authorization.k8s.io/v1/Role",        {{1, "metadata", Message, kMeta}, {2, "rules", Message, "PolicyRule", true}}},
        {"rbac.authorization.k8s.io/v1/ClusterRole", {{1, "metadata", Message, kMeta}, {2, "rules", Message, "PolicyRule", true},
                                                      {3, "aggregationRule", Message, "AggregationRule"}}},
        {"rbac.authorization.k8s.io/v1/RoleBinding", {{1, "metadata", Message, kMeta}, {2, "subjects", Message, "Subject", true},
                                                      {3, "roleRef", Message, "RoleRef"}}},
        {"rbac.authorization.k8s.io/v1/ClusterRoleBinding", {{1, "metadata", Message, kMeta}, {2, "subjects", Message, "Subject", true},
                                                      {3, "roleRef", Message, "RoleRef"}}},
        {"AggregationRule",  {{1, "clusterRoleSelectors", Message, "LabelSelector", true}}},
        {"PolicyRule",       {{1, "verbs", Text, nullptr, true}, {2, "apiGroups", Text, nullptr, true}, {3, "resources", Text, nullptr, true},
                              {4, "resourceNames", Text, nullptr, true}, {5, "nonResourceURLs", Text, nullptr, true}}},
        {"Subject",          {{1, "kind", Text}, {2, "apiGroup", Text}, {3, "name", Text}, {4, "namespace", Text}}},
        {"RoleRef",          {{1, "apiGroup", Text}, {2, "kind", Text}, {3, "name", Text}}},
        // authorization.k8s.io/v1, authentication.k8s.io/v1
        {"authorization.k8s.io/v1/SelfSubjectAccessReview",  {{1, "metadata", Message, kMeta}, {2, "spec", Message, kReview}}},
        {"authorization.k8s.io/v1/SubjectAccessReview",      {{1, "metadata", Message, kMeta}, {2, "spec", Message, kReview}}},
        {"authorization.k8s.io/v1/LocalSubjectAccessReview", {{1, "metadata", Message, kMeta}, {2, "spec", Message, kReview}}},
        {"authorization.k8s.io/v1/SelfSubjectRulesReview",   {{1, "metadata", Message, kMeta}, {2, "spec", Message, "RulesReviewSpec"}}},
        {kReview,            {{1, "resourceAttributes", Message, "ResourceAttributes"}, {2, "nonResourceAttributes", Message, "NonResourceAttributes"},
                              {3, "user", Text}, {4, "groups", Text, nullptr, true}, {6, "uid", Text}}},
        {"RulesReviewSpec",  {{1, "namespace", Text}}},
        {"ResourceAttributes", {{1, "namespace", Text}, {2, "verb", Text}, {3, "group", Text}, {4, "version", Text}, {5, "resource", Text},
                                {6, "subresource", Text}, {7, "name", Text}}},
        {"NonResourceAttributes", {{1, "path", Text}, {2, "verb", Text}}},
        {"authentication.k8s.io/v1/SelfSubjectReview", {{1, "metadata", Message, kMeta}}},
        {"authentication.k8s.io/v1/TokenRequest",      {{1, "metadata", Message, kMeta}, {2, "spec", Message, "TokenRequestSpec"}}},
        {"TokenRequestSpec", {{1, "audiences", Text, nullptr, true}, {4, "expirationSeconds", Integer}}},
};
// clang-format on

}  // namespace

const std::vector<ProtoField>& proto_fields(std::string_view message) {
    static const Fields none;
    const auto found = kMessages.find(message);
    return found == kMessages.end() ? none : found->second;
}

}  // namespace atl::apiserver
