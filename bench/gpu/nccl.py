#!/usr/bin/env python3
"""Question: what would it cost to let NCCL carry spikes from GPU to GPU, beside the pinned memory that carries them now
(docs/decisions/0026)? Needs PyTorch with NCCL, and several GPUs.

    bytes      that a rank gives to all others: 16 a spike, and a header of 32
    NCCL       µs of an all-gather of that, begun and waited for by the host as at an epoch's end
    pinned     µs of the two copies that pinned memory needs instead, device to host and back, of all ranks' bytes"""

import argparse
import os
import statistics
import time

SIZES = [160, 1 << 10, 1 << 13, 1 << 16, 1 << 20, 1 << 23]


def median_us(body, times):
    taken = []
    for _ in range(times):
        before = time.perf_counter()
        body()
        taken.append((time.perf_counter() - before) * 1e6)
    return statistics.median(taken)


def measure(rank, gpus, times):
    import torch
    import torch.distributed

    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl", rank=rank, world_size=gpus, device_id=torch.device("cuda", rank))
    for size in SIZES:
        own = torch.zeros(size, dtype=torch.uint8, device="cuda")
        all_of_them = torch.zeros(size * gpus, dtype=torch.uint8, device="cuda")
        out = torch.zeros(size, dtype=torch.uint8).pin_memory()
        back = torch.zeros(size * gpus, dtype=torch.uint8).pin_memory()

        def gather(own=own, all_of_them=all_of_them):
            torch.distributed.all_gather_into_tensor(all_of_them, own)
            torch.cuda.synchronize()

        def copy(own=own, all_of_them=all_of_them, out=out, back=back):
            out.copy_(own, non_blocking=True)
            torch.cuda.synchronize()
            all_of_them.copy_(back, non_blocking=True)
            torch.cuda.synchronize()

        for body in (gather, copy):
            median_us(body, 20)
        torch.distributed.barrier()
        by_nccl = median_us(gather, times)
        torch.distributed.barrier()
        by_copies = median_us(copy, times)
        if rank == 0:
            print(f"{size:>10}{by_nccl:>10.1f}{by_copies:>10.1f}", flush=True)
    torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--times", type=int, default=200)
    options = parser.parse_args()
    try:
        import torch.multiprocessing
    except ImportError:
        raise SystemExit("PyTorch is needed") from None
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29517")
    print(f"{'bytes':>10}{'NCCL':>10}{'pinned':>10}")
    torch.multiprocessing.spawn(measure, (options.gpus, options.times), options.gpus)


if __name__ == "__main__":
    main()
