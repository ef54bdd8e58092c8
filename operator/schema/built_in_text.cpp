#include "operator/schema/built_in_text.h"

#include <string>

namespace atl::schema {
namespace {

constexpr std::string_view kObjectMeta = R"(
annotations: map(string)  Unstructured key/value pairs, kept by tools; not queryable.
creationTimestamp: date-time  When the server made the object; set by the server.
deletionGracePeriodSeconds: int64  Seconds that a graceful deletion may take; set by the server.
deletionTimestamp: date-time  When the object will be deleted; set by the server once deletion is asked for.
finalizers: set(string)  Each entry names who must remove it before the object goes away.
generateName: string  A prefix from which the server makes a unique name, if name is empty.
generation: int64  Counts the changes of the desired state; set by the server.
labels: map(string)  Key/value pairs by which objects are organized and selected.
managedFields: list(object)  Which manager owns which fields; kept by the server.
  apiVersion: string  The version in which the fields are named.
  fieldsType: string  FieldsV1.
  fieldsV1: any  The set of fields.
  manager: string  Who manages the fields.
  operation: string  Apply or Update.
  subresource: string  The subresource through which the fields were written.
  time: date-time  When the fields were last changed.
name: string  Unique within a namespace; cannot be changed.
namespace: string  The namespace the name is unique in; cannot be changed.
ownerReferences: keyed(uid)  The objects this one depends on; when all are gone, it is deleted.
  apiVersion!: string  API version of the owner.
  blockOwnerDeletion: boolean  Whether the owner waits for this object in a foreground deletion.
  controller: boolean  Whether the owner is the managing controller.
  kind!: string  Kind of the owner.
  name!: string  Name of the owner.
  uid!: string  UID of the owner.
resourceVersion: string  An opaque version of the object; set by the server.
selfLink: string  Not set any more.
uid: string  Unique in time and space; set by the server.
)";

constexpr std::string_view kCore = R"(
kind core/v1 Namespace  A scope for names.
spec: object  The behavior of the namespace.
  finalizers: list(string)  What must be empty before the namespace is removed for good.
status: object  The state of the namespace.
  conditions: keyed(type)  The latest observations of the namespace's state.
    lastTransitionTime: date-time  When the condition last changed.
    message: string  For people.
    reason: string  For programs.
    status!: string  True, False or Unknown.
    type!: string  The kind of condition.
  phase: string  Active or Terminating.
kind core/v1 ConfigMap  Configuration data for programs to read.
binaryData: map(bytes)  Data that is not UTF-8, in base64. Keys must not overlap those of data.
data: map(string)  Data as UTF-8 text. Keys are of letters, digits, -, _ and .
immutable: boolean  If true, data and binaryData cannot be changed.
kind core/v1 Secret  Secret data of a certain type, at most 1 MiB.
data: map(bytes)  The secret data in base64. Keys are of letters, digits, -, _ and .
immutable: boolean  If true, data cannot be changed.
stringData: map(string)  Write-only: secret data as text, merged into data on write.
type: string=Opaque  Tells programs what the data is; cannot be changed.
kind core/v1 ServiceAccount  An identity for programs.
automountServiceAccountToken: boolean  Whether programs get a token of this identity mounted.
imagePullSecrets: list(object)  Secrets to pull images with.
  name: string  Name of the secret.
secrets: keyed(name)  Secrets that programs of this identity may use.
  apiVersion: string  API version of the referent.
  fieldPath: string  A part of the referent.
  kind: string  Kind of the referent.
  name: string  Name of the referent.
  namespace: string  Namespace of the referent.
  resourceVersion: string  Version of the referent.
  uid: string  UID of the referent.
)";

constexpr std::string_view kEvents = R"(
kind core/v1 Event  A report of something that happened in the cluster.
action: string  What was done, or failed.
count: int32  How many times it happened.
eventTime: micro-time  When it was first seen.
firstTimestamp: date-time  When it was first recorded.
involvedObject!: ~object  What the event is about.
  apiVersion: string  API version of the referent.
  fieldPath: string  A part of the referent.
  kind: string  Kind of the referent.
  name: string  Name of the referent.
  namespace: string  Namespace of the referent.
  resourceVersion: string  Version of the referent.
  uid: string  UID of the referent.
lastTimestamp: date-time  When it was last recorded.
message: string  For people.
reason: string  For programs: why it came to be.
related: ~object  A second object, for actions on two.
  apiVersion: string  API version of the referent.
  fieldPath: string  A part of the referent.
  kind: string  Kind of the referent.
  name: string  Name of the referent.
  namespace: string  Namespace of the referent.
  resourceVersion: string  Version of the referent.
  uid: string  UID of the referent.
reportingComponent: string=  The controller that reports.
reportingInstance: string=  The process that reports.
series: object  The series that the event belongs to.
  count: int32  How many times so far.
  lastObservedTime: micro-time  When it was last seen.
source: object  Who reports, in the older form.
  component: string  The component.
  host: string  Its machine.
type: string  Normal or Warning.
kind events.k8s.io/v1 Event  A report of something that happened in the cluster.
action: string  What was done, or failed; at most 128 characters.
deprecatedCount: int32  Older form of series.count.
deprecatedFirstTimestamp: date-time  Older form of eventTime.
deprecatedLastTimestamp: date-time  Older form of series.lastObservedTime.
deprecatedSource: object  Older form of reportingController.
  component: string  The component.
  host: string  Its machine.
eventTime!: micro-time  When it was first seen.
note: string  For people; at most 1 kB.
reason: string  For programs: why the action was taken.
regarding: ~object  What the event is about.
  apiVersion: string  API version of the referent.
  fieldPath: string  A part of the referent.
  kind: string  Kind of the referent.
  name: string  Name of the referent.
  namespace: string  Namespace of the referent.
  resourceVersion: string  Version of the referent.
  uid: string  UID of the referent.
related: ~object  A second object, for actions on two.
  apiVersion: string  API version of the referent.
  fieldPath: string  A part of the referent.
  kind: string  Kind of the referent.
  name: string  Name of the referent.
  namespace: string  Namespace of the referent.
  resourceVersion: string  Version of the referent.
  uid: string  UID of the referent.
reportingController: string  The controller that reports.
reportingInstance: string  The process that reports.
series: object  The series that the event belongs to.
  count!: int32  How many times so far.
  lastObservedTime!: micro-time  When it was last seen.
type: string  Normal or Warning.
kind coordination.k8s.io/v1 Lease  Who leads, for how long.
spec: object  The lease.
  acquireTime: micro-time  When the lease was taken.
  holderIdentity: string  Who holds it.
  leaseDurationSeconds: int32  Seconds that others must wait since the last renewal before they may take it.
  leaseTransitions: int32  How often it changed hands.
  preferredHolder: string  Who should take it next.
  renewTime: micro-time  When the holder last renewed it.
  strategy: string  How a leader is chosen when leader election is coordinated.
)";

constexpr std::string_view kRights = R"(
kind rbac.authorization.k8s.io/v1 Role  Rights within one namespace.
rules: list(object)  All the rights of the role.
  apiGroups: list(string)  Groups of the resources; "" is the core group, "*" all.
  nonResourceURLs: list(string)  Paths that are no resources; only in cluster roles.
  resourceNames: list(string)  Names the rule is limited to; empty: all.
  resources: list(string)  Resources; "*" all.
  verbs!: list(string)  Verbs; "*" all.
kind rbac.authorization.k8s.io/v1 ClusterRole  Rights in all namespaces and on what has none.
aggregationRule: object  Fills the rules from other cluster roles.
  clusterRoleSelectors: list(object)  Cluster roles that match any of these are joined.
    matchExpressions: list(object)  Requirements that must all hold.
      key!: string  The label's key.
      operator!: string  In, NotIn, Exists or DoesNotExist.
      values: list(string)  For In and NotIn.
    matchLabels: map(string)  Labels that must all be there.
rules: list(object)  All the rights of the role.
  apiGroups: list(string)  Groups of the resources; "" is the core group, "*" all.
  nonResourceURLs: list(string)  Paths that are no resources.
  resourceNames: list(string)  Names the rule is limited to; empty: all.
  resources: list(string)  Resources; "*" all.
  verbs!: list(string)  Verbs; "*" all.
kind rbac.authorization.k8s.io/v1 RoleBinding  Gives the rights of a role to subjects within one namespace.
roleRef!: ~object  The Role of this namespace or the ClusterRole; cannot be changed.
  apiGroup: string=rbac.authorization.k8s.io  Group of the role.
  kind!: string  Role or ClusterRole.
  name!: string  Name of the role.
subjects: list(object)  Who gets the rights.
  apiGroup: string  Group of the subject.
  kind!: string  User, Group or ServiceAccount.
  name!: string  Name of the subject.
  namespace: string  Namespace of a ServiceAccount.
kind rbac.authorization.k8s.io/v1 ClusterRoleBinding  Gives the rights of a cluster role to subjects everywhere.
roleRef!: ~object  The ClusterRole; cannot be changed.
  apiGroup: string=rbac.authorization.k8s.io  Group of the role.
  kind!: string  ClusterRole.
  name!: string  Name of the role.
subjects: list(object)  Who gets the rights.
  apiGroup: string  Group of the subject.
  kind!: string  User, Group or ServiceAccount.
  name!: string  Name of the subject.
  namespace: string  Namespace of a ServiceAccount.
)";

constexpr std::string_view kPolicyHead = R"(
kind admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy  Rules in CEL that a write must keep; in force where a binding says so.
spec: object  The rules.
  auditAnnotations: list(object)  Texts for an audit log, which this server does not keep.
    key!: string  The name of the text.
    valueExpression!: string  The text, in CEL.
  failurePolicy: string=Fail  Fail or Ignore: what a rule that cannot be evaluated means.
  matchConditions: keyed(name)  Conditions in CEL that must hold before the rules are looked at.
    expression!: string  The condition.
    name!: string  Its name.
  matchConstraints: object  Which writes the policy judges.
)";

/// Which writes are meant, of a policy and of its binding.
constexpr std::string_view kMatchResources = R"(
    excludeResourceRules: list(object)  Writes that are left out.
      apiGroups: list(string)  Groups; "*" all.
      apiVersions: list(string)  Versions; "*" all.
      operations: list(string)  CREATE, UPDATE, DELETE, CONNECT; "*" all.
      resourceNames: list(string)  Names the rule is limited to; empty: all.
      resources: list(string)  Resources, also with a subresource: "clusters/scale", "*/*".
      scope: string  Cluster, Namespaced or *.
    matchPolicy: string  Exact or Equivalent.
    namespaceSelector: ~object  Labels of the namespace.
      matchExpressions: list(object)  Requirements that must all hold.
        key!: string  The label's key.
        operator!: string  In, NotIn, Exists or DoesNotExist.
        values: list(string)  For In and NotIn.
      matchLabels: map(string)  Labels that must all be there.
    objectSelector: ~object  Labels of the object, as it is or as it is to become.
      matchExpressions: list(object)  Requirements that must all hold.
        key!: string  The label's key.
        operator!: string  In, NotIn, Exists or DoesNotExist.
        values: list(string)  For In and NotIn.
      matchLabels: map(string)  Labels that must all be there.
    resourceRules: list(object)  Writes that are meant.
      apiGroups: list(string)  Groups; "*" all.
      apiVersions: list(string)  Versions; "*" all.
      operations: list(string)  CREATE, UPDATE, DELETE, CONNECT; "*" all.
      resourceNames: list(string)  Names the rule is limited to; empty: all.
      resources: list(string)  Resources, also with a subresource: "clusters/scale", "*/*".
      scope: string  Cluster, Namespaced or *.
)";

constexpr std::string_view kPolicyRest = R"(
  paramKind: ~object  The kind of parameters; refused by this server.
    apiVersion: string  Its API version.
    kind: string  Its kind.
  validations: list(object)  The rules.
    expression!: string  True if the write may be.
    message: string  What is answered if it may not.
    messageExpression: string  The same in CEL; the message is used if it fails.
    reason: string  Unauthorized, Forbidden, Invalid or RequestEntityTooLarge.
  variables: keyed(name)  Values that rules and later variables use.
    expression!: string  The value, in CEL.
    name!: string  Its name: variables.name.
status: object  What the server made of it.
  conditions: keyed(type)  The state of the policy.
    lastTransitionTime: date-time  When the condition last changed.
    message: string  For people.
    observedGeneration: int64  The generation the condition speaks of.
    reason: string  For programs.
    status!: string  True, False or Unknown.
    type!: string  The kind of condition.
  observedGeneration: int64  The generation that the status speaks of.
  typeChecking: object  Warnings of the types of expressions.
    expressionWarnings: list(object)  One for each expression.
      fieldRef!: string  The path of the expression.
      warning!: string  What is wrong.
kind admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding  Puts a policy in force.
spec: object  The binding.
  matchResources: object  Which of the policy's writes are meant.
)";

constexpr std::string_view kBindingRest = R"(
  paramRef: ~object  The parameters; refused by this server.
    name: string  Name of the parameters.
    namespace: string  Namespace of the parameters.
    parameterNotFoundAction: string  Allow or Deny.
  policyName: string  The policy.
  validationActions: set(string)  Deny, Warn, Audit.
)";

const std::string& admission_text() {
    static const std::string kText = std::string(kPolicyHead)
                                         .append(kMatchResources)
                                         .append(kPolicyRest)
                                         .append(kMatchResources)
                                         .append(kBindingRest);
    return kText;
}

constexpr std::string_view kDefinitions = R"(
kind apiextensions.k8s.io/v1 CustomResourceDefinition  A kind that is served beside the built-in ones.
spec!: object  How the kind is to be served.
  conversion: object  How objects are converted between versions.
    strategy!: string  None or Webhook.
    webhook: object  The webhook that converts.
      clientConfig: any  How to call it.
      conversionReviewVersions!: list(string)  The review versions it understands.
  group!: string  The API group; the definition's name is PLURAL.GROUP.
  names!: object  The names of the kind.
    categories: list(string)  Groups of kinds that it belongs to, like all.
    kind!: string  The kind in CamelCase.
    listKind: string  The kind of its lists; KIND + List unless given.
    plural!: string  The resource's name in paths.
    shortNames: list(string)  Short names for command lines.
    singular: string  The singular; the kind in lower case unless given.
  preserveUnknownFields: boolean  Must be false.
  scope!: string  Namespaced or Cluster.
  versions!: list(object)  The served versions.
    additionalPrinterColumns: list(object)  Columns of tables.
      description: string  For people.
      format: string  OpenAPI format of the values.
      jsonPath!: string  Where the value is.
      name!: string  Heading.
      priority: int32  0: always shown; more: in wide tables.
      type!: string  OpenAPI type of the values.
    deprecated: boolean  Whether the version is on its way out.
    deprecationWarning: string  What clients are told then.
    name!: string  The version: v1, v1beta1.
    schema: object  What objects may look like.
      openAPIV3Schema: any  A structural OpenAPI v3 schema.
    selectableFields: list(object)  Fields that field selectors may name.
      jsonPath!: string  Where the field is.
    served!: boolean  Whether the version is served.
    storage!: boolean  Whether objects are stored in it; true for exactly one.
    subresources: object  What else is served.
      scale: object  The scale subresource.
        labelSelectorPath: string  Where the selector is, below .status or .spec.
        specReplicasPath!: string  Where the wanted number is, below .spec.
        statusReplicasPath!: string  Where the seen number is, below .status.
      status: any  The status subresource.
status: object  What the server made of it.
  acceptedNames: object  The names in use.
    categories: list(string)  Groups of kinds that it belongs to.
    kind!: string  The kind.
    listKind: string  The kind of its lists.
    plural!: string  The resource's name in paths.
    shortNames: list(string)  Short names for command lines.
    singular: string  The singular.
  conditions: keyed(type)  The state of the definition.
    lastTransitionTime: date-time  When the condition last changed.
    message: string  For people.
    observedGeneration: int64  The generation the condition speaks of.
    reason: string  For programs.
    status!: string  True, False or Unknown.
    type!: string  Established, NamesAccepted, NonStructuralSchema, Terminating.
  observedGeneration: int64  The generation that the status speaks of.
  storedVersions: list(string)  Versions in which objects may be stored.
)";

}  // namespace

std::vector<std::string_view> built_in_texts() {
    return {kCore, kEvents, kRights, admission_text(), kDefinitions};
}

std::string_view object_meta_text() {
    return kObjectMeta;
}

}  // namespace atl::schema
