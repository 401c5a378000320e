// Custos: hands what happens in OpenCode on to the program that remembers and guards.
// Written by `custos setup`, removed by `custos uninstall`; changes made here are lost.
import { spawnSync } from "node:child_process";

const PROGRAM = "@PROGRAM@";
const REQUIRED = "@REQUIRED@"; // whether tools wait for a program that is not there

// The tools of our own server, as OpenCode calls them. Another server's names may begin like ours.
const OURS = new Set([
  "context", "oracle", "decisions", "memories", "search", "timeline", "get_observations", "get_decision", "get_memory",
  "save_decision", "save_memory", "archive_decision", "archive_memory", "merge_memories", "save_oracle", "kb_doctor", "safety",
  "update_safety", "backlog", "backlog_add", "backlog_update", "status", "worklog", "workspace", "plans", "save_plan",
  "ask_question", "list_open_questions", "answer_question", "update_question", "begin_close", "finalize_close",
].map((name) => `custos_${name}`));

// The arguments of a call of our own server, which serves every session of this process, name the session that makes it. They do so only on
// their way to the server: what else is made of them, the model and the person read.
const naming = (session) =>
  Object.create(Object.prototype, {
    toJSON: { value(key) { return key === "arguments" ? { ...this, _session: session } : { ...this }; } },
  });

export const Custos = async ({ directory }) => {
  const parents = new Map(); // child session → the session that sent it
  const turns = new Map(); // session whose agent is at work → what it said last, what went wrong
  const denied = new Set(); // calls that we stopped ourselves

  const call = (event, session, payload) => {
    const parentID = parents.get(session);
    const input = JSON.stringify({ ...payload, directory, ...(parentID && { parentID }) });
    const run = spawnSync(PROGRAM, ["hook", "opencode", event], { input, encoding: "utf8", timeout: 10000, maxBuffer: 1 << 22 });
    if (run.error?.code === "ENOENT" && !REQUIRED) return {};
    return run.error || run.status !== 0 ? undefined : run.stdout.trim() === "" ? {} : JSON.parse(run.stdout);
  };

  return {
    event: async ({ event }) => {
      const { type, properties } = event;
      const session = properties?.sessionID;
      if (type === "session.created") {
        if (properties.info?.parentID) parents.set(session, properties.info.parentID);
        call("event.session.created", session, { input: event });
      } else if (type === "session.idle") {
        // After an error it comes twice.
        const turn = turns.get(session);
        if (turns.delete(session)) call("event.session.idle", session, { input: event, ...turn });
      } else if (type === "session.error") {
        const { name, data } = properties.error ?? {};
        if (turns.has(session)) turns.get(session).error = data?.message ?? name ?? "unknown";
      } else if (type === "message.part.updated") {
        const { part } = properties;
        if (part?.type !== "tool" || part.state?.status !== "error" || denied.delete(part.callID)) return;
        call("event.message.part.updated", part.sessionID, { input: event });
      }
    },
    "chat.message": async (input, output) => {
      turns.set(input.sessionID, {});
      const answer = call("chat.message", input.sessionID, { input, output });
      if (!answer?.context) return;
      const { messageID, sessionID } = output.parts[0] ?? {};
      output.parts.push({ id: `prt_custos_${Date.now()}`, type: "text", synthetic: true, text: answer.context, messageID, sessionID });
    },
    "experimental.text.complete": async (input, output) => {
      const turn = turns.get(input.sessionID);
      if (turn) turn.message = output.text;
    },
    "tool.execute.before": async (input, output) => {
      const answer = call("tool.execute.before", input.sessionID, { input, output });
      const reason = answer ? answer.deny : "The Custos guard did not answer, so the call was not made. `custos doctor` says why.";
      if (!reason) {
        const { args } = output;
        if (!OURS.has(input.tool) || typeof args !== "object" || args === null || Array.isArray(args)) return;
        // What the model itself wrote there would go before what we say.
        for (const name of ["_session", "toJSON"]) Reflect.deleteProperty(args, name);
        Reflect.setPrototypeOf(args, naming(parents.get(input.sessionID) ?? input.sessionID));
        return;
      }
      denied.add(input.callID);
      throw new Error(reason);
    },
    "tool.execute.after": async (input, output) => {
      call("tool.execute.after", input.sessionID, { input, output });
    },
    "experimental.session.compacting": async (input, output) => {
      call("experimental.session.compacting", input.sessionID, { input, output });
    },
  };
};
