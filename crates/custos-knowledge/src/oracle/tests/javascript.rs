//! TypeScript and JavaScript.

use insta::assert_snapshot;

use super::Project;
use crate::oracle::Topic;

#[test]
fn typescript_with_pnpm() {
    let project = Project::new(&[
        (
            "package.json",
            r#"
{
  "name": "@acme/web",
  "description": "The web shop.",
  "license": "Apache-2.0",
  "type": "module",
  "packageManager": "pnpm@9.1.0+sha512.abc",
  "engines": { "node": ">=20" },
  "bin": { "shop": "./dist/cli.js" },
  "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" } },
  "scripts": {
    "prepare": "husky",
    "dev": "next dev",
    "build": "next build",
    "test": "vitest run",
    "test:e2e": "playwright test",
    "lint": "eslint .",
    "typecheck": "tsc --noEmit",
    "format:check": "prettier --check ."
  },
  "dependencies": { "next": "^15.0.0", "react": "^19.0.0" },
  "devDependencies": { "vitest": "^2.0.0", "typescript": "~5.6.0", "left-pad": "1" }
}
"#,
        ),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n"),
        ("pnpm-workspace.yaml", "packages: ['packages/*']\n"),
        ("tsconfig.json", "{\n  // strictly\n  \"compilerOptions\": {\n    \"strict\": true,\n  }\n}\n"),
        ("eslint.config.js", "export default [];\n"),
        (".prettierrc", "{}\n"),
        ("commitlint.config.js", "export default {};\n"),
        (".husky/pre-commit", "pnpm lint\n"),
        ("Dockerfile", "FROM node\n"),
        ("node_modules/react/index.js", "class Junk {}\n"),
        (
            "packages/cart/package.json",
            r#"{"name": "cart", "description": "Carts and what is in them.", "scripts": {"test": "vitest run cart"}}"#,
        ),
        ("packages/cart/src/index.ts", "export class Cart {}\nexport interface CartLine {}\n"),
        ("packages/cart/src/cart.test.ts", "class CartTestThing {}\n"),
        ("src/app/page.tsx", "export default function CartPage() {}\n"),
        ("src/index.ts", "export type CartId = string;\n"),
    ]);
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - TypeScript: 67 % of the source files (4 files) (`tsconfig.json`)
    - JavaScript: 33 % of the source files (2 files) (`package.json`)

    ## Versions

    - Node.js `>=20` (`package.json:7`)

    ## Package managers and build systems

    - pnpm `9.1.0` (`package.json:6`)

    ## Frameworks and libraries

    - Next.js `^15.0.0` (`package.json:20`)
    - React `^19.0.0` (`package.json:20`)
    - TypeScript compiler `~5.6.0` (`package.json:21`)

    ## Test libraries

    - Vitest `^2.0.0` (`package.json:21`)

    ## Commands

    ### Test

    - `pnpm test`: `vitest run` (`package.json:14`)
    - `pnpm run test:e2e`: `playwright test` (`package.json:15`)
    - `pnpm test` in `packages/cart`: `vitest run cart` (`packages/cart/package.json:1`)

    ### Lint

    - `pnpm run lint`: `eslint .` (`package.json:16`)
    - `pnpm run typecheck`: `tsc --noEmit` (`package.json:17`)

    ### Build

    - `pnpm run build`: `next build` (`package.json:13`)

    ### Format

    - `pnpm run format:check`: `prettier --check .` (`package.json:18`)

    ### Run

    - `pnpm run dev`: `next dev` (`package.json:12`)

    # Structure

    ## Folders

    - `./`: The web shop (`package.json:3`)
    - `.husky/`: git hooks
    - `packages/`: packages, one folder each
    - `packages/cart/`: Carts and what is in them (`packages/cart/package.json:1`)
    - `src/`: source code
    - `src/app/`: the application

    ## Entry points

    - `dist/cli.js`: program shop (`package.json:8`)
    - `dist/index.js`: export . (`package.json:9`)
    - `packages/cart/src/index.ts`: first module
    - `src/app/page.tsx`: first page of Next.js
    - `src/index.ts`: first module

    # Patterns

    ## Formatting

    - Prettier (`.prettierrc`)

    ## Linting

    - ESLint (`eslint.config.js`)

    ## Tests

    - tests beside the code, `*.test.*` (1 file) (`packages/cart/src/cart.test.ts`)

    ## Strictness

    - JavaScript is written as ES modules (`package.json:5`)
    - TypeScript is strict (`tsconfig.json:4`)

    ## Commits and changes

    - commitlint (`commitlint.config.js`)
    - husky hooks (`.husky/pre-commit`)

    ## Containers and infrastructure

    - Dockerfile (`Dockerfile`)

    ## Several packages

    - pnpm workspace (`pnpm-workspace.yaml`)

    ## Licence

    - Apache-2.0 (`package.json:4`)

    # Glossary

    ## Words of the code

    - cart: `Cart` (`packages/cart/src/index.ts:1`), in 3 files

    # Proposals

    - Commit messages follow Conventional Commits (commitlint.config.js): Write commit messages as Conventional Commits. A tool or the contributors' guide asks for it.
    - Formatting is checked with `pnpm run format:check` (package.json:18): Formatting is checked with `pnpm run format:check`. Code has to pass it. The project names this command itself.
    - JavaScript dependencies are managed with pnpm (package.json:6): Use pnpm for JavaScript dependencies, and no other manager of its kind. It is the only package manager of its kind with a file in the repo.
    - JavaScript is written as ES modules (package.json:5): JavaScript is written as ES modules. A manifest or the settings of the compiler say so.
    - Linting is done with `pnpm run lint` (package.json:16): Linting is done with `pnpm run lint`. Run this before a change is called done. The project names this command itself.
    - Several packages live in this repo (pnpm-workspace.yaml): Packages are part of one repo (pnpm workspace); share code through them and not by copies. The workspace is declared.
    - Tests run with `pnpm test` (package.json:14): Tests run with `pnpm test`. Run this before a change is called done. The project names this command itself.
    - The licence is `Apache-2.0` (package.json:4): Code in this repo is licensed under `Apache-2.0`; what is taken in must be compatible. The manifest or the licence file says so.
    - TypeScript is strict (tsconfig.json:4): TypeScript is strict. A manifest or the settings of the compiler say so.
    - Version of Node.js: `>=20` (package.json:7): Version of Node.js: `>=20`. Use nothing that the oldest of these lacks. The manifest demands it.
    ");
}

#[test]
fn javascript_with_nothing_but_a_stub() {
    let project = Project::new(&[
        (
            "package.json",
            r#"{"name": "x", "main": "index.js", "scripts": {"test": "echo \"Error: no test specified\" && exit 1"}, "dependencies": {"express": "4"}}"#,
        ),
        ("index.js", "/**\n * A server.\n */\nfunction serve() {}\n"),
    ]);
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - JavaScript: 100 % of the source files (1 file) (`package.json`)

    ## Frameworks and libraries

    - Express `4` (`package.json:1`)

    # Structure

    ## Entry points

    - `index.js`: library (`package.json:1`)

    # Patterns

    Nothing was found that a file proves.

    # Glossary

    No word is in the declarations of several files.

    # Proposals
    ");
}

#[test]
fn deno() {
    let project = Project::new(&[
        (
            "deno.json",
            r#"{"tasks": {"dev": "deno run main.ts"}, "imports": {"hono": "npm:hono@^4.0.0", "@std/assert": "jsr:@std/assert@1"}}"#,
        ),
        ("deno.lock", "{}"),
        ("main.ts", "export const x = 1;\n"),
    ]);
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - TypeScript: 100 % of the source files (1 file) (`main.ts`)

    ## Package managers and build systems

    - Deno (`deno.lock`)

    ## Frameworks and libraries

    - Hono `^4.0.0` (`deno.json:1`)

    ## Commands

    ### Test

    - `deno test` (`deno.json`, default)

    ### Lint

    - `deno lint` (`deno.json`, default)

    ### Format

    - `deno fmt` (`deno.json`, default)

    ### Run

    - `deno task dev`: `deno run main.ts` (`deno.json:1`)

    # Structure

    There are no folders with files, and no entry points were found.

    # Patterns

    Nothing was found that a file proves.

    # Glossary

    No word is in the declarations of several files.

    # Proposals
    ");
}

#[test]
fn tests_are_where_their_folder_says() {
    let project = Project::new(&[
        ("src/cart.ts", ""),
        ("src/cart.spec.ts", ""),
        ("src/__tests__/basket.spec.ts", ""),
        ("test/a.test.js", ""),
        ("tests/b.spec.ts", ""),
        ("e2e/buy.spec.ts", ""),
    ]);
    assert_eq!(
        project.on(Topic::Testing),
        [
            "tests beside the code, `*.spec.*` 1 file (src/cart.spec.ts)",
            "tests in `__tests__` 1 file (src/__tests__/basket.spec.ts)",
            "tests in `e2e` 1 file (e2e/buy.spec.ts)",
            "tests in `test`, `*.test.*` 1 file (test/a.test.js)",
            "tests in `tests`, `*.spec.*` 1 file (tests/b.spec.ts)",
        ]
    );
}
