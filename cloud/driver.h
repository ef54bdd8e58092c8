#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cloud/model.h"
#include "operator/base/clock.h"

namespace atl::cloud {

/// What a change of a property means for what exists.
enum class OnChange { Update, Replace, Ignore };

/// One property of a kind. A property that is in the desired tree and has no row is compared and updated.
struct Field {
    std::string_view name;  ///< top-level key of Properties; "content" stands for content_hash
    OnChange on_change = OnChange::Update;
};

/// What can be made by a driver.
struct Kind {
    std::string_view name;  ///< "swarm/service"
    std::span<const Field> fields;
    /// Whether losing it loses data or stops something that people use: shown in plans first.
    bool disruptive_to_replace = true;
    /// Whether one that is Failed is replaced (a machine) or waited for (a service, whose next revision cures it).
    bool replace_when_failed = false;
};

/// Steps of one kind and op with equal properties that become one API call where the API can.
struct Batch {
    Owner owner;
    std::vector<Step> steps;
};

/// The outcome of one step: accepted (with the id, where the API gave one), or the error.
struct Accepted {
    std::string id;
    std::optional<Error> error;
    bool existed = false;  ///< a create found it there already, as ours: the observation before did not show it
};

/// What a create made.
inline Accepted made(std::string id) {
    return {std::move(id), std::nullopt, false};
}
/// What a create found there already, as ours.
inline Accepted found_there(std::string id) {
    return {std::move(id), std::nullopt, true};
}

/// Something that carries an installation's mark, whoever its owner is.
struct Marked {
    std::string kind;  ///< in the back end's own words: "service", "volume"
    std::string name;
    std::string id;  ///< the other side's own id
    std::string machine;
    std::string owner;      ///< Owner::id
    std::string object;     ///< the owner, for people: "Stack default/shop"
    std::string since;      ///< RFC 3339; empty where the other side does not say
    bool retained = false;  ///< it was made to outlive its owner
};

/// One account in one cloud, or one scheduler. Knows its API and nothing of Kubernetes custom resources.
///
/// Every call may be repeated: names and tokens are functions of owner and resource, so the same step has the same
/// effect. A call that got no answer has an unknown result; the next observation decides. Only what carries the owner's
/// mark is changed or removed.
class Driver {
public:
    virtual ~Driver() = default;
    /// What can be made here; for each field, whether a change updates or replaces.
    virtual std::span<const Kind> kinds() const = 0;
    /// All that carries the owner's mark, in whatever state, before the deadline. Empty means "none seen", which is not
    /// "none".
    virtual Task<World> observe(Owner owner, Instant deadline) = 0;
    /// Sends one API call: returns once it is accepted, not once it is done; one result per step, in order. A step
    /// Release is refused as Unsupported, reason MarksStay, where marks cannot be taken off.
    virtual Task<std::vector<Accepted>> apply(Batch batch, Instant deadline) = 0;
    /// All in the account that carries the installation's mark, of whatever owner: for people, never for a controller.
    virtual Task<std::vector<Marked>> marked(std::string installation, Instant deadline);
    /// Removes one of these, if it still carries the mark.
    virtual Task<> remove_marked(std::string installation, Marked what, Instant deadline);
};

}  // namespace atl::cloud
