#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cloud/orchestrator.h"
#include "controllers/targets.h"
#include "operator/kube/client.h"

namespace atl::controllers {

/// Something that carries our mark and whose owner the API server does not have.
struct Orphan {
    std::string id;  ///< "default/local:local/volume/data-1234": where it is, its kind and its name
    cloud::Marked what;
};

/// What was found, and what could not be looked at.
struct OrphanReport {
    std::vector<Orphan> orphans;
    std::vector<std::string> failures;  ///< Clusters and engines that did not answer, one sentence each
};

/// Looks for marked things without an owner on the engines of all Clusters, and on engines that a person names. Only
/// reads, but for remove(). No controller does this: an API server that was restored from an old backup must not cost
/// anyone a cluster.
class Orphans {
public:
    struct Parts {
        kube::Client& client;
        const cloud::Registry& registry;
        cloud::Surroundings surroundings;
        std::string name_space;          ///< of the operator: holds the installation's Secret
        std::vector<std::string> hosts;  ///< engines besides: "unix:///var/run/docker.sock"
    };
    explicit Orphans(Parts parts);

    /// Fails if the owners, or the installation's Secret, cannot be read: then nothing is known.
    Task<OrphanReport> find(Instant deadline);
    /// Removes those with these ids, users of a thing before the thing. Looks for them anew: Invalid (NoOrphan) for an
    /// id that is not an orphan's, before anything is removed.
    Task<> remove(std::vector<std::string> ids, Instant deadline);

private:
    struct Place {
        std::string name;
        std::shared_ptr<cloud::Driver> driver;
    };
    Task<std::set<std::string>> owners();
    Task<std::vector<Place>> places(std::string installation, std::vector<std::string>& failures);
    Task<> search(Place place, std::string installation, OrphanReport& report, Instant deadline);

    Parts parts_;
    Targets targets_;
    std::set<std::string> owners_;
    std::string installation_;
    std::vector<Place> places_;
};

/// The report as people read it: one line an orphan, and how many there are.
std::string orphans_text(const OrphanReport& report);

}  // namespace atl::controllers
