#include "operator/apiserver/store.h"

namespace atl::apiserver {

std::string joined(const ObjectText& text, Revision revision) {
    const std::string digits = std::to_string(revision);
    std::string whole;
    whole.reserve(text.json.size() + digits.size());
    whole.append(text.json, 0, text.version_at).append(digits).append(text.json, text.version_at);
    return whole;
}

}  // namespace atl::apiserver
