#include "oriel_chain.hpp"

namespace oriel::bench {

OrielChain::OrielChain(const Chain& chain, Stream stream, Kernel link, Buffer<float> x)
    : chain_(chain), stream_(std::move(stream)), link_(std::move(link)), x_(std::move(x)) {
  config_.grid = chain.groups();
  config_.group = chain.group();
}

Result<OrielChain> OrielChain::create(const Runtime& runtime, const Chain& chain) {
  auto stream = runtime.create_stream();
  if (!stream) {
    return fail(std::move(stream.error()));
  }
  auto module = runtime.load(chain_bundle());
  if (!module) {
    return fail(std::move(module.error()));
  }
  auto link = module->kernel("chain_link");
  if (!link) {
    return fail(std::move(link.error()));
  }
  auto x = stream->allocate<float>(chain.width, "x");
  if (!x) {
    return fail(std::move(x.error()));
  }
  OrielChain made(chain, *stream, *link, *x);
  ORIEL_TRY(made.restart());
  return made;
}

Result<void> OrielChain::launch_all() const {
  for (std::uint64_t node = 0; node < chain_.links; ++node) {
    ORIEL_TRY(launch(static_cast<float>(tools::chain_increment(node))));
  }
  return {};
}

Result<Graph> OrielChain::capture() const {
  auto graph = stream_.capture([this](Stream&) { return launch_all(); });
  if (!graph) {
    return fail(std::move(graph.error().error));
  }
  ORIEL_TRY(restart());
  return std::move(*graph);
}

Result<std::unique_ptr<Contestant>> OrielEager::create(const Runtime& runtime, const Chain& chain) {
  auto made = OrielChain::create(runtime, chain);
  if (!made) {
    return fail(std::move(made.error()));
  }
  return std::make_unique<OrielEager>(std::move(*made));
}

Result<std::unique_ptr<Contestant>> OrielGraph::create(const Runtime& runtime, const Chain& chain) {
  auto made = OrielChain::create(runtime, chain);
  if (!made) {
    return fail(std::move(made.error()));
  }
  auto graph = made->capture();
  if (!graph) {
    return fail(std::move(graph.error()));
  }
  return std::make_unique<OrielGraph>(std::move(*made), std::move(*graph));
}

}  // namespace oriel::bench
