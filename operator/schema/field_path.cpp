#include "operator/schema/field_path.h"

namespace atl::schema {

void FieldPath::append(std::string& out, bool dots) const {
    if (kind_ == Kind::Root) return;
    parent_->append(out, dots);
    if (kind_ == Kind::Index) {
        out += "[" + std::to_string(index_) + "]";
    } else if (kind_ == Kind::Key && !dots) {
        out += "[" + std::string(name_) + "]";
    } else {
        if (!out.empty()) out += ".";
        out += name_;
    }
}

std::string FieldPath::text() const {
    std::string out;
    append(out, false);
    return is_root() ? "<nil>" : out;
}

std::string FieldPath::dotted() const {
    std::string out;
    append(out, true);
    return out;
}

}  // namespace atl::schema
