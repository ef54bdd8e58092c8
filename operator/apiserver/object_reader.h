#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operator/apiserver/commit_log.h"
#include "operator/apiserver/key_ring.h"
#include "operator/apiserver/sqlite.h"
#include "operator/apiserver/store.h"

namespace atl::apiserver {

/// Seals what goes into the database and opens what comes out, for the resources whose values are secret.
class Sealer {
public:
    Sealer(KeyRing keys, std::set<std::string> resources, Random& random)
        : keys_(std::move(keys)), resources_(std::move(resources)), random_(random) {}
    std::string seal(const Key& key, std::string text) const;
    Result<std::string> open(const Key& key, std::string_view bytes) const;
    /// The bytes sealed with the current key, nothing if they are already.
    Result<std::optional<std::string>> reseal(const Key& key, std::string_view bytes) const;

private:
    KeyRing keys_;
    std::set<std::string> resources_;
    Random& random_;
};

/// The reading side of the database, on the loop.
class ObjectReader {
public:
    static Result<std::unique_ptr<ObjectReader>> open(const std::string& path, const std::string& vfs,
                                                      const Sealer& sealer);

    Result<std::optional<Stored>> find(const Key& key);
    Result<Page> list(const Range& range);
    Result<std::vector<Change>> changes(const std::string& resource, Revision after, std::size_t limit);
    std::int64_t meta(const char* name);

private:
    ObjectReader(std::unique_ptr<Database> database, const Sealer& sealer)
        : database_(std::move(database)), sealer_(sealer) {}
    /// What a key was like at an older revision, and whether it exists now.
    struct Past {
        Key key;
        std::optional<Stored> then;
        bool exists_now = false;
    };
    Result<Stored> stored(const Key& key, const Record& record) const;
    Result<Page> list_in_transaction(const Range& range);
    Result<std::vector<Past>> undo(const Range& range);
    Result<std::vector<Stored>> rows(const Range& range, std::size_t limit);
    Result<std::size_t> count(const Range& range);

    std::unique_ptr<Database> database_;
    const Sealer& sealer_;
};

}  // namespace atl::apiserver
