#!/usr/bin/env python3
"""Cuts the power right after a server has answered, and looks at what is left.

    cut.py CUSTOS [ROUNDS]

What "the server" has said to be kept must be there after a power cut. The machine that runs this stays on; the file system under the
server does not: it is one of its own, in a file, and what has got into that file by the time of the answer is what a disk would have. The
server is stopped at its answer, the file is copied, and the copy is mounted in its place, as after a start of the machine: with the file
system's journal to be replayed, and another number of this run of the machine.

Each round is looked at twice: with the pledge, where all has to be there, and without it, as a server without one would leave it. If that
never loses anything, the test shows nothing, and fails.

Linux, root, mkfs.ext4, and a loop device are needed; without them it says so, and exits with 77.
"""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUN = "/proc/sys/kernel/random/boot_id"
PLEDGE = ".ai/local/pledge"


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def main():
    program, rounds = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 6
    work = Path(tempfile.mkdtemp(prefix="custos-power-"))
    disk, place = work / "disk", work / "place"
    lost_without, broken = 0, []
    try:
        prepare(disk, place)
        project = place / "project"
        (project / ".git").mkdir(parents=True)
        (project / ".git/HEAD").write_text("ref: refs/heads/main\n")
        first = Server(program, place)
        first.call("finalize_close", close(1_000, 1))
        first.end()
        for number in range(rounds):
            lost, told = cut(program, disk, place, work, number)
            lost_without += lost
            broken += told
    finally:
        subprocess.run(["umount", place], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(work, ignore_errors=True)
    print(f"{rounds} power cuts: {lost_without} files would have been lost without a pledge, {len(broken)} were lost with it")
    for told in broken:
        print(f"  {told}")
    if not lost_without:
        print("  nothing would have been lost in any case, so that this shows nothing")
    sys.exit(1 if broken or not lost_without else 0)


def prepare(disk, place):
    """Makes a file system in a file, and mounts it where nobody else sees it."""
    try:
        new_mounts = 0x00020000
        if ctypes.CDLL(None, use_errno=True).unshare(new_mounts):
            raise OSError(ctypes.get_errno(), "no mounts of its own")
        run("mount", "--make-rprivate", "/")
        place.mkdir()
        with open(disk, "wb") as file:
            file.truncate(64 << 20)
        run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", disk)
        mount(disk, place)
    except (OSError, AttributeError, subprocess.CalledProcessError) as error:
        print(f"cut.py: {error}", file=sys.stderr)
        sys.exit(77)


def mount(disk, place):
    # What is not asked for by name is written as late as can be.
    run("mount", "-o", "loop,commit=60", disk, place)


def cut(program, disk, place, work, number):
    """Lets a server answer, cuts the power, and gives how many files that costs without a pledge, and what is wrong with it."""
    project, copies = place / "project", [work / "with", work / "without"]
    server = Server(program, place)
    # A moment for the room that the pledge needs, as any client gives it.
    server.ask("tools/list", {})
    time.sleep(0.3)
    answers = []
    if number % 2:
        answers.append(server.call("save_decision", decision(f"Use tool {number}")))
        answers.append(server.call("save_memory", memory(f"Lesson {number}")))
    else:
        answers.append(server.call("finalize_close", close(number, 6)))
    os.kill(server.process.pid, signal.SIGSTOP)
    for copy in copies:
        shutil.copyfile(disk, copy)
    wanted = texts(project)
    server.kill()
    run("umount", place)
    lost, broken = 0, []
    for copy, has_pledge in zip(copies, [True, False]):
        mount(copy, place)
        with_other_run(work)
        if not has_pledge:
            (project / PLEDGE).unlink()
        if number % 4 < 2:
            run(program, "kb", "doctor", "--fix", cwd=project, env=environment(place))
        else:
            begin_anew(program, place)
        found = texts(project)
        missing = [name for name, text in wanted.items() if found.get(name) != text]
        if has_pledge:
            broken += [f"round {number}: {name} holds {found.get(name)!r}" for name in missing]
            log = run(program, "log", "tail", "-n", "2000", "--json", cwd=project, env=environment(place))
            told = {json.loads(line).get("body", {}).get("file") for line in log.splitlines()}
            broken += [f"round {number}: the log does not tell of {name}" for name in wanted if name not in told]
        else:
            lost = len(missing)
        run("umount", RUN)
        run("umount", place)
    mount(disk, place)
    return lost, broken


def begin_anew(program, place):
    """A server begins, and has a moment for itself."""
    server = Server(program, place)
    server.ask("tools/list", {})
    time.sleep(0.5)
    server.end()


def with_other_run(work):
    number = work / "run"
    number.write_text(f"{os.urandom(16).hex()}\n")
    run("mount", "--bind", number, RUN)


def texts(project):
    """The items of a base, its handoffs and its worklog."""
    store = project / ".ai"
    places = ["decisions/*.md", "memory/*/*.md", "local/handoffs/*.md", "local/worklog.md"]
    files = [file for place in places for file in store.glob(place)]
    return {str(file.relative_to(store)): file.read_bytes() for file in files}


def decision(title):
    return {"title": title, "decision": "What was decided. " * 20, "reasoning": "Why. " * 20}


def memory(title):
    return {"type": "pattern", "title": title, "description": "What to do. " * 20}


def close(number, each):
    names = [f"{word} of round {number}" for word in ["Sun", "Moon", "Star", "Rain", "Wind", "Snow"][:each]]
    return {
        "stopped_at": "here", "summary": f"Round {number}.", "in_progress": "nothing", "next_steps": "the rest",
        "worklog_entry": f"Round {number} is done.", "startup_text": "Go on.",
        "decisions": [decision(f"Keep the {name}") for name in names],
        "memories": [memory(f"Beware of the {name}") for name in names],
    }  # fmt: skip


def environment(place):
    home = place / "home"
    home.mkdir(exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home)}


class Server:
    def __init__(self, program, place):
        self.process = subprocess.Popen(
            [program, "mcp"], cwd=place / "project", env=environment(place), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.count = 0

    def ask(self, method, params):
        self.count += 1
        request = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def call(self, tool, arguments):
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if answer["result"].get("isError"):
            sys.exit(f"cut.py: {tool} was refused: {answer}")
        return answer

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()


if __name__ == "__main__":
    main()
