"""The file that the launcher runs, with `-I -S`: it finds the package by its own place and hands over.

`start.py HOME AGENT EVENT` is a hook, and with the event `StatusLine` the line below Claude Code's prompt;
`start.py HOME --work` and `--tool-result` are the work that a hook starts; `start.py HOME mcp` is the server of tools.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

if sys.argv[2:3] == ["--work"]:
    sys.dont_write_bytecode = True  # to write it makes folders anew that somebody has just taken away
    from brainproj.worker import work

    work(sys.argv[1])
elif sys.argv[2:3] == ["--tool-result"]:
    sys.dont_write_bytecode = True
    from brainproj.worker import take_tool_result

    take_tool_result(sys.argv[1], sys.stdin.buffer.read())
elif sys.argv[2:3] == ["mcp"]:
    os.environ["BRAINPROJ_HOME"] = sys.argv[1]
    os.execv(sys.executable, [sys.executable, "-I", "-m", "brainproj", *sys.argv[2:]])  # noqa: S606  (with its packages)
elif sys.argv[3:4] == ["StatusLine"]:
    from brainproj.hooks.statusline import run

    run(sys.argv[1:])
else:
    from brainproj.hooks.hook import run

    run(sys.argv[1:])
