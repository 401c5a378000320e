//! Clouds and hosting: what deletes or stops something there, opens it to others, or puts a version in front of users.

use crate::case::Case;
use crate::invocation::{Arg, Elsewhere, Invocation};
use crate::judge::network::SECRET_PRINT;
use crate::packs::databases::RESET;
use crate::packs::databases::clients::judge_option;
use crate::packs::shape::{Tool, fits, free, has, held, matches};
use crate::verdict::{Hold, Rule};

/// Holds what deletes.
pub(crate) static DELETE: Rule = Rule {
    id: "cloud.delete",
    hold: Hold::Ask,
    reason: "deletes something in the cloud, where there is no way back",
    safer: "list what it would reach first, and let the person delete it",
};

/// Holds what stops.
pub(crate) static STOP: Rule = Rule {
    id: "cloud.stop",
    hold: Hold::Ask,
    reason: "stops or restarts something in the cloud that others may be using",
    safer: "",
};

/// Holds what changes who may do what.
pub(crate) static ACCESS: Rule = Rule {
    id: "cloud.access",
    hold: Hold::Ask,
    reason: "changes who has access to something in the cloud",
    safer: "propose the change and let the person make it",
};

/// Holds what puts a version in front of users.
pub(crate) static DEPLOY: Rule = Rule {
    id: "cloud.deploy",
    hold: Hold::Ask,
    reason: "puts a new version in front of users",
    safer: "deploy a preview, or let the person or the CI deploy",
};

pub(crate) static AWS: Tool = Tool::new(&[
    free("** help"),
    held("s3 rb|rm", &DELETE),
    held("s3 sync", &DELETE).when("--delete"),
    held("s3 mv", &DELETE).when("--recursive"),
    held("* batch-delete-*|admin-delete-*|delete-*|terminate-*|deregister-*|purge-*|destroy-*|schedule-key-deletion|disable-key", &DELETE),
    held("* remove-permission|remove-user-*|remove-role-*|remove-targets|release-address|release-hosts", &DELETE),
    held("rds modify-*", &DELETE).when("--no-deletion-protection"),
    held("dynamodb update-table", &DELETE).when("--no-deletion-protection-enabled"),
    held("route53 change-resource-record-sets", &DELETE),
    held("* stop-instances|reboot-*|stop-db-*|stop-task|stop-cluster", &STOP),
    held("ecs update-service", &STOP).when("--desired-count=0"),
    held("autoscaling update-auto-scaling-group", &STOP).when("--max-size=0|--desired-capacity=0"),
    held("autoscaling set-desired-capacity", &STOP).when("--desired-capacity=0"),
    held("iam create-access-key|attach-*|put-*-policy|create-login-profile|update-login-profile|create-user", &ACCESS),
    held("iam add-user-to-group|update-assume-role-policy|create-policy-version|detach-*", &ACCESS),
    held("s3api put-bucket-policy|put-bucket-acl|put-object-acl|put-public-access-block", &ACCESS),
    held("ec2 authorize-security-group-*|revoke-security-group-*|modify-snapshot-attribute", &ACCESS),
    held("kms put-key-policy|create-grant", &ACCESS),
    held("lambda add-permission", &ACCESS),
    held("cloudformation deploy|update-stack|execute-change-set", &DEPLOY),
    held("lambda update-function-code", &DEPLOY),
    held("ecs update-service", &DEPLOY).when("--force-new-deployment|--task-definition"),
    held("deploy create-deployment", &DEPLOY),
    held("secretsmanager get-secret-value|batch-get-secret-value", &SECRET_PRINT),
    held("ssm get-parameter|get-parameters|get-parameters-by-path", &SECRET_PRINT).when("--with-decryption"),
    held("configure export-credentials", &SECRET_PRINT),
    held("configure get aws_secret_access_key|aws_access_key_id|aws_session_token|*.aws_secret_access_key", &SECRET_PRINT),
    held("sts get-session-token", &SECRET_PRINT),
])
.taking(
    "",
    &[
        "profile", "region", "output", "query", "endpoint-url", "cli-read-timeout", "cli-connect-timeout", "ca-bundle",
        "color", "cli-binary-format", "desired-count", "desired-capacity", "max-size", "min-size",
    ],
)
.disarmed_by("--dryrun|--generate-cli-skeleton");

pub(crate) static GCLOUD: Tool = Tool::new(&[
    held("secrets versions access", &SECRET_PRINT),
    held("** print-access-token|print-identity-token|print-refresh-token", &SECRET_PRINT),
    held("** delete|delete-*|destroy|remove-backend", &DELETE),
    held("storage rm", &DELETE),
    held("storage rsync", &DELETE).when("--delete-unmatched-destination-objects"),
    held("** restore-backup", &RESET),
    held("compute instances stop|reset|suspend", &STOP),
    held("sql instances restart|patch", &STOP),
    held("** add-iam-policy-binding|set-iam-policy|remove-iam-policy-binding", &ACCESS),
    held("iam service-accounts keys create", &ACCESS),
    held("app|run|functions deploy", &DEPLOY),
    held("alpha|beta app|run|functions deploy", &DEPLOY),
])
.taking(
    "",
    &[
        "project",
        "account",
        "configuration",
        "format",
        "filter",
        "verbosity",
        "zone",
        "region",
        "billing-project",
        "impersonate-service-account",
        "flags-file",
        "location",
    ],
)
.disarmed_by("--validate-only");

pub(crate) static GSUTIL: Tool = Tool::new(&[
    held("rm|rb", &DELETE),
    held("rsync", &DELETE).when("-d"),
    held("acl|iam|defacl ch|set", &ACCESS),
])
.taking("ohui", &[])
.disarmed_by("-n");

pub(crate) static AZ: Tool = Tool::new(&[
    held("keyvault secret show|download", &SECRET_PRINT),
    held("account get-access-token", &SECRET_PRINT),
    held("storage account keys list", &SECRET_PRINT),
    held("** delete|delete-batch|purge|destroy", &DELETE),
    held("vm|vmss stop|deallocate|restart|redeploy", &STOP),
    held("webapp|functionapp|aks|mysql|postgres stop|restart", &STOP),
    held("role assignment create", &ACCESS),
    held("ad sp create-for-rbac", &ACCESS),
    held("ad app|sp credential reset", &ACCESS),
    held("keyvault set-policy|delete-policy", &ACCESS),
    held("webapp|functionapp|containerapp up|deploy|deployment", &DEPLOY),
])
.taking("o", &["output", "query", "subscription"])
.disarmed_by("--what-if");

/// Clouds whose programs all say `NOUN … delete`.
pub(crate) static NOUN_DELETE: Tool = Tool::new(&[
    held("** delete|destroy|terminate|rebuild|purge|wipe", &DELETE),
    held("** poweroff|power-off|shutdown|reset|reboot|halt", &STOP),
])
.taking(
    "tcoup",
    &["access-token", "context", "config", "output", "token", "profile", "project", "region", "zone"],
);

pub(crate) static DOCTL: Tool = Tool::new(&[
    held("** delete|destroy|rm", &DELETE),
    held("compute droplet-action power-off|power-cycle|shutdown|reboot|rebuild|restore", &STOP),
    held("apps create-deployment", &DEPLOY),
])
.taking("tuco", &["access-token", "api-url", "context", "config", "output"]);

pub(crate) static CF: Tool = Tool::new(&[
    held("delete|delete-*|d|ds", &DELETE),
    held("push|p", &DEPLOY),
    held("stop|restart|restage", &STOP),
]);

pub(crate) static FLY: Tool = Tool::new(&[
    held("destroy", &DELETE),
    held("apps|app|volumes|volume|vol|machine|machines|m|redis|postgres|pg|mpg|storage|certs|ips|wireguard|tokens \
          destroy|delete|remove|rm|kill|release|revoke|detach", &DELETE),
    held("secrets unset", &DELETE),
    held("scale count 0", &STOP),
    held("apps|machine|machines|m stop|suspend", &STOP),
    held("deploy", &DEPLOY).unless("--build-only"),
])
.taking("act", &["app", "config", "access-token", "org"]);

pub(crate) static HEROKU: Tool = Tool::new(&[
    held(
        "apps:destroy|apps:delete|pg:reset|addons:destroy|domains:remove|pipelines:destroy|spaces:destroy",
        &DELETE,
    ),
    held("config:unset|certs:remove|keys:clear|redis:destroy|kafka:topics:destroy|container:rm", &DELETE),
    held("pg:restore|pg:backups:restore|pg:copy|pg:promote|pg:push|pg:killall", &RESET),
    held("pg:backups restore", &RESET),
    held("ps:scale|scale|dyno:scale *=0", &STOP),
    held("ps:stop|maintenance:on", &STOP),
    held("access:add|access:remove|authorizations:create", &ACCESS),
    held("container:release|releases:rollback|rollback|pipelines:promote", &DEPLOY),
    held("config|config:get|auth:token|pg:credentials:url", &SECRET_PRINT),
])
.taking("ars", &["app", "remote", "space", "team"])
.also(|call, read, case| {
    // What comes after `run` runs there.
    if let Some((first, rest)) = read.operands.split_first()
        && fits("run|run:detached|run:inside", first.text())
    {
        let argv: Vec<Arg> = match rest {
            [one] => one.text().split_whitespace().map(Arg::from).collect(),
            words => words.iter().map(|word| (*word).clone()).collect(),
        };
        let inner = Invocation { argv, elsewhere: Some(Elsewhere::Container), ..call.clone() };
        // It is not there to run itself, without end.
        if inner.program() != "heroku" {
            crate::packs::judge(&inner, case);
        }
    }
});

pub(crate) static RAILWAY: Tool = Tool::new(&[
    held("down|delete", &DELETE),
    held("volume|environment|service|project delete|rm", &DELETE),
    held("up|redeploy", &DEPLOY),
])
.taking("se", &["service", "environment"]);
pub(crate) static RENDER: Tool =
    Tool::new(&[held("services|jobs|environments delete", &DELETE), held("deploys create", &DEPLOY)]);

pub(crate) static VERCEL: Tool = Tool::new(&[
    held("rm|remove", &DELETE),
    held("project|projects|domains|dns|certs|alias|aliases|env|integration|secrets|blob rm|remove|del|store", &DELETE),
    held("promote|rollback|redeploy", &DEPLOY),
    free("build|pull|env|dev|ls|list|inspect|logs|link|login|logout|whoami|switch|project|domains|dns|git|init|bisect"),
    held("", &DEPLOY).when("--prod|--production|--target=production"),
])
.taking("tSAQed", &["token", "scope", "team", "cwd", "local-config", "global-config", "target", "env", "build-env"]);

pub(crate) static NETLIFY: Tool = Tool::new(&[
    held("sites:delete|env:unset|blobs:delete|functions:delete", &DELETE),
    held("api deleteSite|delete*", &DELETE),
    held("deploy", &DEPLOY).when("--prod|--prod-if-unlocked|-p"),
])
.taking("sd", &["site", "dir", "auth", "filter", "message"]);

pub(crate) static FIREBASE: Tool = Tool::new(&[
    held("firestore:delete|database:remove|functions:delete|hosting:disable|extensions:uninstall", &DELETE),
    held(
        "hosting:sites:delete|firestore:databases:delete|apphosting:backends:delete|remoteconfig:rollback",
        &DELETE,
    ),
    held("database:set|auth:import|firestore:databases:restore", &RESET),
    held("deploy|hosting:clone", &DEPLOY),
])
.taking("Pc", &["project", "account", "config", "token", "only"]);

pub(crate) static WRANGLER: Tool = Tool::new(&[
    held("delete|rollback", &DELETE),
    held("d1 delete|time-travel", &DELETE),
    held("kv|r2 key|namespace|bulk|bucket|object delete", &DELETE),
    held("kv:key|kv:namespace|kv:bulk|secret|secret:bulk|queues|vectorize|hyperdrive|workflows|dispatch-namespace delete", &DELETE),
    held("pages project|deployment delete", &DELETE),
    held("deploy|publish", &DEPLOY),
    held("versions|pages|triggers deploy|publish", &DEPLOY),
])
.taking("ce", &["config", "env", "cwd", "env-file", "command"])
.also(|_, read, case| {
    if matches("d1 execute", &read.operands) && has(read, "--remote") {
        judge_option('\0', "command", read, case);
    }
});

/// Frameworks that put functions into a cloud: `remove` takes all of it away.
pub(crate) static SERVERLESS: Tool =
    Tool::new(&[held("remove|delete|terminate|destroy", &DELETE), held("rollback|deploy", &DEPLOY)]).taking(
        "srp",
        &["stage", "region", "aws-profile", "config", "profile", "stack-name", "config-file", "config-env"],
    );
pub(crate) static AMPLIFY: Tool = Tool::new(&[
    held("delete", &DELETE),
    held("env|sandbox remove|delete", &DELETE),
    held("push|publish", &DEPLOY),
]);
pub(crate) static COPILOT: Tool = Tool::new(&[
    held("app|env|svc|job|task|pipeline|secret delete", &DELETE),
    held("deploy", &DEPLOY),
    held("app|env|svc|job deploy", &DEPLOY),
]);

pub(crate) static VAULT: Tool = Tool::new(&[
    held("kv delete|destroy", &DELETE),
    held("kv metadata delete", &DELETE),
    held("delete", &DELETE),
    held("secrets|auth disable", &DELETE),
    held("lease revoke", &DELETE),
    held("operator seal|step-down|rekey|generate-root", &STOP),
    held("policy write|delete", &ACCESS),
    held("token create", &ACCESS),
    held("kv get", &SECRET_PRINT),
    held("read|print", &SECRET_PRINT),
])
.one_dash()
.taking("", &["address", "namespace", "mount", "field", "format"]);
pub(crate) static CONSUL: Tool =
    Tool::new(&[held("kv delete", &DELETE), held("leave|force-leave", &STOP), held("acl * delete", &ACCESS)])
        .one_dash();
pub(crate) static NOMAD: Tool = Tool::new(&[
    held("job stop", &STOP),
    held("stop", &STOP),
    held("system gc", &DELETE),
    held("namespace|volume|var delete|deregister|purge", &DELETE),
    held("node drain", &STOP),
])
.one_dash();

pub(crate) static RCLONE: Tool = Tool::new(&[
    held("purge|delete|deletefile|cleanup", &DELETE),
    held("config show|dump|reveal", &SECRET_PRINT),
])
.taking("", &["config", "include", "exclude", "filter", "min-age", "max-age"])
.disarmed_by("-n");

pub(crate) static S3CMD: Tool =
    Tool::new(&[held("rb|del|rm|expire", &DELETE), held("sync", &DELETE).when("--delete-removed")])
        .taking("c", &["config", "region", "host"])
        .disarmed_by("-n");
pub(crate) static MINIO: Tool = Tool::new(&[
    held("rb|rm", &DELETE),
    held("mirror", &DELETE).when("--remove"),
    held("anonymous|policy set", &ACCESS),
])
.disarmed_by("--fake");

/// GitHub, as far as it deploys; the rest of it is judged with git. Most workflows test, and only the name tells.
pub(crate) static GITHUB: Tool =
    Tool::new(&[held("workflow run *deploy*|*release*|*publish*|*prod*", &DEPLOY)]).taking("R", &["repo"]);

/// A request to a cloud's own interface that deletes.
pub(crate) fn judge_request(method: &str, url: &str, call: &Invocation, case: &mut Case<'_>) {
    const INTERFACES: &[&str] = &[
        "api.cloudflare.com",
        "api.digitalocean.com",
        "api.heroku.com",
        "api.vercel.com",
        "api.netlify.com",
        "api.github.com",
        "api.hetzner.cloud",
        "api.fly.io",
        "api.machines.dev",
        "api.linode.com",
        "api.vultr.com",
        "api.render.com",
        "management.azure.com",
        "api.stripe.com",
        "gitlab.com/api",
    ];
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    let is_interface = INTERFACES.iter().any(|name| rest.starts_with(name))
        || rest.split('/').next().is_some_and(|host| fits("*.googleapis.com|*.amazonaws.com", host));
    if is_interface && method.eq_ignore_ascii_case("DELETE") {
        case.hold(&DELETE, call.shown());
    }
}
