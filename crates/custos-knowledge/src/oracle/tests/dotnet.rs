//! C#.

use insta::assert_snapshot;

use super::Project;

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
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - C#: 100 % of the source files (5 files) (`src/Tickets.Api/Program.cs`)

    ## Versions

    - .NET `net8.0` (`src/Tickets.Api/Tickets.Api.csproj:3`)
    - .NET SDK `8.0.300` (`global.json:1`)

    ## Package managers and build systems

    - NuGet (`src/Tickets.Api/Tickets.Api.csproj`)

    ## Frameworks and libraries

    - ASP.NET Core (`src/Tickets.Api/Tickets.Api.csproj:1`)
    - Entity Framework Core `8.0.4` (`src/Tickets.Api/Tickets.Api.csproj:7`)
    - MediatR `12.0.0` (`src/Tickets.Api/Tickets.Api.csproj:8`)

    ## Test libraries

    - xUnit `2.9.0` (`tests/Tickets.Tests/Tickets.Tests.csproj:1`)

    ## Commands

    ### Test

    - `dotnet test` (`Tickets.sln`, default)

    ### Build

    - `dotnet build` (`Tickets.sln`, default)

    ### Format

    - `dotnet format` (`Tickets.sln`, default)

    # Structure

    ## Folders

    - `src/`: source code
    - `src/Tickets.Api/`: Sells tickets (`src/Tickets.Api/Tickets.Api.csproj:4`)
    - `tests/`: tests
    - `tests/Tickets.Tests/`: 2 files

    ## Entry points

    - `src/Tickets.Api/Program.cs`: program

    # Patterns

    ## Tests

    - tests in projects of their own (1 file) (`tests/Tickets.Tests/TicketTests.cs`)

    ## Strictness

    - nullable reference types are on (`Directory.Build.props:1`)
    - warnings are errors (`Directory.Build.props:1`)

    ## Migrations

    - src/Tickets.Api/Migrations (by the folder's name) (`src/Tickets.Api/Migrations/`)

    # Glossary

    ## Words of the code

    - ticket: `Ticket` (`src/Tickets.Api/Ticket.cs:2`), in 2 files

    # Proposals

    - Changes of the schema are migrations in `src/Tickets.Api/Migrations` (src/Tickets.Api/Migrations/): Add a migration to `src/Tickets.Api/Migrations` for each change; never edit one that has been applied. The migrations are in the repo.
    - Nullable reference types are on (Directory.Build.props:1): Nullable reference types are on. A manifest or the settings of the compiler say so.
    - Version of .NET SDK: `8.0.300` (global.json:1): Version of .NET SDK: `8.0.300`. Use nothing that needs another. The manifest demands it.
    - Warnings are errors (Directory.Build.props:1): Warnings are errors. A manifest or the settings of the compiler say so.
    ");
}
