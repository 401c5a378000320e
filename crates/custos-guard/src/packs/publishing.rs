//! Package publishing: what goes out to the world, or is taken back from it.

use crate::case::Case;
use crate::invocation::Invocation;
use crate::options::Options;
use crate::packs::databases::RESET;
use crate::packs::shape::{Tool, find, fits, free, held};
use crate::verdict::{Hold, Rule};

/// Holds what publishes.
pub(crate) static PUBLISH: Rule = Rule {
    id: "publishing.publish",
    hold: Hold::Ask,
    reason: "publishes something that cannot be taken back",
    safer: "show what would go out with --dry-run, or pack it without publishing",
};

/// Holds what takes a published version away from others.
pub(crate) static WITHDRAW: Rule = Rule {
    id: "publishing.withdraw",
    hold: Hold::Ask,
    reason: "takes a published version away from those who use it, or marks it as not to be used",
    safer: "publish a fixed version instead",
};

/// Holds what changes who may publish, or gives out a token.
pub(crate) static OWNERS: Rule = Rule {
    id: "publishing.owners",
    hold: Hold::Ask,
    reason: "changes who may publish, or makes a token for it",
    safer: "let the person do it on the registry's site",
};

/// npm's options are its configuration keys: any of them may stand before the subcommand.
const NPM_TAKING: &[&str] = &[
    "access",
    "registry",
    "tag",
    "workspace",
    "prefix",
    "loglevel",
    "otp",
    "cache",
    "userconfig",
    "globalconfig",
    "scope",
    "filter",
    "dir",
    "cwd",
    "auth-type",
    "omit",
    "include",
    "install-strategy",
    "script-shell",
    "node-options",
    "before",
    "depth",
    "location",
    "reporter",
    "use-node-version",
    "config",
    "cafile",
    "https-proxy",
    "proxy",
    "provenance-file",
    "publish-branch",
    "tolerate",
    "package",
    "call",
    "editor",
    "browser",
    "fetch-retries",
    "fetch-timeout",
    "maxsockets",
    "use-yarnrc",
    "modules-folder",
    "mutex",
];

pub(crate) static NPM: Tool = Tool::new(&[
    free("run|run-script|rum|urn|exec|x|install|i|add|ci|test|t|start|dlx|create|init|view|info|show|v"),
    held("publish|pub", &PUBLISH),
    held("stage publish|approve", &PUBLISH),
    held("npm publish", &PUBLISH),
    held("workspace * publish", &PUBLISH),
    held("workspace * npm publish", &PUBLISH),
    held("workspaces foreach publish", &PUBLISH),
    held("workspaces foreach npm publish", &PUBLISH),
    held("workspaces run npm publish", &PUBLISH),
    held("recursive|multi|m publish", &PUBLISH),
    held("unpublish|deprecate|undeprecate", &WITHDRAW),
    held("npm unpublish|deprecate", &WITHDRAW),
    held("dist-tag|dist-tags|tag add|rm|set", &WITHDRAW),
    held("npm tag add|remove", &WITHDRAW),
    held("owner|author add|rm|remove", &OWNERS),
    held("access set|grant|revoke|public|restricted|edit|2fa-required|2fa-not-required", &OWNERS),
    held("team create|destroy|add|rm", &OWNERS),
    held("token create|revoke|delete|rm", &OWNERS),
    held("org set|rm", &OWNERS),
])
.taking("wCF", NPM_TAKING)
.also(|call, read, case| {
    if fits("pnpm|yarn|yarnpkg|bun", call.program()) {
        installed(call, read, case);
    }
});

/// pnpm, yarn and bun run the programs of a project by their bare names: `yarn prisma migrate reset`.
fn installed(call: &Invocation, read: &Options<'_>, case: &mut Case<'_>) {
    let Some(first) = read.operands.first() else { return };
    let is_program = fits(
        "prisma|sequelize|sequelize-cli|typeorm|knex|mikro-orm|drizzle-kit|lerna|changeset|np|release-it|semantic-release|nx|\
         wrangler|vercel|netlify|firebase|sls|serverless|sst|cdk|cdktf|supabase|vsce|ovsx|jsr|amplify|eas|expo|turbo",
        first.text(),
    );
    if let Some(tool) = find(crate::packs::programs::PROGRAMS, first.text()).filter(|_| is_program) {
        tool.judge(&Invocation { argv: call.args()[read.first..].to_vec(), ..call.clone() }, case);
    }
}

pub(crate) static LERNA: Tool = Tool::new(&[held("publish", &PUBLISH)]);
pub(crate) static CHANGESET: Tool = Tool::new(&[held("publish", &PUBLISH)]);
pub(crate) static NX: Tool = Tool::new(&[
    held("release", &PUBLISH).unless("--skip-publish"),
    held("run-many|affected", &PUBLISH).when("--target=publish|-t=publish|--targets=publish"),
])
.taking("tp", &["target", "targets", "projects"])
.disarmed_by("-d");
/// Programs that release as soon as they are called.
pub(crate) static RELEASING: Tool = Tool::new(&[held("", &PUBLISH)])
    .disarmed_by("-d|-v|--preview|--no-publish|--changelog|--release-version");
/// Programs with a plain `publish`.
pub(crate) static PLAIN: Tool = Tool::new(&[held("publish", &PUBLISH), held("unpublish|yank", &WITHDRAW)])
    .taking("Pp", &["directory", "project", "token", "registry", "config", "pat"]);
pub(crate) static DENO: Tool = Tool::new(&[
    free("run|task|test"),
    held("publish", &PUBLISH),
    held("deploy", &crate::packs::cloud::DEPLOY),
]);
pub(crate) static EAS: Tool = Tool::new(&[
    held("submit|update", &PUBLISH),
    held("publish", &PUBLISH),
    held("deploy", &crate::packs::cloud::DEPLOY),
]);

pub(crate) static CARGO: Tool = Tool::new(&[
    held("publish", &PUBLISH),
    held("yank", &WITHDRAW).unless("--undo"),
    held("owner", &OWNERS).when("-a|--add|-r|--remove"),
    held("release", &PUBLISH).when("-x|--execute"),
    held("workspaces|ws publish", &PUBLISH),
    held("smart-release", &PUBLISH).when("-e|--execute"),
    held("sqlx database|db drop|reset", &RESET),
    held("lambda deploy", &crate::packs::cloud::DEPLOY),
    held("shuttle deploy|delete", &crate::packs::cloud::DEPLOY),
    held("uninstall custos", &crate::judge::own::COMMAND),
])
.taking(
    "CZ",
    &["color", "config", "manifest-path", "package", "target-dir", "token", "registry", "index", "features"],
)
.disarmed_by("-n")
.also(|call, read, case| {
    // `cargo +nightly publish`: the toolchain is no subcommand.
    let names_toolchain =
        |at: usize| read.operands.get(at).is_some_and(|operand| operand.text().starts_with('+'));
    if names_toolchain(0) && !names_toolchain(1) {
        let mut argv = call.argv.clone();
        argv.remove(1 + read.first);
        CARGO.judge(&Invocation { argv, ..call.clone() }, case);
    }
});
pub(crate) static RELEASE_PLZ: Tool = Tool::new(&[held("release", &PUBLISH)]);

pub(crate) static TWINE: Tool = Tool::new(&[held("upload|register", &PUBLISH)]);
pub(crate) static SETUP_PY: Tool = Tool::new(&[held("** upload|register", &PUBLISH)]);
/// Python's project tools.
pub(crate) static PROJECT: Tool = Tool::new(&[held("publish|upload", &PUBLISH)])
    .taking("CPp", &["directory", "project", "config-file", "cache-dir", "color", "python", "repository"]);

pub(crate) static GEM: Tool = Tool::new(&[
    held("push", &PUBLISH),
    held("yank", &WITHDRAW),
    held("owner", &OWNERS).when("-a|--add|-r|--remove"),
]);

pub(crate) static MAVEN: Tool = Tool::new(&[
    held("** deploy|deploy:deploy|deploy:deploy-file|release:perform|site-deploy|nexus-staging:release|*:deploy", &PUBLISH),
    held("** flyway:clean|liquibase:dropAll", &RESET),
])
.taking("DPfplsgTrtb", &["file", "activate-profiles", "projects", "settings", "threads", "define", "resume-from"])
.disarmed_by("--dry-run|-v");
pub(crate) static GRADLE: Tool = Tool::new(&[
    held("** publish|*:publish|publishPlugins|*:publishPlugins|uploadArchives|*:uploadArchives", &PUBLISH),
    held("** publish*ToMavenRepository|publish*ToSonatype*|publish*ToGitHub*|*:publish*Repository", &PUBLISH),
    held("** publishToMavenCentral|publishAndRelease*|closeAndRelease*|publishAllPublicationsTo*|bintrayUpload", &PUBLISH),
    held("** flywayClean|*:flywayClean", &RESET),
])
.taking("DPpbcIgx", &["project-dir", "build-file", "settings-file", "init-script", "gradle-user-home", "exclude-task", "console", "tests"])
.disarmed_by("-m");
pub(crate) static SBT: Tool = Tool::new(&[held(
    "** publish|+publish|publishSigned|+publishSigned|sonatypeRelease|sonatypeBundleRelease|ci-release|*/publish|*/publishSigned|release",
    &PUBLISH,
)])
.one_dash();
pub(crate) static LEIN: Tool = Tool::new(&[held("deploy|release", &PUBLISH), held("do deploy", &PUBLISH)]);

pub(crate) static DOTNET: Tool = Tool::new(&[
    held("nuget push", &PUBLISH),
    held("nuget delete", &WITHDRAW),
    held("ef database drop", &RESET),
]);
pub(crate) static NUGET: Tool = Tool::new(&[held("push", &PUBLISH), held("delete", &WITHDRAW)]);

pub(crate) static DART: Tool =
    Tool::new(&[held("pub publish|lish", &PUBLISH)]).disarmed_by("-n").taking("C", &["directory"]);
pub(crate) static CABAL: Tool = Tool::new(&[held("upload", &PUBLISH)]);
pub(crate) static POD: Tool = Tool::new(&[
    held("trunk push", &PUBLISH),
    held("repo push", &PUBLISH),
    held("trunk delete|deprecate", &WITHDRAW),
    held("trunk add-owner|remove-owner", &OWNERS),
]);
/// Programs with a plain `upload`.
pub(crate) static UPLOADING: Tool = Tool::new(&[
    held("upload|upload-*", &PUBLISH),
    held("release|promote", &PUBLISH),
    held("remove", &WITHDRAW),
])
.taking("tr", &["token", "remote", "site"]);
pub(crate) static CPAN_UPLOAD: Tool = Tool::new(&[held("*", &PUBLISH)]);
pub(crate) static GORELEASER: Tool =
    Tool::new(&[held("release|publish", &PUBLISH).unless("--snapshot|--skip-publish|--skip=publish")])
        .taking("fp", &["config", "skip", "parallelism", "timeout"]);
pub(crate) static FASTLANE: Tool = Tool::new(&[held(
    "** deliver|pilot|supply|upload_to_app_store|upload_to_testflight|upload_to_play_store|release",
    &PUBLISH,
)]);
pub(crate) static BREW: Tool = Tool::new(&[
    held("bump-formula-pr|bump-cask-pr", &PUBLISH),
    held("uninstall|remove|rm custos", &crate::judge::own::COMMAND),
]);
