#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "operator/base/clock.h"
#include "operator/base/log_keys.h"

namespace atl {

/// One key and value of a log line. Keys come from log_keys.h only.
struct LogField {
    LogKey key;
    std::variant<std::string, std::int64_t, double, bool> value;
};

enum class LogLevel { Debug, Info, Error };

/// Structured log lines: a constant message in -ing form with a capital first letter and no stop, and keys with values.
/// One line is one JSON object. A Log with fields of its own puts them into every line (`with`).
class Log {
public:
    /// Receives one finished line, without the newline.
    using Sink = std::function<void(const std::string& line)>;

    Log(const Clock& clock, LogLevel level, Sink sink);
    /// A log that writes nowhere.
    static Log none();

    Log with(std::initializer_list<LogField> fields) const;
    void debug(std::string_view message, std::initializer_list<LogField> fields = {}) const;
    void info(std::string_view message, std::initializer_list<LogField> fields = {}) const;
    void error(std::string_view message, std::initializer_list<LogField> fields = {}) const;

private:
    Log() = default;
    void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) const;

    const Clock* clock_ = nullptr;
    LogLevel level_ = LogLevel::Error;
    Sink sink_;
    std::vector<LogField> fields_;
};

}  // namespace atl
