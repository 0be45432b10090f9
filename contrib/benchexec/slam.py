"""The tool-info module of slam for BenchExec."""

import benchexec.result as result
import benchexec.tools.template

DATA_MODELS = {"ILP32": "ILP32", "LP64": "LP64"}


class Tool(benchexec.tools.template.BaseTool2):
    """slam checks C programs by predicate abstraction and refinement."""

    REQUIRED_PATHS = ["bin", "lib"]

    def executable(self, tool_locator):
        return tool_locator.find_executable("slam", subdir="bin")

    def name(self):
        return "slam"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="slam")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "check", "--stats", *options]
        if task.property_file:
            command += ["--property", task.property_file]
        if task.options and task.options.get("language", "C") != "C":
            raise benchexec.tools.template.UnsupportedFeatureException("slam checks C programs only")
        model = (task.options or {}).get("data_model")
        if model:
            if model not in DATA_MODELS:
                raise benchexec.tools.template.UnsupportedFeatureException(f"data model {model}")
            command += ["--data-model", DATA_MODELS[model]]
        # The tool ends by itself a little before it is ended.
        if rlimits.cputime and "--time-limit" not in options:
            command += ["--time-limit", f"{max(1, int(rlimits.cputime * 0.95))}s"]
        if rlimits.memory and "--memory-limit" not in options:
            command += ["--memory-limit", f"{int(rlimits.memory * 0.95)}B"]
        return [*command, *task.input_files_or_identifier]

    def determine_result(self, run):
        """The verdict line is the last; reasons of UNKNOWN are a column (get_value_from_output)."""
        last = run.output[-1].strip() if run.output else ""
        verdict = last.removeprefix("VERDICT: ") if last.startswith("VERDICT: ") else None
        if verdict is None:
            return result.RESULT_ERROR
        word = verdict.split("(")[0].split(" ")[0]
        if word == "SAFE":
            # Under assumptions that the user made, nothing is known of the program as it stands.
            return result.RESULT_UNKNOWN if verdict.startswith("SAFE(") else result.RESULT_TRUE_PROP
        if word == "UNSAFE":
            kind = verdict.removeprefix("UNSAFE(").split(")")[0].split(":")[0]
            return {
                "reach": result.RESULT_FALSE_REACH,
                "overflow": result.RESULT_FALSE_OVERFLOW,
                "null": result.RESULT_FALSE_DEREF,
                "bounds": result.RESULT_FALSE_DEREF,
                "free": result.RESULT_FALSE_FREE,
                "leak": result.RESULT_FALSE_MEMCLEANUP
                if any("memcleanup" in word for word in run.cmdline)
                else result.RESULT_FALSE_MEMTRACK,
            }.get(kind, f"{result.RESULT_FALSE_PROP}({kind})")
        if word == "UNKNOWN":
            return result.RESULT_UNKNOWN
        return f"{result.RESULT_ERROR}({verdict.removeprefix('ERROR(').rstrip(')')})"

    def get_value_from_output(self, output, identifier):
        """`reason`: why a verdict is UNKNOWN; else the statistic of this name."""
        for line in reversed(list(output)):
            line = line.strip()
            if identifier == "reason" and line.startswith("VERDICT: UNKNOWN("):
                return line.removeprefix("VERDICT: UNKNOWN(").rstrip(")")
            if line.startswith(f"STAT {identifier}: "):
                return line.split(": ", 1)[1]
        return None
