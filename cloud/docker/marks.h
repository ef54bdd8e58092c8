#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cloud/model.h"

namespace atl::cloud::docker {

/// The labels of our mark, on everything that we make in an engine or a swarm.
inline constexpr std::string_view kInstallationLabel = "dev.atoll.installation";
inline constexpr std::string_view kOwnerLabel = "dev.atoll.owner";
inline constexpr std::string_view kNameLabel = "dev.atoll.name";          ///< the graph name
inline constexpr std::string_view kObjectLabel = "dev.atoll.object";      ///< for people: "Stack default/shop"
inline constexpr std::string_view kContentLabel = "dev.atoll.content";    ///< keyed hash of the content
inline constexpr std::string_view kRevisionLabel = "dev.atoll.revision";  ///< hash of what makes a new copy
inline constexpr std::string_view kSpecLabel =
    "dev.atoll.spec";  ///< properties, where the engine gives them back changed

using Labels = std::map<std::string, std::string>;

/// The labels for a resource of an owner.
Labels marks_of(const Owner& owner, const std::string& graph_name);
/// The labels without the mark; what is there for people stays.
Labels without_mark(Labels labels);
/// The error for a thing whose labels the engine cannot change (see cloud/let_go.h).
Error marks_stay(const ResourceKey& key);
/// Whether the labels carry the owner's mark.
bool is_owned(const Labels& labels, const Owner& owner);
/// The labels to filter a list by, so that only the owner's things come.
std::vector<std::pair<std::string, std::string>> filter_of(const Owner& owner);

/// The name on the engine for a resource: a pure function, readable, at most 63 characters, a DNS label:
/// "<graph name, shortened>-<10 hexadecimal digits of installation, owner and key>".
std::string name_on_engine(const Owner& owner, const ResourceKey& key);

/// The same for a volume that outlives its owner: a function of kind, namespace and name of the owner, not of its id,
/// so that an object which is made again under its name finds its data again.
std::string lasting_name_on_engine(const Owner& owner, const ResourceKey& key);

/// Whether the labels carry the mark of an earlier object of this installation that had the owner's kind, namespace and
/// name: what it let go of and could not unmark.
bool is_of_predecessor(const Labels& labels, const Owner& owner);

/// The name on the engine of a group's network: a pure function of the group, because containers of other owners use
/// it.
std::string network_name(const std::string& group);

/// The text as a DNS label of at most `longest` characters: lower case, other characters become '-'.
std::string as_dns_label(std::string_view text, std::size_t longest);

}  // namespace atl::cloud::docker
