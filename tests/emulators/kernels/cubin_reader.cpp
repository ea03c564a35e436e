#include "emulators/kernels/device_code.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <elf.h>

namespace oriel::emulator {
namespace {

constexpr std::uint16_t kMachineCuda = 190;
constexpr unsigned char kKernelSymbol = 0x10;               // in st_other: a kernel, not a function
constexpr std::uint64_t kLargest = std::uint64_t{1} << 32;  // no real cubin is as large

// What every cubin starts with: 64 bits, little-endian, version 1.
constexpr std::array<unsigned char, 7> kStart = {
    ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT};

// Where the flags hold it has moved with version 8 of the cubin's ABI, which the toolkit 13 writes.
std::uint32_t architecture_of(const Elf64_Ehdr& header) {
  const unsigned shift = header.e_ident[EI_ABIVERSION] >= 8 ? 8 : 0;
  return (header.e_flags >> shift) & 0xFF;
}

// The bytes of a section; none if it lies out of bounds.
ImageBytes section_bytes(ImageBytes bytes, const Elf64_Shdr& section) {
  if (section.sh_offset > bytes.size() || section.sh_size > bytes.size() - section.sh_offset) {
    return {};
  }
  return bytes.subspan(section.sh_offset, section.sh_size);
}

std::optional<Elf64_Shdr> section_at(ImageBytes bytes, const Elf64_Ehdr& header, std::size_t i) {
  if (i >= header.e_shnum) {
    return std::nullopt;
  }
  return read_at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
}

std::string text_at(ImageBytes strings, std::uint32_t offset) {
  std::string text;
  for (std::size_t i = offset; i < strings.size() && strings[i] != std::byte{0}; ++i) {
    text += static_cast<char>(strings[i]);
  }
  return text;
}

void append_kernels(ImageBytes symbols, ImageBytes strings, std::vector<std::string>& kernels) {
  for (std::uint64_t offset = 0; const auto symbol = read_at<Elf64_Sym>(symbols, offset);
       offset += sizeof(Elf64_Sym)) {
    const bool is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
    if (is_function && (symbol->st_other & kKernelSymbol) != 0 && symbol->st_shndx != SHN_UNDEF) {
      kernels.push_back(text_at(strings, symbol->st_name));
    }
  }
}

// The end of a table of `count` rows; nothing if the numbers can't be true.
std::optional<std::uint64_t> table_end(std::uint64_t offset,
                                       std::size_t count,
                                       std::size_t row,
                                       std::size_t expected_row) {
  if (count == 0) {
    return 0;
  }
  if (row != expected_row || offset > kLargest) {
    return std::nullopt;
  }
  return offset + count * row;
}

}  // namespace

bool is_cubin(const std::byte* image) {
  return starts_with(image, kStart);
}

// The tables are at the end of a cubin, whichever comes last; a section past them can't be read.
std::optional<std::size_t> cubin_size(const std::byte* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (header.e_machine != kMachineCuda) {
    return std::nullopt;
  }
  const auto sections =
      table_end(header.e_shoff, header.e_shnum, header.e_shentsize, sizeof(Elf64_Shdr));
  const auto segments =
      table_end(header.e_phoff, header.e_phnum, header.e_phentsize, sizeof(Elf64_Phdr));
  if (!sections || !segments) {
    return std::nullopt;
  }
  return std::max({std::uint64_t{sizeof(header)}, *sections, *segments});
}

std::optional<DeviceCode> read_cubin(ImageBytes bytes) {
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (!header || !is_cubin(bytes.data())) {
    return std::nullopt;
  }
  const auto size = cubin_size(bytes.data());
  if (!size || *size > bytes.size()) {
    return std::nullopt;
  }
  DeviceCode code;
  code.architecture = architecture_of(*header);
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const auto section = section_at(bytes, *header, i);
    if (section && section->sh_type == SHT_SYMTAB) {
      if (const auto strings = section_at(bytes, *header, section->sh_link)) {
        append_kernels(
            section_bytes(bytes, *section), section_bytes(bytes, *strings), code.kernels);
      }
    }
  }
  return code;
}

}  // namespace oriel::emulator
