"""The tool-info module of fpsolve for BenchExec (https://github.com/sosy-lab/benchexec).

With the folder above on the Python path, benchmarks name it toolinfo.fpsolve.
"""

import benchexec.result as result
from benchexec.tools.template import BaseTool2


class Tool(BaseTool2):
    def name(self):
        return "fpsolve"

    def executable(self, tool_locator):
        return tool_locator.find_executable("fpsolve", subdir="target/release")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="fpsolve")

    def cmdline(self, executable, options, task, rlimits):
        # The algorithm is among the options: <option name="summaries"/>. fpsolve ends by itself at the limits, with
        # the verdict unknown; BenchExec has a little more patience, and ends what does not.
        limits = []
        time = rlimits.walltime or rlimits.cputime
        if time:
            limits += ["--timeout", f"{time}s"]
        if rlimits.memory:
            limits += ["--memory", f"{rlimits.memory}b"]
        return [executable, *options, *limits, *task.input_files_or_identifier]

    def determine_result(self, run):
        verdict = next((line for line in run.output if line.startswith("verdict: ")), "")
        words = verdict.split(maxsplit=2)
        word, reason = (words + ["", "", ""])[1:3]
        if word == "unsafe" and run.exit_code.value == 1:
            return result.RESULT_FALSE_REACH
        if word == "safe" and run.exit_code.value == 0:
            return result.RESULT_TRUE_PROP
        if word == "bounded" and run.exit_code.value == 0:
            return f"{result.RESULT_UNKNOWN} (bounded)"
        if word == "unknown" and run.exit_code.value == 3:
            if reason.startswith("(time limit"):
                return result.RESULT_TIMEOUT
            if reason.startswith("(memory limit"):
                return "OUT OF MEMORY"
            return result.RESULT_UNKNOWN
        if run.exit_code.value == 2:
            return f"{result.RESULT_ERROR} (refused)"
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        # <column title="nodes">nodes at the peak</column>, with --stats among the options
        for line in output:
            for part in line.split(", "):
                if identifier in part:
                    return part.replace(identifier, "").strip()
        return None
