#include "operator/apiserver/data_directory.h"

#include <cstdio>
#include <utility>

namespace atl::apiserver {

namespace {

constexpr std::size_t kTokenBytes = 32;

std::string hex(std::string_view bytes) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        text.push_back(kHex[static_cast<unsigned char>(c) >> 4U]);
        text.push_back(kHex[static_cast<unsigned char>(c) & 0x0fU]);
    }
    return text;
}

/// A transaction in a database of its own: it ends with the process, however that ends.
Result<std::unique_ptr<Database>> take_lock(const std::string& directory, const std::string& vfs) {
    const Error in_use =
        conflict("DataInUse", "the data directory \"" + directory +
                                  "\" is in use by another process: stop it, or use another directory");
    auto lock = Database::open(directory + "/lock", vfs);
    if (!lock.ok()) return std::move(lock).error();
    for (const char* step : {"PRAGMA busy_timeout=0", "BEGIN EXCLUSIVE"}) {
        if (!(*lock)->run(step).ok()) return in_use;
    }
    return std::move(*lock);
}

/// A file that others can read or change is no secret: refused, as ssh does, because nobody knows who has it by now.
Result<Unit> check_private(const std::string& path, Files& files) {
    constexpr unsigned kOthers = 0077;
    const auto mode = files.mode(path);
    if (!mode.ok()) return mode.error();
    if ((*mode & kOthers) == 0) return ok();
    char octal[8];
    std::snprintf(octal, sizeof(octal), "%04o", *mode);
    return Error(ErrorClass::Credentials, "FileNotPrivate",
                 "the file \"" + path + "\" has mode " + octal +
                     ": others than its owner can read or change what is secret; allowed is 0600. Run `chmod 600 " +
                     path + "`, and replace it if somebody may have read it");
}

Result<KeyRing> read_keys(const std::string& directory, Files& files, Random& random) {
    const std::string path = directory + "/secrets.key";
    if (files.exists(path)) {
        if (auto is_private = check_private(path, files); !is_private.ok()) return is_private.error();
        auto text = files.read(path);
        if (!text.ok()) return std::move(text).error();
        auto keys = KeyRing::parse(*text);
        if (!keys.ok()) return std::move(keys).error().during("reading \"" + path + "\"");
        return keys;
    }
    if (files.exists(directory + "/store.db")) {
        return Error(
            ErrorClass::Credentials, "KeyMissing",
            "the key file \"" + path + "\" is missing: put it back, Secrets in the store cannot be read without");
    }
    KeyRing keys = KeyRing::make(random);
    auto written = files.write(path, keys.text());
    if (!written.ok()) return std::move(written).error();
    return keys;
}

Result<std::string> read_token(const std::string& path, Files& files, Random& random) {
    if (!files.exists(path)) {
        const std::string token = hex(random.bytes(kTokenBytes));
        auto written = files.write(path, token + "\n");
        if (!written.ok()) return std::move(written).error();
        return token;
    }
    if (auto is_private = check_private(path, files); !is_private.ok()) return is_private.error();
    auto text = files.read(path);
    if (!text.ok()) return text;
    std::string token = text->substr(0, text->find('\n'));
    if (token.size() < kTokenBytes) return invalid("BadTokenFile", "the file \"" + path + "\" holds no token");
    return token;
}

std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields(1);
    bool is_quoted = false;
    for (const char c : line) {
        if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == ',' && !is_quoted) {
            fields.emplace_back();
        } else if (c != '\r') {
            fields.back().push_back(c);
        }
    }
    return fields;
}

}  // namespace

Result<std::vector<TokenUser>> parse_tokens(std::string_view text) {
    std::vector<TokenUser> users;
    for (int number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.empty() || line[0] == '#') continue;
        const auto fields = fields_of(line);
        if (fields.size() < 2 || fields[0].empty() || fields[1].empty()) {
            return invalid("BadTokenFile",
                           "line " + std::to_string(number) + " of the token file has no token and user");
        }
        TokenUser user{fields[0], {fields[1], fields.size() > 2 ? fields[2] : "", {}}};
        if (fields.size() > 3 && !fields[3].empty()) user.user.groups = fields_of(fields[3]);
        users.push_back(std::move(user));
    }
    return users;
}

Result<DataDirectory> DataDirectory::open(const std::string& path, const std::string& vfs, Files& files,
                                          Random& random) {
    DataDirectory directory;
    directory.database = path + "/store.db";
    if (auto made = files.make_private_directory(path); !made.ok()) return std::move(made).error();
    // SQLite gives its other files the mode of the database file: it must be private before SQLite makes it.
    if (const std::string lock = path + "/lock"; !files.exists(lock)) {
        if (auto made = files.write(lock, ""); !made.ok()) return std::move(made).error();
    }
    auto lock = take_lock(path, vfs);
    if (!lock.ok()) return std::move(lock).error();
    directory.lock = std::move(*lock);
    auto keys = read_keys(path, files, random);
    if (!keys.ok()) return std::move(keys).error();
    directory.keys = std::move(*keys);
    if (!files.exists(directory.database)) {
        if (auto made = files.write(directory.database, ""); !made.ok()) return std::move(made).error();
    }
    auto token = read_token(path + "/admin.token", files, random);
    if (!token.ok()) return std::move(token).error();
    directory.admin_token = std::move(*token);
    auto key = read_token(path + "/tokens.key", files, random);
    if (!key.ok()) return std::move(key).error();
    directory.token_key = std::move(*key);
    directory.users.push_back({directory.admin_token, {"admin", "", {kMasters}}});
    if (!files.exists(path + "/tokens.csv")) return directory;
    if (auto is_private = check_private(path + "/tokens.csv", files); !is_private.ok()) return is_private.error();
    auto text = files.read(path + "/tokens.csv");
    if (!text.ok()) return std::move(text).error();
    auto users = parse_tokens(*text);
    if (!users.ok()) return std::move(users).error();
    for (TokenUser& user : *users) directory.users.push_back(std::move(user));
    return directory;
}

}  // namespace atl::apiserver
