#include "controllers/journal.h"

#include <nlohmann/json.hpp>

#include "controllers/secret_values.h"
#include "controllers/types.h"
#include "operator/base/names.h"

namespace atl::controllers {

namespace {

struct Row {
    const char* key;
    std::string Journal::* member;
};
constexpr Row kRows[] = {
    {"good", &Journal::good},
    {"goodStack", &Journal::good_stack},
    {"goodInstance", &Journal::good_instance},
    {"failed", &Journal::failed},
    {"failure", &Journal::failure},
    {"started", &Journal::started},
    {"startedAt", &Journal::started_at},
};

kube::Scope scope() {
    kube::Scope journals(types::kSecret);
    journals.label_selector = std::string(marks::kJournal) + "=serviceinstance";
    return journals;
}

kube::ObjectKey journal_key(const kube::ObjectKey& instance) {
    return kube::ObjectKey(instance.ns, bounded_name({"serviceinstance", instance.name, "journal"}, kMaxSubdomain));
}

nlohmann::json journal_object(const kube::Pass& instance, const Journal& journal) {
    std::map<std::string, std::string> values;
    for (const Row& row : kRows) {
        if (!(journal.*row.member).empty()) values[row.key] = journal.*row.member;
    }
    const kube::ObjectMeta& owner = instance.object().meta();
    const kube::ObjectKey key = journal_key(owner.key);
    nlohmann::json object{{"apiVersion", "v1"}, {"kind", "Secret"}, {"type", "atoll.dev/journal"}};
    object["metadata"] = {{"name", key.name},
                          {"namespace", key.ns},
                          {"labels", {{marks::kJournal, "serviceinstance"}}},
                          {"ownerReferences",
                           {{{"apiVersion", instance.type().api_version()},
                             {"kind", instance.type().kind},
                             {"name", owner.key.name},
                             {"uid", owner.uid},
                             {"controller", true}}}}};
    object["data"] = secret_data(values);
    return object;
}

}  // namespace

Journals::Journals(kube::Client& client, kube::Caches& caches) : client_(client), cache_(caches.of(scope())) {}

Journal Journals::read(const kube::ObjectKey& instance) const {
    Journal journal;
    const auto secret = cache_.find(journal_key(instance));
    if (!secret) return journal;
    const auto values = values_of(*secret);
    for (const Row& row : kRows) {
        const auto value = values.find(row.key);
        if (value != values.end()) journal.*row.member = value->second;
    }
    return journal;
}

Task<> Journals::write(kube::Pass& instance, const Journal& journal) {
    if (journal == read(instance.key())) co_return;
    const kube::Target target(types::kSecret, journal_key(instance.key()));
    const nlohmann::json object = journal_object(instance, journal);
    const kube::ApplyOptions options{"atoll-serviceinstance", kube::Takeover::Force};
    const kube::Object written = co_await client_.apply(target, object, options);
    instance.wrote(cache_, written);
}

}  // namespace atl::controllers
