#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operator/apiserver/sqlite.h"
#include "operator/apiserver/store.h"

namespace atl::apiserver {

/// A text as it lies in the database: sealed for some resources, and without its resourceVersion.
struct Record {
    std::string bytes;
    std::int64_t version_at = 0;
    Revision revision = 0;
};

/// One write as the committing side sees it.
struct Write {
    Key key;
    Revision expected = 0;
    bool removes = false;
    Record record;        ///< not for removes
    std::int64_t at = 0;  ///< seconds since 1970, for compaction by age
};

/// What became of a write: a failure, or the new revision and what was there before.
struct Written {
    std::optional<Error> failure;
    Revision revision = 0;
    std::optional<Record> previous;
};

/// How much of the log is kept.
struct Retention {
    std::int64_t at_most = 10'000;  ///< changes; older ones go
    std::int64_t at_least = 1'000;  ///< changes, whatever their age
    std::int64_t seconds = 3'600;   ///< changes older than this go
};

/// The writing side of the database: tables, batches, compaction. Used by the worker only, once it is open.
class CommitLog {
public:
    /// Gives the bytes anew if they must be sealed anew, else nothing.
    using Reseal = std::function<Result<std::optional<std::string>>(const Key& key, std::string_view bytes)>;

    /// Opens the file, makes the tables, and seals anew what `reseal` asks for.
    static Result<std::unique_ptr<CommitLog>> open(const std::string& path, const std::string& vfs,
                                                   const Reseal& reseal);

    /// Writes all of them in one transaction, durable when this returns. A write whose condition does not hold fails
    /// alone; if the disk fails, all do and nothing is written.
    std::vector<Written> commit(const std::vector<Write>& writes);

    /// Writes something that no object is, and makes it durable; what failed, if the disk does not take it.
    std::optional<Error> try_out();

    /// Drops at most 1,000 changes from the log's old end; true if there are more to drop. `now` in seconds since 1970.
    bool compact(const Retention& retention, std::int64_t now);

    Revision revision() const { return revision_; }

private:
    explicit CommitLog(std::unique_ptr<Database> database) : database_(std::move(database)) {}
    Result<Unit> prepare();
    Result<Unit> reseal_table(const char* select, const char* update, const Reseal& reseal);
    Result<Written> write(const Write& write);
    Result<std::optional<Record>> current(const Key& key);
    Result<Unit> store_object(const Write& write, Revision revision, bool exists);
    Result<Unit> append(const Write& write, const Written& written);
    Result<Unit> set_meta(const char* name, std::int64_t value);
    Result<std::int64_t> meta(const char* name);

    std::unique_ptr<Database> database_;
    std::vector<Statement> statements_;
    Revision revision_ = 0;
};

}  // namespace atl::apiserver
