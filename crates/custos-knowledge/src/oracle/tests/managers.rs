//! Package managers: which one a project uses, and for which of its languages.

use rstest::rstest;

use super::{Project, Topic};

const SCRIPTS: &str = "{\"scripts\": {\"test\": \"vitest run\"}}";

#[test]
fn of_several_lock_files_none_proves_anything() {
    let locks = [("package-lock.json", "{}"), ("yarn.lock", ""), ("pnpm-lock.yaml", "")];
    let project = Project::new(&[("package.json", SCRIPTS), locks[0], locks[1], locks[2]]);
    assert_eq!(project.commands(), ["Test: npm test (Default)"]);
    assert_eq!(project.decisions(), Vec::<String>::new());
    let unread: Vec<String> =
        project.scan().unread.into_iter().map(|unread| format!("{}: {}", unread.file, unread.why)).collect();
    assert_eq!(
        unread,
        [
            "package.json: it is open which program runs its scripts: pnpm-lock.yaml, yarn.lock, package-lock.json are beside it"
        ]
    );
    // What the manifest declares settles it.
    let declared = "{\"packageManager\": \"yarn@4.1.0\", \"scripts\": {\"test\": \"vitest run\"}}";
    let project = Project::new(&[("package.json", declared), locks[0], locks[1]]);
    assert_eq!(project.commands(), ["Test: yarn test (Named)"]);
    assert_eq!(project.scan().unread, []);
}

#[test]
fn a_workspace_of_pnpm_needs_no_lock_file() {
    let project = Project::new(&[
        ("package.json", SCRIPTS),
        ("pnpm-workspace.yaml", "packages: [a]\n"),
        ("a/package.json", SCRIPTS),
    ]);
    assert_eq!(project.commands(), ["Test: pnpm test (Named)", "Test: pnpm test in a (Named)"]);
    assert_eq!(project.on(Topic::Manager), ["pnpm (pnpm-workspace.yaml)"]);
}

/// What is lost without a manager: nothing is decided, and all is shown.
#[test]
fn where_nothing_proves_a_manager_its_commands_are_only_usual() {
    let scripts = "{\"scripts\": {\"test\": \"vitest run\", \"lint\": \"eslint .\"}}";
    let tools = [("eslint.config.js", ""), ("jest.config.js", "")];
    let project = Project::new(&[("package.json", scripts), tools[0], tools[1]]);
    let usual = ["Test: npm test (Default)", "Test: npx jest (Default)", "Lint: npm run lint (Default)"];
    assert_eq!(project.commands(), usual);
    assert_eq!(project.decisions(), Vec::<String>::new());
    assert_eq!(project.scan().unread, []);
    // What another runner does for the same purpose is as little the one answer as before.
    project.write("Makefile", b"test:\n\tpytest\n");
    assert_eq!(
        project.commands(),
        [
            "Test: make test (Named)",
            "Test: npm test (Default)",
            "Test: npx jest (Default)",
            "Lint: npm run lint (Default)"
        ]
    );
    assert_eq!(project.decisions(), Vec::<String>::new());
    // What CI starts a script with is proven for that script.
    project.write(".github/workflows/ci.yml", b"jobs:\n  all:\n    steps:\n      - run: npm run lint\n");
    assert_eq!(project.decisions(), ["Linting is done with `npm run lint`"]);
}

#[rstest]
#[case::pnpm(&[("pnpm-workspace.yaml", "packages:\n  - api\n"), ("pnpm-lock.yaml", "")], "pnpm test", "pnpm exec eslint .")]
#[case::pnpm_by_pattern(&[("pnpm-workspace.yaml", "packages: ['*']\n")], "pnpm test", "pnpm exec eslint .")]
#[case::yarn(&[("package.json", "{\"workspaces\": [\"api\"]}"), ("yarn.lock", "")], "yarn test", "yarn eslint .")]
#[case::yarn_declared(&[("package.json", "{\"packageManager\": \"yarn@4.1.0\", \"workspaces\": {\"packages\": [\"./api\"]}}")], "yarn test", "yarn eslint .")]
#[case::bun(&[("package.json", "{\"workspaces\": [\"api\"]}"), ("bun.lock", "")], "bun run test", "bunx eslint .")]
#[case::npm(&[("package.json", "{\"workspaces\": [\"api\"]}"), ("package-lock.json", "")], "npm test", "npx eslint .")]
fn a_repo_that_a_workspace_names_has_its_manager(
    #[case] workspace: &[(&str, &str)],
    #[case] test: &str,
    #[case] lint: &str,
) {
    let package = [("api/package.json", SCRIPTS), ("api/eslint.config.js", "")];
    let project = Project::new(&[workspace, &package].concat());
    project.write("api/.git/HEAD", b"ref: refs/heads/main\n");
    let alone = project.scan_of("api");
    let decisions = [format!("Linting is done with `{lint}`"), format!("Tests run with `{test}`")];
    assert_eq!(Project::decisions_of(alone.clone()), decisions);
    assert_eq!(
        Project::commands_of(alone),
        [format!("Test: {test} (Named)"), format!("Lint: {lint} (Configured)")]
    );
    // Seen from the workspace it is the same.
    assert_eq!(
        project.commands(),
        [format!("Test: {test} in api (Named)"), format!("Lint: {lint} in api (Configured)")]
    );
}

#[rstest]
#[case::not_named(&[("pnpm-workspace.yaml", "packages: [web]\n")])]
#[case::left_out(&[("pnpm-workspace.yaml", "packages: ['*', '!api']\n")])]
#[case::no_workspace(&[("package.json", "{}"), ("package-lock.json", "")])]
#[case::open(&[("package.json", "{\"workspaces\": [\"api\"]}"), ("yarn.lock", ""), ("package-lock.json", "")])]
#[case::unproven(&[("package.json", "{\"workspaces\": [\"api\"]}")])]
#[case::broken(&[("package.json", "{"), ("pnpm-workspace.yaml", "packages: [\n"), ("pnpm-lock.yaml", "")])]
fn a_repo_that_no_workspace_names_proves_its_own_manager(#[case] around: &[(&str, &str)]) {
    let project = Project::new(&[around, &[("api/package.json", SCRIPTS)]].concat());
    project.write("api/.git/HEAD", b"ref: refs/heads/main\n");
    assert_eq!(Project::commands_of(project.scan_of("api")), ["Test: npm test (Default)"]);
    assert_eq!(Project::decisions_of(project.scan_of("api")), Vec::<String>::new());
    assert_eq!(project.commands(), ["Test: npm test in api (Default)"]);
}

#[test]
fn the_nearest_proof_of_a_manager_counts() {
    let declared = "{\"packageManager\": \"yarn@4.1.0\", \"scripts\": {\"test\": \"vitest run\"}}";
    let project = Project::new(&[
        ("pnpm-workspace.yaml", "packages: ['**']\n"),
        ("api/package.json", declared),
        ("web/package.json", SCRIPTS),
        ("web/package-lock.json", ""),
        ("web/admin/package.json", SCRIPTS),
        ("lib/package.json", SCRIPTS),
        ("lib/deep/package.json", SCRIPTS),
    ]);
    let commands = [
        "Test: yarn test in api (Named)",
        "Test: pnpm test in lib (Named)",
        "Test: npm test in web (Named)",
        "Test: pnpm test in lib/deep (Named)",
        "Test: npm test in web/admin (Named)",
    ];
    assert_eq!(project.commands(), commands);
    assert_eq!(Project::commands_of(project.scan_of("web/admin")), ["Test: pnpm test (Named)"]);
    for repo in ["api", "lib", "web"] {
        project.write(&format!("{repo}/.git/HEAD"), b"ref: refs/heads/main\n");
    }
    assert_eq!(project.commands(), commands);
    assert_eq!(Project::commands_of(project.scan_of("api")), ["Test: yarn test (Named)"]);
    assert_eq!(
        Project::commands_of(project.scan_of("lib")),
        ["Test: pnpm test (Named)", "Test: pnpm test in deep (Named)"]
    );
    // Nobody looks beyond the next repository.
    assert_eq!(Project::commands_of(project.scan_of("web/admin")), ["Test: npm test (Default)"]);
}

#[test]
fn the_manifest_of_a_workspace_declares_the_manager_of_its_packages() {
    let root = "{\"packageManager\": \"pnpm@9.1.0\"}";
    let project = Project::new(&[("package.json", root), ("a/package.json", SCRIPTS)]);
    assert_eq!(project.commands(), ["Test: pnpm test in a (Named)"]);
}

#[rstest]
#[case::rails(&["Gemfile.lock", "yarn.lock"], &["JavaScript dependencies are managed with Yarn", "Ruby dependencies are managed with Bundler"])]
#[case::laravel(&["composer.lock", "package-lock.json"], &["JavaScript dependencies are managed with npm", "PHP dependencies are managed with Composer"])]
#[case::with_rust(&["Cargo.lock", "pnpm-lock.yaml"], &["JavaScript dependencies are managed with pnpm"])]
#[case::one_language(&["Gemfile.lock"], &["Ruby dependencies are managed with Bundler"])]
#[case::two_of_one(&["uv.lock", "requirements.txt"], &["Python dependencies are managed with uv"])]
#[case::rivals(&["uv.lock", "poetry.lock", "yarn.lock"], &["JavaScript dependencies are managed with Yarn"])]
fn a_title_says_whose_dependencies(#[case] locks: &[&str], #[case] decisions: &[&str]) {
    let files: Vec<(&str, &str)> = locks.iter().map(|lock| (*lock, "")).collect();
    assert_eq!(Project::new(&files).decisions(), decisions);
}

#[rstest]
#[case::turbo(&[("turbo.json", "{}"), ("pnpm-workspace.yaml", "packages: []\n")], "Turborepo and pnpm workspace")]
#[case::nx(&[("nx.json", "{}"), ("package.json", "{\"workspaces\": [\"a\"]}"), ("package-lock.json", "")], "Nx and npm workspaces")]
#[case::unproven(&[("package.json", "{\"workspaces\": {\"packages\": [\"a\"]}}")], "workspaces in package.json")]
#[case::yarn(&[("package.json", "{\"workspaces\": [\"a\"]}"), ("yarn.lock", "")], "Yarn workspaces")]
#[case::yarn_declared(&[("package.json", "{\"packageManager\": \"yarn@4.1.0\", \"workspaces\": [\"a\"]}")], "Yarn workspaces")]
#[case::bun(&[("package.json", "{\"workspaces\": [\"a\"]}"), ("bun.lock", "")], "Bun workspaces")]
#[case::pnpm(&[("package.json", "{\"workspaces\": [\"a\"]}"), ("pnpm-lock.yaml", "")], "workspaces in package.json")]
#[case::alone(&[("go.work", "go 1.22\n"), (".gitmodules", "")], "Go workspace")]
fn a_workspace_is_one_decision(#[case] files: &[(&str, &str)], #[case] names: &str) {
    let title = "Several packages live in this repo";
    let proposals = Project::new(files).scan().proposals;
    let found = proposals.into_iter().filter(|proposal| proposal.title.starts_with(title));
    let found: Vec<(String, String)> = found.map(|proposal| (proposal.title, proposal.decision)).collect();
    let decision =
        format!("Packages are part of one repo ({names}); share code through them and not by copies.");
    assert_eq!(found, [(title.to_owned(), decision)]);
}

#[test]
fn a_title_stays_the_same_whatever_comes_beside_it() {
    let project = Project::new(&[("package-lock.json", "{}"), ("go.work", "go 1.22\n")]);
    let decisions = ["JavaScript dependencies are managed with npm", "Several packages live in this repo"];
    assert_eq!(project.decisions(), decisions);
    project.write("Cargo.lock", b"");
    project.write("nx.json", b"{}");
    assert_eq!(project.decisions(), decisions);
}

#[rstest]
#[case::go("go.mod", "module x\n\ngo 1.22.1\n", &["Go at least 1.22.1 (go.mod:3)"])]
#[case::swift("Package.swift", "// swift-tools-version: 5.9\n", &["Swift tools at least 5.9 (Package.swift:1)"])]
#[case::ios("Podfile", "platform :ios, '16.0'\n", &["iOS at least 16.0 (Podfile:1)"])]
#[case::macos("Podfile", "platform :osx, '13.0'\n", &["macOS at least 13.0 (Podfile:1)"])]
#[case::no_version("Podfile", "platform :ios\n", &[])]
fn a_lowest_version_is_told_as_such(#[case] file: &str, #[case] text: &str, #[case] versions: &[&str]) {
    assert_eq!(Project::new(&[(file, text)]).on(Topic::Version), versions);
}

#[rstest]
#[case::in_a_comment("{\n  /*\n  \"strict\": true,\n  */\n  \"compilerOptions\": {}\n}\n", &[])]
#[case::on_one_line("{\"compilerOptions\":{\"strict\":true}}", &["TypeScript is strict (tsconfig.json:1)"])]
#[case::below_a_comment("{\n  \"compilerOptions\": {\n    /* \"strict\": false, */\n    // \"strict\": false\n    \"strict\": true, // äö\n    \"noUncheckedIndexedAccess\": true,\n  },\n}\n", &["TypeScript is strict (tsconfig.json:5)", "indexed access may be undefined (tsconfig.json:6)"])]
#[case::elsewhere("{\"other\": {\"strict\": true}, \"compilerOptions\": {\"strict\": false}}", &[])]
#[case::empty("", &[])]
fn the_compiler_of_typescript_is_as_strict_as_it_is_told(#[case] text: &str, #[case] found: &[&str]) {
    let project = Project::new(&[("tsconfig.json", text)]);
    assert_eq!(project.on(Topic::Strictness), found);
    assert_eq!(project.scan().unread, []);
}
