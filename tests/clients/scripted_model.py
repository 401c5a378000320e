"""A model that says what a script tells it to, on loopback, in the four dialects that coding agents speak.

The clients under test are real, the model is not: it plays a script, so that a test knows which tools will be called
and can compare what came of it. And it writes down every request, because the requests are the only proof of what a
model would have seen.

A script is one JSON object:

    {"main": [turn, ...],     what the model answers to the session itself, one turn per request
     "task": "some words",    the prompt of the sub-agent: a conversation in which the user says this is the sub-agent's
     "sub":  [turn, ...],     what the model answers to the sub-agent
     "thinks": 0.3}           how many seconds it takes for each turn; without this it answers at once

and a turn is one of

    {"text": "..."}                           the answer that ends the turn
    {"tool": NAME, "args": {...}}             one tool call
    {"tool": NAME, "input": "..."}            one call of a tool that takes free text (Codex: apply_patch)
    {"error": 400, "message": "..."}          an HTTP error

A call may name a "namespace" (Codex groups its tools). Codex's `tool_search` is sent as the search that it is; what it
found is no result of a tool, but stands in the next request. `@AGENT@` in arguments stands for the id that the client
gave to the sub-agent it started last. Requests without tools are the client's own errands (titles, checks); they get
a fixed answer and use up no turn. A turn with "together" waits until the other conversation asks for one as well: two
windows then call their tools at the same time.

Each request becomes one line of JSON: {"conversation": main, sub, errand or other, "path", "results", "body"};
`results` are the results of tools in it, as texts, oldest first.
"""

import json
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Suits the clients that want JSON for a title as well as those that take any text.
ERRAND = '{"title": "A scripted session", "isNewTopic": false}'
BEYOND = {"text": "(the script has no turn for this request)"}

# How long a conversation waits for the other one, in seconds.
PATIENCE = 60


class ScriptedModel:
    """Listens on a free port of the loopback interface, from `with` to the end of it."""

    def __init__(self, script, requests_file):
        self.turns = {"main": list(script["main"]), "sub": list(script.get("sub", []))}
        self.task = script.get("task")
        self.thinks = script.get("thinks", 0)
        self.beyond = 0
        self.both = threading.Barrier(2)
        self.lock = threading.Lock()
        self.requests = open(requests_file, "w", encoding="utf-8")
        handler = type("Handler", (Handler,), {"model": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        with self.lock:
            self.requests.close()

    def unplayed(self):
        """How far client and script disagree: turns that nobody asked for, and requests that no turn was left for."""
        return {"turns": sum(len(turns) for turns in self.turns.values()), "requests": self.beyond}

    def answer(self, path, body):
        """Writes the request down and takes the turn that answers it from the script."""
        dialect = next((dialect for dialect in DIALECTS if dialect.speaks(path)), None)
        with self.lock:
            conversation = self.conversation(dialect, body)
            if not self.requests.closed:
                results = dialect.results(body) if conversation in ("main", "sub") else []
                line = {"conversation": conversation, "path": path, "results": results, "body": body}
                self.requests.write(json.dumps(line, ensure_ascii=False) + "\n")
                self.requests.flush()
            if conversation == "other":
                return None, None
            if conversation == "errand":
                return dialect, {"text": ERRAND}
            turns = self.turns[conversation]
            self.beyond += not turns
            return dialect, turns.pop(0) if turns else BEYOND

    def conversation(self, dialect, body):
        if dialect is None:
            return "other"
        if not body.get("tools"):
            return "errand"
        if self.task and any(self.task in said for said in dialect.user_says(body)):
            return "sub"
        return "main"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model = None

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send(200, "application/json", b"")

    def do_GET(self):
        if self.path.split("?")[0].endswith("/models"):
            return self.send_json(
                200, {"object": "list", "data": [], "has_more": False, "first_id": None, "last_id": None}
            )
        return self.send_json(404, {"error": {"message": f"no such place: {self.path}"}})

    def do_POST(self):
        body = json.loads(self.read_body() or b"{}")
        path = self.path.split("?")[0]
        if path.endswith(("/count_tokens", ":countTokens")):
            return self.send_json(200, {"input_tokens": 100, "totalTokens": 100})
        dialect, turn = self.model.answer(path, body)
        if turn and turn.get("together"):
            self.model.both.wait(PATIENCE)
        if turn and turn.get("text") != ERRAND:
            time.sleep(self.model.thinks)
        if dialect is None:
            return self.send_json(404, {"error": {"message": f"no such place: {self.path}"}})
        if "error" in turn:
            error = {
                "type": "invalid_request_error",
                "code": turn["error"],
                "message": turn.get("message", "scripted error"),
            }
            return self.send_json(turn["error"], {"type": "error", "error": error})
        call = call_of(turn, body)
        if dialect.wants_stream(path, body):
            return self.send(200, "text/event-stream", "".join(dialect.stream(turn, call, body)).encode())
        return self.send_json(200, dialect.whole(turn, call, body))

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0].strip() or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def send_json(self, status, value):
        self.send(status, "application/json", json.dumps(value).encode())

    def send(self, status, content_type, body):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def call_of(turn, body):
    """The turn's tool call with everything filled in, or None."""
    if "tool" not in turn:
        return None
    agents = re.findall(r'agent_id\\*":\\*"([0-9a-f-]+)', json.dumps(body))
    filled = json.dumps(turn).replace("@AGENT@", agents[-1] if agents else "@AGENT@")
    return {"args": {}, **json.loads(filled), "id": "call_" + uuid.uuid4().hex[:20]}


def texts(content):
    """The texts in a message's content, which is a string or a list of blocks; results of tools are no texts."""
    if isinstance(content, str):
        return [content]
    return [block["text"] for block in content or [] if isinstance(block.get("text"), str)]


def event(data, name=None):
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {data if isinstance(data, str) else json.dumps(data)}\n\n"


class AnthropicMessages:
    """Claude Code."""

    def speaks(self, path):
        return path.endswith("/v1/messages")

    def wants_stream(self, _, body):
        return body.get("stream", False)

    def user_says(self, body):
        return [text for message in body["messages"] if message["role"] == "user" for text in texts(message["content"])]

    def results(self, body):
        blocks = [
            block
            for message in body["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
        ]
        return ["\n".join(texts(block["content"])) for block in blocks if block["type"] == "tool_result"]

    def whole(self, turn, call, body):
        if call:
            content = {"type": "tool_use", "id": "toolu_" + call["id"], "name": call["tool"], "input": call["args"]}
        else:
            content = {"type": "text", "text": turn["text"]}
        usage = {
            "input_tokens": 100,
            "output_tokens": 10,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        }
        return {
            "id": "msg_" + uuid.uuid4().hex,
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [content],
            "stop_reason": "tool_use" if call else "end_turn",
            "stop_sequence": None,
            "usage": usage,
        }

    def stream(self, turn, call, body):
        message = self.whole(turn, call, body)
        content, usage = message["content"][0], message["usage"]
        if call:
            start = {**content, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(content["input"])}
        else:
            start = {**content, "text": ""}
            delta = {"type": "text_delta", "text": content["text"]}
        events = [
            ("message_start", {"message": {**message, "content": [], "stop_reason": None}}),
            ("content_block_start", {"index": 0, "content_block": start}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            (
                "message_delta",
                {"delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": usage},
            ),
            ("message_stop", {}),
        ]
        return [event({"type": name, **data}, name) for name, data in events]


class OpenAiResponses:
    """Codex."""

    def speaks(self, path):
        return path.endswith("/responses")

    def wants_stream(self, _, body):
        return body.get("stream", False)

    def user_says(self, body):
        return [text for item in body["input"] if item.get("role") == "user" for text in texts(item.get("content"))]

    def results(self, body):
        return ["\n".join(texts(item["output"])) for item in body["input"] if item["type"].endswith("call_output")]

    def item(self, turn, call):
        if not call:
            content = [{"type": "output_text", "text": turn["text"], "annotations": []}]
            return {
                "type": "message",
                "id": "msg_" + uuid.uuid4().hex[:8],
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        item = {"id": "fc_" + call["id"], "call_id": call["id"], "name": call["tool"], "status": "completed"}
        if call["tool"] == "tool_search":
            return {"type": "tool_search_call", **item, "execution": "client", "arguments": call["args"]}
        if "input" in call:
            return {"type": "custom_tool_call", **item, "input": call["input"]}
        if "namespace" in call:
            item["namespace"] = call["namespace"]
        return {"type": "function_call", **item, "arguments": json.dumps(call["args"])}

    def whole(self, turn, call, body):
        usage = {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 110,
        }
        return {
            "id": "resp_" + uuid.uuid4().hex[:12],
            "object": "response",
            "created_at": int(time.time()),
            "status": "completed",
            "model": body.get("model"),
            "output": [self.item(turn, call)],
            "usage": usage,
        }

    def stream(self, turn, call, body):
        response = self.whole(turn, call, body)
        item = response["output"][0]
        events = [
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ]
        return [event({"sequence_number": number, **data}, data["type"]) for number, data in enumerate(events)]


class OpenAiChat:
    """Copilot and OpenCode."""

    def speaks(self, path):
        return path.endswith("/chat/completions")

    def wants_stream(self, _, body):
        return body.get("stream", False)

    def user_says(self, body):
        return [text for message in body["messages"] if message["role"] == "user" for text in texts(message["content"])]

    def results(self, body):
        return ["\n".join(texts(message["content"])) for message in body["messages"] if message["role"] == "tool"]

    def message(self, turn, call):
        if not call:
            return {"role": "assistant", "content": turn["text"]}
        function = {"name": call["tool"], "arguments": json.dumps(call["args"])}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"index": 0, "id": call["id"], "type": "function", "function": function}],
        }

    def envelope(self, kind, choice, body):
        return {
            "id": "chatcmpl-" + uuid.uuid4().hex[:10],
            "object": kind,
            "created": int(time.time()),
            "model": body.get("model"),
            "choices": [{"index": 0, **choice}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }

    def whole(self, turn, call, body):
        choice = {"message": self.message(turn, call), "finish_reason": "tool_calls" if call else "stop"}
        return self.envelope("chat.completion", choice, body)

    def stream(self, turn, call, body):
        choices = [
            {"delta": self.message(turn, call), "finish_reason": None},
            {"delta": {}, "finish_reason": "tool_calls" if call else "stop"},
        ]
        return [event(self.envelope("chat.completion.chunk", choice, body)) for choice in choices] + [event("[DONE]")]


class Gemini:
    """Gemini."""

    def speaks(self, path):
        return path.endswith((":generateContent", ":streamGenerateContent"))

    def wants_stream(self, path, _):
        return path.endswith(":streamGenerateContent")

    def user_says(self, body):
        return [
            text for content in body["contents"] if content.get("role") == "user" for text in texts(content["parts"])
        ]

    def results(self, body):
        parts = [part for content in body["contents"] for part in content["parts"] if "functionResponse" in part]
        return ["\n".join(part["functionResponse"]["response"].values()) for part in parts]

    def whole(self, turn, call, _):
        part = {"functionCall": {"name": call["tool"], "args": call["args"]}} if call else {"text": turn["text"]}
        return {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "modelVersion": "scripted",
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
        }

    def stream(self, turn, call, body):
        return [event(self.whole(turn, call, body))]


DIALECTS = [AnthropicMessages(), OpenAiResponses(), OpenAiChat(), Gemini()]
