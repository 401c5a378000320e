"""The clients: which version, where its program is, and how it is pointed at another model.

One class per client. What they share is that nothing of a login is there: each `prepare` adds to a home just what a
login would have added, and leaves alone what was installed.
"""

import fcntl
import glob
import json
import os
import platform
import shutil
import subprocess
import sys
import threading

CACHE = os.environ.get("CUSTOS_CLIENTS_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "custos-clients"
)
SYSTEM = f"{sys.platform}-{ {'x86_64': 'x64', 'aarch64': 'arm64'}.get(platform.machine(), platform.machine()) }"


class Unavailable(Exception):
    """A client that is neither in the cache nor to be had."""


class Client:
    package = version = program = transcript = None

    def install(self):
        """Returns the path of the client's program."""
        program = os.path.join(fetched(f"{self.package}@{self.version}"), "node_modules", self.program)
        found = glob.glob(program)
        if not found:
            raise Unavailable(f"{self.package} {self.version} has no {program}: is there a build for {SYSTEM}?")
        return found[0]

    def prepare(self, home, project, address):
        """Adds to the home what a login would have added."""

    def environment(self, address):
        return {}

    def command(self, a, address):
        raise NotImplementedError


def fetched(package):
    """Returns the directory into which npm installed the package, now or some other time."""
    directory = os.path.join(CACHE, package.replace("/", "-").lstrip("@"))
    os.makedirs(CACHE, exist_ok=True)
    # Tests run side by side: one fetches, the others wait. The rename makes sure that what is there is whole.
    with open(directory + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(directory):
            partial = directory + ".partial"
            shutil.rmtree(partial, ignore_errors=True)
            os.makedirs(partial)
            npm_install(partial, package)
            os.rename(partial, directory)
    return directory


def npm_install(directory, package):
    if not shutil.which("npm"):
        raise Unavailable(f"{package} is not in {CACHE}, and there is no npm to fetch it. Install Node.js 20 or later")
    print(f"drive: fetching {package}", file=sys.stderr)
    with open(os.path.join(directory, "package.json"), "w") as manifest:
        manifest.write('{"private": true}\n')
    # No scripts: none of the clients needs them, and a test should not run what a package likes.
    # And no long patience: without a network npm would try for minutes.
    command = [
        "npm",
        "install",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        "--fetch-retries=2",
        "--fetch-retry-mintimeout=1000",
        "--fetch-retry-maxtimeout=5000",
        "--fetch-timeout=60000",
        package,
    ]
    npm = subprocess.run(
        command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if npm.returncode != 0:
        raise Unavailable(f"npm could not fetch {package}:\n{npm.stdout.strip()}")


def merge_json(path, change):
    """Changes a settings file and keeps all else that is in it."""
    data = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    change(data)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=2, ensure_ascii=False)


class ClaudeCode(Client):
    package, version = "@anthropic-ai/claude-code", "2.1.325"
    program = f"@anthropic-ai/claude-code-{SYSTEM}/claude"
    transcript = ".claude/projects/*/*.jsonl"

    def environment(self, address):
        # IS_SANDBOX: lets root, as in a container, skip the permission prompts.
        return {
            "ANTHROPIC_BASE_URL": address,
            "ANTHROPIC_API_KEY": "none",
            "IS_SANDBOX": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def command(self, a, address):
        return [
            self.install(),
            "-p",
            a.prompt,
            "--output-format",
            "stream-json",
            "--verbose",
            "--include-hook-events",
            "--model",
            "claude-sonnet-4-5",
            *([] if a.careful else ["--dangerously-skip-permissions"]),
            "--debug-file",
            os.path.join(a.out, "debug"),
            *a.to_client,
        ]


class Codex(Client):
    package, version = "@openai/codex", "0.166.0"
    program = f"@openai/codex-{SYSTEM}/vendor/*/bin/codex"
    transcript = ".codex/sessions/*/*/*/rollout-*.jsonl"

    def prepare(self, home, project, address):
        settings = os.path.join(home, ".codex", "config.toml")
        table = f'[projects."{project}"]\n'
        os.makedirs(os.path.dirname(settings), exist_ok=True)
        with open(settings, "a+", encoding="utf-8") as file:
            file.seek(0)
            if table not in file.read():
                file.write(f'\n{table}trust_level = "trusted"\n')

    def environment(self, address):
        return {"SCRIPTED_KEY": "none"}

    def command(self, a, address):
        settings = {
            "model": "gpt-5.5",
            "model_provider": "scripted",
            "model_providers.scripted.name": "scripted",
            "model_providers.scripted.base_url": f"{address}/v1",
            "model_providers.scripted.wire_api": "responses",
            "model_providers.scripted.env_key": "SCRIPTED_KEY",
            "model_providers.scripted.request_max_retries": "0",
            "model_providers.scripted.stream_max_retries": "0",
            "analytics.enabled": "false",
            "check_for_update_on_startup": "false",
        }
        overrides = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        # Not --dangerously-bypass-hook-trust: whether the hooks are trusted is for the home to say.
        return [
            self.install(),
            "exec",
            *([] if a.careful else ["--dangerously-bypass-approvals-and-sandbox"]),
            "--json",
            *overrides,
            *a.to_client,
            a.prompt,
        ]


class Gemini(Client):
    package, version = "@google/gemini-cli", "0.61.0"
    program = "@google/gemini-cli/bundle/gemini.js"
    transcript = ".gemini/tmp/*/chats/*.jsonl"

    def prepare(self, home, project, address):
        def log_in(settings):
            settings.setdefault("security", {}).setdefault("auth", {})["selectedType"] = "gemini-api-key"

        merge_json(os.path.join(home, ".gemini", "settings.json"), log_in)

    def environment(self, address):
        return {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": address,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_TELEMETRY_ENABLED": "false",
        }

    def command(self, a, address):
        node = shutil.which("node")
        if not node:
            raise Unavailable("Gemini runs on Node.js, and there is no node. Install Node.js 20 or later")
        return [
            node,
            self.install(),
            "-m",
            "gemini-2.5-pro",
            *([] if a.careful else ["--yolo"]),
            "--output-format",
            "stream-json",
            *a.to_client,
            "-p",
            a.prompt,
        ]


class Copilot(Client):
    package, version = "@github/copilot", "1.0.102"
    program = f"@github/copilot-{SYSTEM}/copilot"
    transcript = ".copilot/session-state/*/events.jsonl"

    def prepare(self, home, project, address):
        config = os.path.join(home, ".copilot", "config.json")
        if not os.path.exists(config):  # later it is the client's, with comments in it
            merge_json(config, lambda settings: settings.update(trustedFolders=[project]))

    def environment(self, address):
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{address}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_PROVIDER_WIRE_API": "completions",
            "COPILOT_MODEL": "claude-sonnet-4.6",
        }

    def command(self, a, address):
        return [
            self.install(),
            *([] if a.careful else ["--allow-all-tools"]),
            "--output-format",
            "json",
            "--log-dir",
            os.path.join(a.out, "logs"),
            *a.to_client,
            "-p",
            a.prompt,
        ]


class OpenCode(Client):
    package, version = "opencode-ai", "1.18.33"
    program = f"opencode-{SYSTEM}/bin/opencode"
    transcript = ".local/share/opencode/opencode.db"

    def install(self):
        self.plugin_library()
        return super().install()

    def plugin_library(self):
        return fetched(f"@opencode-ai/plugin@{self.version}")

    def prepare(self, home, project, address):
        config = os.path.join(home, ".config", "opencode")
        os.makedirs(config, exist_ok=True)
        # OpenCode would fetch the library for plugins into every home, whether a plugin uses it or not.
        library = self.plugin_library()
        if not os.path.lexists(os.path.join(config, "node_modules")):
            os.symlink(os.path.join(library, "node_modules"), os.path.join(config, "node_modules"))
            for name in ("package.json", "package-lock.json"):
                shutil.copy(os.path.join(library, name), config)

        def log_in(settings):
            model = {"name": "scripted", "tool_call": True, "limit": {"context": 200000, "output": 8000}}
            options = {"baseURL": f"{address}/v1", "apiKey": "none"}
            settings.setdefault("provider", {})["scripted"] = {
                "npm": "@ai-sdk/openai-compatible",
                "name": "Scripted",
                "options": options,
                "models": {"model": model},
            }
            settings["model"] = settings["small_model"] = "scripted/model"

        merge_json(os.path.join(config, "opencode.json"), log_in)

    def environment(self, address):
        return {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        }

    def command(self, a, address):
        auto = [] if a.careful else ["--auto"]
        return [self.install(), "run", "--format", "json", *auto, "-m", "scripted/model", *a.to_client, a.prompt]

    def serve(self, port):
        """Returns the command for a process that several windows share, and with what arguments a window joins it."""
        listen = ["--hostname", "127.0.0.1", "--port", str(port)]
        return [self.install(), "serve", *listen], ["--attach", f"http://127.0.0.1:{port}"]


CLIENTS = {
    "claude-code": ClaudeCode(),
    "codex": Codex(),
    "gemini": Gemini(),
    "copilot": Copilot(),
    "opencode": OpenCode(),
}


def trust_codex_hooks(home, project):
    """Trusts every hook that Codex finds, through the server that its own dialog talks to."""
    CLIENTS["codex"].prepare(home, project, None)
    server = subprocess.Popen(
        [CLIENTS["codex"].install(), "app-server"],
        cwd=project,
        env={"HOME": home, "PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def ask(number, method, parameters):
        server.stdin.write(json.dumps({"id": number, "method": method, "params": parameters}) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            answer = json.loads(line)
            if answer.get("id") == number:
                return answer["result"]
        raise RuntimeError(f"codex app-server ended before it answered {method}")

    watch = threading.Timer(60, server.kill)
    watch.start()
    try:
        ask(1, "initialize", {"clientInfo": {"name": "drive", "version": "1"}})
        hooks = ask(2, "hooks/list", {"cwds": [project]})["data"][0]["hooks"]
        state = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
        ask(3, "config/batchWrite", {"edits": [{"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}]})
        print(json.dumps({hook["key"].rsplit("hooks.json:", 1)[-1]: hook["trustStatus"] for hook in hooks}))
    finally:
        watch.cancel()
        server.kill()
        server.wait()
