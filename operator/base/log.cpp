#include "operator/base/log.h"

#include <nlohmann/json.hpp>

#include "operator/base/time.h"

namespace atl {

namespace {

std::string_view word(LogLevel level) {
    switch (level) {
        case LogLevel::Debug:
            return "debug";
        case LogLevel::Info:
            return "info";
        case LogLevel::Error:
            return "error";
    }
    return "error";
}

void put(nlohmann::ordered_json& line, const LogField& field) {
    std::visit([&](const auto& value) { line[std::string(field.key.name)] = value; }, field.value);
}

}  // namespace

Log::Log(const Clock& clock, LogLevel level, Sink sink) : clock_(&clock), level_(level), sink_(std::move(sink)) {}

Log Log::none() {
    return Log();
}

Log Log::with(std::initializer_list<LogField> fields) const {
    Log log = *this;
    log.fields_.insert(log.fields_.end(), fields.begin(), fields.end());
    return log;
}

void Log::debug(std::string_view message, std::initializer_list<LogField> fields) const {
    write(LogLevel::Debug, message, fields);
}

void Log::info(std::string_view message, std::initializer_list<LogField> fields) const {
    write(LogLevel::Info, message, fields);
}

void Log::error(std::string_view message, std::initializer_list<LogField> fields) const {
    write(LogLevel::Error, message, fields);
}

void Log::write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) const {
    if (!sink_ || level < level_) return;
    nlohmann::ordered_json line;
    line["ts"] = format_rfc3339_micro(clock_->wall_now());
    line["level"] = word(level);
    line["msg"] = message;
    for (const LogField& field : fields_) put(line, field);
    for (const LogField& field : fields) put(line, field);
    sink_(line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace atl
