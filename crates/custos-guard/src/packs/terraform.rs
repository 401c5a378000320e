//! Infrastructure as code: Terraform and its kin, where one word takes down all that was ever built.

use crate::case::Case;
use crate::invocation::Invocation;
use crate::options::Options;
use crate::packs::shape::{Tool, held};
use crate::verdict::{Hold, Rule};

/// Holds what destroys.
pub(crate) static DESTROY: Rule = Rule {
    id: "terraform.destroy",
    hold: Hold::Ask,
    reason: "takes down infrastructure that is in use",
    safer: "show what would go with `terraform plan -destroy`",
};

/// Holds what changes infrastructure.
pub(crate) static APPLY: Rule = Rule {
    id: "terraform.apply",
    hold: Hold::Ask,
    reason: "changes infrastructure, possibly by replacing what is in use",
    safer: "show the plan with `terraform plan` and let the person apply it",
};

/// Holds what changes the state by hand.
pub(crate) static STATE: Rule = Rule {
    id: "terraform.state",
    hold: Hold::Ask,
    reason: "changes what Terraform remembers of the infrastructure",
    safer: "look at it with `terraform state list` and `terraform state show`",
};

pub(crate) static TERRAFORM: Tool = Tool::new(&[
    held("destroy", &DESTROY),
    held("apply|refresh", &DESTROY).when("--destroy"),
    held("run-all|run destroy", &DESTROY),
    held("destroy-all", &DESTROY),
    held("apply-all", &APPLY),
    held("stack run destroy", &DESTROY),
    held("workspace delete", &DESTROY),
    held("apply", &APPLY),
    held("run-all|run|stack apply", &APPLY),
    held("stack run apply", &APPLY),
    held("state rm|mv|push|replace-provider", &STATE),
    held("taint|untaint|force-unlock|import", &STATE),
])
.one_dash()
.taking(
    "",
    &["var", "var-file", "terragrunt-working-dir", "working-dir", "terragrunt-config", "queue-include-dir"],
)
.disarmed_by("--help")
.also(through_variables);

/// `TF_CLI_ARGS_apply=-destroy terraform apply`, and worse, `TF_CLI_ARGS=-destroy`.
fn through_variables(call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
    let destroys = call
        .env
        .iter()
        .any(|(name, value)| name.starts_with("TF_CLI_ARGS") && value.text().contains("-destroy"));
    if destroys && read.operands.first().is_some_and(|command| command.is("apply")) {
        case.hold(&DESTROY, call.shown());
    }
}

pub(crate) static PULUMI: Tool = Tool::new(&[
    held("destroy|down|dn", &DESTROY),
    held("stack rm", &DESTROY),
    held("state delete|unprotect|rename", &STATE),
    held("stack import", &STATE),
    held("up|update|refresh|watch", &APPLY).unless("--preview-only"),
    held("config get|env", &crate::judge::network::SECRET_PRINT).when("--show-secrets"),
    held("config|stack", &crate::judge::network::SECRET_PRINT).when("--show-secrets"),
])
.taking("Cs", &["cwd", "stack", "color", "config-file"]);

pub(crate) static CDK: Tool =
    Tool::new(&[held("destroy", &DESTROY), held("deploy|bootstrap|import|rollback", &APPLY)])
        .taking("acop", &["app", "context", "output", "profile", "role-arn", "plugin"]);
