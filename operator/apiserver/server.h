#pragma once

#include <memory>
#include <string>
#include <vector>

#include "operator/apiserver/admission.h"
#include "operator/base/clock.h"
#include "operator/base/files.h"
#include "operator/base/log.h"
#include "operator/base/random.h"
#include "operator/base/spawner.h"
#include "operator/net/server.h"

namespace atl::apiserver {

/// How the embedded API server is set up.
struct ServerOptions {
    /// Where it keeps its data: database, key file, token; mode 0700, files 0600. Made if it is not there. One process
    /// at a time.
    std::string data_directory;
    /// SQLite's name of the file system that the database lies on, "" for the system's. Files are those of
    /// Surroundings.
    std::string vfs;
    /// Whether the store's writer has a thread of its own; simulation says Loop.
    enum class WriterRuns { OnThread, OnLoop };
    WriterRuns writer_runs = WriterRuns::OnThread;
    /// Looks at each write after the server's own checks, and may refuse it.
    Admission::Check check = {};
};

/// A Kubernetes API server on a SQLite file, in this process.
///
/// handler() answers from start() on; before, it is not ready. Destroying the server drops what it is doing at once:
/// acknowledged writes are on the disk. What serves the handler must be gone before.
///
/// Users come from the file `tokens.csv` in the data directory, if there is one (lines `token,user,uid,"group,group"`,
/// as kube-apiserver reads them), client certificates, and admin_token().
class Server {
public:
    struct Surroundings {
        Clock& clock;
        Random& random;
        Executor& executor;
        Files& files;
        Log log;
    };

    /// Opens the data. Errors: Conflict DataInUse when another process has it, Credentials when the key file is missing
    /// or does not fit, Invalid for files that cannot be read, Transient StoreFailed for the disk.
    static Result<std::unique_ptr<Server>> open(ServerOptions options, Surroundings surroundings);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    net::Handler& handler();
    /// Makes what every server has (namespaces, roles), then starts the background work and is ready.
    Task<> start();
    /// Why nothing can be stored, and what to do; empty if the last write reached the disk. A disk that refused one is
    /// tried anew at each call, which the next calls tell. For checks that must not wait.
    std::string store_trouble();
    /// Ends the background work. Open watches end when the HTTP server does.
    void stop();
    /// The token of the user `admin` in the group system:masters. Made at the first start, kept in the data directory.
    const std::string& admin_token() const;

private:
    struct Parts;
    explicit Server(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

/// What a kubeconfig says.
struct KubeconfigParts {
    std::string server;  ///< "https://127.0.0.1:6443"
    std::string ca_pem;  ///< empty for plain HTTP
    std::string token;
    std::string user = "admin";
    std::string name = "atoll";  ///< of the cluster and the context
};

/// A kubeconfig with everything inline.
std::string make_kubeconfig(const KubeconfigParts& parts);

}  // namespace atl::apiserver
