#include "emulators/kernels/device_code.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace oriel::emulator {
namespace {

constexpr std::array<unsigned char, 4> kFatbinStart = {0x50, 0xED, 0x55, 0xBA};
constexpr std::array<unsigned char, 4> kWrapperStart = {0xB1, 0x43, 0x62, 0x46};
constexpr std::uint64_t kLargest = std::uint64_t{1} << 32;  // no real fatbin is as large

// What nvcc's programs pass in place of the fatbin itself.
struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const std::byte* fatbin;
};

// A fatbin: this header, then entries one after the other, each a header and its content.
struct FatbinHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t entry_bytes;  // of all entries
};

enum class EntryKind : std::uint16_t { kPtx = 1, kCubin = 2 };

// The start of an entry's header, which is longer; only what is needed here is known.
struct EntryHeader {
  EntryKind kind;
  std::uint16_t version;
  std::uint32_t header_bytes;
  std::uint64_t content_bytes;
  std::uint32_t compressed_bytes;  // 0 if it isn't compressed
  std::uint32_t options_offset;
  std::uint32_t code_version;
  std::uint32_t architecture;
};

// What one entry holds. A compressed one is code for its architecture whose kernels aren't known.
std::optional<DeviceCode> read_entry(const EntryHeader& header, ImageBytes content) {
  std::optional<DeviceCode> code;
  if (header.compressed_bytes != 0) {
    code.emplace();
    code->portable = header.kind == EntryKind::kPtx;
  } else if (header.kind == EntryKind::kPtx) {
    code = read_ptx({reinterpret_cast<const char*>(content.data()), content.size()});
  } else {
    code = read_cubin(content);
  }
  if (code) {
    code->architecture = header.architecture;
  }
  return code;
}

// Takes the first entry off the bytes; nothing, if what is left is no entry.
std::optional<std::pair<EntryHeader, ImageBytes>> take_entry(ImageBytes& bytes) {
  const auto header = read_at<EntryHeader>(bytes, 0);
  if (!header || header->header_bytes < sizeof(EntryHeader) ||
      header->header_bytes > bytes.size() ||
      header->content_bytes > bytes.size() - header->header_bytes) {
    return std::nullopt;
  }
  const ImageBytes content = bytes.subspan(header->header_bytes, header->content_bytes);
  bytes = bytes.subspan(header->header_bytes + content.size());
  return std::pair(*header, content);
}

// Past the structure around it, if there is one; null if it leads to no fatbin.
const std::byte* unwrap(const std::byte* image) {
  if (!starts_with(image, kWrapperStart)) {
    return image;
  }
  Wrapper wrapper;
  std::memcpy(&wrapper, image, sizeof(wrapper));
  const bool leads = wrapper.fatbin != nullptr && starts_with(wrapper.fatbin, kFatbinStart);
  return leads ? wrapper.fatbin : nullptr;
}

// The entries' bytes; none if the header can't be true.
ImageBytes entries_of(const std::byte* fatbin) {
  FatbinHeader header;
  std::memcpy(&header, fatbin, sizeof(header));
  if (header.version != 1 || header.header_bytes < sizeof(header) ||
      header.entry_bytes > kLargest) {
    return {};
  }
  return {fatbin + header.header_bytes, header.entry_bytes};
}

}  // namespace

bool is_fatbin(const std::byte* image) {
  return starts_with(image, kFatbinStart) || starts_with(image, kWrapperStart);
}

std::vector<DeviceCode> read_fatbin(const std::byte* image) {
  image = unwrap(image);
  if (image == nullptr) {
    return {};
  }
  ImageBytes left = entries_of(image);
  std::vector<DeviceCode> codes;
  while (!left.empty()) {
    const auto entry = take_entry(left);
    if (!entry) {
      return {};
    }
    const auto& [entry_header, content] = *entry;
    if (entry_header.kind != EntryKind::kPtx && entry_header.kind != EntryKind::kCubin) {
      continue;  // there are other kinds, for the linker
    }
    auto code = read_entry(entry_header, content);
    if (!code) {
      return {};
    }
    codes.push_back(std::move(*code));
  }
  return codes;
}

}  // namespace oriel::emulator
