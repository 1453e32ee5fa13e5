"""Reads what a run wrote, spikes and reports, with the HDF5 library that hillock itself is linked with, so that h5py
is not needed."""

import array
import ctypes
import pathlib
import re
import subprocess


class Library:
    """What is called of HDF5's C interface."""

    def __init__(self, hillock):
        """hillock: the program. Throws OSError where its library is not found."""
        said = subprocess.run(["ldd", hillock], capture_output=True, text=True).stdout
        found = re.search(r"(libhdf5(?:_serial)?\.so\S*)(?: => (/\S+))?", said)
        self.c = ctypes.CDLL(found[2] or found[1] if found else "libhdf5_serial.so.103")
        # An identifier has 64 bits, or 32 before HDF5 1.10.
        for name in ("H5Fopen", "H5Dopen2", "H5Dget_space"):
            getattr(self.c, name).restype = ctypes.c_int64
        self.c.H5open()
        self.double = ctypes.c_int64.in_dll(self.c, "H5T_NATIVE_DOUBLE_g")
        self.c.H5Eset_auto2(ctypes.c_int64(0), None, None)

    def read(self, path, dataset):
        """(numbers row by row, extents); none where there is no such dataset."""
        file = self.c.H5Fopen(str(path).encode(), ctypes.c_uint(0), ctypes.c_int64(0))
        if file < 0:
            return None
        try:
            data = self.c.H5Dopen2(ctypes.c_int64(file), dataset.encode(), ctypes.c_int64(0))
            if data < 0:
                return None
            try:
                return self._read(ctypes.c_int64(data))
            finally:
                self.c.H5Dclose(ctypes.c_int64(data))
        finally:
            self.c.H5Fclose(ctypes.c_int64(file))

    def _read(self, data):
        space = ctypes.c_int64(self.c.H5Dget_space(data))
        sizes = (ctypes.c_uint64 * 32)()
        rank = self.c.H5Sget_simple_extent_dims(space, sizes, None)
        self.c.H5Sclose(space)
        count = 1
        for size in sizes[:rank]:
            count *= size
        numbers = array.array("d", bytes(8 * count))
        everything = ctypes.c_int64(0)
        into = (ctypes.c_double * count).from_buffer(numbers) if count else None
        if count and self.c.H5Dread(data, self.double, everything, everything, everything, into) < 0:
            raise OSError("HDF5 cannot read what a run wrote")
        return numbers, list(sizes[:rank])


class Outputs:
    """The files of one run."""

    def __init__(self, library, folder):
        self.library, self.folder = library, pathlib.Path(folder)

    def spikes(self, population):
        """{cell: its times in ms}; cells that never spiked are not in it."""
        of = f"spikes/{population}"
        cells = self.library.read(self.folder / "spikes.h5", f"{of}/node_ids")
        times = self.library.read(self.folder / "spikes.h5", f"{of}/timestamps")
        found = {}
        for cell, time in zip(cells[0], times[0]) if cells and times else ():
            found.setdefault(int(cell), []).append(time)
        return found

    def traces(self, report, population):
        """{cell: its samples} of a report with one place a cell."""
        of = f"report/{population}"
        numbers, (rows, columns) = self.library.read(self.folder / f"{report}.h5", f"{of}/data")
        cells, _ = self.library.read(self.folder / f"{report}.h5", f"{of}/mapping/node_ids")
        if len(cells) != columns:
            raise ValueError(f"{report} has {columns} places on {len(cells)} cells")
        return {int(cell): numbers[k::columns] for k, cell in enumerate(cells)}
