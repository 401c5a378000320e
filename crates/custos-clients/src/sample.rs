//! One recorded payload per event, in the program itself.
//!
//! `setup` and `doctor` prove that the installed command works by giving it what the client would give it. The payloads are those that
//! the tests use (`fixtures/`): recorded from the real clients, paths and long texts cut down.

/// Writes the table of a client's payloads.
macro_rules! samples {
    ($($client:literal { $($event:literal $file:literal;)* })*) => {
        /// Gives a recorded payload of a client's event.
        pub fn payload(client: &str, event: &str) -> Option<&'static str> {
            match (client, event) {
                $($(($client, $event) => {
                    Some(include_str!(concat!("../fixtures/", $client, "/", $file, ".json")))
                })*)*
                _ => None,
            }
        }
    };
}

samples! {
    "claude-code" {
        "SessionStart" "SessionStart"; "UserPromptSubmit" "UserPromptSubmit"; "PreToolUse" "PreToolUse.Bash";
        "PermissionRequest" "PermissionRequest.Bash"; "PostToolUse" "PostToolUse.Bash";
        "PostToolUseFailure" "PostToolUseFailure.Bash"; "PermissionDenied" "PermissionDenied.Bash"; "Stop" "Stop";
        "StopFailure" "StopFailure"; "SubagentStart" "SubagentStart"; "SubagentStop" "SubagentStop";
        "PreCompact" "PreCompact"; "SessionEnd" "SessionEnd";
    }
    "codex" {
        "SessionStart" "SessionStart"; "UserPromptSubmit" "UserPromptSubmit"; "PreToolUse" "PreToolUse.Bash";
        "PermissionRequest" "PermissionRequest.Bash"; "PostToolUse" "PostToolUse.Bash"; "Stop" "Stop";
        "SubagentStart" "SubagentStart"; "SubagentStop" "SubagentStop"; "PreCompact" "PreCompact";
        "SessionEnd" "SessionEnd";
    }
    "gemini" {
        "SessionStart" "SessionStart"; "BeforeAgent" "BeforeAgent"; "BeforeTool" "BeforeTool.run_shell_command";
        "AfterTool" "AfterTool.run_shell_command"; "AfterAgent" "AfterAgent"; "SessionEnd" "SessionEnd";
    }
    "copilot" {
        "sessionStart" "sessionStart"; "userPromptSubmitted" "userPromptSubmitted"; "preToolUse" "preToolUse.bash";
        "permissionRequest" "permissionRequest.bash"; "postToolUse" "postToolUse.bash";
        "postToolUseFailure" "postToolUseFailure"; "agentStop" "agentStop"; "subagentStart" "subagentStart";
        "subagentStop" "subagentStop"; "preCompact" "preCompact"; "sessionEnd" "sessionEnd";
    }
    "opencode" {
        "event.session.created" "event.session.created"; "chat.message" "chat.message";
        "tool.execute.before" "tool.execute.before.bash"; "tool.execute.after" "tool.execute.after.bash";
        "event.message.part.updated" "event.message.part.updated.tool-error";
        "event.session.idle" "event.session.idle";
        "experimental.session.compacting" "experimental.session.compacting";
    }
    "cursor" {
        "sessionStart" "sessionStart"; "beforeSubmitPrompt" "beforeSubmitPrompt"; "preToolUse" "preToolUse.Shell";
        "postToolUse" "postToolUse.Shell"; "postToolUseFailure" "postToolUseFailure.Shell"; "stop" "stop";
        "subagentStart" "subagentStart"; "subagentStop" "subagentStop"; "preCompact" "preCompact";
        "sessionEnd" "sessionEnd";
    }
}

#[cfg(test)]
mod tests {
    use super::payload;
    use crate::CLIENTS;

    #[test]
    fn every_wired_event_has_a_payload_that_its_client_reads() {
        for client in CLIENTS {
            for row in client.manifest.events {
                let text = payload(client.name, row.event)
                    .unwrap_or_else(|| panic!("{} {}", client.name, row.event));
                let fields = serde_json::from_str(text).unwrap();
                let read = client.read(row.moment, fields);
                assert!(read.is_ok(), "{} {}: {read:?}", client.name, row.event);
            }
        }
    }
}
