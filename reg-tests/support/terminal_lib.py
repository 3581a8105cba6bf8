# SPDX-License-Identifier: BSD-2-Clause
"""What a program says to a terminal of some width."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios


def on_terminal(words, width, only_stderr=False):
    """All that it says until it ends; with only_stderr stdout is none."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    run = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=other, env=env,
                           stdout=subprocess.DEVNULL if only_stderr else other)
    os.close(other)
    said = b""
    try:
        while piece := os.read(main, 65536):
            said += piece
    except OSError:  # nobody has it open any more
        pass
    run.wait()
    os.close(main)
    return said.decode().replace("\r\n", "\n")


def plain(text):
    """Without colours."""
    return re.sub("\033\\[[0-9;]*m", "", text)
