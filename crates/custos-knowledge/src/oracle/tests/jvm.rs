//! Java and Kotlin.

use insta::assert_snapshot;

use super::{Project, Topic};

#[test]
fn java_with_maven() {
    let project = Project::new(&[
        (
            "pom.xml",
            r#"
<?xml version="1.0"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <!-- <dependency><groupId>io.quarkus</groupId><artifactId>no</artifactId></dependency> -->
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>3.3.1</version>
    <relativePath/>
  </parent>
  <description>Keeps stock.</description>
  <modules><module>core</module></modules>
  <properties><java.version>21</java.version></properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <scope>test</scope>
    </dependency>
  </dependencies>
</project>
"#,
        ),
        ("mvnw", "#!/bin/sh\n"),
        ("core/pom.xml", "<project><description>The core of it.</description></project>\n"),
        (
            "core/src/main/java/shop/package-info.java",
            "/**\n * Stock and where it lies.\n * @since 1\n */\npackage shop;\n",
        ),
        ("core/src/main/java/shop/Stock.java", "package shop;\n\npublic final class Stock {}\n"),
        (
            "core/src/main/java/shop/App.java",
            "package shop;\n\n@SpringBootApplication\npublic class StockApplication {\n    public static void main(String[] args) {}\n}\n",
        ),
        ("core/src/test/java/shop/StockTest.java", "class StockTest {}\n"),
        ("core/src/main/resources/db/migration/V1__init.sql", "create table stock ();\n"),
        (
            "Jenkinsfile",
            "pipeline {\n  stages {\n    stage('x') { steps {\n      sh './mvnw -B verify'\n      sh \"echo done\"\n    } }\n  }\n}\n",
        ),
    ]);
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - Java: 80 % of the source files (4 files) (`core/src/main/java/shop/App.java`)
    - SQL: 20 % of the source files (1 file) (`core/src/main/resources/db/migration/V1__init.sql`)

    ## Versions

    - Java `21` (`pom.xml:12`)

    ## Package managers and build systems

    - Maven (`pom.xml`)

    ## Frameworks and libraries

    - Spring Boot `3.3.1` (`pom.xml:5`)

    ## Test libraries

    - JUnit 5 (`pom.xml:15`)

    ## Commands

    ### Test

    - `./mvnw -B verify` (`Jenkinsfile:4`, CI)

    ### Build

    - `./mvnw package` (`pom.xml`, default)

    # Structure

    ## Folders

    - `./`: Keeps stock (`pom.xml:10`)
    - `core/`: The core of it (`core/pom.xml:1`)
    - `core/src/main/java/shop/`: Stock and where it lies (`core/src/main/java/shop/package-info.java:1`)

    ## Entry points

    - `core/src/main/java/shop/App.java`: Spring Boot application (`core/src/main/java/shop/App.java:3`)

    # Patterns

    ## Tests

    - tests in `src/test` (1 file) (`core/src/test/java/shop/StockTest.java`)

    ## Continuous integration

    - Jenkins (`Jenkinsfile`)

    ## Migrations

    - core/src/main/resources/db/migration (Flyway) (`core/src/main/resources/db/migration/`)

    ## Several packages

    - Maven modules (`pom.xml:11`)

    # Glossary

    ## Words of the code

    - stock: `Stock` (`core/src/main/java/shop/Stock.java:3`), in 2 files

    # Proposals

    - Changes of the schema are migrations in `core/src/main/resources/db/migration` (core/src/main/resources/db/migration/): Add a migration to `core/src/main/resources/db/migration` for each change; never edit one that has been applied. The migrations are in the repo.
    - JVM dependencies are managed with Maven (pom.xml): Use Maven for JVM dependencies, and no other manager of its kind. It is the only package manager of its kind with a file in the repo.
    - Several packages live in this repo (pom.xml:11): Packages are part of one repo (Maven modules); share code through them and not by copies. The workspace is declared.
    - Tests run with `./mvnw -B verify` (Jenkinsfile:4): Tests run with `./mvnw -B verify`. Run this before a change is called done. Continuous integration runs this command.
    - Version of Java: `21` (pom.xml:12): Version of Java: `21`. Use nothing that needs another. The manifest demands it.
    ");
}

#[test]
fn kotlin_with_gradle() {
    let project = Project::new(&[
        (
            "build.gradle.kts",
            r#"
plugins {
    kotlin("jvm") version "2.0.0"
    id("io.ktor.plugin") version "2.3.12"
    id("com.diffplug.spotless") version "6.25.0"
}
description = "A chat server"
dependencies {
    implementation("io.ktor:ktor-server-core:2.3.12")
    testImplementation("io.kotest:kotest-runner-junit5:5.9.0")
    // implementation("io.quarkus:no:1")
}
kotlin { jvmToolchain(21) }
application {
    mainClass.set("chat.MainKt")
}
tasks.register<Test>("integrationTest") {}
"#,
        ),
        ("settings.gradle.kts", "rootProject.name = \"chat\"\ninclude(\":server\", \":client\")\n"),
        (
            "gradle/libs.versions.toml",
            "[versions]\nexposed = \"0.50\"\n[libraries]\nflyway = { module = \"org.flywaydb:flyway-core\", version.ref = \"exposed\" }\n",
        ),
        ("gradlew", "#!/bin/sh\n"),
        ("server/src/main/kotlin/chat/Main.kt", "package chat\n\nfun main() {}\n"),
        ("server/src/main/kotlin/chat/Room.kt", "data class Room(val id: Int)\nsealed interface Member\n"),
        ("server/src/main/kotlin/chat/Members.kt", "internal class RoomMember\n"),
        (
            "azure-pipelines.yml",
            "steps:\n  - script: ./gradlew check\n    displayName: Check\n  - bash: |\n      ./gradlew spotlessCheck\n",
        ),
    ]);
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - Kotlin: 100 % of the source files (3 files) (`server/src/main/kotlin/chat/Main.kt`)

    ## Versions

    - Java `21` (`build.gradle.kts:12`)

    ## Package managers and build systems

    - Gradle (`build.gradle.kts`)

    ## Frameworks and libraries

    - Flyway `0.50` (`gradle/libs.versions.toml:4`)
    - Kotlin `2.0.0` (`build.gradle.kts:2`)
    - Ktor `2.3.12` (`build.gradle.kts:3`)
    - Spotless `6.25.0` (`build.gradle.kts:4`)

    ## Test libraries

    - Kotest `5.9.0` (`build.gradle.kts:9`)

    ## Commands

    ### Test

    - `./gradlew integrationTest` (`build.gradle.kts:16`)
    - `./gradlew check` (`azure-pipelines.yml:2`, CI)

    ### Build

    - `./gradlew build` (`build.gradle.kts`, default)

    ### Format

    - `./gradlew spotlessCheck` (`azure-pipelines.yml:5`, CI)

    # Structure

    ## Folders

    - `./`: A chat server (`build.gradle.kts:6`)
    - `gradle/`: 1 file
    - `server/`: the server

    ## Entry points

    - `chat.MainKt`: main class (`build.gradle.kts:14`)
    - `server/src/main/kotlin/chat/Main.kt`: program (`server/src/main/kotlin/chat/Main.kt:3`)

    # Patterns

    ## Continuous integration

    - Azure Pipelines (`azure-pipelines.yml`)

    ## Several packages

    - Gradle multi-project build (`settings.gradle.kts:2`)

    # Glossary

    ## Words of the code

    - member: `Member` (`server/src/main/kotlin/chat/Room.kt:2`), in 2 files
    - room: `Room` (`server/src/main/kotlin/chat/Room.kt:1`), in 2 files

    # Proposals

    - Formatting is checked with `./gradlew spotlessCheck` (azure-pipelines.yml:5): Formatting is checked with `./gradlew spotlessCheck`. Code has to pass it. Continuous integration runs this command.
    - JVM dependencies are managed with Gradle (build.gradle.kts): Use Gradle for JVM dependencies, and no other manager of its kind. It is the only package manager of its kind with a file in the repo.
    - Several packages live in this repo (settings.gradle.kts:2): Packages are part of one repo (Gradle multi-project build); share code through them and not by copies. The workspace is declared.
    - Tests run with `./gradlew check` (azure-pipelines.yml:2): Tests run with `./gradlew check`. Run this before a change is called done. Continuous integration runs this command.
    - Version of Java: `21` (build.gradle.kts:12): Version of Java: `21`. Use nothing that needs another. The manifest demands it.
    ");
}

#[test]
fn the_build_files_of_gradle_are_not_the_project() {
    let project = Project::new(&[
        ("settings.gradle.kts", "include(\":app\")\n"),
        ("gradlew", "#!/bin/sh\n"),
        ("app/build.gradle.kts", "plugins { java }\n"),
        ("app/src/main/java/shop/Stock.java", "package shop;\nclass Stock {}\n"),
    ]);
    assert_eq!(
        project.on(Topic::Language),
        ["Java 100 % of the source files (1 file) (app/src/main/java/shop/Stock.java)"]
    );
    assert_eq!(project.commands(), ["Test: ./gradlew test (Default)", "Build: ./gradlew build (Default)"]);
}

#[test]
fn a_wrapper_above_is_the_one_to_use() {
    let project = Project::new(&[
        ("gradlew", "#!/bin/sh\n"),
        ("services/app/build.gradle", "apply plugin: 'java'\n"),
        ("services/other/.git/HEAD", "ref: refs/heads/main\n"),
        ("services/other/build.gradle", "apply plugin: 'java'\n"),
    ]);
    assert_eq!(
        project.commands(),
        [
            "Test: ../../gradlew test in services/app (Default)",
            "Test: gradle test in services/other (Default)",
            "Build: ../../gradlew build in services/app (Default)",
            "Build: gradle build in services/other (Default)",
        ]
    );
}
