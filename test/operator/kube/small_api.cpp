#include "test/operator/kube/small_api.h"

#include "operator/base/deadline.h"

namespace atl::kube {

using nlohmann::json;

namespace {

net::Response reply(int status, const json& body) {
    net::Response response;
    response.status = status;
    response.headers.set("Content-Type", "application/json");
    response.body = body.dump();
    return response;
}

std::string collection_of(const ResourceType& type) {
    return (type.group.empty() ? "/api/" : "/apis/" + type.group + "/") + type.version + "/" + type.plural;
}

ObjectKey key_of(const json& object) {
    return ObjectKey(object["metadata"].value("namespace", ""), object["metadata"].value("name", ""));
}

net::Response missing(const std::string& name) {
    json status = json::parse(status_answer(404, "NotFound", "\"" + name + "\" not found").body);
    status["details"]["name"] = name;
    return reply(404, status);
}

std::shared_ptr<const std::string> piece(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
}

/// A message if the patch or object names another version or uid than the stored one.
std::optional<net::Response> refused(const json& wanted, const json& stored) {
    if (!wanted.contains("metadata")) return std::nullopt;
    for (const char* member : {"resourceVersion", "uid"}) {
        if (!wanted["metadata"].contains(member) || wanted["metadata"][member] == stored["metadata"][member]) continue;
        return status_answer(409, "Conflict", std::string("the object has been modified: ") + member);
    }
    return std::nullopt;
}

}  // namespace

net::Response status_answer(int code, const std::string& reason, const std::string& message) {
    return reply(code, {{"kind", "Status"},
                        {"apiVersion", "v1"},
                        {"metadata", json::object()},
                        {"status", "Failure"},
                        {"message", message},
                        {"reason", reason},
                        {"code", code}});
}

json widget(const std::string& ns, const std::string& name) {
    return {{"apiVersion", "example.dev/v1"},
            {"kind", "Widget"},
            {"metadata", {{"namespace", ns}, {"name", name}}},
            {"spec", json::object()}};
}

SmallApi::Path SmallApi::read(const std::string& target) {
    Path path;
    const std::size_t mark = target.find('?');
    if (mark != std::string::npos) {
        for (auto& [name, value] : net::parse_query(target.substr(mark + 1))) path.query[name] = value;
    }
    std::vector<std::string> parts;
    std::string rest = target.substr(1, mark == std::string::npos ? mark : mark - 1);
    for (std::size_t at = 0; at <= rest.size();) {
        const std::size_t end = std::min(rest.find('/', at), rest.size());
        parts.push_back(rest.substr(at, end - at));
        at = end + 1;
    }
    std::size_t at = parts[0] == "api" ? 2 : 3;
    for (std::size_t i = 0; i < at; ++i) path.collection += "/" + parts[i];
    if (parts.size() > at + 2 && parts[at] == "namespaces") {
        path.ns = parts[at + 1];
        at += 2;
    }
    path.collection += "/" + parts[at++];
    if (at < parts.size()) path.name = parts[at++];
    if (at < parts.size()) path.subresource = parts[at];
    return path;
}

Task<> SmallApi::serve(const net::ServerRequest& request, net::ResponseWriter& writer) {
    requests.push_back(request.method + " " + request.target);
    std::optional<net::Response> odd = intercept ? intercept(request) : std::nullopt;
    if (odd) {
        co_await writer.send(std::move(*odd));
        co_return;
    }
    const Path path = read(request.target);
    if (request.method == "GET" && path.query.contains("watch")) {
        const auto script = script_watch ? script_watch(request) : std::nullopt;
        if (!script) {
            co_await watch(path, writer);
            co_return;
        }
        net::Headers headers;
        co_await writer.start(200, headers);
        for (const std::string& text : *script) co_await writer.write(piece(text));
        co_await writer.finish();
        co_return;
    }
    net::Response response = answer(request);
    co_await writer.send(std::move(response));
}

net::Response SmallApi::answer(const net::ServerRequest& request) {
    const Path path = read(request.target);
    if (request.method != "GET") return write(request, path);
    if (path.name.empty()) return list(path);
    const auto& objects = store_[path.collection];
    const auto found = objects.find(ObjectKey(path.ns, path.name));
    return found == objects.end() ? missing(path.name) : reply(200, found->second);
}

net::Response SmallApi::list(const Path& path) {
    const auto& objects = store_[path.collection];
    const auto limit_text = path.query.find("limit");
    const std::size_t limit = limit_text == path.query.end() ? SIZE_MAX : std::stoul(limit_text->second);
    const auto token = path.query.find("continue");
    std::size_t skip = token == path.query.end() ? 0 : std::stoul(token->second);
    json items = json::array();
    std::size_t index = 0;
    bool more = false;
    for (const auto& [key, object] : objects) {
        if (!path.ns.empty() && key.ns != path.ns) continue;
        if (index++ < skip) continue;
        if (items.size() == limit) {
            more = true;
            break;
        }
        items.push_back(object);
    }
    json metadata = {{"resourceVersion", std::to_string(version_)}};
    if (more) metadata["continue"] = std::to_string(skip + items.size());
    return reply(200, {{"kind", "List"}, {"apiVersion", "v1"}, {"metadata", metadata}, {"items", std::move(items)}});
}

net::Response SmallApi::write(const net::ServerRequest& request, const Path& path) {
    ++writes;
    json body = json::parse(request.body, nullptr, false);
    auto& objects = store_[path.collection];
    if (request.method == "POST") return create(path, body);
    const auto found = objects.find(ObjectKey(path.ns, path.name));
    if (request.method == "DELETE") return found == objects.end() ? missing(path.name) : remove(request, path);
    const bool apply = request.headers.find("Content-Type") == "application/apply-patch+yaml";
    if (found == objects.end()) {
        if (!apply) return missing(path.name);
        if (body["metadata"].contains("uid")) return status_answer(409, "Conflict", "uid mismatch: no existing object");
        return create(path, body);
    }
    if (const auto refusal = refused(body, found->second)) return *refusal;
    json after = found->second;
    if (request.method == "PUT")
        after = body;
    else
        after.merge_patch(body);
    return change(path, found->second, std::move(after));
}

net::Response SmallApi::create(const Path& path, json object) {
    object["metadata"]["namespace"] = path.ns;
    const ObjectKey key = key_of(object);
    auto& objects = store_[path.collection];
    if (objects.contains(key)) return status_answer(409, "AlreadyExists", "\"" + key.name + "\" already exists");
    object["metadata"]["uid"] = "uid-" + std::to_string(next_uid_++);
    object["metadata"]["generation"] = 1;
    object["metadata"]["resourceVersion"] = next_version();
    objects[key] = object;
    log(path.collection, "ADDED", object);
    return reply(201, object);
}

net::Response SmallApi::change(const Path& path, const json& before, json after) {
    after["metadata"]["uid"] = before["metadata"]["uid"];
    after["metadata"]["generation"] = before["metadata"]["generation"];
    after["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"];
    if (path.subresource == "status") {
        json only = before;
        if (after.contains("status")) only["status"] = after["status"];
        after = std::move(only);
    } else {
        if (before.contains("status")) after["status"] = before["status"];
    }
    if (after == before) return reply(200, before);
    if (after.value("spec", json()) != before.value("spec", json()))
        after["metadata"]["generation"] = before["metadata"].value("generation", 0) + 1;
    after["metadata"]["resourceVersion"] = next_version();
    const bool gone =
        after["metadata"].contains("deletionTimestamp") && after["metadata"].value("finalizers", json::array()).empty();
    const ObjectKey key = key_of(after);
    if (gone) {
        store_[path.collection].erase(key);
    } else {
        store_[path.collection][key] = after;
    }
    log(path.collection, gone ? "DELETED" : "MODIFIED", after);
    return reply(200, after);
}

net::Response SmallApi::remove(const net::ServerRequest& request, const Path& path) {
    const json options = json::parse(request.body, nullptr, false);
    json object = store_[path.collection][ObjectKey(path.ns, path.name)];
    if (options.is_object() && options.contains("preconditions")) {
        if (const auto refusal = refused({{"metadata", options["preconditions"]}}, object)) return *refusal;
    }
    if (object["metadata"].value("finalizers", json::array()).empty()) {
        store_[path.collection].erase(ObjectKey(path.ns, path.name));
        object["metadata"]["resourceVersion"] = next_version();
        log(path.collection, "DELETED", object);
        return reply(200,
                     {{"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", json::object()}, {"status", "Success"}});
    }
    if (object["metadata"].contains("deletionTimestamp")) return reply(200, object);
    object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    object["metadata"]["generation"] = object["metadata"].value("generation", 0) + 1;
    object["metadata"]["resourceVersion"] = next_version();
    store_[path.collection][ObjectKey(path.ns, path.name)] = object;
    log(path.collection, "MODIFIED", object);
    return reply(200, object);
}

json SmallApi::put(const ResourceType& type, json object) {
    Path path;
    path.collection = collection_of(type);
    path.ns = key_of(object).ns;
    auto& objects = store_[path.collection];
    const auto found = objects.find(key_of(object));
    const json before = found == objects.end() ? json() : found->second;
    const net::Response response = found == objects.end() ? create(path, object) : change(path, before, object);
    if (response.status == 201 && object.contains("status")) {
        path.subresource = "status";
        return json::parse(change(path, json::parse(response.body), object).body);
    }
    return json::parse(response.body);
}

void SmallApi::erase(const ResourceType& type, const ObjectKey& key) {
    net::ServerRequest request;
    request.body = "{}";
    Path path;
    path.collection = collection_of(type);
    path.ns = key.ns;
    path.name = key.name;
    remove(request, path);
}

std::optional<json> SmallApi::get(const ResourceType& type, const ObjectKey& key) const {
    const auto objects = store_.find(collection_of(type));
    if (objects == store_.end()) return std::nullopt;
    const auto found = objects->second.find(key);
    return found == objects->second.end() ? std::nullopt : std::optional(found->second);
}

std::vector<json> SmallApi::all(const ResourceType& type) const {
    std::vector<json> result;
    const auto objects = store_.find(collection_of(type));
    if (objects == store_.end()) return result;
    for (const auto& [key, object] : objects->second) result.push_back(object);
    return result;
}

std::size_t SmallApi::count(const std::string& prefix) const {
    return static_cast<std::size_t>(
        std::count_if(requests.begin(), requests.end(), [&](const auto& r) { return r.starts_with(prefix); }));
}

void SmallApi::log(const std::string& collection, const std::string& type, const json& object) {
    log_.push_back(
        {version_, collection, json{{"type", type}, {"object", object}}.dump() + "\n", loop_.now() + watch_lag});
    wake();
}

void SmallApi::bookmark() {
    log_.push_back({version_, "", "", loop_.now()});
    wake();
}

void SmallApi::end_watches() {
    ++ended_;
    wake();
}

void SmallApi::wake() {
    for (const Callback<Unit>& waiter : std::exchange(waiters_, {})) waiter.resolve(ok());
}

Task<> SmallApi::watch(Path path, net::ResponseWriter& writer) {
    net::Headers headers;
    co_await writer.start(200, headers);
    const std::uint64_t from = std::stoull(path.query["resourceVersion"]);
    const Instant end = loop_.now() + std::chrono::seconds(std::stoll(path.query["timeoutSeconds"]));
    const std::uint64_t ended = ended_;
    if (from < compacted_) {
        const json status = json::parse(status_answer(410, "Expired", "too old resource version").body);
        co_await writer.write(piece(json{{"type", "ERROR"}, {"object", status}}.dump() + "\n"));
        co_await writer.finish();
        co_return;
    }
    const std::size_t old = log_.size();
    for (std::size_t next = 0; ended == ended_ && loop_.now() < end;) {
        if (next == log_.size()) {
            std::function<Cancel(Callback<Unit>)> start = [this](Callback<Unit> changed) -> Cancel {
                waiters_.push_back(changed);
                const Clock::TimerId timer =
                    loop_.call_at(loop_.now() + std::chrono::seconds(10), [changed] { changed.resolve(ok()); });
                return [this, timer] { loop_.cancel_timer(timer); };
            };
            co_await await_callback<Unit>(start);
            continue;
        }
        const std::size_t at = next++;
        const bool mark = log_[at].collection.empty();
        if (mark ? at < old : log_[at].collection != path.collection || log_[at].version <= from) continue;
        if (loop_.now() < log_[at].visible) co_await sleep_until(loop_, log_[at].visible);
        std::string line = log_[at].line;
        if (mark) {
            const json object = {{"kind", "Widget"},
                                 {"apiVersion", "example.dev/v1"},
                                 {"metadata", {{"resourceVersion", std::to_string(log_[at].version)}}}};
            line = json{{"type", "BOOKMARK"}, {"object", object}}.dump() + "\n";
        }
        co_await writer.write(piece(line));
    }
    co_await writer.finish();
}

Given::Given(std::uint64_t seed) : loop(seed), network(loop), api(loop) {
    endpoint.host = "api";
    endpoint.port = 80;
    network.serve(endpoint.to_string(), &api);
}

std::unique_ptr<Client> Given::client(ClientOptions options) {
    transports.push_back(std::make_unique<sim::SimTransport>(network));
    Access access;
    access.endpoint = endpoint;
    auto credentials = std::make_shared<FixedCredentials>(access);
    return std::make_unique<Client>(*transports.back(), loop, credentials, std::move(options));
}

}  // namespace atl::kube
