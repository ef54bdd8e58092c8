#pragma once

#include <memory>
#include <set>

#include "operator/apiserver/commit_log.h"
#include "operator/apiserver/key_ring.h"
#include "operator/apiserver/store.h"
#include "operator/apiserver/worker.h"
#include "operator/base/clock.h"

namespace atl::apiserver {

/// How a SqliteStore is set up.
struct SqliteStoreOptions {
    std::string path;                            ///< of the database file; its folder must exist
    std::string vfs;                             ///< SQLite's name of a file system, "" for the system's
    KeyRing keys;                                ///< for what is sealed
    std::set<std::string> sealed = {"secrets"};  ///< resources whose values are encrypted, in the log too
    Retention retention;
};

/// The Store on SQLite: WAL, synchronous=FULL, group commit.
///
/// Reads use a connection of their own on the loop. Writes go to the worker: while one batch is being committed the
/// next one gathers, at most 64 writes each, so that a single writer waits for one sync and many writers share one.
class SqliteStore final : public Store {
public:
    struct Surroundings {
        Clock& clock;
        Random& random;
        Worker& worker;
    };

    /// Opens or creates the database. Values that were sealed with an older key are sealed anew first.
    static Result<std::unique_ptr<SqliteStore>> open(SqliteStoreOptions options, Surroundings surroundings);
    ~SqliteStore() override;

    Result<std::optional<Stored>> find(const Key& key) override;
    Result<Page> list(const Range& range) override;
    Result<std::vector<Change>> changes(const std::string& resource, Revision after, std::size_t limit) override;
    Revision revision() override;
    Revision compacted() override;
    Task<Revision> put(Key key, Revision expected, ObjectText text) override;
    Task<Revision> remove(Key key, Revision expected) override;
    std::string trouble() const override;
    Task<> try_out() override;
    void on_change(OnChange tell) override;

private:
    struct State;
    explicit SqliteStore(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
};

}  // namespace atl::apiserver
