#pragma once

#include <string>
#include <vector>

#include "cloud/model.h"
#include "cloud/workload.h"

namespace atl::cloud::docker {

/// What no engine can do, whatever places the containers: secret environment variables for an image's own command,
/// links whose ports differ, empty or oversized files, a port that is published twice. Unsupported or Invalid, with the
/// field and what to do instead.
Result<Unit> check_workload(const Workload& workload);

/// The workload with its secret environment variables moved into a secret file, which a shell reads before it runs the
/// command: in the engine's own records they could be read by everyone who may look.
Workload with_secret_environment(Workload workload);

/// The environment as NAME=value, sorted by name: for each link <NAME>_HOST, _PORT and _URL by the consumer's own word
/// for it, then the workload's own variables, which win.
std::vector<std::string> environment_of(const Workload& workload);

/// The check that an engine runs inside the container, or null: the readiness probe, else the liveness probe. A TCP
/// probe becomes a shell script that looks for the listening socket; an HTTP probe one that asks with curl or wget,
/// where the image has one of them.
Properties health_check_of(const Workload& workload);

/// A keyed hash of a file's content, 12 hexadecimal digits.
std::string hash_of_file(const Workload& workload, const FileMount& file);

/// The part of a container's properties that is alike for a Swarm service and a container: image, command, args, env,
/// workingDir, init, stopGraceSeconds, limits, healthCheck.
Properties container_properties(const Workload& workload);

/// An engine's Healthcheck object from the property healthCheck, and back.
Properties health_check_for_engine(const Properties& check);
Properties health_check_from_engine(const Properties& check);

/// The same for one of the lists of strings that an engine leaves out when it is empty.
Properties strings_or_empty(const Properties& list);

/// Notes for people about what is only emulated: probes, secret environment variables, volumes without a limit of size.
std::vector<std::string> notes_of(const Workload& workload);

}  // namespace atl::cloud::docker
