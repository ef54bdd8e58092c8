#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "operator/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace atl::apiserver {

class Statement;

/// One connection to a SQLite file. Used by one thread at a time. Errors are Transient with the reason StoreFailed and
/// SQLite's message, and Invalid with StoreCorrupt for a file that is damaged, with what to do; none holds a value.
class Database {
public:
    /// Opens or creates the file on the VFS of that name ("" is the system's).
    static Result<std::unique_ptr<Database>> open(const std::string& path, const std::string& vfs);
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    /// Runs statements that give no rows, without parameters.
    Result<Unit> run(const char* sql);
    /// Compiles one statement.
    Result<Statement> prepare(std::string_view sql);
    /// How many rows the last statement changed.
    int changed_rows() const;
    /// What SQLite says about its last failure.
    Error failure(std::string_view what) const;

private:
    Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
    sqlite3* handle_;
    std::string path_;
};

/// A compiled statement. Parameters are numbered from 1, columns from 0. Bound texts must live until reset().
class Statement {
public:
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&& other) noexcept;
    ~Statement();

    Statement& bind(int parameter, std::string_view text);
    Statement& bind_blob(int parameter, std::string_view bytes);
    Statement& bind(int parameter, std::int64_t number);
    /// Goes on to the next row: false if there is none.
    Result<bool> step();
    /// Runs a statement that gives no rows, and resets it.
    Result<Unit> run();
    /// Ready for other parameters.
    void reset();

    std::int64_t number(int column) const;
    /// The text or blob of a column; lives until the next step() or reset().
    std::string_view text(int column) const;
    bool is_null(int column) const;

private:
    friend class Database;
    Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}
    Database* database_;
    sqlite3_stmt* handle_;
};

}  // namespace atl::apiserver
