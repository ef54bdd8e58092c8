#pragma once

#include <memory>
#include <string>
#include <vector>

#include "operator/apiserver/authenticator.h"
#include "operator/apiserver/key_ring.h"
#include "operator/apiserver/sqlite.h"
#include "operator/base/files.h"

namespace atl::apiserver {

/// The files beside the database, and the lock that keeps other processes out of them.
struct DataDirectory {
    std::string database;  ///< path of the database file
    KeyRing keys;
    std::string admin_token;
    std::string token_key;           ///< signs the tokens of ServiceAccounts
    std::vector<TokenUser> users;    ///< the admin, and those of tokens.csv
    std::unique_ptr<Database> lock;  ///< held open: a transaction that no other process can begin

    /// Opens or makes it. Errors: as Server::open.
    static Result<DataDirectory> open(const std::string& path, const std::string& vfs, Files& files, Random& random);
};

/// Reads lines of `token,user,uid,"group,group"`; the last two may be missing. Errors: Invalid with the line's number.
Result<std::vector<TokenUser>> parse_tokens(std::string_view text);

}  // namespace atl::apiserver
