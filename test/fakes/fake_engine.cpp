#include "test/fakes/fake_engine.h"

#include <algorithm>
#include <ctime>

namespace atl::fakes {

namespace {

/// "/v1.41/services/create?x=1" as parts.
FakeRequest take_apart(const net::ServerRequest& request) {
    FakeRequest result;
    result.method = request.method;
    result.text = request.body;
    result.body = Json::parse(request.body, nullptr, false);
    if (!result.body.is_object()) result.body = Json::object();
    const auto question = request.target.find('?');
    const std::string path = request.target.substr(0, question);
    if (question != std::string::npos) {
        for (const auto& [name, value] : net::parse_query(std::string_view(request.target).substr(question + 1))) {
            result.query[name] = value;
        }
    }
    std::string part;
    for (const char c : path + "/") {
        if (c != '/') {
            part += c;
            continue;
        }
        const bool version =
            result.path.empty() && part.size() > 1 && part[0] == 'v' && part[1] >= '0' && part[1] <= '9';
        if (!part.empty() && !version)
            result.path.push_back(net::decode_component(part, net::Plus::Literal).value_or(part));
        part.clear();
    }
    return result;
}

std::string http_date(const Clock& clock) {
    const std::time_t now = std::chrono::system_clock::to_time_t(
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(clock.wall_now()));
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[40];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return text;
}

bool asks_for_container_volume(const FakeRequest& request, const Json& volume) {
    const auto filters = request.filters();
    const auto labels = filters.find("label");
    return labels == filters.end() || has_labels(volume["Labels"], labels->second);
}

}  // namespace

struct FakeEngine::Subscriber {
    explicit Subscriber(FakeRequest request_in) : request(std::move(request_in)) {}
    FakeRequest request;
    std::deque<std::string> lines;
    std::function<void()> wake;
};

FakeEngine::FakeEngine(Clock& clock)
    : timers_(clock),
      swarm_(timers_, world_,
             [this](const auto& action, const auto& id, const Json& labels) { publish(action, id, labels); }),
      containers_(timers_, world_,
                  [this](const auto& action, const auto& id, const Json& labels) { publish(action, id, labels); }) {
    const auto ensure = [this](const std::string& name, const Json& labels) { ensure_volume(name, labels); };
    swarm_.on_volume = ensure;
    containers_.on_volume = ensure;
    containers_.has_network = [this](const std::string& name) { return swarm_.has_network(name); };
    swarm_.network_in_use = [this](const std::string& name) { return containers_.uses_network(name); };
}

FakeEngine::~FakeEngine() = default;

Task<> FakeEngine::serve(const net::ServerRequest& request, net::ResponseWriter& writer) {
    ++requests;
    FakeRequest parts = take_apart(request);
    if (!parts.path.empty() && parts.path[0] == "events") {
        co_await stream_events(std::move(parts), writer);
        co_return;
    }
    const FakeReply reply = answer(parts);
    net::Response response;
    response.status = reply.status;
    response.headers.set("Api-Version", "1.41");
    response.headers.set("Date", http_date(timers_.clock()));
    if (!reply.text.empty()) {
        response.headers.set("Content-Type", "application/json");
        response.body = reply.text;
    } else if (!reply.body.is_null()) {
        response.headers.set("Content-Type", "application/json");
        response.body = reply.body.dump() + "\n";
    }
    co_await writer.send(std::move(response));
}

namespace {

/// The list with nothing in it; other answers as they are.
FakeReply emptied(const FakeRequest& request, FakeReply reply) {
    if (request.method != "GET") return reply;
    if (reply.body.is_array()) reply.body = Json::array();
    if (reply.body.is_object() && reply.body.contains("Volumes")) reply.body["Volumes"] = Json::array();
    return reply;
}

}  // namespace

FakeReply FakeEngine::answer(const FakeRequest& request) {
    FakeReply reply = answer_truly(request);
    return world_.lists_nothing ? emptied(request, std::move(reply)) : reply;
}

FakeReply FakeEngine::answer_truly(const FakeRequest& request) {
    const std::string what = request.path.empty() ? "" : request.path[0];
    if (what == "version") return {200, {{"Version", "20.10.24"}, {"ApiVersion", "1.41"}, {"MinAPIVersion", "1.12"}}};
    if (what == "_ping") return {200, "OK"};
    if (what == "info") return {200, inform()};
    if (what == "volumes") return answer_volumes(request);
    if (what == "images") return answer_images(request);
    if (what == "distribution") return refuse(500, "Get \"https://registry.example/v2/\": no such host");
    if (request.is("POST", 3) && what == "containers" && request.path[2] == "kill") {
        return kill(request.path[1], 137) ? FakeReply{204, Json()}
                                          : refuse(404, "No such container: " + request.path[1]);
    }
    if (auto reply = containers_.answer(request)) {
        if (request.is("GET", 2) && request.path[1] == "json" && reply->body.is_array()) {
            const auto filters = request.filters();
            const auto labels = filters.find("label");
            for (const Json& container :
                 swarm_.containers(labels == filters.end() ? std::vector<std::string>() : labels->second)) {
                reply->body.push_back(container);
            }
        }
        return *reply;
    }
    if (auto reply = swarm_.answer(request)) return *reply;
    return refuse(404, "page not found");
}

Json FakeEngine::inform() const {
    return {{"ID", "FAKE:ENGINE"},         {"Name", world_.hostname},
            {"ServerVersion", "20.10.24"}, {"NCPU", 2},
            {"MemTotal", 16000000000},     {"KernelVersion", "6.1.0"},
            {"Swarm", swarm_.state()},     {"SystemTime", fake_time(const_cast<FakeTimers&>(timers_).clock())}};
}

void FakeEngine::ensure_volume(const std::string& name, const Json& labels) {
    if (volumes_.contains(name)) return;
    Json volume = {{"Name", name}, {"Driver", "local"}, {"Scope", "local"}, {"CreatedAt", fake_time(timers_.clock())}};
    volume["Labels"] = labels.is_object() ? labels : Json::object();
    volumes_[name] = std::move(volume);
}

FakeReply FakeEngine::answer_volumes(const FakeRequest& request) {
    if (request.is("GET", 1)) {
        Json list = Json::array();
        for (const auto& [name, volume] : volumes_) {
            if (asks_for_container_volume(request, volume)) list.push_back(volume);
        }
        return {200, {{"Volumes", list}, {"Warnings", nullptr}}};
    }
    if (request.is("POST", 2)) {
        const std::string name = request.body.value("Name", "");
        if (!volumes_.contains(name)) ++effects_;
        ensure_volume(name, request.body.value("Labels", Json::object()));
        return {201, volumes_[name]};
    }
    const auto volume = volumes_.find(request.path.size() > 1 ? request.path[1] : "");
    if (volume == volumes_.end()) return refuse(404, "get " + request.path.back() + ": no such volume");
    if (request.is("GET", 2)) return {200, volume->second};
    if (swarm_.uses_volume(volume->first) || containers_.uses_volume(volume->first)) {
        return refuse(409, "remove " + volume->first + ": volume is in use - [1a2b3c]");
    }
    ++effects_;
    volumes_.erase(volume);
    return {204, Json()};
}

FakeReply FakeEngine::answer_images(const FakeRequest& request) const {
    const bool pull = request.is("POST", 2) && request.path[1] == "create";
    if (pull && !world_.pull_stream.empty()) return {200, {}, world_.pull_stream};
    if (pull) return refuse(404, "pull access denied, repository does not exist or may require 'docker login'");
    if (request.method != "GET" || request.path.size() < 3) return refuse(404, "page not found");
    std::string name;
    for (std::size_t i = 1; i + 1 < request.path.size(); ++i) name += (i > 1 ? "/" : "") + request.path[i];
    if (!world_.images.contains(name)) return refuse(404, "No such image: " + name);
    return {200, {{"Id", "sha256:" + fake_id(name, 0, 64)}, {"RepoDigests", Json::array()}}};
}

Task<> FakeEngine::stream_events(FakeRequest request, net::ResponseWriter& writer) {
    auto subscriber = std::make_shared<Subscriber>(std::move(request));
    subscribers_.push_back(subscriber);
    net::Headers headers;
    headers.set("Content-Type", "application/json");
    co_await writer.start(200, headers);
    while (true) {
        while (!subscriber->lines.empty()) {
            auto line = std::make_shared<const std::string>(std::move(subscriber->lines.front()));
            subscriber->lines.pop_front();
            co_await writer.write(line);
        }
        std::function<Cancel(Callback<Unit>)> wait = [subscriber](Callback<Unit> woken) -> Cancel {
            subscriber->wake = [woken] { woken.resolve(ok()); };
            return [subscriber] { subscriber->wake = nullptr; };
        };
        co_await await_callback<Unit>(wait);
    }
}

void FakeEngine::publish(const std::string& action, const std::string& container, const Json& labels) {
    const auto now = timers_.clock().wall_now().time_since_epoch();
    Json event = {{"status", action}, {"id", container}, {"Type", "container"}, {"Action", action}, {"scope", "local"}};
    event["time"] = std::chrono::duration_cast<std::chrono::seconds>(now).count();
    event["Actor"] = {{"ID", container}, {"Attributes", labels}};
    std::erase_if(subscribers_, [](const auto& one) { return one.expired(); });
    for (const auto& one : subscribers_) {
        const auto subscriber = one.lock();
        const auto filters = subscriber->request.filters();
        const auto wanted = filters.find("label");
        if (wanted != filters.end() && !has_labels(labels, wanted->second)) continue;
        subscriber->lines.push_back(event.dump() + "\n");
        // Later, not from within whatever just happened.
        timers_.after(Duration(0), [subscriber] {
            if (auto wake = std::exchange(subscriber->wake, nullptr)) wake();
        });
    }
}

bool FakeEngine::kill(const std::string& container, int exit_code) {
    return swarm_.kill(container, exit_code) || containers_.kill(container, exit_code);
}

void FakeEngine::restart() {
    swarm_.restart();
    containers_.restart();
}

std::vector<std::string> FakeEngine::contents() const {
    std::vector<std::string> names = swarm_.contents();
    for (const std::string& name : containers_.contents()) names.push_back(name);
    for (const auto& [name, volume] : volumes_) names.push_back("volume " + name);
    std::ranges::sort(names);
    return names;
}

}  // namespace atl::fakes
