import tempfile
import unittest
from pathlib import Path

from switchboard import ToolError

from .reading import delimiter_of, read_table, unique_names


class Reading(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def read(self, text: str):
        (self.root / "table.csv").write_text(text, encoding="utf-8")
        return read_table("table.csv", str(self.root))

    def test_short_rows_are_padded_and_long_ones_truncated(self) -> None:
        table = self.read("city;nights\nOslo\nBergen;2;3\n")
        self.assertEqual(table.rows, [["Oslo", ""], ["Bergen", "2"]])

    def test_names_are_unique(self) -> None:
        self.assertEqual(unique_names(["a", "A", "", "b"]), ["a", "column_2", "column_3", "b"])

    def test_the_most_frequent_delimiter_is_used(self) -> None:
        for mark in ",;\t|":
            with self.subTest(mark=mark):
                self.assertEqual(delimiter_of(f"a{mark}b{mark}c\n"), mark)

    def test_paths_outside_of_the_workspace_are_refused(self) -> None:
        with self.assertRaisesRegex(ToolError, "outside of the workspace"):
            read_table("../x.csv", str(self.root))


