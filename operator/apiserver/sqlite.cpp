#include "operator/apiserver/sqlite.h"

#include <utility>

#include <sqlite3.h>

namespace atl::apiserver {

Result<std::unique_ptr<Database>> Database::open(const std::string& path, const std::string& vfs) {
    sqlite3* handle = nullptr;
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(path.c_str(), &handle, kFlags, vfs.empty() ? nullptr : vfs.c_str());
    std::unique_ptr<Database> database(new Database(handle, path));
    if (code != SQLITE_OK) return database->failure("opening \"" + path + "\"");
    sqlite3_busy_timeout(handle, 5000);
    return database;
}

Database::~Database() {
    sqlite3_close_v2(handle_);
}

Result<Unit> Database::run(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failure(sql);
    return ok();
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    const int size = static_cast<int>(sql.size());
    if (sqlite3_prepare_v3(handle_, sql.data(), size, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
        return failure(sql);
    }
    return Statement(*this, statement);
}

int Database::changed_rows() const {
    return sqlite3_changes(handle_);
}

Error Database::failure(std::string_view what) const {
    const std::string message = handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_);
    const int code = handle_ == nullptr ? SQLITE_NOMEM : sqlite3_errcode(handle_) & 0xff;
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
        return Error(ErrorClass::Invalid, "StoreCorrupt",
                     "the database \"" + path_ + "\" is damaged (" + message +
                         "): stop Atoll, keep a copy of the file, and put a backup in its place, or what `sqlite3 " +
                         path_ +
                         " .recover` still finds; without either, move it away with its -wal and -shm files and apply "
                         "your manifests again");
    }
    return transient("StoreFailed", std::string(what) + ": " + message);
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
    std::swap(database_, other.database_);
    std::swap(handle_, other.handle_);
    return *this;
}

Statement::~Statement() {
    sqlite3_finalize(handle_);
}

Statement& Statement::bind(int parameter, std::string_view text) {
    sqlite3_bind_text64(handle_, parameter, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
    return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
    sqlite3_bind_blob64(handle_, parameter, bytes.data(), bytes.size(), SQLITE_STATIC);
    return *this;
}

Statement& Statement::bind(int parameter, std::int64_t number) {
    sqlite3_bind_int64(handle_, parameter, number);
    return *this;
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(handle_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return database_->failure("running a statement");
}

Result<Unit> Statement::run() {
    auto stepped = step();
    reset();
    if (!stepped.ok()) return std::move(stepped).error();
    return ok();
}

void Statement::reset() {
    sqlite3_reset(handle_);
    sqlite3_clear_bindings(handle_);
}

std::int64_t Statement::number(int column) const {
    return sqlite3_column_int64(handle_, column);
}

std::string_view Statement::text(int column) const {
    const void* bytes = sqlite3_column_blob(handle_, column);
    const int size = sqlite3_column_bytes(handle_, column);
    return bytes == nullptr ? std::string_view() : std::string_view(static_cast<const char*>(bytes), size);
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

}  // namespace atl::apiserver
