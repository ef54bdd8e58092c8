#include "operator/apiserver/sqlite_store.h"

#include <algorithm>
#include <utility>

#include "operator/apiserver/object_reader.h"

namespace atl::apiserver {

namespace {

constexpr std::size_t kBatch = 64;
constexpr Revision kCompactEvery = 500;

/// A write on its way: what is committed, the plain text for watchers, and who waits.
struct Pending {
    Write write;
    ObjectText text;
    Callback<Revision> done;
};

/// What the worker gets and gives back.
struct Batch {
    std::vector<Pending> pending;
    std::vector<Write> writes;
    std::vector<Written> written;
};

}  // namespace

struct SqliteStore::State : std::enable_shared_from_this<SqliteStore::State> {
    State(SqliteStoreOptions options, Surroundings surroundings_in)
        : surroundings(surroundings_in),
          retention(options.retention),
          sealer(std::move(options.keys), std::move(options.sealed), surroundings.random) {}

    std::int64_t seconds() const {
        const auto since = surroundings.clock.wall_now().time_since_epoch();
        return std::chrono::duration_cast<std::chrono::seconds>(since).count();
    }
    void add(Pending pending);
    void commit_next();
    void finish(Batch& batch);
    Change change_of(const Pending& pending, const Written& written) const;
    void compact();
    void judge(const std::optional<Error>& failure);

    Surroundings surroundings;
    Retention retention;
    Sealer sealer;
    std::shared_ptr<CommitLog> log;
    std::unique_ptr<ObjectReader> reader;
    OnChange tell;
    std::vector<Pending> waiting;
    bool is_committing = false;
    Revision compacted_at = 0;
    std::string trouble;
};

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(SqliteStoreOptions options, Surroundings surroundings) {
    const std::string path = options.path;
    const std::string vfs = options.vfs;
    auto state = std::make_shared<State>(std::move(options), surroundings);
    const auto reseal = [&state](const Key& key, std::string_view bytes) { return state->sealer.reseal(key, bytes); };
    auto log = CommitLog::open(path, vfs, reseal);
    if (!log.ok()) return std::move(log).error();
    state->log = std::move(*log);
    auto reader = ObjectReader::open(path, vfs, state->sealer);
    if (!reader.ok()) return std::move(reader).error();
    state->reader = std::move(*reader);
    return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(state)));
}

SqliteStore::~SqliteStore() = default;

void SqliteStore::State::add(Pending pending) {
    waiting.push_back(std::move(pending));
    if (!is_committing) commit_next();
}

void SqliteStore::State::commit_next() {
    if (waiting.empty()) return;
    is_committing = true;
    auto batch = std::make_shared<Batch>();
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting.size(), kBatch));
    std::move(waiting.begin(), waiting.begin() + count, std::back_inserter(batch->pending));
    waiting.erase(waiting.begin(), waiting.begin() + count);
    for (Pending& pending : batch->pending) batch->writes.push_back(std::move(pending.write));
    std::weak_ptr<State> weak = weak_from_this();
    surroundings.worker.run([batch, log = log] { batch->written = log->commit(batch->writes); },
                            [batch, weak] {
                                if (auto state = weak.lock()) state->finish(*batch);
                            });
}

/// A condition that does not hold is the writer's matter, all else is the disk's.
void SqliteStore::State::judge(const std::optional<Error>& failure) {
    const bool is_of_disk = failure && (failure->reason() == "StoreFailed" || failure->reason() == "StoreCorrupt");
    trouble = is_of_disk ? failure->message() : "";
}

void SqliteStore::State::finish(Batch& batch) {
    std::vector<Change> changes;
    judge(batch.written.front().failure);
    for (std::size_t i = 0; i < batch.pending.size(); ++i) {
        batch.pending[i].write = std::move(batch.writes[i]);
        if (!batch.written[i].failure) changes.push_back(change_of(batch.pending[i], batch.written[i]));
    }
    is_committing = false;
    commit_next();
    if (!changes.empty() && changes.back().revision - compacted_at >= kCompactEvery) {
        compacted_at = changes.back().revision;
        compact();
    }
    if (tell && !changes.empty()) tell(std::move(changes));
    const auto self = shared_from_this();  // a writer may drop the store
    for (std::size_t i = 0; i < batch.pending.size(); ++i) {
        const Written& written = batch.written[i];
        batch.pending[i].done.resolve(written.failure ? Result<Revision>(*written.failure)
                                                      : Result<Revision>(written.revision));
    }
}

Change SqliteStore::State::change_of(const Pending& pending, const Written& written) const {
    Change change;
    change.revision = written.revision;
    change.key = pending.write.key;
    change.type = pending.write.removes ? ChangeType::Deleted
                  : written.previous    ? ChangeType::Modified
                                        : ChangeType::Added;
    if (!pending.write.removes) change.text = joined(pending.text, written.revision);
    if (!written.previous) return change;
    auto plain = sealer.open(change.key, written.previous->bytes);
    if (!plain.ok()) return change;
    const ObjectText previous{std::move(*plain), static_cast<std::size_t>(written.previous->version_at)};
    change.previous = joined(previous, written.previous->revision);
    if (pending.write.removes) change.text = joined(previous, written.revision);
    return change;
}

void SqliteStore::State::compact() {
    std::weak_ptr<State> weak = weak_from_this();
    auto more = std::make_shared<bool>(false);
    surroundings.worker.run([log = log, keep = retention, now = seconds(), more] { *more = log->compact(keep, now); },
                            [weak, more] {
                                auto state = weak.lock();
                                if (state && *more) state->compact();
                            });
}

Result<std::optional<Stored>> SqliteStore::find(const Key& key) {
    return state_->reader->find(key);
}

Result<Page> SqliteStore::list(const Range& range) {
    return state_->reader->list(range);
}

Result<std::vector<Change>> SqliteStore::changes(const std::string& resource, Revision after, std::size_t limit) {
    return state_->reader->changes(resource, after, limit);
}

Revision SqliteStore::revision() {
    return state_->reader->meta("revision");
}

Revision SqliteStore::compacted() {
    return state_->reader->meta("compacted");
}

Task<Revision> SqliteStore::put(Key key, Revision expected, ObjectText text) {
    auto state = state_;
    std::function<Cancel(Callback<Revision>)> start = [&](Callback<Revision> done) -> Cancel {
        Record record{state->sealer.seal(key, text.json), static_cast<std::int64_t>(text.version_at), 0};
        Write write{key, expected, false, std::move(record), state->seconds()};
        state->add({std::move(write), std::move(text), std::move(done)});
        return {};
    };
    const Revision revision = co_await await_callback<Revision>(start);
    co_return revision;
}

Task<Revision> SqliteStore::remove(Key key, Revision expected) {
    auto state = state_;
    std::function<Cancel(Callback<Revision>)> start = [&](Callback<Revision> done) -> Cancel {
        state->add({Write{key, expected, true, {}, state->seconds()}, {}, std::move(done)});
        return {};
    };
    const Revision revision = co_await await_callback<Revision>(start);
    co_return revision;
}

std::string SqliteStore::trouble() const {
    return state_->trouble;
}

Task<> SqliteStore::try_out() {
    auto state = state_;
    std::function<Cancel(Callback<Unit>)> start = [&](Callback<Unit> done) -> Cancel {
        auto failure = std::make_shared<std::optional<Error>>();
        std::weak_ptr<State> weak = state;
        state->surroundings.worker.run([log = state->log, failure] { *failure = log->try_out(); },
                                       [weak, failure, done = std::move(done)]() mutable {
                                           if (auto still = weak.lock()) still->judge(*failure);
                                           done.resolve(ok());
                                       });
        return {};
    };
    co_await await_callback<Unit>(start);
}

void SqliteStore::on_change(OnChange tell) {
    state_->tell = std::move(tell);
}

}  // namespace atl::apiserver
