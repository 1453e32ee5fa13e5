"""How much energy GPUs take, by their own counters (NVML, nvmlDeviceGetTotalEnergyConsumption), read by the driver's
library alone. Counters go on every few to a hundred milliseconds, so what is measured should take a second or more."""

import ctypes
import threading
import time

EVERY_S = 0.005


class Meter:
    """Reads the counters of the first `gpus` GPUs while it is open."""

    def __init__(self, gpus):
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.check(self.nvml.nvmlInit_v2())
        self.devices = []
        for number in range(gpus):
            device = ctypes.c_void_p()
            self.check(self.nvml.nvmlDeviceGetHandleByIndex_v2(number, ctypes.byref(device)))
            self.devices.append(device)
        self.read = []  # (s, J of all)
        self.is_open = False

    def check(self, status):
        if status != 0:
            raise OSError(f"NVML says {status}")

    def joules(self):
        total = 0
        for device in self.devices:
            millijoules = ctypes.c_ulonglong()
            self.check(self.nvml.nvmlDeviceGetTotalEnergyConsumption(device, ctypes.byref(millijoules)))
            total += millijoules.value / 1e3
        return total

    def __enter__(self):
        self.is_open, self.read = True, []
        self.thread = threading.Thread(target=self.poll)
        self.thread.start()
        return self

    def poll(self):
        while self.is_open:
            self.read.append((time.monotonic(), self.joules()))
            time.sleep(EVERY_S)

    def __exit__(self, *_):
        self.is_open = False
        self.thread.join()

    def most_in(self, seconds):
        """Joules of the `seconds` in which most were taken: of a run those of its loop, since nothing else that it does
        keeps a GPU as busy."""
        most, begin = 0.0, 0
        for at, joules in self.read:
            while at - self.read[begin][0] > seconds:
                begin += 1
            most = max(most, joules - self.read[begin][1])
        return most


def idle_watts(gpus, seconds=2.0):
    """Of GPUs that do nothing, together."""
    meter = Meter(gpus)
    before = meter.joules()
    time.sleep(seconds)
    return (meter.joules() - before) / seconds
