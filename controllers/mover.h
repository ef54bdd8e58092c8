#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "controllers/content.h"
#include "controllers/move_mark.h"
#include "operator/base/random.h"
#include "operator/kube/client.h"

namespace atl::controllers {

/// Moves our objects from one API server to another, and nothing in a cloud changes (docs/move.md).
///
/// Each run looks at both sides and does what is left: mark at the source, wait until its controllers say that they
/// keep their hands off, copy to the target (marked there too), mark as left at the source, take the marks off in the
/// target, remove at the source. So a run that ends anywhere is repeated by another one with the same arguments. No
/// object is worked on by both sides at any time: its copy is resumed only after the source's mark says that it left,
/// which is never taken back.
class Mover {
public:
    struct Options {
        std::string name_space;  ///< whose objects; empty: all namespaces
        std::string installation_namespace = "atoll-system";
        Duration patience = std::chrono::seconds(60);  ///< with the source's controllers
    };
    struct Parts {
        kube::Client& from;
        kube::Client& to;
        Random& random;
        std::function<void(const std::string&)> say;  ///< a line of progress; never holds a value of a Secret
    };
    Mover(Parts parts, Options options) : parts_(std::move(parts)), options_(std::move(options)) {}

    /// The whole move. An error says what stands in the way; nothing is lost then, and it may be run again.
    Task<> run();
    /// Makes the same checks and says what would be moved; changes nothing.
    Task<> preview();

private:
    // mover_checks.cpp
    Task<> check_types(kube::Client& side, std::string which);
    Task<> check_rights();
    Task<> check_installation();
    // mover.cpp
    Task<> check();
    Task<std::vector<MoveItem>> survey();
    Task<bool> mark_all(std::vector<MoveItem>& items);
    Task<bool> wait_until_seen(std::vector<MoveItem>& items);
    Task<> mark_left(std::vector<MoveItem>& items);
    Task<> resume(std::vector<MoveItem>& items);
    Task<> clear(std::vector<MoveItem>& items);
    Task<> remove(MoveItem& item);
    // mover_copies.cpp
    Task<> copy_installation();
    Task<> copy_namespaces(std::vector<MoveItem>& items);
    Task<> copy_contents(std::vector<MoveItem>& items);
    Task<> copy_content(kube::ResourceType type, kube::ObjectKey key);
    Task<> copy_items(std::vector<MoveItem>& items);
    Task<> copy_item(MoveItem& item);
    Task<> copy_journals(std::vector<MoveItem>& items);
    Task<std::vector<kube::Object>> journals();
    Task<std::map<std::string, ContentNames>> contents(std::vector<MoveItem>& items);

    Parts parts_;
    Options options_;
    std::string id_;
    MovedUids uids_;
    std::optional<Instant> patience_ends_;
};

}  // namespace atl::controllers
