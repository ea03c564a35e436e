#!/usr/bin/env python3
"""The benchmark's chain as a CUDA graph of PyTorch's: prints lines of "<links> <microseconds a step>".

A link is one in-place operation on 1024 floats, which is one small kernel, as chain_link is. The lines are what
`oriel_bench_cuda --torch FILE` reads. Exit status 3: PyTorch or a CUDA device is missing.
"""

import statistics
import sys
import time

WIDTH = 1024
LINKS = (10, 150, 1000)
ROUNDS = 21
BLOCK_SECONDS = 0.015


def step(x, links):
    for link in range(links):
        x.add_(float(link % 1009 + 1))


def capture(torch, x, links):
    """The step as a graph, after a warm-up on a stream of its own, as PyTorch's documentation asks for."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(x, links)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(x, links)
    return graph


def check(x, graph, links):
    """One replay must add what the links add: sums of this size are exact in floats."""
    x.zero_()
    graph.replay()
    expected = float(sum(link % 1009 + 1 for link in range(links)))
    if not bool((x == expected).all()):
        sys.exit(f"torch_chain.py: a graph of {links} links computed wrongly")


def seconds_of_block(torch, graph, steps):
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(steps):
        graph.replay()
    torch.cuda.synchronize()
    return time.perf_counter() - began


def measure(torch, graph):
    """The median over the rounds, seconds a step; a block is as many steps as take about BLOCK_SECONDS."""
    steps = 1
    while (took := seconds_of_block(torch, graph, steps)) < BLOCK_SECONDS / 2:
        steps *= 2
    steps = max(1, int(steps * BLOCK_SECONDS / took))
    return statistics.median(seconds_of_block(torch, graph, steps) / steps for _ in range(ROUNDS))


def main():
    try:
        import torch
    except ImportError:
        print("torch_chain.py: this Python has no PyTorch", file=sys.stderr)
        return 3
    if not torch.cuda.is_available():
        print("torch_chain.py: PyTorch finds no CUDA device", file=sys.stderr)
        return 3
    for links in LINKS:
        x = torch.zeros(WIDTH, device="cuda")
        graph = capture(torch, x, links)
        check(x, graph, links)
        print(f"{links} {measure(torch, graph) * 1e6:.3f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
