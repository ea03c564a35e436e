#include "raw_chain.hpp"

namespace oriel::bench {

RawChain::~RawChain() {
  const cuda::DriverLibrary& driver = raw_->driver();
  if (stream_ != nullptr) {
    driver.stream_synchronize(stream_);
    driver.stream_destroy(stream_);
  }
  if (memory_ != 0) {
    driver.mem_free(memory_);
  }
}

Result<void> RawChain::start() {
  const cuda::DriverLibrary& driver = raw_->driver();
  const std::vector<float> first = chain_.first();
  const std::size_t bytes = first.size() * sizeof(float);
  ORIEL_TRY(raw_->check(driver.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  ORIEL_TRY(raw_->check(driver.mem_alloc(&memory_, bytes), "cuMemAlloc"));
  const auto from = reinterpret_cast<CUdeviceptr>(first.data());
  ORIEL_TRY(raw_->check(driver.memcpy_async(memory_, from, bytes, stream_), "cuMemcpyAsync"));
  return synchronize();
}

Result<void> RawChain::launch_all() {
  for (std::uint64_t node = 0; node < chain_.links; ++node) {
    const auto increment = static_cast<float>(tools::chain_increment(node));
    if (const CUresult code = launch(increment); code != CUDA_SUCCESS) {
      return raw_->check(code, "cuLaunchKernel");
    }
  }
  return {};
}

Result<CUgraphExec> RawChain::capture() {
  const cuda::DriverLibrary& driver = raw_->driver();
  ORIEL_TRY(raw_->check(driver.stream_begin_capture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED),
                        "cuStreamBeginCapture"));
  const auto launched = launch_all();
  CUgraph graph = nullptr;
  const CUresult ended = driver.stream_end_capture(stream_, &graph);
  ORIEL_TRY(launched);
  ORIEL_TRY(raw_->check(ended, "cuStreamEndCapture"));
  CUgraphExec executable = nullptr;
  const CUresult made = driver.graph_instantiate(&executable, graph, 0);
  driver.graph_destroy(graph);
  ORIEL_TRY(raw_->check(made, "cuGraphInstantiateWithFlags"));
  ORIEL_TRY(raw_->check(driver.graph_upload(executable, stream_), "cuGraphUpload"));
  return executable;
}

Result<void> RawChain::synchronize() const {
  return raw_->check(raw_->driver().stream_synchronize(stream_), "cuStreamSynchronize");
}

Result<std::vector<float>> RawChain::read() const {
  std::vector<float> values(chain_.width);
  const auto to = reinterpret_cast<CUdeviceptr>(values.data());
  const std::size_t bytes = values.size() * sizeof(float);
  ORIEL_TRY(raw_->check(raw_->driver().memcpy_async(to, memory_, bytes, stream_), "cuMemcpyAsync"));
  ORIEL_TRY(synchronize());
  return values;
}

Result<std::unique_ptr<Contestant>> RawEager::create(const std::shared_ptr<const RawCuda>& raw,
                                                     const Chain& chain) {
  auto made = std::make_unique<RawEager>(raw, chain);
  ORIEL_TRY(made->chain_.start());
  return made;
}

Result<std::unique_ptr<Contestant>> RawGraph::create(const std::shared_ptr<const RawCuda>& raw,
                                                     const Chain& chain) {
  auto made = std::make_unique<RawGraph>(raw, chain);
  ORIEL_TRY(made->chain_.start());
  auto graph = made->chain_.capture();
  if (!graph) {
    return fail(std::move(graph.error()));
  }
  made->graph_ = *graph;
  return made;
}

RawGraph::~RawGraph() {
  if (graph_ != nullptr) {
    static_cast<void>(chain_.synchronize());
    chain_.raw().driver().graph_exec_destroy(graph_);
  }
}

Result<void> RawGraph::enqueue() {
  return chain_.raw().check(chain_.raw().driver().graph_launch(graph_, chain_.stream()),
                            "cuGraphLaunch");
}

}  // namespace oriel::bench
