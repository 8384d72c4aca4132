import unittest

from .compare_texts import run


class CompareTexts(unittest.TestCase):
    def test_reports_added_and_removed_lines(self) -> None:
        found = run("a\nb", "a\nc", around=0)
        self.assertEqual((found.same, found.added, found.removed), (False, 1, 1))

    def test_equal_texts_are_the_same(self) -> None:
        found = run("a b", "a b", unit="words")
        self.assertEqual((found.same, found.similarity, found.diff), (True, 1.0, ""))

    def test_around_is_limited(self) -> None:
        with self.assertRaisesRegex(ValueError, "from 0 to 100"):
            run("a", "b", around=101)
