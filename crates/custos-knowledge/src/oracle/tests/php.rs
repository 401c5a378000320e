//! PHP.

use insta::assert_snapshot;

use super::Project;

#[test]
fn php_with_laravel() {
    let project = Project::new(&[
        (
            "composer.json",
            r#"
{
    "description": "A blog.",
    "license": "MIT",
    "require": { "php": "^8.2", "laravel/framework": "^11.0" },
    "require-dev": { "phpunit/phpunit": "^11.0", "laravel/pint": "^1.0" },
    "scripts": {
        "test": ["@php artisan config:clear", "@php artisan test"],
        "post-install-cmd": "echo"
    },
    "bin": ["bin/blog"]
}
"#,
        ),
        ("composer.lock", "{}"),
        ("artisan", "#!/usr/bin/env php\n"),
        ("phpunit.xml", "<phpunit/>\n"),
        ("phpstan.neon", "parameters:\n"),
        ("public/index.php", "<?php\n"),
        ("app/Post.php", "<?php\nfinal class Post {}\n"),
        ("app/PostController.php", "<?php\nclass PostController { public function show() {} }\n"),
        ("database/migrations/2024_create_posts.php", "<?php\n"),
        ("tests/PostTest.php", "<?php\nclass PostTest {}\n"),
        ("vendor/laravel/framework/x.php", "<?php class Junk {}\n"),
    ]);
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - PHP: 100 % of the source files (5 files) (`composer.json`)

    ## Versions

    - PHP `^8.2` (`composer.json:4`)

    ## Package managers and build systems

    - Composer (`composer.lock`)

    ## Frameworks and libraries

    - Laravel `^11.0` (`composer.json:4`)

    ## Test libraries

    - PHPUnit `^11.0` (`composer.json:5`)

    ## Commands

    ### Test

    - `composer test`: `@php artisan config:clear && @php artisan test` (`composer.json:7`)
    - `vendor/bin/phpunit` (`phpunit.xml`, configured)

    ### Lint

    - `vendor/bin/phpstan analyse` (`phpstan.neon`, configured)

    ### Run

    - `php artisan serve` (`artisan`, configured)

    # Structure

    ## Folders

    - `./`: A blog (`composer.json:2`)
    - `app/`: the application
    - `database/`: database: schema, migrations, seeds
    - `database/migrations/`: changes of the database's schema
    - `public/`: files that the web server hands out
    - `tests/`: tests

    ## Entry points

    - `bin/blog`: program (`composer.json:10`)
    - `public/index.php`: web front controller

    # Patterns

    ## Linting

    - PHPStan (`phpstan.neon`)

    ## Tests

    - PHPUnit (`phpunit.xml`)
    - tests in `tests`, `*Test.php` (1 file) (`tests/PostTest.php`)

    ## Migrations

    - database/migrations (Laravel migrations) (`database/migrations/`)

    ## Licence

    - MIT (`composer.json:3`)

    # Glossary

    No word is in the declarations of several files.

    # Proposals

    - Changes of the schema are migrations in `database/migrations` (database/migrations/): Add a migration to `database/migrations` for each change; never edit one that has been applied. The migrations are in the repo.
    - Linting is done with `vendor/bin/phpstan analyse` (phpstan.neon): Linting is done with `vendor/bin/phpstan analyse`. Run this before a change is called done. The tool is configured in the repo.
    - PHP dependencies are managed with Composer (composer.lock): Use Composer for PHP dependencies, and no other manager of its kind. It is the only package manager of its kind with a file in the repo.
    - Tests run with `composer test` (composer.json:7): Tests run with `composer test`. Run this before a change is called done. The project names this command itself.
    - The licence is `MIT` (composer.json:3): Code in this repo is licensed under `MIT`; what is taken in must be compatible. The manifest or the licence file says so.
    - Version of PHP: `^8.2` (composer.json:4): Version of PHP: `^8.2`. Use nothing that the oldest of these lacks. The manifest demands it.
    ");
}
