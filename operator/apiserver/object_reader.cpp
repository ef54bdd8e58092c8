#include "operator/apiserver/object_reader.h"

#include <algorithm>
#include <map>
#include <utility>

namespace atl::apiserver {

namespace {

std::string bound_to(const Key& key) {
    return key.resource + '\n' + key.ns + '\n' + key.name;
}

/// The WHERE of a range, with parameters 1 to 4.
std::string conditions(const Range& range) {
    std::string sql = " WHERE resource=?1";
    if (range.ns) sql += " AND ns=?2";
    if (range.name) sql += " AND name=?5";
    if (range.after) sql += range.ns ? " AND name>?4" : " AND (ns, name)>(?3, ?4)";
    return sql;
}

void bind(Statement& statement, const Range& range) {
    statement.bind(1, range.resource);
    if (range.ns) statement.bind(2, *range.ns);
    if (range.name) statement.bind(5, *range.name);
    if (!range.after) return;
    if (!range.ns) statement.bind(3, range.after->ns);
    statement.bind(4, range.after->name);
}

bool is_in(const Range& range, const Key& key) {
    if (range.ns && key.ns != *range.ns) return false;
    if (range.name && key.name != *range.name) return false;
    return !range.after || *range.after < key;
}

bool by_key(const Stored& a, const Stored& b) {
    return a.key < b.key;
}

}  // namespace

std::string Sealer::seal(const Key& key, std::string text) const {
    if (!resources_.contains(key.resource)) return text;
    return keys_.seal(text, bound_to(key), random_);
}

Result<std::string> Sealer::open(const Key& key, std::string_view bytes) const {
    if (!resources_.contains(key.resource)) return std::string(bytes);
    return keys_.open(bytes, bound_to(key));
}

Result<std::optional<std::string>> Sealer::reseal(const Key& key, std::string_view bytes) const {
    if (!resources_.contains(key.resource) || keys_.is_current(bytes)) return std::optional<std::string>();
    auto plain = keys_.open(bytes, bound_to(key));
    if (!plain.ok()) return std::move(plain).error();
    return std::optional<std::string>(keys_.seal(*plain, bound_to(key), random_));
}

Result<std::unique_ptr<ObjectReader>> ObjectReader::open(const std::string& path, const std::string& vfs,
                                                         const Sealer& sealer) {
    auto database = Database::open(path, vfs);
    if (!database.ok()) return std::move(database).error();
    auto read_only = (*database)->run("PRAGMA query_only=ON");
    if (!read_only.ok()) return std::move(read_only).error();
    return std::unique_ptr<ObjectReader>(new ObjectReader(std::move(*database), sealer));
}

Result<Stored> ObjectReader::stored(const Key& key, const Record& record) const {
    auto plain = sealer_.open(key, record.bytes);
    if (!plain.ok()) return std::move(plain).error();
    const ObjectText text{std::move(*plain), static_cast<std::size_t>(record.version_at)};
    return Stored{key, record.revision, joined(text, record.revision)};
}

Result<std::optional<Stored>> ObjectReader::find(const Key& key) {
    auto found = rows({key.resource, key.ns, key.name, std::nullopt, 1, 0}, 1);
    if (!found.ok()) return std::move(found).error();
    if (found->empty()) return std::optional<Stored>();
    return std::optional<Stored>(std::move(found->front()));
}

Result<std::vector<Stored>> ObjectReader::rows(const Range& range, std::size_t limit) {
    auto select = database_->prepare("SELECT ns, name, revision, version_at, value FROM objects" + conditions(range) +
                                     " ORDER BY ns, name LIMIT ?6");
    if (!select.ok()) return std::move(select).error();
    bind(*select, range);
    select->bind(6, static_cast<std::int64_t>(std::min<std::size_t>(limit, INT64_MAX)));
    std::vector<Stored> found;
    while (true) {
        auto row = select->step();
        if (!row.ok()) return std::move(row).error();
        if (!*row) return found;
        const Key key{range.resource, std::string(select->text(0)), std::string(select->text(1))};
        auto object = stored(key, {std::string(select->text(4)), select->number(3), select->number(2)});
        if (!object.ok()) return std::move(object).error();
        found.push_back(std::move(*object));
    }
}

Result<std::size_t> ObjectReader::count(const Range& range) {
    auto select = database_->prepare("SELECT count(*) FROM objects" + conditions(range));
    if (!select.ok()) return std::move(select).error();
    bind(*select, range);
    auto row = select->step();
    if (!row.ok()) return std::move(row).error();
    return static_cast<std::size_t>(select->number(0));
}

Result<Page> ObjectReader::list(const Range& range) {
    // One transaction, so that the revision and the rows are of one moment.
    auto begun = database_->run("BEGIN");
    if (!begun.ok()) return std::move(begun).error();
    auto page = list_in_transaction(range);
    static_cast<void>(database_->run("COMMIT"));
    return page;
}

Result<Page> ObjectReader::list_in_transaction(const Range& range) {
    Page page;
    page.revision = range.at == 0 ? meta("revision") : range.at;
    std::vector<Past> past;
    if (page.revision < meta("revision")) {
        auto undone = undo(range);
        if (!undone.ok()) return std::move(undone).error();
        past = std::move(*undone);
    }
    const std::size_t wanted = range.limit >= SIZE_MAX - past.size() ? SIZE_MAX : range.limit + past.size();
    auto now = rows(range, wanted);
    if (!now.ok()) return std::move(now).error();
    page.objects = std::move(*now);
    std::size_t total = page.objects.size();
    if (total >= wanted) {
        auto counted = count(range);
        if (!counted.ok()) return std::move(counted).error();
        total = *counted;
    }
    for (Past& one : past) {
        std::erase_if(page.objects, [&](const Stored& object) { return object.key == one.key; });
        total = total - (one.exists_now ? 1 : 0) + (one.then ? 1 : 0);
        if (one.then) page.objects.push_back(std::move(*one.then));
    }
    std::sort(page.objects.begin(), page.objects.end(), by_key);
    if (page.objects.size() > range.limit) page.objects.resize(range.limit);
    page.remaining = total - page.objects.size();
    return page;
}

Result<std::vector<ObjectReader::Past>> ObjectReader::undo(const Range& range) {
    if (range.at < meta("compacted")) return invalid("Expired", "the revision is older than the log");
    auto select = database_->prepare(
        "SELECT ns, name, value IS NOT NULL, previous_revision, previous_version_at, previous FROM log"
        " WHERE resource=?1 AND revision>?2 ORDER BY revision");
    if (!select.ok()) return std::move(select).error();
    select->bind(1, range.resource).bind(2, range.at);
    std::map<Key, Past> past;
    while (true) {
        auto row = select->step();
        if (!row.ok()) return std::move(row).error();
        if (!*row) break;
        const Key key{range.resource, std::string(select->text(0)), std::string(select->text(1))};
        if (!is_in(range, key)) continue;
        const auto [entry, is_first] = past.try_emplace(key);
        entry->second.exists_now = select->number(2) != 0;
        if (!is_first) continue;
        entry->second.key = key;
        if (select->is_null(5)) continue;
        auto object = stored(key, {std::string(select->text(5)), select->number(4), select->number(3)});
        if (!object.ok()) return std::move(object).error();
        entry->second.then = std::move(*object);
    }
    std::vector<Past> list;
    for (auto& [key, one] : past) list.push_back(std::move(one));
    return list;
}

Result<std::vector<Change>> ObjectReader::changes(const std::string& resource, Revision after, std::size_t limit) {
    if (after < meta("compacted")) return invalid("Expired", "the revision is older than the log");
    auto select = database_->prepare(
        "SELECT revision, ns, name, version_at, value, previous_revision, previous_version_at, previous FROM log"
        " WHERE resource=?1 AND revision>?2 ORDER BY revision LIMIT ?3");
    if (!select.ok()) return std::move(select).error();
    select->bind(1, resource).bind(2, after).bind(3, static_cast<std::int64_t>(limit));
    std::vector<Change> changes;
    while (true) {
        auto row = select->step();
        if (!row.ok()) return std::move(row).error();
        if (!*row) return changes;
        Change change;
        change.revision = select->number(0);
        change.key = {resource, std::string(select->text(1)), std::string(select->text(2))};
        const bool removed = select->is_null(4);
        const bool existed = !select->is_null(7);
        change.type = removed ? ChangeType::Deleted : existed ? ChangeType::Modified : ChangeType::Added;
        auto text = stored(
            change.key, {std::string(select->text(removed ? 7 : 4)), select->number(removed ? 6 : 3), change.revision});
        if (!text.ok()) return std::move(text).error();
        change.text = std::move(text->text);
        if (existed) {
            auto previous = stored(change.key, {std::string(select->text(7)), select->number(6), select->number(5)});
            if (!previous.ok()) return std::move(previous).error();
            change.previous = std::move(previous->text);
        }
        changes.push_back(std::move(change));
    }
}

std::int64_t ObjectReader::meta(const char* name) {
    auto select = database_->prepare("SELECT value FROM meta WHERE name=?1");
    if (!select.ok()) return 0;
    auto row = select->bind(1, std::string_view(name)).step();
    return row.ok() && *row ? select->number(0) : 0;
}

}  // namespace atl::apiserver
