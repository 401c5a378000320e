//! The forms in which manifests say the same thing.

use rstest::rstest;

use super::{Project, Topic};

#[rstest]
#[case::old_name("sourceCompatibility = '1.8'\n", "8")]
#[case::old_constant("sourceCompatibility = JavaVersion.VERSION_1_8\n", "8")]
#[case::constant("sourceCompatibility = JavaVersion.VERSION_17\n", "17")]
#[case::toolchain("java { toolchain { languageVersion = JavaLanguageVersion.of(21) } }\n", "21")]
#[case::bare("sourceCompatibility = 11\n", "11")]
fn versions_of_java(#[case] build: &str, #[case] version: &str) {
    let project = Project::new(&[("build.gradle", build)]);
    assert_eq!(project.on(Topic::Version), [format!("Java {version} (build.gradle:1)")]);
}

#[rstest]
#[case::none("rootProject.name = 'x'\n", &[])]
#[case::one("include ':app'\n", &[])]
#[case::build("includeBuild('logic')\nincludeBuild('more')\n", &[])]
#[case::repositories("pluginManagement {\n  includeGroupByRegex(\"a.*\")\n  includeGroupByRegex(\"b.*\")\n}\ninclude(\":app\")\n", &[])]
#[case::two("\n\ninclude ':app', ':core'\n", &["Gradle multi-project build (settings.gradle:2)"])]
#[case::on_several_lines("include(\n  \":app\",\n  \":core\"\n)\n", &["Gradle multi-project build (settings.gradle:1)"])]
#[case::one_by_one("include(\":app\")\ninclude(\":core\")\n", &["Gradle multi-project build (settings.gradle:1)"])]
fn modules_of_gradle(#[case] settings: &str, #[case] found: &[&str]) {
    assert_eq!(Project::new(&[("settings.gradle", settings)]).on(Topic::Monorepo), found);
}

#[test]
fn gradle_on_one_line_and_as_it_was() {
    let project = Project::new(&[(
        "build.gradle",
        r#"
plugins { id 'java'; id 'org.springframework.boot' version '3.2.5' } // id 'com.android.application'
dependencies { implementation 'org.flywaydb:flyway-core:10.0.0' }
dependencies {
    compile group: 'org.hibernate', name: 'hibernate-core', version: '5.6.0'
    testCompile("org.mockito:mockito-core:5.0.0") { exclude group: 'x' }
}
"#,
    )]);
    assert_eq!(
        project.on(Topic::Framework),
        [
            "Flyway 10.0.0 (build.gradle:2)",
            "Hibernate 5.6.0 (build.gradle:4)",
            "Spring Boot 3.2.5 (build.gradle:1)"
        ]
    );
    assert_eq!(project.on(Topic::TestLibrary), ["Mockito 5.0.0 (build.gradle:5)"]);
}

#[test]
fn a_catalogue_of_versions() {
    let catalogue = r#"
[versions]
junit = "4.13.2"
[libraries]
junit = { group = "junit", name = "junit", version.ref = "junit" }
mockk = "io.mockk:mockk:1.13.0"
[plugins]
android = { id = "com.android.application", version = "8.5.0" }
"#;
    let project = Project::new(&[("gradle/libs.versions.toml", catalogue)]);
    assert_eq!(
        project.on(Topic::TestLibrary),
        ["JUnit 4 4.13.2 (gradle/libs.versions.toml:4)", "MockK 1.13.0 (gradle/libs.versions.toml:5)"]
    );
    assert_eq!(project.on(Topic::Framework), ["Android 8.5.0 (gradle/libs.versions.toml:7)"]);
}

#[test]
fn properties_of_maven_are_put_in_or_left_out() {
    let pom = r"
<project>
  <properties>
    <java.version>17</java.version>
    <maven.compiler.source>${java.version}</maven.compiler.source>
    <mockito.version>5.1.0</mockito.version>
  </properties>
  <dependencies>
    <dependency><groupId>org.mockito</groupId><artifactId>mockito-core</artifactId><version>${mockito.version}</version></dependency>
    <dependency><groupId>org.assertj</groupId><artifactId>assertj-core</artifactId><version>${elsewhere}</version></dependency>
  </dependencies>
</project>
";
    let project = Project::new(&[("pom.xml", pom)]);
    assert_eq!(project.on(Topic::TestLibrary), ["AssertJ (pom.xml:9)", "Mockito 5.1.0 (pom.xml:8)"]);
    assert_eq!(project.on(Topic::Version), ["Java 17 (pom.xml:3)"]);
}

#[test]
fn what_only_other_modules_need_is_no_framework() {
    let module = "module x\n\nrequire github.com/spf13/cobra v1.8.0\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.1 // indirect\n)\n";
    assert_eq!(Project::new(&[("go.mod", module)]).on(Topic::Framework), ["Cobra v1.8.0 (go.mod:3)"]);
}

#[test]
fn a_file_is_no_version_of_ruby() {
    let project =
        Project::new(&[("Gemfile", "ruby file: \".ruby-version\"\n"), (".ruby-version", "3.3.0\n")]);
    assert_eq!(project.on(Topic::Version), ["Ruby 3.3.0 (.ruby-version)"]);
}

#[test]
fn versions_of_several_tools() {
    let tools = "nodejs 20.11.0 18.0.0\n# python 2\npython 3.12.1 # newest\njava temurin-21.0.2+13\nruby ref:abc1\nkubectl 1.29\n";
    assert_eq!(
        Project::new(&[(".tool-versions", tools)]).on(Topic::Version),
        [
            "Java temurin-21.0.2+13 (.tool-versions:4)",
            "Node.js 20.11.0 (.tool-versions:1)",
            "Python 3.12.1 (.tool-versions:3)"
        ]
    );
}

#[rstest]
#[case::links(
    "[Website](https://x.org) | [Docs](https://x.org/docs) | [Chat room](https://x.org/chat)\n\nIt keeps the books.\n"
)]
#[case::note("> [!NOTE]\n> This is being rewritten.\n\nIt keeps the books.\n")]
#[case::quoted_note("> **Note**: under construction\n\nIt keeps the books.\n")]
#[case::quoted_note_of_several_lines(
    "> **Warning:** alpha software.\n> It may eat them.\n>\n> All of them.\n\nIt keeps the books.\n"
)]
#[case::quoted_note_with_a_title("> __Important__\n> It moves soon.\n\nIt keeps the books.\n")]
#[case::quoted_note_with_a_sign(
    "> \u{26a0}\u{fe0f} **Warning** This is alpha software\nand may change.\n\nIt keeps the books.\n"
)]
#[case::plain_note("Note: this is being rewritten.\n\nIt keeps the books.\n")]
#[case::bold_note("**Note**: this is being rewritten.\n\nIt keeps the books.\n")]
#[case::quote("> It keeps the books.\n")]
#[case::link_inside("It keeps [the books](https://x.org).\n")]
fn the_sentence_of_a_readme(#[case] text: &str) {
    let readme = format!("# Books\n\n{text}");
    let scan = Project::new(&[("a/README.md", &readme), ("a/x", "")]).scan();
    assert_eq!(scan.structure[0].what, "It keeps the books");
}

#[rstest]
#[case::in_bold("**Important** things are kept here.\n", "Important things are kept here")]
#[case::as_a_word("Note the books that it keeps.\n", "Note the books that it keeps")]
fn a_sentence_may_begin_like_a_note(#[case] text: &str, #[case] what: &str) {
    let scan = Project::new(&[("a/README.md", text), ("a/x", "")]).scan();
    assert_eq!(scan.structure[0].what, what);
}

#[test]
fn requirements_in_a_folder_and_tools_without_settings() {
    let project = Project::new(&[
        ("requirements/base.txt", "Django==5.0\n"),
        ("requirements/dev.txt", "-r base.txt\npytest==8.0\nruff\nmypy\n"),
    ]);
    assert_eq!(project.on(Topic::Framework), ["Django ==5.0 (requirements/base.txt:1)"]);
    assert_eq!(project.on(Topic::Manager), ["pip (requirements/base.txt)"]);
    assert_eq!(
        project.commands(),
        ["Test: pytest (Configured)", "Lint: ruff check . (Configured)", "Lint: mypy . (Configured)"]
    );
    assert_eq!(project.decisions(), ["Linting is done with `ruff check .`", "Tests run with `pytest`"]);
}
