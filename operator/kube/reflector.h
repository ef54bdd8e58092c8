#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "operator/base/log.h"
#include "operator/base/random.h"
#include "operator/kube/cache.h"
#include "operator/kube/client.h"

namespace atl::kube {

/// What a reflector is doing, for the ready check.
enum class ReflectorState {
    Starting,    ///< nothing listed yet
    Watching,    ///< the cache follows the server
    Recovering,  ///< the cache holds the last state; the server is being asked again
    Forbidden,   ///< the server refuses: permission (401, 403)
    NoSuchType,  ///< the server does not know the type (404): its definition is missing
};
std::string_view to_string(ReflectorState state);

/// Keeps a Cache like the server's collection, for ever, by list and watch.
///
/// Listing --(complete)--> Watching --(clean end, broken, 429, 500)--> Watching again from the last version
///   ^                        |
///   '-------(410, Expired)---'   with back-off; the cache keeps its last state meanwhile
///
/// The cache is replaced at once and only by a complete list, never emptied for an error. An object that cannot be read
/// is reported to on_undecodable and left out; others go on. The thirteen rules of operators.md 2.9 have a test each.
class Reflector {
public:
    struct Options {
        /// Ask for the first state as part of the watch; falls back to lists where the server does not know that.
        bool watch_list = false;
        int page_size = 500;
        Duration backoff_base = std::chrono::milliseconds(800);
        Duration backoff_max = std::chrono::seconds(30);
    };
    using OnUndecodable = std::function<void(const Scope&, const Error&)>;

    Reflector(Client& client, Random& random, Log log, Cache& cache, Options options);
    Reflector(Client& client, Random& random, Log log, Cache& cache)
        : Reflector(client, random, log, cache, Options()) {}

    /// Runs until it is dropped. The reflector outlives the task.
    Task<> run();

    ReflectorState state() const { return state_; }
    /// Why the state is not Watching; empty if it is.
    const std::string& trouble() const { return trouble_; }
    OnUndecodable on_undecodable;

private:
    enum class Start { AtVersion, WithPresentState };
    Task<> list_and_watch();
    Task<> list_once();
    Task<> watch_once(Start start);
    Task<> pause(const Error& error);
    bool needs_list(const Error& error);
    /// Takes in one event; an error if the watch must end.
    Result<Unit> take(const WatchEvent& event);
    Result<Unit> take_initial(const WatchEvent& event);
    void advance(const std::string& resource_version);
    void report(const Error& error);
    void enter(ReflectorState state, std::string trouble);
    Duration next_backoff();

    Client& client_;
    Random& random_;
    Log log_;
    Cache& cache_;
    Options options_;
    ReflectorState state_ = ReflectorState::Starting;
    std::string trouble_;
    int page_size_;
    std::string version_;                                 ///< where the next watch goes on
    std::string list_from_ = "0";                         ///< what the next list asks for
    std::optional<std::map<ObjectKey, Object>> initial_;  ///< the present state, while a WatchList sends it
    std::optional<Instant> internal_errors_since_;
    Duration backoff_{0};
    Instant last_failure_{};
};

}  // namespace atl::kube
