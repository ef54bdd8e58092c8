#include "controllers/orphans.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "controllers/identity.h"
#include "controllers/types.h"
#include "crds/cluster.h"
#include "operator/base/root_task.h"

namespace atl::controllers {

namespace {

/// In this order what uses others comes before what it uses.
int rank(const std::string& kind) {
    if (kind == "service" || kind == "container") return 0;
    return kind == "swarm" ? 2 : 1;
}

}  // namespace

Orphans::Orphans(Parts parts)
    : parts_(std::move(parts)), targets_(parts_.registry, parts_.surroundings, parts_.client) {}

Task<std::set<std::string>> Orphans::owners() {
    std::set<std::string> owners;
    for (const kube::ResourceType& type : {types::kCluster, types::kStack, types::kServiceInstance}) {
        const kube::Scope scope(type);
        const kube::ListPage page = co_await parts_.client.list(scope);
        if (!page.undecodable.empty()) co_return page.undecodable.front();
        if (!page.continue_token.empty())
            co_return transient("ListCut", "the list of " + type.plural + " is not whole");
        for (const kube::Object& object : page.objects) {
            const std::string id = object.annotation(marks::kOwnerId).value_or("");
            if (!id.empty()) owners.insert(id.substr(0, id.find('.')));
        }
    }
    co_return owners;
}

Task<std::vector<Orphans::Place>> Orphans::places(std::string installation, std::vector<std::string>& failures) {
    std::vector<Place> places;
    const kube::Scope scope(types::kCluster);
    const kube::ListPage page = co_await parts_.client.list(scope);
    for (const kube::Object& object : page.objects) {
        const std::string name = object.key().to_string();
        const auto cluster = crds::decode_cluster(object.json());
        if (!cluster.ok()) {
            failures.push_back("Cluster \"" + name + "\": " + cluster.error().message());
            continue;
        }
        cloud::Owner owner{installation, name, "Cluster", object.key().ns, object.key().name};
        const auto target = co_await targets_.open(*cluster, owner).attempt();
        if (target.ok())
            places.push_back({name, target->driver});
        else
            failures.push_back("Cluster \"" + name + "\": " + target.error().message());
    }
    const auto local = parts_.registry.infrastructures.find("local");
    for (const std::string& host : parts_.hosts) {
        if (local == parts_.registry.infrastructures.end()) break;
        cloud::Account account;
        account.infrastructure["engine"]["host"] = host;
        places.push_back({host, local->second->open(account, "none", parts_.surroundings)});
    }
    co_return places;
}

Task<> Orphans::search(Place place, std::string installation, OrphanReport& report, Instant deadline) {
    const auto found = co_await place.driver->marked(installation, deadline).attempt();
    if (!found.ok()) {
        report.failures.push_back(place.name + ": " + found.error().message());
        co_return;
    }
    for (const cloud::Marked& marked : *found) {
        if (owners_.contains(marked.owner)) continue;
        report.orphans.push_back({place.name + ":" + marked.machine + "/" + marked.kind + "/" + marked.name, marked});
    }
}

Task<OrphanReport> Orphans::find(Instant deadline) {
    OrphanReport report;
    const std::optional<Installation> installation = co_await find_installation(parts_.client, parts_.name_space);
    if (!installation) {
        co_return invalid("NoInstallation", "there is no Secret \"atoll-installation\" in namespace \"" +
                                                parts_.name_space + "\"; --namespace says where the operator is");
    }
    installation_ = installation->id;
    places_ = co_await places(installation_, report.failures);
    // What is there is listed before its owners are: an object that is made in between is not taken for missing.
    owners_.clear();
    for (const Place& place : places_) co_await search(place, installation_, report, deadline);
    owners_ = co_await owners();
    std::erase_if(report.orphans, [&](const Orphan& orphan) { return owners_.contains(orphan.what.owner); });
    std::ranges::sort(report.orphans, {}, [](const Orphan& o) { return std::pair(rank(o.what.kind), o.id); });
    co_return report;
}

Task<> Orphans::remove(std::vector<std::string> ids, Instant deadline) {
    const OrphanReport report = co_await find(deadline);
    for (const std::string& id : ids) {
        if (std::ranges::find(report.orphans, id, &Orphan::id) == report.orphans.end())
            co_await fail(invalid("NoOrphan", "\"" + id + "\" is no orphan that was found; nothing is removed"));
    }
    for (const Orphan& orphan : report.orphans) {
        if (std::ranges::find(ids, orphan.id) == ids.end()) continue;
        const auto place = std::ranges::find_if(
            places_, [&](const Place& at) { return orphan.id.starts_with(at.name + ":" + orphan.what.machine + "/"); });
        const auto removed = co_await place->driver->remove_marked(installation_, orphan.what, deadline).attempt();
        if (!removed.ok()) co_await fail(Error(removed.error()).during("removing " + orphan.id));
    }
}

std::string orphans_text(const OrphanReport& report) {
    std::string text;
    for (const Orphan& orphan : report.orphans) {
        text += orphan.id + "  of " + (orphan.what.object.empty() ? "something unknown" : orphan.what.object) +
                " (owner id " + orphan.what.owner + ")";
        if (!orphan.what.since.empty()) text += ", since " + orphan.what.since;
        if (orphan.what.retained) text += ", retained: its data outlives its owner on purpose";
        text += "\n";
    }
    text += report.orphans.empty() ? "nothing is left without its owner\n"
                                   : std::to_string(report.orphans.size()) + " without their owner\n";
    return text;
}

}  // namespace atl::controllers
