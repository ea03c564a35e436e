#include "runtime_submit.hpp"
#include "text.hpp"

#include <cstring>
#include <utility>

/// Launches: shape and arguments checked against the kernel's signature, info bytes staged.

namespace oriel::core {
namespace {

std::string_view name_of(ElementType type) noexcept {
  static constexpr std::string_view kNames[] = {"int8",
                                                "uint8",
                                                "int16",
                                                "uint16",
                                                "int32",
                                                "uint32",
                                                "int64",
                                                "uint64",
                                                "float32",
                                                "float64",
                                                "bytes"};
  return kNames[static_cast<int>(type)];
}

std::string describe(ParameterKind kind, ElementType type, std::size_t bytes) {
  std::string text = kind == ParameterKind::kBuffer ? "a buffer of " : "a scalar of ";
  text += name_of(type);
  return type == ElementType::kBytes ? text + "[" + std::to_string(bytes) + "]" : text;
}

Error bad_argument(const KernelSignature& signature, std::size_t index, const std::string& what) {
  return {ErrorCode::kInvalidArgument,
          "argument " + std::to_string(index) + " (" + in_quotes(signature.parameters[index].name) +
              ") of kernel " + in_quotes(signature.name) + " " + what};
}

Error bad_count(const KernelSignature& signature, std::size_t given) {
  return {ErrorCode::kInvalidArgument,
          "kernel " + in_quotes(signature.name) + " takes " +
              std::to_string(signature.parameters.size()) + " argument(s), not " +
              std::to_string(given)};
}

/// Kind, type and access of one argument against its parameter.
Result<void> check_argument(const KernelSignature& signature,
                            std::size_t index,
                            const Argument& argument) {
  const KernelParameter& parameter = signature.parameters[index];
  const bool is_scalar = argument.kind == Argument::Kind::kScalar;
  const bool wants_scalar = parameter.kind == ParameterKind::kScalar;
  if (is_scalar != wants_scalar || argument.type != parameter.type ||
      argument.bytes_of_element() != parameter.bytes) {
    const ParameterKind kind = is_scalar ? ParameterKind::kScalar : ParameterKind::kBuffer;
    return fail(
        bad_argument(signature,
                     index,
                     "must be " + describe(parameter.kind, parameter.type, parameter.bytes) +
                         ", not " + describe(kind, argument.type, argument.bytes_of_element())));
  }
  if (!is_scalar && parameter.writable != writes(argument.access)) {
    return fail(bad_argument(signature,
                             index,
                             parameter.writable ? "is written by the kernel: pass out() or inout()"
                                                : "is only read by the kernel: pass in()"));
  }
  const bool is_buffer = argument.kind == Argument::Kind::kBuffer;
  if (is_buffer ? argument.buffer == nullptr : argument.data == nullptr && argument.bytes != 0) {
    return fail(
        bad_argument(signature, index, is_buffer ? "points to no buffer" : "points to no bytes"));
  }
  return {};
}

}  // namespace

Result<void> Runtime::check_launch(const KernelSignature& signature,
                                   const LaunchConfig& config) const {
  const Capabilities& can = capabilities();
  if (signature.uses_double && !can.double_precision) {
    return fail(ErrorCode::kUnsupported,
                "kernel " + in_quotes(signature.name) + " computes in double precision, which " +
                    info().name + " doesn't");
  }
  const auto fits = [](Dim3 size, Dim3 most) {
    return size.x > 0 && size.y > 0 && size.z > 0 && size.x <= most.x && size.y <= most.y &&
           size.z <= most.z;
  };
  const auto text = [](Dim3 size) {
    return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
  };
  if (!fits(config.grid, can.max_grid)) {
    return fail(
        ErrorCode::kInvalidArgument,
        "the grid of " + text(config.grid) + " groups is outside 1 to " + text(can.max_grid));
  }
  const std::uint64_t items = std::uint64_t{config.group.x} * config.group.y * config.group.z;
  if (!fits(config.group, can.max_group) || items > can.max_group_items) {
    return fail(ErrorCode::kInvalidArgument,
                "the group of " + text(config.group) + " items is outside 1 to " +
                    text(can.max_group) + ", or more than " + std::to_string(can.max_group_items) +
                    " in all");
  }
  return {};
}

Result<void> Runtime::check_scratch(const Route& route,
                                    const DriverKernel& kernel,
                                    const KernelSignature& signature) {
  const std::size_t needed = kernel.scratch_bytes();
  if (needed <= device_.scratch_bytes) {
    return {};
  }
  if (route.recording()) {
    return fail(ErrorCode::kNotPermitted,
                "kernel " + in_quotes(signature.name) + " needs " + std::to_string(needed) +
                    " bytes of scratch memory, more than any launched before; launch it in the "
                    "warm-up");
  }
  device_.scratch_bytes = needed;
  return {};
}

Result<void> Runtime::launch(StreamId id,
                             const ModuleState& module,
                             std::size_t kernel,
                             const LaunchConfig& config,
                             std::span<const Argument> arguments) {
  Lock lock(device_);
  auto route = route_work(id, "launch", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  if (module.runtime.get() != this) {
    return spoil(
        *route, config.label, {ErrorCode::kInvalidState, "the kernel belongs to another runtime"});
  }
  LoadedModule& loaded = *module.loaded;
  const KernelSignature& signature = loaded.bundle.kernels[kernel];
  const std::string_view label = config.label.empty() ? signature.name : config.label;
  DriverKernel& code = *loaded.driver->kernel(kernel);
  ResolvedArguments resolved;
  auto ready = check_launch(signature, config);
  if (ready) {
    ready = check_scratch(*route, code, signature);
  }
  if (ready) {
    ready = resolve(*route, signature, arguments, resolved);
  }
  if (!ready) {
    return spoil(*route, label, std::move(ready.error()));
  }
  const LaunchCommand command{&code,
                              &signature,
                              config.grid,
                              config.group,
                              std::span(resolved.values.data(), resolved.count)};
  const std::span<const std::uint32_t> sizes(resolved.sizes.data(), resolved.count);
  auto done = submit(*route,
                     label,
                     std::span(resolved.uses.data(), resolved.use_count),
                     command,
                     resolved.size(),
                     [&](Recording& recording, const NodeOrigin& origin) {
                       return recording.append(origin, command, sizes);
                     });
  if (done) {
    keep_module(*route, module.loaded);
  }
  return done;
}

/// The code stays until the stream is past the launch, or as long as the graph.
void Runtime::keep_module(const Route& route, const std::shared_ptr<LoadedModule>& module) {
  if (!route.recording()) {
    module->streams |= lane_bit(route.stream->slot());
  }
  // Listed in the warm-up too, where the list gets its room.
  if (route.window != nullptr && module->stamp != route.window->serial()) {
    module->stamp = route.window->serial();
    route.window->modules().push_back(module);
  }
}

Result<void> Runtime::resolve(const Route& route,
                              const KernelSignature& signature,
                              std::span<const Argument> arguments,
                              ResolvedArguments& resolved) {
  if (arguments.size() != signature.parameters.size()) {
    return fail(bad_count(signature, arguments.size()));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    ORIEL_TRY(check_argument(signature, i, argument));
    switch (argument.kind) {
      case Argument::Kind::kScalar:
        // Drivers take pointers to mutable bytes by habit and only read them.
        resolved.values[i] = const_cast<void*>(argument.data);
        resolved.sizes[i] = static_cast<std::uint32_t>(argument.bytes);
        break;
      case Argument::Kind::kBuffer:
        if (auto good = check_slice(*argument.buffer, "buffer"); !good) {
          Error error = bad_argument(signature, i, "can't be used: " + good.error().message);
          error.code = good.error().code;
          return fail(std::move(error));
        }
        resolved.add(i,
                     {argument.buffer->slice(),
                      argument.buffer->offset(),
                      argument.buffer->bytes(),
                      argument.access});
        break;
      case Argument::Kind::kInfo: {
        auto staged = stage_info(route, {static_cast<const char*>(argument.data), argument.bytes});
        if (!staged) {
          return fail(std::move(staged.error()));
        }
        resolved.add(i, {staged->get(), 0, argument.bytes, Access::kRead});
        resolved.infos[i] = std::move(*staged);
        break;
      }
    }
  }
  resolved.count = arguments.size();
  return {};
}

void ResolvedArguments::add(std::size_t index, const Use& use) noexcept {
  addresses[index] = use.slice->address + use.offset;
  values[index] = &addresses[index];
  sizes[index] = sizeof(std::uint64_t);
  uses[use_count++] = use;
}

Recording::Size ResolvedArguments::size() const noexcept {
  Recording::Size size;
  size.values = count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t cells =
        (sizes[i] + Recording::kValueAlignment - 1) / Recording::kValueAlignment;
    size.value_bytes += cells * Recording::kValueAlignment;
  }
  return size;
}

/// The device's copy of these bytes: the cache's, or a new one through the pinned pool.
Result<SliceRef> Runtime::stage_info(const Route& route, std::string_view bytes) {
  const unsigned lane = route.stream->slot();
  DeviceStream& home =
      route.window == nullptr ? *route.stream : *device_.stream(route.window->lanes().origin());
  InfoCache::Entry* entry = home.infos.find(bytes);
  if (entry != nullptr && (entry->lane == InfoCache::kNoLane || entry->lane == lane)) {
    return entry->slice;
  }
  if (entry != nullptr && !route.recording()) {
    // Another lane of the warm-up put it there just now.
    if (DeviceStream* source = device_.stream(entry->lane)) {
      ORIEL_TRY(device_.order_after(*route.stream, *source));
    }
    return entry->slice;
  }
  if (route.recording()) {
    if (SliceRef local = home.infos.find_local(bytes, lane)) {
      return local;
    }
  }
  auto slice = allocate_on(route, MemoryKind::kDevice, bytes.size());
  if (!slice) {
    return fail(std::move(slice.error()));
  }
  SliceRef fresh = SliceRef::adopt(**slice);
  if (bytes.empty()) {
    return fresh;
  }
  auto staging = stage(route, std::as_bytes(std::span(bytes)));
  if (!staging) {
    return fail(std::move(staging.error()));
  }
  ORIEL_TRY(copy_on(route,
                    Use{fresh.get(), 0, bytes.size(), Access::kWrite},
                    Use{staging->get(), 0, bytes.size(), Access::kRead},
                    "info"));
  if (route.recording()) {
    home.infos.insert_local(bytes, fresh, lane);
  } else {
    home.infos.insert(bytes, fresh, lane);
  }
  return fresh;
}

}  // namespace oriel::core
