#pragma once

#include <string_view>

namespace atl {

/// The name of a log field. Only the constants below exist.
struct LogKey {
    std::string_view name;
};

/// Every key that a log line may have, one word for one thing (style: lowerCamel, as in Kubernetes' structured logs).
namespace key {
inline constexpr LogKey kAddress{"address"};
inline constexpr LogKey kClass{"class"};
inline constexpr LogKey kController{"controller"};
inline constexpr LogKey kCount{"count"};
inline constexpr LogKey kDuration{"durationSeconds"};
inline constexpr LogKey kError{"error"};
inline constexpr LogKey kFile{"file"};
inline constexpr LogKey kKind{"kind"};
inline constexpr LogKey kMachine{"machine"};
inline constexpr LogKey kName{"name"};
inline constexpr LogKey kNamespace{"namespace"};
inline constexpr LogKey kOperation{"operation"};
inline constexpr LogKey kReason{"reason"};
inline constexpr LogKey kReconcileId{"reconcileID"};
inline constexpr LogKey kResource{"resource"};
inline constexpr LogKey kStatus{"status"};
inline constexpr LogKey kUid{"uid"};
inline constexpr LogKey kUrl{"url"};
inline constexpr LogKey kUser{"user"};
inline constexpr LogKey kVersion{"version"};
}  // namespace key

}  // namespace atl
