#!/usr/bin/env python3
"""Runs programs with collectives on several ranks with mpirun, as users do.

usage: ranks_test.py EYRIE PLUGIN MODULE...

Every kind of collective runs with every element type and reduction, as one
module of assembly for each rank; the compilers' fixtures (MODULE, by release)
run on four ranks and on one, with the same results; and ranks that disagree,
fail or ask for what is not there end with a sentence. Without mpirun it says
so and passes.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import rank_cases

RANKS = 4
SECONDS = 60  # the limit of one run, which usually takes a few seconds

# In a container there is no ssh, and processes may not read each other's
# memory. The test uses more ranks than processors.
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_plm_rsh_agent": "/bin/false",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_orte_tmpdir_base": "/tmp",
}

EYRIE = PLUGIN = ""
MODULES = []


def run_ranks(arguments, ranks=RANKS, plugin=None):
    """Runs the tool on `ranks` ranks; replaces `{rank}` in arguments.

    Returns the exit code and all output.
    """
    command = [EYRIE, "run", f"--collectives={plugin or PLUGIN}", *arguments]
    script = "exec " + " ".join(
        "'" + word.replace("{rank}", "'$OMPI_COMM_WORLD_RANK'") + "'"
        for word in command)
    done = subprocess.run(
        ["mpirun", "-n", str(ranks), "sh", "-c", script],
        env={**os.environ, **MPI_ENVIRONMENT}, timeout=SECONDS,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False)
    return done.returncode, done.stdout


def run_alone(arguments):
    """Runs the tool in one process, without MPI, and returns its output."""
    return subprocess.run([EYRIE, "run", *arguments], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


class Ranks(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def assemble(self, name, text):
        source = self.path / f"{name}.vmasm"
        source.write_text(text)
        target = self.path / f"{name}.vmfb"
        subprocess.run([EYRIE, "asm", source, "-o", target], check=True)
        return target

    def check_cases(self, device, ranks, cases_of):
        """Runs the cases of each process and returns their number."""
        layouts = [rank_cases.Layout(cases_of(process), ranks)
                   for process in range(ranks)]
        for process, layout in enumerate(layouts):
            self.assemble(f"m{process}", layout.module(process))
            (self.path / f"in{process}.bin").write_bytes(layout.sent(process))
        code, text = run_ranks([
            str(self.path / "m{rank}.vmfb"), f"--device={device}",
            f"--input={layouts[0].send_bytes}xi8=@{self.path}/in{{rank}}.bin",
            f"--input={layouts[0].receive_bytes}xi8=0",
            f"--output=@{self.path}/out{{rank}}.bin"], ranks)
        self.assertEqual(code, 0, text)
        for process, layout in enumerate(layouts):
            got = (self.path / f"out{process}.bin").read_bytes()
            for case in layout.cases:
                with self.subTest(process=process, case=case.name):
                    self.assertEqual(layout.received(got, case),
                                     case.wanted(case.rank(process)))
        return len(layouts[0].cases)

    def check_on_devices(self, cases_of, ranks=RANKS):
        for device in ("local-sync", "local-task"):
            with self.subTest(device, ranks=ranks):
                count = self.check_cases(
                    device, ranks, lambda process: cases_of(process, ranks))
                print(f"{count} collectives on {ranks} ranks, {device}")

    def test_every_kind_and_type(self):
        for ranks in (1, 2, RANKS):
            self.check_on_devices(
                lambda _, ranks: rank_cases.all_cases(ranks), ranks)

    # A collective on a channel of one rank completes without the other ranks,
    # whether or not they run, and also between collectives of all ranks.
    def test_groups_of_one(self):
        for ranks in (1, 2, RANKS):
            self.check_on_devices(
                lambda process, _: rank_cases.all_cases(1, process), ranks)

    def test_groups_of_one_among_others(self):
        def mixed(process, ranks):
            pairs = zip(rank_cases.all_cases(ranks),
                        rank_cases.all_cases(1, process))
            return [case for pair in pairs for case in pair]

        for ranks in (2, RANKS):
            self.check_on_devices(mixed, ranks)

    def test_fixtures_as_one_rank(self):
        a = "2x8xf32=1 2 3 4 5 6 7 8 8 7 6 5 4 3 2 1"
        b = "8x2xf32=1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8"
        product = ["--function=matmul", f"--input={a}", f"--input={b}",
                   "--output=-"]
        for index, module in enumerate(MODULES):
            device = ("local-sync", "local-task")[index % 2]
            with self.subTest(module):
                want = run_alone([module, *product])
                code, text = run_ranks(
                    [module, f"--device={device}", *product])
                self.assertEqual(code, 0, text)
                for line in set(want.splitlines()):
                    self.assertEqual(text.count(line),
                                     RANKS * want.count(line), text)

    def test_fixtures_on_four_ranks(self):
        each = {
            "sum": ("4xf32=1 2 3 {rank}", ["4xf32=4 8 12 6"] * RANKS),
            "gather": ("2xf32=5 {rank}", ["8xf32=5 0 5 1 5 2 5 3"] * RANKS),
            "exchange": ("4xi32=1 2 3 {rank}",
                         ["4xi32=1 1 1 1", "4xi32=2 2 2 2", "4xi32=3 3 3 3",
                          "4xi32=0 1 2 3"]),
            "scatter": ("8xf32=1 2 3 4 5 6 7 {rank}",
                        ["2xf32=4 8", "2xf32=12 16", "2xf32=20 24",
                         "2xf32=28 6"]),
            "ring": ("3xi32=7 8 {rank}",
                     ["3xi32=7 8 3", "3xi32=7 8 0", "3xi32=7 8 1",
                      "3xi32=7 8 2"]),
        }
        module = MODULES[-1]
        for function, (given, want) in each.items():
            with self.subTest(function):
                code, text = run_ranks([
                    module, f"--function={function}", f"--input={given}",
                    "--output=-"])
                self.assertEqual(code, 0, text)
                for line in set(want):
                    self.assertEqual(text.count(line), want.count(line), text)

    def failing(self, modules, want, ranks=RANKS, flags=()):
        """Runs a module on each rank and checks the error of one of them."""
        for rank, text in enumerate(modules):
            self.assemble(f"m{rank}", text)
        code, text = run_ranks(
            [str(self.path / "m{rank}.vmfb"), "--device=local-task", *flags],
            ranks)
        self.assertNotEqual(code, 0, text)
        self.assertIn(want, text)

    def test_counts_that_differ(self):
        self.failing(
            [rank_cases.one_collective("all_reduce", "f32", 4 + (rank == 2))
             for rank in range(RANKS)],
            "INVALID_ARGUMENT: Rank 2 runs all-reduce sum of f32 x 5 where "
            "rank 0 runs all-reduce sum of f32 x 4.")

    def test_ranks_that_do_not_exist(self):
        self.failing(
            [rank_cases.one_collective("send", "u8", 4, param=4)] * RANKS,
            "INVALID_ARGUMENT: The target (rank 4) is past the channel's last "
            "rank (3). (send of u8)")

    def test_types_that_are_not_supported(self):
        self.failing(
            [rank_cases.one_collective("all_reduce", "f8E5M2", 4)] * 2,
            "UNIMPLEMENTED: Collectives of f8E5M2 are not supported "
            "(all-reduce).", ranks=2)

    def test_a_rank_that_fails(self):
        healthy = rank_cases.one_collective("all_reduce", "f32", 4)
        self.failing([healthy, healthy, rank_cases.FAILING, healthy],
                     "This rank is unwell")

    def test_waits_that_take_too_long(self):
        self.failing(
            [rank_cases.one_collective("all_reduce", "f32", 4),
             rank_cases.IDLE],
            "DEADLINE_EXCEEDED: ", ranks=2, flags=["--timeout=0.3s"])

    def test_plugins_that_are_not_there(self):
        code, text = run_ranks([MODULES[-1]], ranks=1, plugin="./nowhere.so")
        self.assertNotEqual(code, 0)
        self.assertIn("NOT_FOUND: There is no collectives plug-in "
                      "'./nowhere.so'.", text)


def main():
    global EYRIE, PLUGIN, MODULES
    EYRIE, PLUGIN = (os.path.abspath(path) for path in sys.argv[1:3])
    MODULES = [os.path.abspath(path) for path in sys.argv[3:]]
    if shutil.which("mpirun") is None:
        print("Skipped: there is no mpirun; `./eyrie build mpi` installs it.")
        return
    unittest.main(argv=[sys.argv[0]], verbosity=2)


if __name__ == "__main__":
    main()
