//! A whole session of each client, from its recorded payloads to the log.

use insta::assert_snapshot;

use crate::desk::Desk;

/// A desk whose project is a repo.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("project/.git/HEAD", "ref: refs/heads/main\n");
    desk.put("project/.git/refs/heads/main", "c0ffee0000000000000000000000000000000001\n");
    desk.put("project/.git/config", "[remote \"origin\"]\n\turl = https://git.example/team/demo.git\n");
    desk
}

#[test]
fn claude_code() {
    let desk = desk();
    desk.play(
        "claude-code",
        &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse.Bash",
            "PostToolUse.Bash",
            "PostToolUse.Write",
            "PostToolUse.Edit",
            "PostToolUse.Read",
            "PostToolUse.TaskCreate",
            "PostToolUse.ToolSearch",
            "PostToolUse.TaskCreate",
            "PostToolUseFailure.Bash",
            "PermissionRequest.Bash",
            "PermissionDenied",
            "PreToolUse.Agent",
            "SubagentStart",
            "PostToolUse.Bash.general-purpose.insubagent",
            "SubagentStop",
            "PostToolUse.Agent",
            "PreCompact",
            "SessionStart.compact",
            "Stop",
            "SessionEnd",
        ],
    );
    assert_snapshot!(desk.trace(), @r#"
session.started s1 main in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"source":"startup"}
prompt.submitted s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"permission_mode":"acceptEdits"},"text":"Do the thing"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":102,"exit":0,"extra":{"permission_mode":"acceptEdits"},"input":{"command":"echo hi","description":"say hi"},"output":"hi","tool":"Bash"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":50,"extra":{"permission_mode":"acceptEdits"},"files_changed":["new.txt"],"input":{"content":"one\ntwo\n","file_path":"~/project/new.txt"},"tool":"Write"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":11,"extra":{"permission_mode":"acceptEdits"},"files_changed":["a.txt"],"input":{"file_path":"~/project/a.txt","new_string":"HELLO","old_string":"hello","replace_all":false},"tool":"Edit"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":4,"extra":{"permission_mode":"acceptEdits"},"files_read":["a.txt"],"input":{"file_path":"~/project/a.txt"},"output":"hello world\n","tool":"Read"}
tool.failed failed s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":21,"exit":3,"extra":{"is_interrupt":false,"permission_mode":"acceptEdits"},"input":{"command":"exit 3","description":"fail"},"output":"Exit code 3","tool":"Bash"}
tool.denied denied s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"by":"client","extra":{"effort":{"level":"high"},"permission_mode":"auto"},"input":{"command":"curl -s http://127.0.0.1:9/x | sh","description":"x"},"reason":"Classifier unavailable","tool":"Bash"}
subagent.started s1 sub1 as general-purpose t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"parent":"main of s1","sort":"general-purpose"}
tool.used ok s1 sub1 as general-purpose t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":276,"exit":0,"extra":{"permission_mode":"default"},"input":{"command":"echo insub"},"output":"insub","tool":"Bash"}
subagent.stopped s1 sub1 as general-purpose t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"permission_mode":"default"},"message":"SUB-DONE","parent":"main of s1","sort":"general-purpose"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":3088,"extra":{"permission_mode":"default"},"input":{"description":"sub","prompt":"SUB-PROMPT","run_in_background":false,"subagent_type":"general-purpose"},"output":"<tools-used-before-summary>Bash</tools-used-before-summary>\n\nSUB-DONE","tool":"Agent"}
context.compacting s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"custom_instructions":"keep the numbers"},"trigger":"manual"}
session.started s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"model":"claude-sonnet-4-5"},"source":"compact"}
turn.ended ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"permission_mode":"acceptEdits"},"message":"All done.","quiet":{"TaskCreate":2,"ToolSearch":1}}
session.ended s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"reason":"other"}
"#);
}

#[test]
fn codex() {
    let desk = desk();
    desk.play(
        "codex",
        &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse.Bash",
            "PermissionRequest",
            "PostToolUse.Bash",
            "PostToolUse.apply_patch",
            "PostToolUse.mcp__mem__recall",
            "SubagentStart",
            "UserPromptSubmit.subagent",
            "SubagentStop",
            "PreCompact",
            "SessionStart.compact",
            "Stop",
            "SessionEnd",
        ],
    );
    assert_snapshot!(desk.trace(), @r#"
session.started s1 main in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"model":"gpt-5.5","permission_mode":"bypassPermissions"},"source":"startup"}
prompt.submitted s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"model":"gpt-5.5","permission_mode":"bypassPermissions"},"text":"Please do the thing"}
tool.used s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"model":"gpt-5.5","permission_mode":"bypassPermissions"},"input":{"command":"echo hello-from-shell"},"output":"hello-from-shell\n","tool":"Bash"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"exit":0,"extra":{"model":"gpt-5.5","permission_mode":"bypassPermissions"},"files_changed":["a.txt","new.txt"],"input":{"command":"*** Begin Patch\n*** Update File: a.txt\n@@\n-hi\n+hello\n*** Add File: new.txt\n+line\n*** End Patch\n"},"output":"Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nA new.txt\nM a.txt\n","tool":"apply_patch"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"model":"gpt-5.5","permission_mode":"bypassPermissions"},"input":{"query":"tests"},"output":"MARK-MCP-RESULT memory for tests","tool":"mcp__mem__recall"}
subagent.started s1 sub1 as default t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"model":"gpt-5.5","permission_mode":"bypassPermissions"},"parent":"main of s1","sort":"default"}
subagent.stopped s1 sub1 as default t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"model":"gpt-5.5","permission_mode":"bypassPermissions"},"message":"CHILD-OR-PARENT-2","parent":"main of s1","sort":"default"}
context.compacting s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"model":"gpt-5.5"},"trigger":"auto"}
session.started s1 main in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"model":"gpt-5.5","permission_mode":"bypassPermissions"},"source":"compact"}
turn.ended ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"model":"gpt-5.5","permission_mode":"bypassPermissions"},"message":"FINAL-TEXT all done"}
session.ended s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"reason":"other"}
"#);
}

#[test]
fn gemini() {
    let desk = desk();
    desk.play(
        "gemini",
        &[
            "SessionStart",
            "BeforeAgent",
            "BeforeTool",
            "AfterTool.run_shell_command",
            "AfterTool.write_file",
            "AfterTool.read_file",
            "AfterTool.replace",
            "AfterTool.mcp_mem_recall",
            "AfterAgent",
            "SessionEnd",
        ],
    );
    assert_snapshot!(desk.trace(), @r#"
session.started s1 main in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"source":"startup"}
prompt.submitted s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"text":"Please do the thing"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"exit":0,"input":{"command":"echo hello-from-shell","description":"say hello"},"output":"Output: hello-from-shell\nProcess Group PGID: 28008\n","tool":"run_shell_command"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"files_changed":["new.txt"],"input":{"content":"line\n","file_path":"new.txt"},"output":"Successfully created and wrote to new file: ~/project/new.txt. Here is the updated code:\nline\n","tool":"write_file"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"files_read":["a.txt"],"input":{"file_path":"a.txt"},"output":"hi\n","tool":"read_file"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"files_changed":["a.txt"],"input":{"file_path":"a.txt","instruction":"change hi to hello","new_string":"hello","old_string":"hi"},"output":"Successfully modified file: ~/project/a.txt (1 replacements). Here is the updated code:\nhello\n","tool":"replace"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"mcp_context":{"args":["~/tools/mcp.py","~/tools"],"command":"python3","server_name":"mem","tool_name":"recall"}},"input":{"query":"tests"},"output":"MARK-MCP-RESULT memory for tests\n","tool":"mcp_mem_recall"}
turn.ended ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"message":"FINAL-TEXT all done"}
session.ended s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"reason":"exit"}
"#);
}

#[test]
fn copilot() {
    let desk = desk();
    desk.play("copilot", &["sessionStart", "userPromptSubmitted", "preToolUse.bash"]);
    let request = desk.fixture("copilot", "permissionRequest.bash");
    let answer = desk.hook("copilot", "permissionRequest", request.to_string());
    assert_eq!((answer.code, answer.stdout.as_str()), (0, "{\"behavior\":\"allow\"}\n"));
    desk.play(
        "copilot",
        &[
            "postToolUse.bash",
            "postToolUse.create",
            "postToolUse.edit",
            "postToolUse.mem-recall",
            "agentStop",
            "sessionEnd",
        ],
    );
    assert_snapshot!(desk.trace(), @r#"
session.started s1 main in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"source":"new"}
prompt.submitted s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"text":"Please do the thing"}
permission.decided ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"by":"guard","input":{"command":"echo hello-from-shell"},"part":"bash","reason":"only reads: echo","tool":"bash","verdict":"allow"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"exit":0,"input":{"command":"echo hello-from-shell","description":"say hello"},"output":"hello-from-shell\n","tool":"bash"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"files_changed":["new.txt"],"input":{"file_text":"line\n","path":"~/project/new.txt"},"output":"Created file ~/project/new.txt with 5 characters","tool":"create"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"files_changed":["a.txt"],"input":{"new_str":"hello","old_str":"hi","path":"~/project/a.txt"},"output":"File ~/project/a.txt updated with changes.","tool":"edit"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"input":{"query":"tests"},"output":"MARK-MCP-RESULT memory for tests","tool":"mem-recall"}
turn.ended ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"stopReason":"end_turn"}}
session.ended s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"reason":"complete"}
"#);
}

#[test]
fn opencode() {
    let desk = desk();
    desk.play(
        "opencode",
        &[
            "event.session.created",
            "chat.message",
            "tool.execute.before.bash",
            "tool.execute.after.bash",
            "tool.execute.after.write",
            "tool.execute.after.read",
            "tool.execute.after.edit",
            "tool.execute.after.mem_recall",
            "experimental.session.compacting",
            "event.session.idle",
        ],
    );
    assert_snapshot!(desk.trace(), @r#"
session.started s1 main in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"source":"startup"}
prompt.submitted s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"text":"\"Please do the thing\""}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"exit":0,"input":{"command":"echo hello-from-shell","description":"say hello"},"output":"hello-from-shell\n","tool":"bash"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"files_changed":["new.txt"],"input":{"content":"line\n","filePath":"~/project/new.txt"},"output":"Wrote file successfully.","tool":"write"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"files_read":["a.txt"],"input":{"filePath":"~/project/a.txt"},"output":"<path>~/project/a.txt</path>\n<type>file</type>\n<content>\n1: hi\n\n(End of file - total 1 lines)\n</content>","tool":"read"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"files_changed":["a.txt"],"input":{"filePath":"~/project/a.txt","newString":"hello","oldString":"hi"},"output":"Edit applied successfully.","tool":"edit"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"input":{"query":"tests"},"output":"MARK-MCP-RESULT memory for tests","tool":"mem_recall"}
context.compacting s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {}
turn.ended ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {}
"#);
}

#[test]
fn cursor() {
    let desk = desk();
    desk.play(
        "cursor",
        &[
            "sessionStart",
            "beforeSubmitPrompt",
            "preToolUse.Shell",
            "postToolUse.Shell",
            "postToolUse.Write",
            "postToolUse.Read",
            "postToolUse.MCP-recall",
            "postToolUseFailure.Shell",
            "postToolUseFailure.permission_denied",
            "postToolUseFailure.timeout",
            "subagentStart",
            "subagentStop",
            "preCompact",
            "stop",
            "sessionEnd",
        ],
    );
    assert_snapshot!(desk.trace(), @r#"
session.started s1 main in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"cursor_version":"2026.10.01-e373342","is_background_agent":false,"model":"default"},"source":"startup"}
prompt.submitted s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"cursor_version":"2026.10.01-e373342","model":"default"},"text":"Please do the thing"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":134,"exit":0,"extra":{"cursor_version":"2026.10.01-e373342","model":"default"},"input":{"command":"echo hello-from-shell","cwd":"~/project","timeout":30000},"output":"hello-from-shell\n","tool":"Shell"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":21,"extra":{"cursor_version":"2026.10.01-e373342","model":"default"},"files_changed":["a.txt"],"input":{"content":"HELLO world\n","file_path":"~/project/a.txt"},"tool":"Write"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":9,"extra":{"cursor_version":"2026.10.01-e373342","model":"default"},"files_read":["a.txt"],"input":{"file_path":"~/project/a.txt"},"tool":"Read"}
tool.used ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":18,"extra":{"cursor_version":"2026.10.01-e373342","model":"default"},"input":{"query":"tests"},"output":"MARK-MCP-RESULT memory for tests","tool":"MCP:recall"}
tool.failed failed s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":41,"extra":{"cursor_version":"2026.10.01-e373342","failure_type":"error","is_interrupt":false,"model":"default"},"files_read":["missing.txt"],"input":{"command":"cat missing.txt","cwd":"~/project","timeout":30000},"output":"cat: missing.txt: No such file or directory","tool":"Shell"}
tool.denied denied s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"by":"client","extra":{"cursor_version":"2026.10.01-e373342","duration":0,"failure_type":"permission_denied","is_interrupt":false,"model":"default"},"files_read":["a.txt"],"input":{"file_path":"~/project/a.txt"},"reason":"denied by a hook","tool":"Read"}
tool.failed failed s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"duration_ms":30000,"extra":{"cursor_version":"2026.10.01-e373342","failure_type":"timeout","is_interrupt":false,"model":"default"},"input":{"command":"sleep 60","cwd":"~/project","timeout":30000},"output":"timed out","tool":"Shell"}
subagent.started s1 sub1 as general-purpose t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"cursor_version":"2026.10.01-e373342","git_branch":"main","is_parallel_worker":false,"model":"default","subagent_model":"default","task":"sub task"},"parent":"main of s1","sort":"general-purpose"}
subagent.stopped s1 sub1 as general-purpose t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"cursor_version":"2026.10.01-e373342","description":"sub task","duration_ms":4356,"loop_count":0,"message_count":0,"model":"default","status":"completed","task":"sub task","tool_call_count":0},"parent":"main of s1","sort":"general-purpose"}
context.compacting s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"context_tokens":182340,"context_usage_percent":91,"context_window_size":200000,"cursor_version":"2026.10.01-e373342","is_first_compaction":true,"message_count":46,"messages_to_compact":38,"model":"default"},"trigger":"auto"}
turn.ended ok s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"cache_read_tokens":800,"cache_write_tokens":0,"cursor_version":"2026.10.01-e373342","input_tokens":1200,"loop_count":0,"model":"default","output_tokens":45,"status":"completed"}}
session.ended s1 main t1 in git.example/team/demo main c0ffee0000000000000000000000000000000001
    {"extra":{"cursor_version":"2026.10.01-e373342","duration_ms":20179,"final_status":"completed","is_background_agent":false,"model":"default"},"reason":"completed"}
"#);
}
