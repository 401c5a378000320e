#!/usr/bin/env python3
"""Stands between a client and its MCP server, and notes how long each request took.

    clock.py TIMES PROGRAM [ARG...]

Starts the server and hands every line on, in both directions, as it comes. For each request that was answered, a line of
JSON is added to TIMES: {"method", "tool", "ms", "after"}. `ms` is the time from the last byte of the request to the last
byte of its answer; `after` is the time since the server's last answer, so how long the client took to ask.
"""

import json
import os
import select
import subprocess
import sys
import time

times, command = sys.argv[1], sys.argv[2:]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
asked, unread, answered = {}, {0: b"", server.stdout.fileno(): b""}, time.perf_counter()


def lines(source, chunk):
    """Gives the messages that a chunk completes."""
    *whole, unread[source] = (unread[source] + chunk).split(b"\n")
    return [json.loads(line) for line in whole if line.strip()]


def note(message):
    global answered
    now = time.perf_counter()
    if (request := asked.pop(message.get("id"), None)) is None or "method" in message:
        return
    begun, method, tool, after = request
    answered = now
    line = {"method": method, "tool": tool, "ms": (now - begun) * 1000, "after": after * 1000}
    with open(times, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


sources = [0, server.stdout.fileno()]
while server.stdout.fileno() in sources:
    for source in select.select(sources, [], [])[0]:
        chunk = os.read(source, 1 << 20)
        if not chunk:
            sources.remove(source)
            if source == 0:
                server.stdin.close()
        elif source == 0:
            # The clock runs from the moment at which the server can read it.
            for message in lines(0, chunk):
                if "id" in message and "method" in message:
                    now, tool = time.perf_counter(), (message.get("params") or {}).get("name")
                    asked[message["id"]] = (now, message["method"], tool, now - answered)
            server.stdin.write(chunk)
        else:
            os.write(1, chunk)
            for message in lines(source, chunk):
                note(message)
sys.exit(server.wait())
