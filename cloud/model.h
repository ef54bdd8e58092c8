#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "operator/base/result.h"

namespace atl::cloud {

/// Properties of a resource in normal form: a neutral value tree. Maps are sorted, sets are sorted lists, quantities
/// are numbers.
using Properties = nlohmann::json;

/// Whose resources these are. Marks, names and tokens are made of it; never of a live UID.
struct Owner {
    std::string installation;  ///< id of this installation of Atoll
    std::string id;            ///< the owner id (annotation atoll.dev/owner-id without its HMAC)
    std::string kind;          ///< "Cluster", for people
    std::string name_space;    ///< for people
    std::string name;          ///< for people
    bool operator==(const Owner&) const = default;
};

/// The name of a resource in the graph of its owner: unique per owner, the same in every pass.
struct ResourceKey {
    std::string kind;  ///< "swarm/service", "machine"
    std::string name;  ///< graph name: "web", "pool-0/0/1"
    auto operator<=>(const ResourceKey&) const = default;
    std::string to_string() const { return kind + " \"" + name + "\""; }
};

/// A place in properties that another resource's output fills in. In Properties it stands as {"$ref": {"kind":…,
/// "name":…, "output":…}}; make_reference builds it, references_of finds all of them, resolve replaces them.
struct Reference {
    ResourceKey to;
    std::string output;  ///< "id", "address"
};
Properties make_reference(const Reference& reference);
std::vector<Reference> references_of(const Properties& properties);
struct World;
/// The properties with every reference replaced whose resource is Ready in the world and has that output; the others
/// stay as they are.
Properties resolve(const Properties& properties, const World& world);

/// One thing that should exist.
struct Resource {
    ResourceKey key;
    Properties properties = Properties::object();
    /// Further resources that must be Ready before this one is made (and that outlive it), besides those it refers to.
    std::vector<ResourceKey> after;
    /// Further resources that must be Ready and without a step of their own before this one is updated or replaced;
    /// they do not delay its creation. A chain of these makes a rolling change.
    std::vector<ResourceKey> change_after;
    /// What properties must not hold: the content of a Secret. Given to the other side when the thing is made; never
    /// compared, hashed in clear, logged or shown.
    std::string content;
    /// A keyed hash that changes whenever `content` does. Empty: none.
    std::string content_hash;
};

/// What must be Ready before the resource is made: what it refers to and what it comes after, sorted, once each.
std::vector<ResourceKey> dependencies_of(const Resource& resource);

/// All that should exist for one owner: a graph by references and `after`.
struct Desired {
    std::map<ResourceKey, Resource> resources;
    void add(Resource resource);
};
/// Invalid (reason CyclicReference), naming the resources, if the graph has a cycle: its resources could never be made.
Result<Unit> check_acyclic(const Desired& desired);
/// Nothing: convergence to it is deletion.
Desired nothing();

enum class State { Pending, Ready, Failed, Deleting };
std::string_view to_string(State state);

/// One thing that exists, as it was observed.
struct Observed {
    ResourceKey key;
    std::string id;  ///< the other side's own id
    Properties properties = Properties::object();
    State state = State::Pending;
    /// What others may refer to: "id", "address", …
    std::map<std::string, std::string> outputs;
    /// Ids of the things that this one holds on to: they are removed only after it.
    std::vector<std::string> uses;
    std::string content_hash;
    /// What Orchestrator::status reads besides (copies, their states); never compared.
    Properties detail = Properties::object();
    /// Why it is Failed or still Pending, in the words of the other side.
    std::string message;
    /// Opaque to everyone but the driver that wrote it (a version index, a fingerprint).
    std::string version;
};

/// A thing in the place of one of the owner's that does not carry the owner's whole mark: never changed or removed.
struct Stranger {
    ResourceKey key;
    std::string id;
    std::string message;  ///< what it is and what a person can do, as one sentence without a stop
    /// Part of the mark is there, so it was made by us: a person must decide whose it is, before anything is made in
    /// its place, and before its owner may go.
    bool damaged = false;
    std::map<std::string, std::string> outputs;  ///< as those of an Observed
};

/// All that was observed for one owner. A key may occur twice: a duplicate is a fault that diff removes.
struct World {
    std::vector<Observed> resources;
    std::vector<Stranger> strangers = {};
    /// The stranger with a damaged mark in the place of the resource; nullptr if there is none.
    const Stranger* find_damaged(const ResourceKey& key) const;
    const Observed* find(const ResourceKey& key) const;
};

/// Release takes the owner's mark off and leaves the thing as it is; no diff asks for it (see let_go.h).
enum class Op { Create, Update, Replace, Delete, Release, Wait };
std::string_view to_string(Op op);

/// One thing to do, with the reason as the path of the property that differs.
struct Step {
    Op op = Op::Wait;
    ResourceKey key;
    std::optional<Resource> desired;   ///< Create, Update, Replace, with references resolved where they can be
    std::optional<Observed> observed;  ///< Update, Replace, Delete, Release, Wait
    std::vector<std::string> reasons;  ///< "properties.image", "not desired", "failed: …"
    std::vector<ResourceKey>
        needs;  ///< what must be Ready (or gone, for Delete) first and is not yet; empty: can run now
    /// A Replace runs as Delete, then, in a later pass, Create.
    bool disruptive = false;
};

/// What to do, in an order that is stable and can be run from the front.
struct Plan {
    std::vector<Step> steps;
    bool empty() const { return steps.empty(); }
    /// Counts by op.
    std::map<Op, int> counts() const;
    /// A hash over the steps (ops, keys, reasons, desired properties): the same plan has the same hash.
    std::string hash() const;
};

}  // namespace atl::cloud
