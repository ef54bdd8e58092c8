#include "cloud/docker/tar.h"

namespace atl::cloud::docker {

namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kNameLength = 100;

std::string octal(std::uint64_t value, std::size_t digits) {
    std::string text(digits, '0');
    for (std::size_t i = digits; i > 0 && value > 0; --i, value >>= 3U)
        text[i - 1] = static_cast<char>('0' + (value & 7U));
    return text;
}

void put(std::string& block, std::size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
}

std::string header(const std::string& name, std::size_t size, std::uint32_t mode, char type) {
    std::string block(kBlock, '\0');
    put(block, 0, name.substr(0, kNameLength));
    put(block, 100, octal(mode & 07777U, 7));
    put(block, 108, octal(0, 7));  // owner
    put(block, 116, octal(0, 7));  // group
    put(block, 124, octal(size, 11));
    put(block, 136, octal(0, 11));  // time
    put(block, 148, std::string(8, ' '));
    block[156] = type;
    put(block, 257,
        std::string("ustar\0"
                    "00",
                    8));
    std::uint64_t sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    put(block, 148, octal(sum, 6));
    block[154] = '\0';
    return block;
}

void append_padded(std::string& archive, const std::string& content) {
    archive += content;
    archive.append((kBlock - content.size() % kBlock) % kBlock, '\0');
}

}  // namespace

std::string tar_of(const std::vector<TarFile>& files) {
    std::string archive;
    for (const TarFile& file : files) {
        if (file.path.size() > kNameLength) {
            const std::string name = file.path + '\0';
            archive += header("././@LongLink", name.size(), 0, 'L');
            append_padded(archive, name);
        }
        archive += header(file.path, file.content.size(), file.mode, '0');
        append_padded(archive, file.content);
    }
    archive.append(2 * kBlock, '\0');
    return archive;
}

}  // namespace atl::cloud::docker
