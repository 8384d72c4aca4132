"""Runs the tests of a Python extension: `python3 -I -B -X utf8 run_python_tests.py <folder of authors' modules> <folder> <stem>…`.

The folder is a package below a package for all extensions, as in the process of the extension: `from .extension import …` and
`from .._shared import …` work, and a folder with the name of a Python module does not shadow it.
"""

import importlib
import os
import sys
import types
import unittest

ROOT = "extensions_under_test"


def main() -> int:
    modules, folder, *stems = sys.argv[1:]
    sys.path.insert(0, modules)
    import switchboard  # noqa: F401  what `from switchboard import …` gives to extensions

    sys.path.remove(modules)
    # For `import helper` beside the entry; after the modules of Python itself.
    sys.path.append(folder)
    root = types.ModuleType(ROOT)
    root.__path__ = [os.path.dirname(folder)]
    sys.modules[ROOT] = root
    package = f"{ROOT}.{os.path.basename(folder)}"

    os.chdir(folder)
    suite = unittest.TestSuite()
    for stem in stems:
        suite.addTests(load(package, stem))
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if result.testsRun == 0:
        print("These files hold no test: a test is a method test_… of a class of unittest.TestCase.", file=sys.stderr)
        return 1
    return 0 if result.wasSuccessful() else 1


def load(package: str, stem: str) -> unittest.TestSuite:
    """A module that cannot be imported is a failing test, with its traceback."""
    try:
        module = importlib.import_module(f"{package}.{stem}")
    except Exception as error:
        reason = error

        def fail(_: unittest.TestCase) -> None:
            raise reason

        case = type("Import", (unittest.TestCase,), {"runTest": fail, "__doc__": f"import of {stem}.py"})
        return unittest.TestSuite([case()])
    return unittest.defaultTestLoader.loadTestsFromModule(module)


sys.exit(main())
