"""A plugin outside the tree: the example against the installed package with two compilers, the page's own example, and a frozen header."""
import os, re, shutil, subprocess, unittest

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Outside(harness.Diag):
    def run_or_fail(self, *argv, **kw):
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, **kw)
        self.assertEqual(done.returncode, 0, f"{' '.join(argv)}\n{done.stdout}")

    def build_example(self, compiler, source=f"{ROOT}/examples/plugin"):
        if shutil.which(compiler) is None:
            self.skipTest(f"{compiler} is not installed")
        build = f"{self.folder}/build"
        self.run_or_fail("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={harness.PREFIX}",
                         f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        self.run_or_fail("cmake", "--build", build)
        self.run_or_fail("ctest", "--test-dir", build, "--output-on-failure")
        return build

    def loads_and_answers(self, plugins):
        tree = f"{ROOT}/examples/plugin/trees/reserved-512"
        for pages, status in ((512, 0), (513, 2)):
            done = self.diag("check", "hugepages.reserved", f"pages={pages}", "--plugins", plugins, "--root", tree)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn("512, 500 free", self.diag("look", "--plugins", plugins, "--root", tree).stdout)
        symbols = subprocess.run(["nm", "-D", "--defined-only", f"{plugins}/hugepages.so"], stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual([line.split()[-1] for line in symbols.splitlines()], ["diag_plugin_v1"], "one symbol leaves the shared object")

    def test_the_installed_copy_of_the_example_built_by_gcc(self):
        """Who installed a package has no checkout."""
        copy = f"{self.folder}/copy"
        shutil.copytree(f"{harness.PREFIX}/share/doc/diag/examples/plugin", copy)
        self.loads_and_answers(self.build_example("g++", copy))

    def test_the_example_built_by_clang(self):
        self.loads_and_answers(self.build_example("clang++"))

    def test_pages_and_licence_are_installed(self):
        there = f"{harness.PREFIX}/share/doc/diag"
        for name in ("LICENSE", "README.md", *(f"docs/{page}" for page in os.listdir(f"{ROOT}/docs"))):
            with open(f"{ROOT}/{name}") as own, open(f"{there}/{name}") as installed:
                self.assertEqual(own.read(), installed.read(), name)
        with open(f"{there}/README.md") as f:
            for link in re.findall(r"\]\(([^):#]+)\)", f.read()):
                self.assertTrue(os.path.exists(f"{there}/{link}"), f"README.md points to {link}")

    def test_headers_that_are_installed_compile_and_are_the_probes_and_what_they_include(self):
        headers = f"{harness.PREFIX}/include/diag-probe"
        probes = sorted(os.listdir(f"{headers}/probe"))
        self.assertEqual([name for name in probes if name.startswith("testing_")], [])
        included = set()
        for name in probes:
            with open(f"{headers}/probe/{name}") as f:
                included |= set(re.findall(r'#include "base/(.*?)"', f.read()))
        self.assertEqual(set(os.listdir(f"{headers}/base")), included, "the host's own headers are nobody's interface")
        source = self.write("all.cpp", "".join(f"#include <probe/{name}>\n" for name in probes))
        libnl = subprocess.run(["pkg-config", "--cflags", "libnl-3.0", "libnl-route-3.0"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.run_or_fail("g++", "-std=c++20", "-fsyntax-only", "-I", headers, "-I", f"{harness.PREFIX}/include", *libnl.split(), source)

    def test_the_page_for_authors_compiles_as_it_stands(self):
        with open(f"{ROOT}/docs/writing-a-plugin.md") as f:
            page = f.read()
        source = re.search(r"`disk.cpp`:\n\n```cpp\n(.*?)```", page, re.S)[1]
        command = re.search(r"```\n(g\+\+ .*?)```", page, re.S)[1].replace("\\\n", " ").replace("PREFIX", harness.PREFIX)
        self.write("disk.cpp", source)
        self.run_or_fail(*command.split(), cwd=self.folder)
        done = self.diag("check", "disk.space", "path=/", "free=0", "--plugins", self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("du -xh", self.diag("explain", "disk.full", "--plugins", self.folder).stdout)

    def test_an_older_standard_is_named_before_anything_else(self):
        self.write("old.cpp", "#include <diag/plugin.hpp>\n")
        done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-I", f"{harness.PREFIX}/include", f"{self.folder}/old.cpp"],
                              stderr=subprocess.PIPE, text=True)
        self.assertIn("needs C++20", re.search(r"error: .*", done.stderr)[0])

    def test_the_probes_link_without_cmake_as_the_page_says(self):
        with open(f"{ROOT}/docs/writing-a-plugin.md") as f:
            command = re.findall(r"```\n(g\+\+ .*?)```", f.read(), re.S)[1].replace("PREFIX", harness.PREFIX)
        self.assertIn("libdiag_probe.a", command)
        shutil.copy(f"{ROOT}/examples/plugin/hugepages.cpp", self.folder)
        self.run_or_fail("sh", "-c", command, cwd=self.folder)
        self.loads_and_answers(self.folder)


class Frozen(harness.Diag):
    """Built from the header as it was when the first plugin outside the tree existed; it must load for ever."""
    PLUGINS = f"{harness.PREFIX}/tests/plugins/frozen"

    def test_a_plugin_of_an_old_header_loads_answers_and_looks(self):
        for word, status in (("good", 0), ("bad", 2)):
            self.assertEqual(self.diag("check", "frozen.word", f"word={word}", "--plugins", self.PLUGINS).returncode, status)
        self.assertIn("frozen.other", self.diag("explain", "frozen.word", "--plugins", self.PLUGINS).stdout)
        self.assertIn("since 0.1", self.diag("look", "--plugins", self.PLUGINS).stdout)


if __name__ == "__main__":
    harness.main()
