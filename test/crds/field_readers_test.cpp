// Every field of a spec acts, or is answered with Unsupported: field_readers.txt says who sees to it. A field that is
// new in a schema fails here until its reader is written and named.
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "crds/definitions.h"

namespace atl::crds {
namespace {

using nlohmann::json;

std::string text_of(const std::string& path) {
    std::ifstream file(std::string(ATOLL_SOURCE_DIR) + "/" + path);
    EXPECT_TRUE(file.good()) << path;
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Reader {
    std::string file;
    std::string needle;
};

/// "Kind spec.field" to its reader.
std::map<std::string, Reader> readers() {
    std::map<std::string, Reader> all;
    std::istringstream lines(text_of("test/crds/field_readers.txt"));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t file = line.find(" | ");
        const std::size_t needle = line.find(" | ", file + 3);
        if (line.starts_with('#') || needle == std::string::npos) continue;
        const Reader reader{line.substr(file + 3, needle - file - 3), line.substr(needle + 3)};
        EXPECT_TRUE(all.emplace(line.substr(0, file), reader).second) << line << " comes twice";
    }
    return all;
}

void collect(const json& schema, const std::string& path, std::vector<std::string>& leaves) {
    if (schema.contains("items")) return collect(schema["items"], path + "[]", leaves);
    if (!schema.contains("properties") || schema["properties"].empty()) return leaves.push_back(path);
    for (const auto& [name, field] : schema["properties"].items()) collect(field, path + "." + name, leaves);
}

std::vector<std::string> fields() {
    std::vector<std::string> leaves;
    for (const json& definition : definitions()) {
        const json& spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        collect(spec, definition["spec"]["names"]["kind"].get<std::string>() + " spec", leaves);
    }
    return leaves;
}

TEST(FieldReaders, EveryFieldOfASpecHasOne) {
    std::map<std::string, Reader> known = readers();
    EXPECT_GT(fields().size(), 140U) << "the walk goes all the way down";
    for (const std::string& field : fields()) {
        EXPECT_EQ(known.erase(field), 1U) << field << ": nothing in test/crds/field_readers.txt acts on it";
    }
    for (const auto& [field, reader] : known) ADD_FAILURE() << field << " has a reader and is in no schema";
}

TEST(FieldReaders, AreWhereTheListSays) {
    std::map<std::string, std::string> texts;
    for (const auto& [field, reader] : readers()) {
        auto [text, fresh] = texts.try_emplace(reader.file);
        if (fresh) text->second = text_of(reader.file);
        EXPECT_NE(text->second.find(reader.needle), std::string::npos)
            << field << ": no " << reader.needle << " in " << reader.file;
    }
}

}  // namespace
}  // namespace atl::crds
