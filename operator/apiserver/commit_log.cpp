#include "operator/apiserver/commit_log.h"

#include <algorithm>
#include <utility>

namespace atl::apiserver {

namespace {

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS objects(resource TEXT NOT NULL, ns TEXT NOT NULL, name TEXT NOT NULL,"
    " revision INTEGER NOT NULL, version_at INTEGER NOT NULL, value BLOB NOT NULL, UNIQUE(resource, ns, name));"
    "CREATE TABLE IF NOT EXISTS log(revision INTEGER PRIMARY KEY, at INTEGER NOT NULL, resource TEXT NOT NULL,"
    " ns TEXT NOT NULL, name TEXT NOT NULL, version_at INTEGER, value BLOB,"
    " previous_revision INTEGER, previous_version_at INTEGER, previous BLOB);"
    "CREATE INDEX IF NOT EXISTS log_by_resource ON log(resource, revision);"
    "INSERT OR IGNORE INTO meta VALUES('format', 1), ('revision', 1), ('compacted', 1);";

constexpr const char* kStatements[] = {
    "SELECT revision, version_at, value FROM objects WHERE resource=?1 AND ns=?2 AND name=?3",
    "INSERT INTO objects(resource, ns, name, revision, version_at, value) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    "UPDATE objects SET revision=?4, version_at=?5, value=?6 WHERE resource=?1 AND ns=?2 AND name=?3",
    "DELETE FROM objects WHERE resource=?1 AND ns=?2 AND name=?3",
    ("INSERT INTO log(revision, at, resource, ns, name, version_at, value, previous_revision, previous_version_at,"
     " previous) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"),
    "UPDATE meta SET value=?2 WHERE name=?1",
    "SELECT value FROM meta WHERE name=?1",
    "SELECT coalesce(max(revision), 0) FROM log WHERE at<?1",
    "SELECT coalesce(max(revision), 0) FROM (SELECT revision FROM log WHERE revision<=?1 ORDER BY revision LIMIT 1000)",
    "DELETE FROM log WHERE revision<=?1",
};
enum StatementId { Current, Insert, Update, Remove, Append, SetMeta, GetMeta, OldestKept, Slice, DropLog };

constexpr std::int64_t kFormat = 1;

}  // namespace

Result<std::unique_ptr<CommitLog>> CommitLog::open(const std::string& path, const std::string& vfs,
                                                   const Reseal& reseal) {
    auto database = Database::open(path, vfs);
    if (!database.ok()) return std::move(database).error();
    std::unique_ptr<CommitLog> log(new CommitLog(std::move(*database)));
    // secure_delete: a value that was replaced or sealed anew must not stay readable in free pages.
    for (const char* setting : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA secure_delete=ON",
                                "PRAGMA temp_store=MEMORY", "BEGIN IMMEDIATE", kTables, "COMMIT"}) {
        auto set = log->database_->run(setting);
        if (!set.ok()) return std::move(set).error();
    }
    auto prepared = log->prepare();
    if (!prepared.ok()) return std::move(prepared).error();
    for (const auto& [select, update] :
         {std::pair("SELECT rowid, resource, ns, name, value FROM objects",
                    "UPDATE objects SET value=?2 WHERE rowid=?1"),
          std::pair("SELECT revision, resource, ns, name, value FROM log", "UPDATE log SET value=?2 WHERE revision=?1"),
          std::pair("SELECT revision, resource, ns, name, previous FROM log",
                    "UPDATE log SET previous=?2 WHERE revision=?1")}) {
        auto resealed = log->reseal_table(select, update, reseal);
        if (!resealed.ok()) return std::move(resealed).error();
    }
    return log;
}

Result<Unit> CommitLog::prepare() {
    for (const char* sql : kStatements) {
        auto statement = database_->prepare(sql);
        if (!statement.ok()) return std::move(statement).error();
        statements_.push_back(std::move(*statement));
    }
    auto format = meta("format");
    if (!format.ok()) return std::move(format).error();
    if (*format != kFormat) {
        return unsupported("StoreFormat", "the data was written by another version of this program (format " +
                                              std::to_string(*format) + ", expected " + std::to_string(kFormat) + ")");
    }
    auto revision = meta("revision");
    if (!revision.ok()) return std::move(revision).error();
    revision_ = *revision;
    return ok();
}

Result<Unit> CommitLog::reseal_table(const char* select, const char* update, const Reseal& reseal) {
    auto rows = database_->prepare(select);
    auto change = database_->prepare(update);
    if (!rows.ok()) return std::move(rows).error();
    if (!change.ok()) return std::move(change).error();
    std::vector<std::pair<std::int64_t, std::string>> resealed;
    while (true) {
        auto row = rows->step();
        if (!row.ok()) return std::move(row).error();
        if (!*row) break;
        if (rows->is_null(4)) continue;
        const Key key{std::string(rows->text(1)), std::string(rows->text(2)), std::string(rows->text(3))};
        auto bytes = reseal(key, rows->text(4));
        if (!bytes.ok()) return std::move(bytes).error();
        if (*bytes) resealed.emplace_back(rows->number(0), std::move(**bytes));
    }
    rows->reset();
    if (resealed.empty()) return ok();
    if (auto begun = database_->run("BEGIN IMMEDIATE"); !begun.ok()) return begun;
    for (const auto& [row, bytes] : resealed) {
        if (auto changed = change->bind(1, row).bind_blob(2, bytes).run(); !changed.ok()) return changed;
    }
    if (auto committed = database_->run("COMMIT"); !committed.ok()) return committed;
    // What the old key sealed must not stay in the write-ahead log.
    return database_->run("PRAGMA wal_checkpoint(TRUNCATE)");
}

std::vector<Written> CommitLog::commit(const std::vector<Write>& writes) {
    const Revision before = revision_;
    std::vector<Written> outcomes;
    std::optional<Error> failure;
    auto begun = database_->run("BEGIN IMMEDIATE");
    if (!begun.ok()) failure = std::move(begun).error();
    for (const Write& one : writes) {
        if (failure) break;
        auto written = write(one);
        if (written.ok()) {
            outcomes.push_back(std::move(*written));
        } else {
            failure = std::move(written).error();
        }
    }
    if (!failure && revision_ != before) {
        auto counted = set_meta("revision", revision_);
        if (!counted.ok()) failure = std::move(counted).error();
    }
    if (!failure) {
        auto committed = database_->run("COMMIT");
        if (!committed.ok()) failure = std::move(committed).error();
    }
    if (failure) {
        static_cast<void>(database_->run("ROLLBACK"));
        revision_ = before;
        outcomes.assign(writes.size(), Written{failure, 0, {}});
    }
    return outcomes;
}

Result<Written> CommitLog::write(const Write& write) {
    auto found = current(write.key);
    if (!found.ok()) return std::move(found).error();
    const auto& existing = *found;
    Written written;
    if (write.expected == 0 && existing) {
        written.failure = conflict("AlreadyExists", "the object exists already");
    } else if (write.expected != 0 && !existing) {
        written.failure = conflict("NotFound", "the object does not exist any more");
    } else if (write.expected != 0 && existing->revision != write.expected) {
        written.failure = conflict("Modified", "the object was modified");
    }
    if (written.failure) return written;
    written.revision = ++revision_;
    const bool exists = existing.has_value();
    written.previous = std::move(*found);
    if (auto stored = store_object(write, written.revision, exists); !stored.ok()) return std::move(stored).error();
    if (auto logged = append(write, written); !logged.ok()) return std::move(logged).error();
    return written;
}

Result<std::optional<Record>> CommitLog::current(const Key& key) {
    Statement& select = statements_[Current];
    auto row = select.bind(1, key.resource).bind(2, key.ns).bind(3, key.name).step();
    if (!row.ok()) return std::move(row).error();
    std::optional<Record> record;
    if (*row) record = Record{std::string(select.text(2)), select.number(1), select.number(0)};
    select.reset();
    return record;
}

Result<Unit> CommitLog::store_object(const Write& write, Revision revision, bool exists) {
    Statement& statement = statements_[write.removes ? Remove : exists ? Update : Insert];
    statement.bind(1, write.key.resource).bind(2, write.key.ns).bind(3, write.key.name);
    if (!write.removes) statement.bind(4, revision).bind(5, write.record.version_at).bind_blob(6, write.record.bytes);
    return statement.run();
}

Result<Unit> CommitLog::append(const Write& write, const Written& written) {
    Statement& insert = statements_[Append];
    insert.bind(1, written.revision).bind(2, write.at);
    insert.bind(3, write.key.resource).bind(4, write.key.ns).bind(5, write.key.name);
    if (!write.removes) insert.bind(6, write.record.version_at).bind_blob(7, write.record.bytes);
    if (written.previous) {
        insert.bind(8, written.previous->revision).bind(9, written.previous->version_at);
        insert.bind_blob(10, written.previous->bytes);
    }
    return insert.run();
}

std::optional<Error> CommitLog::try_out() {
    // A value that stays the same is not written.
    constexpr const char* kChange =
        "INSERT INTO meta VALUES('tried out', 1) ON CONFLICT(name) DO UPDATE SET value=value+1";
    for (const char* step : {"BEGIN IMMEDIATE", kChange, "COMMIT"}) {
        auto done = database_->run(step);
        if (done.ok()) continue;
        static_cast<void>(database_->run("ROLLBACK"));
        return std::move(done).error();
    }
    return std::nullopt;
}

bool CommitLog::compact(const Retention& retention, std::int64_t now) {
    Statement& aged = statements_[OldestKept];
    auto row = aged.bind(1, now - retention.seconds).step();
    const Revision by_age = row.ok() && *row ? std::min(aged.number(0), revision_ - retention.at_least) : 0;
    aged.reset();
    const Revision up_to = std::max(by_age, revision_ - retention.at_most);
    Statement& slice = statements_[Slice];
    row = slice.bind(1, up_to).step();
    const Revision last = row.ok() && *row ? slice.number(0) : 0;
    slice.reset();
    if (last == 0) return false;
    if (!database_->run("BEGIN IMMEDIATE").ok()) return false;
    const bool dropped = statements_[DropLog].bind(1, last).run().ok() && set_meta("compacted", last).ok();
    const bool done = database_->run(dropped ? "COMMIT" : "ROLLBACK").ok();
    return dropped && done && last < up_to;
}

Result<Unit> CommitLog::set_meta(const char* name, std::int64_t value) {
    return statements_[SetMeta].bind(1, std::string_view(name)).bind(2, value).run();
}

Result<std::int64_t> CommitLog::meta(const char* name) {
    Statement& select = statements_[GetMeta];
    auto row = select.bind(1, std::string_view(name)).step();
    if (!row.ok()) return std::move(row).error();
    const std::int64_t value = *row ? select.number(0) : 0;
    select.reset();
    return value;
}

}  // namespace atl::apiserver
