#!/usr/bin/env python3
"""Runs a real coding agent, headless and offline, against a scripted model.

    drive.py install CLIENT...          fetches the pinned clients from npm, unless they are in the cache
    drive.py run CLIENT --project DIR --home DIR --script FILE --prompt TEXT --out DIR [--timeout SECONDS] [--careful]
                     [--beside TEXT] [-- ARG...]
    drive.py trust codex --project DIR --home DIR
                                        trusts the hooks that Codex finds, as a person does in its dialog

CLIENT is claude-code, codex, gemini, copilot or opencode (see clients.py). A client starts with the given HOME and an
empty environment: it sees what was installed there and in the project, nothing of this machine. `@PROJECT@` in the
script stands for the project's path. A client runs all tools without asking (its bypass or yolo mode), or with
`--careful` as it does for people, except that nobody is there to be asked. `run` prints one line of JSON, {"client", "exit", "seconds", "unplayed",
"transcript"}, and leaves in OUT

    requests.jsonl    every request that the model received, see scripted_model.py
    stdout, stderr    what the client printed

With `--beside`, which only OpenCode can, a second window with that prompt runs at the same time in the same process of
the client; its turns are those of the script's `sub`, and what it printed is in OUT/beside.

The exit code is 0 if the client ran to its end, whatever it said; 3 if a client could not be fetched. The cache is
$CUSTOS_CLIENTS_CACHE, or custos-clients in the user's cache directory.
"""

import argparse
import glob
import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True

from clients import CLIENTS, Unavailable, trust_codex_hooks  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402


def run(a):
    client = CLIENTS[a.client]
    a.project, a.home, a.out = (os.path.abspath(path) for path in (a.project, a.home, a.out))
    os.makedirs(a.out, exist_ok=True)
    client.install()
    with open(a.script, encoding="utf-8") as file:
        script = json.loads(file.read().replace("@PROJECT@", json.dumps(a.project)[1:-1]))
    with ScriptedModel(script, os.path.join(a.out, "requests.jsonl")) as model:
        environment = {"HOME": a.home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1",
                       # What a client records is compared event by event; a worker would add its own.
                       "CUSTOS_NO_WORKER": "1"}
        client.prepare(a.home, a.project, model.address)
        started = time.time()
        environment |= client.environment(model.address)
        if a.beside is None:
            exit_code = wait(client.command(a, model.address), a, environment)
        else:
            exit_code = wait_for_both(client, model.address, a, environment)
    print(
        json.dumps(
            {
                "client": a.client,
                "exit": exit_code,
                "seconds": round(time.time() - started, 2),
                "unplayed": model.unplayed(),
                "transcript": newest(os.path.join(a.home, client.transcript), started),
            }
        )
    )
    return 0 if exit_code is not None else 1


def wait(command, a, environment):
    """Waits for the client and, past the time, ends it with all that it started; returns None then."""
    with open(os.path.join(a.out, "stdout"), "wb") as stdout, open(os.path.join(a.out, "stderr"), "wb") as stderr:
        client = subprocess.Popen(
            command,
            cwd=a.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        try:
            return client.wait(a.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(client.pid, signal.SIGKILL)
            client.wait()
            print(f"drive: {a.client} did not end within {a.timeout} s", file=sys.stderr)
            return None


def wait_for_both(client, address, a, environment):
    """Waits for two windows of one process, and ends that; returns 0, or what the one came to that failed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command, to_join = client.serve(port)
    shared = subprocess.Popen(command, cwd=a.project, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        listens(port, a.timeout)
        first = argparse.Namespace(**vars(a) | {"to_client": to_join + a.to_client})
        second = argparse.Namespace(**vars(first) | {"prompt": a.beside, "out": os.path.join(a.out, "beside")})
        os.makedirs(second.out, exist_ok=True)
        with ThreadPoolExecutor() as windows:
            ends = list(windows.map(lambda w: wait(client.command(w, address), w, environment), (first, second)))
        shared.terminate()
        shared.wait(a.timeout)
        return next((end for end in ends if end != 0), 0)
    finally:
        if shared.poll() is None:
            os.killpg(shared.pid, signal.SIGKILL)
            shared.wait()


def listens(port, timeout):
    """Waits until somebody listens on a port of the loopback interface."""
    until = time.time() + timeout
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.time() > until:
                raise
            time.sleep(0.05)


def newest(pattern, since):
    files = [path for path in glob.glob(pattern) if os.path.getmtime(path) >= since - 1]
    return max(files, key=os.path.getmtime, default=None)


def arguments(argv):
    own, to_client = (argv[: argv.index("--")], argv[argv.index("--") + 1 :]) if "--" in argv else (argv, [])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    install = verbs.add_parser("install")
    install.add_argument("clients", nargs="+", choices=CLIENTS)
    session = verbs.add_parser("run")
    session.add_argument("client", choices=CLIENTS)
    session.add_argument("--timeout", type=float, default=300)
    session.add_argument("--careful", action="store_true")
    session.add_argument("--beside")
    for name in ("--script", "--prompt", "--out"):
        session.add_argument(name, required=True)
    trust = verbs.add_parser("trust")
    trust.add_argument("client", choices=["codex"])
    for verb in (session, trust):
        verb.add_argument("--project", required=True)
        verb.add_argument("--home", required=True)
    parsed = parser.parse_args(own)
    parsed.to_client = to_client
    return parsed


def main():
    a = arguments(sys.argv[1:])
    try:
        if a.verb == "install":
            for name in a.clients:
                print(CLIENTS[name].install())
        elif a.verb == "trust":
            trust_codex_hooks(os.path.abspath(a.home), os.path.abspath(a.project))
        else:
            return run(a)
        return 0
    except Unavailable as reason:
        print(f"drive: {reason}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main())
