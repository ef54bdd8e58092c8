#pragma once

#include "operator/apiserver/internal_writer.h"

namespace atl::apiserver {

/// Ends what is being deleted and holds other objects: a namespace goes when nothing is in it any more, a
/// CustomResourceDefinition when none of its objects is left. Also removes Events an hour after they were last seen.
///
/// Each is a task that sleeps until something changes; while something is ending it looks again each second.
class Lifecycle {
public:
    explicit Lifecycle(Serving& serving) : serving_(serving), writer_(serving) {}

    /// These run until they are dropped.
    Task<> end_namespaces();
    Task<> end_definitions();
    Task<> expire_events();

private:
    Task<bool> end_namespace(Stored stored);
    Task<bool> end_definition(Stored stored);
    Task<std::size_t> remove_all(TypePtr type, std::optional<std::string> ns);
    Task<std::size_t> empty_namespace(std::string ns);
    Task<> wait_for(std::string resource, Revision seen, bool is_ending);

    Serving& serving_;
    InternalWriter writer_;
};

}  // namespace atl::apiserver
