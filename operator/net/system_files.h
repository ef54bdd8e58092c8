#pragma once

#include "operator/base/files.h"

namespace atl::net {

/// The file system of this machine.
class SystemFiles final : public Files {
public:
    Result<std::string> read(const std::string& path) override;
    Result<Unit> write(const std::string& path, const std::string& content) override;
    Result<Unit> make_private_directory(const std::string& path) override;
    Result<Unit> remove(const std::string& path) override;
    Result<std::vector<std::string>> list(const std::string& path) override;
    Result<unsigned> mode(const std::string& path) override;
    bool exists(const std::string& path) override;
};

}  // namespace atl::net
