"""Runs the real command: FPSOLVE names it, or it is on the PATH."""

import unittest
from pathlib import Path

import fpsolve

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
REACH = """
    param first in 0..9 = 0;
    range Node = 0..9;
    input edge(x, y: Node);
    mu Reach(x: Node) = x = first | exists w. Reach(w) & edge(w, x);
    query Reached(x: Node) = Reach(x);
    query Far = Reach(9);
    verdict unsafe "9 is reached" if Far;
    verdict safe "9 is not reached";
"""


class Runs(unittest.TestCase):
    def test_equations_with_facts_from_lists(self):
        result = fpsolve.solve(REACH, facts={"edge": [(0, 1), (1, 2), (5, 9)]})
        self.assertEqual((result.verdict, result.message, result.exit), ("safe", "9 is not reached", 0))
        self.assertEqual(result["Reached"].tuples, [(0,), (1,), (2,)])
        self.assertEqual((result["Reached"].count, result["Far"].holds), (3, False))
        result = fpsolve.solve(REACH, facts={"edge": [(0, 1), (5, 9)]}, first=5)
        self.assertEqual((result.verdict, result.exit, result.params), ("unsafe", 1, {"first": 5}))

    def test_more_tuples_than_are_listed_by_default(self):
        text = "range N = 0..99; query All(x: N) = x = x;"
        self.assertEqual(fpsolve.solve(text)["All"].tuples, [(n,) for n in range(100)])

    def test_symbols_and_folders(self):
        result = fpsolve.run(EXAMPLES / "calculus/andersen.fp", facts=EXAMPLES / "calculus/facts/andersen")
        self.assertEqual(result["PointsTo"].count, 9)
        text = 'symbol Name; input knows(x, y: Name); query Who(x: Name) = knows("Ada L.", x);'
        result = fpsolve.solve(text, facts={"knows": [("Ada L.", "Charles B."), ("Charles B.", "Ada L.")]})
        self.assertEqual(result["Who"].tuples, [("Charles B.",)])
        with self.assertRaises(ValueError):
            fpsolve.solve(text, facts={"knows": [("a\tb", "c")]})

    def test_an_algorithm_on_a_program_with_a_trace(self):
        program = EXAMPLES / "programs/double_fetch.bp"
        result = fpsolve.run("summaries", program, trace=True)
        self.assertEqual(result.verdict, "unsafe")
        self.assertEqual(result.trace.threads, ["main"])
        self.assertEqual(result.trace.error["line"], 14)
        self.assertIn("assert(!too_large); fails", str(result.trace))
        self.assertIn("<table>", result._repr_html_())

    def test_a_program_alone(self):
        result = fpsolve.run(EXAMPLES / "programs/double_fetch.bp")
        self.assertEqual((result.verdict, result.exit), ("unsafe", 1))
        self.assertIn("double_fetch.bp:14", result.message)

    def test_mistakes_have_places(self):
        with self.assertRaises(fpsolve.Mistake) as caught:
            fpsolve.solve("range N = 0..3; query Q(x: N) = Reach(x);")
        self.assertEqual(caught.exception.diagnostics[0]["line"], 1)
        self.assertIn("Reach", str(caught.exception))
        with self.assertRaises(fpsolve.Mistake):
            fpsolve.run("summaries", EXAMPLES / "programs/double_fetch.bp", contexts=2)

    def test_a_limit_is_an_answer(self):
        result = fpsolve.run("interleaving", EXAMPLES / "concurrent/anderson.bp", arguments=["--max-nodes", "2000", "--reorder", "off"])
        self.assertEqual((result.verdict, result.exit), ("unknown", 3))
        self.assertIn("node", result.reason)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        edges = pandas.DataFrame([(0, 1), (1, 2)], columns=["x", "y"])
        frame = fpsolve.solve(REACH, facts={"edge": edges})["Reached"].frame()
        self.assertEqual(list(frame.columns), ["x"])
        self.assertEqual(frame["x"].tolist(), [0, 1, 2])


if __name__ == "__main__":
    unittest.main()
