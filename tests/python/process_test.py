"""The package in its process: signals, threads, memory, and what importing it brings in."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import hillock
from models import RING, cell


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Process(unittest.TestCase):
    def interrupted(self, model):
        """How long a run goes on after Ctrl-C, in s."""
        sent = []

        def send():
            time.sleep(0.5)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=send)
        thread.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                hillock.run(model, backend="cpu")
        finally:
            thread.join()
        return time.monotonic() - sent[0]

    def test_a_run_is_interrupted(self):
        self.assertLess(self.interrupted(cell("100000 s", record=[])), 30)
        self.assertEqual(len(hillock.run(cell("1 ms"), backend="cpu")["v"].data), 10)

    def test_building_is_interrupted(self):
        model = {"hillock": 1, "run": {"duration": "1 s"}, "cells": {"p": {"izhikevich": {}}},
                 "populations": {"a": {"cell": "p", "size": 300000}},
                 "projections": [{"from": "a", "to": "a", "connect": {"fixed_indegree": {"number": 2000}},
                                  "weight": {"normal": {"mean": 1, "sd": 0.1}}, "delay": "1 ms"}]}
        self.assertLess(self.interrupted(model), 30)

    def test_an_interrupted_run_leaves_its_files(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                hillock.run(cell("1000 s"), backend="cpu", output=folder + "/out")
            results = hillock.open(folder + "/out")
            self.assertEqual(results.status, "interrupted")
            self.assertGreater(len(results["v"].data), 100)

    def test_signal_handlers_stay(self):
        def own(*_):
            pass

        before = {number: signal.signal(number, own) for number in (signal.SIGTERM, signal.SIGUSR1)}
        interrupt = signal.getsignal(signal.SIGINT)
        hillock.run(cell("1 ms"), backend="cpu")
        self.assertIs(signal.getsignal(signal.SIGINT), interrupt)
        for number, handler in before.items():
            self.assertIs(signal.signal(number, handler), own)
        # Those that Python does not know of either.
        with open("/proc/self/status", encoding="ascii") as file:
            caught = next(line for line in file if line.startswith("SigCgt"))
        self.assertEqual(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1, 0)

    def test_other_threads_go_on(self):
        turns, over = [0], threading.Event()

        def count():
            while not over.is_set():
                turns[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        hillock.run(RING, backend="cpu")
        over.set()
        thread.join()
        self.assertGreater(turns[0], 10)

    def test_a_thousand_runs_take_no_more_memory_than_a_hundred(self):
        model = hillock.load(cell("2 ms"))
        after_hundred = 0
        for number in range(1000):
            hillock.run(model, backend="cpu", threads=1)
            if number == 100:
                after_hundred = resident_bytes()
        self.assertLess(resident_bytes() - after_hundred, 1e6)

    def test_figures_and_files_are_imported_when_they_are_wanted(self):
        code = ("import sys, hillock; "
                "print([name for name in ('matplotlib', 'pandas', 'h5py', 'scipy') if name in sys.modules])")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "[]")


if __name__ == "__main__":
    unittest.main()
