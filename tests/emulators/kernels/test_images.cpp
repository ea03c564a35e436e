#include "emulators/kernels/test_images.hpp"

#include <cstring>

#include <elf.h>

namespace oriel::emulator::test {
namespace {

struct Symbols {
  Bytes table;
  Bytes strings;

  void add(const std::string& name, unsigned char other) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(strings.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_other = other;
    symbol.st_shndx = 1;
    append(table, symbol);
    append(strings, bytes_of(name));
  }
};

Elf64_Ehdr make_header(std::uint32_t architecture, unsigned char abi) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_ident[EI_ABIVERSION] = abi;
  header.e_machine = 190;
  // Elsewhere in the flags: numbers that a reader must not take for it.
  header.e_flags = abi >= 8 ? 0x06000004U | architecture << 8 : 0x00500500U | architecture;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  return header;
}

Elf64_Shdr make_section(std::uint32_t type, std::size_t offset, std::size_t size) {
  Elf64_Shdr section{};
  section.sh_type = type;
  section.sh_offset = offset;
  section.sh_size = size;
  return section;
}

// The headers of a fatbin, written down a second time: the reader's own would hide its mistakes.
struct FatbinHeader {
  std::uint32_t magic = 0xBA55ED50;
  std::uint16_t version = 1;
  std::uint16_t header_bytes = 16;
  std::uint64_t entry_bytes = 0;
};

struct EntryHeader {
  std::uint16_t kind = 0;
  std::uint16_t version = 0x101;
  std::uint32_t header_bytes = sizeof(EntryHeader);
  std::uint64_t content_bytes = 0;
  std::uint32_t compressed_bytes = 0;
  std::uint32_t options_offset = 0;
  std::uint32_t code_version = 0x00090000;
  std::uint32_t architecture = 0;
  std::uint64_t rest[4] = {};
};
static_assert(sizeof(FatbinHeader) == 16 && sizeof(EntryHeader) == 64);

}  // namespace

Bytes make_cubin(std::uint32_t architecture,
                 const std::vector<std::string>& kernels,
                 unsigned char abi) {
  Symbols symbols;
  symbols.add("helper", 0);
  for (const std::string& kernel : kernels) {
    symbols.add(kernel, 0x10);
  }
  Elf64_Ehdr header = make_header(architecture, abi);
  const std::size_t strings_at = sizeof(header) + symbols.table.size();
  header.e_shoff = strings_at + symbols.strings.size();
  Elf64_Shdr table = make_section(SHT_SYMTAB, sizeof(header), symbols.table.size());
  table.sh_link = 2;

  Bytes bytes;
  append(bytes, header);
  append(bytes, symbols.table);
  append(bytes, symbols.strings);
  append(bytes, Elf64_Shdr{});
  append(bytes, table);
  append(bytes, make_section(SHT_STRTAB, strings_at, symbols.strings.size()));
  return bytes;
}

Bytes make_fatbin(const std::vector<Entry>& entries) {
  Bytes body;
  for (const Entry& entry : entries) {
    EntryHeader header;
    header.kind = entry.kind;
    header.content_bytes = entry.content.size();
    header.compressed_bytes =
        static_cast<std::uint32_t>(entry.compressed ? entry.content.size() : 0);
    header.architecture = entry.architecture;
    append(body, header);
    append(body, entry.content);
  }
  FatbinHeader header;
  header.entry_bytes = body.size();
  Bytes bytes;
  append(bytes, header);
  append(bytes, body);
  return bytes;
}

}  // namespace oriel::emulator::test
