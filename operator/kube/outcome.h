#pragma once

#include <optional>
#include <string_view>

#include "operator/base/clock.h"
#include "operator/base/result.h"
#include "operator/kube/pass.h"
#include "operator/kube/recheck.h"

namespace atl::kube {

/// What went before in the passes of one object.
struct History {
    unsigned failures = 0;     ///< passes in a row that ended with an error of reaction Retry or Wait (but not Waiting)
    Duration troubled_for{0};  ///< since the first of them
};

/// What follows from one pass: when the next one is, and how it counts.
struct Outcome {
    enum class Next {
        Never,    ///< not before something changes; the back-off starts anew
        After,    ///< after `delay`; the back-off starts anew
        Backoff,  ///< after the back-off, or `delay` where that is longer
    };
    Next next = Next::Never;
    std::optional<Duration> delay;
    std::optional<Duration> at_latest;  ///< also after this, so that trouble is shown in time
    std::string_view result;            ///< label of controller_runtime_reconcile_total
    bool is_error = false;
    bool is_terminal = false;
};

/// The one table of what the loop does by the class of the error, with the delays of each.
Outcome outcome_of(const Result<Recheck>& result, const History& history);

/// Says in the conditions of the pass how it ended: Ready, Reconciling, Stalled, Deleting, Paused. An error that may
/// pass by itself is not shown before it has lasted a minute, where the object is Ready for its generation; 5 s, where
/// it is Reconciling; else at once. Returns whether this pass has come to an end for its generation, so that
/// status.observedGeneration may say so.
bool describe_outcome(Pass& pass, const Result<Recheck>& result, const History& history);

/// The conditions of an object that is to be left alone: by spec.paused, or by an annotation.
void describe_paused(Pass& pass);
void describe_moving(Pass& pass, const std::string& annotation, const std::string& value);

/// Normal for what goes well or is awaited in the course of things, Warning for every failure. `condition` is Ready,
/// Reconciling or Stalled, as the pass has left it.
EventType event_type_of(const Condition& condition);

/// Events for what has changed between the conditions before the pass and now; at most one a pass.
void record_changes(Pass& pass);

}  // namespace atl::kube
