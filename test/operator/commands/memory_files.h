#pragma once

#include <map>
#include <string>

#include "operator/base/files.h"

namespace atl::commands {

/// Files in memory; a name with "/" makes its folder.
class MemoryFiles final : public Files {
public:
    explicit MemoryFiles(std::map<std::string, std::string> content) : content_(std::move(content)) {}

    Result<std::string> read(const std::string& path) override {
        const auto found = content_.find(path);
        if (found == content_.end()) return invalid("FileNotFound", "opening \"" + path + "\": no such file");
        return found->second;
    }
    Result<std::vector<std::string>> list(const std::string& path) override {
        std::vector<std::string> names;
        const std::string prefix = path + "/";
        for (const auto& [name, text] : content_) {
            if (!name.starts_with(prefix)) continue;
            const std::string rest = name.substr(prefix.size());
            const std::string entry = rest.substr(0, rest.find('/'));
            if (names.empty() || names.back() != entry) names.push_back(entry);
        }
        if (names.empty()) return invalid("FileNotFound", path + " is no folder");
        return names;
    }
    Result<Unit> write(const std::string&, const std::string&) override { return ok(); }
    Result<Unit> make_private_directory(const std::string&) override { return ok(); }
    Result<Unit> remove(const std::string&) override { return ok(); }
    bool exists(const std::string& path) override { return content_.contains(path); }

private:
    std::map<std::string, std::string> content_;
};

}  // namespace atl::commands
