#pragma once

#include <map>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "operator/base/result.h"
#include "operator/kube/object.h"

namespace atl::controllers {

/// What annotation atoll.dev/move says of an object: `<state>/<id of the move>`. With any value the controllers of that
/// API server leave the object alone; so neither side works on it from the first mark at the source to the last one
/// taken off in the target.
struct MoveMark {
    enum class State {
        None,      ///< no mark, or one that no move has written
        Leaving,   ///< at the source: paused, the copy may not be complete
        Left,      ///< at the source: all is copied, the target owns it; never worked on here again
        Arriving,  ///< in the target: a copy; resumed once everything has left the source
    };
    State state = State::None;
    std::string id;

    /// "leaving/<id>"; empty for None.
    std::string to_string() const;
    bool operator==(const MoveMark&) const = default;
};
MoveMark move_mark_of(const kube::Object& object);

/// Whether the source's controllers have said, in the Paused condition, that they have seen this very mark: then no
/// pass of the object is under way.
bool is_seen_paused(const kube::Object& object, const MoveMark& mark);

/// One object to move: how it stands at the source and, if it is there, in the target.
struct MoveItem {
    kube::ResourceType type;
    kube::Object object;
    std::optional<kube::Object> there;

    MoveMark mark() const { return move_mark_of(object); }
    bool has_left() const { return mark().state == MoveMark::State::Left; }
    /// "Stack default/shop".
    std::string to_string() const { return type.kind + " " + object.key().to_string(); }
};

/// Whether the object may be moved by what is known of both sides; else an Invalid error that names it, says why and
/// what to do.
Result<Unit> may_move(const MoveItem& item);

/// Uids in the target by the uids at the source.
using MovedUids = std::map<std::string, std::string>;

/// What the target gets: everything but status and what a server writes by itself; finalizers of ours only, owners by
/// their uids in the target (an owner that is not moved is left out), and the mark, if it is not None.
nlohmann::json copy_of(const kube::ResourceType& type, const kube::Object& object, const MovedUids& uids,
                       const MoveMark& mark);

/// Whether an object holds the copy already, but for what a server writes by itself.
bool holds_copy(const kube::Object& present, const nlohmann::json& copy);

/// The path of the first field of `sent` that `stored` has not: the target's definition does not know it. nullopt if
/// nothing is lost; defaults that were added do not matter.
std::optional<std::string> lost_field(const nlohmann::json& sent, const nlohmann::json& stored,
                                      const std::string& path);

}  // namespace atl::controllers
