//! Java, Kotlin, C#.

use insta::assert_snapshot;

use super::Project;

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
    assert_snapshot!(project.told(), @"");
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
        ("settings.gradle.kts", "rootProject.name = \"chat\"\ninclude(\":server\")\n"),
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
    assert_snapshot!(project.told(), @"");
}

#[test]
fn csharp() {
    let project = Project::new(&[
        ("Tickets.sln", "Microsoft Visual Studio Solution File\n"),
        ("global.json", "{\"sdk\": {\"version\": \"8.0.300\"}}\n"),
        (
            "Directory.Build.props",
            "<Project><PropertyGroup><Nullable>enable</Nullable><TreatWarningsAsErrors>true</TreatWarningsAsErrors></PropertyGroup></Project>\n",
        ),
        (
            "src/Tickets.Api/Tickets.Api.csproj",
            r#"
<Project Sdk="Microsoft.NET.Sdk.Web">
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <Description>Sells tickets.</Description>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Microsoft.EntityFrameworkCore" Version="8.0.4" />
    <PackageReference Include='MediatR' Version='12.0.0'/>
  </ItemGroup>
</Project>
"#,
        ),
        ("src/Tickets.Api/Program.cs", "var app = WebApplication.Create();\n"),
        ("src/Tickets.Api/Ticket.cs", "namespace Tickets;\npublic sealed record Ticket(int Id);\n"),
        ("src/Tickets.Api/TicketStore.cs", "public interface ITicketStore {}\n"),
        ("src/Tickets.Api/Migrations/Init.cs", "class Init {}\n"),
        (
            "tests/Tickets.Tests/Tickets.Tests.csproj",
            "<Project Sdk=\"Microsoft.NET.Sdk\"><ItemGroup><PackageReference Include=\"xunit\" Version=\"2.9.0\" /></ItemGroup></Project>\n",
        ),
        ("tests/Tickets.Tests/TicketTests.cs", "public class TicketTests {}\n"),
    ]);
    assert_snapshot!(project.told(), @"");
}
