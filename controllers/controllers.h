#pragma once

#include <memory>
#include <vector>

#include "cloud/orchestrator.h"
#include "controllers/identity.h"
#include "operator/kube/admission_review.h"
#include "operator/kube/controller.h"

namespace atl::controllers {

/// All controllers of a process, wired: which kinds, what each watches, and what wakes whom.
class Controllers {
public:
    /// What they are given; all of it outlives them.
    struct Setting {
        kube::Runtime runtime;
        const cloud::Registry& registry;
        cloud::Surroundings surroundings;
        Installation installation;
    };
    explicit Controllers(Setting setting);
    Controllers(const Controllers&) = delete;
    Controllers& operator=(const Controllers&) = delete;
    ~Controllers();

    /// Begins to work once the caches have their first lists.
    void start();
    /// No new passes from now on.
    void stop();
    bool synced() const;
    /// For several replicas that share the objects: see kube::Controller.
    void take_up(const kube::Controller::Selection& which);
    void drop(const kube::Controller::Selection& which);
    bool works_on(const kube::Controller::Selection& which) const;
    /// Whether nothing is queued or being worked on.
    bool at_rest() const;

    /// Another identity than the one begun with: `atoll move` has brought it. Every object gets a pass.
    void adopt(Installation installation);

    /// What admission says of a write, by what the caches hold; nothing while they have not their first lists.
    kube::AdmissionAnswer judge(const kube::AdmissionCall& call) const;

private:
    struct Wiring;
    std::unique_ptr<Wiring> wiring_;
};

}  // namespace atl::controllers
