//! TypeScript and JavaScript, Python, Ruby, PHP.

use insta::assert_snapshot;

use super::Project;

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
    assert_snapshot!(project.told(), @"");
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
    assert_snapshot!(project.told(), @"");
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
    assert_snapshot!(project.told(), @"");
}

#[test]
fn python_with_uv() {
    let project = Project::new(&[
        (
            "pyproject.toml",
            r#"
[project]
name = "billing"
description = "Sends bills."
requires-python = ">=3.11"
dependencies = ["fastapi[standard]>=0.110", "SQLAlchemy~=2.0 ; python_version > '3'"]

[project.scripts]
billing = "billing.cli:main"

[dependency-groups]
dev = ["pytest>=8", "hypothesis"]

[tool.pytest.ini_options]
addopts = "-q"

[tool.ruff]
line-length = 100

[tool.ruff.format]
quote-style = "single"

[tool.mypy]
strict = true

[tool.poe.tasks]
serve = { cmd = "uvicorn billing:app" }
"#,
        ),
        ("uv.lock", ""),
        (".python-version", "3.12\n"),
        (".pre-commit-config.yaml", "repos: []\n"),
        (
            "tox.ini",
            "[tox]\nenvlist = py311,lint\n\n[testenv]\ncommands =\n    pytest {posargs}\n\n[testenv:lint]\ncommands = ruff check\n",
        ),
        (
            "noxfile.py",
            "import nox\n\n@nox.session(python=['3.11'])\ndef tests(session):\n    pass\n\n@nox.session(name=\"lint\")\ndef style(session):\n    pass\n\ndef unrelated(x):\n    pass\n",
        ),
        (
            "billing/__init__.py",
            "# licence\n\n\"\"\"Bills, from the draft to the payment.\n\nMore.\n\"\"\"\n",
        ),
        (
            "billing/bill.py",
            "class Bill:\n    pass\n\nclass PaymentPlan:\n    def total_of_bills(self): ...\n",
        ),
        (
            "billing/cli.py",
            "class BillPrinter: ...\nclass Payment: ...\n\ndef main(): ...\n\nif __name__ == \"__main__\":\n    main()\n",
        ),
        ("tests/test_bill.py", "def test_bill(): ...\n"),
        ("alembic/versions/0001_init.py", "revision = '1'\n"),
        (
            ".gitlab-ci.yml",
            "stages: [test]\nunit:\n  script:\n    - uv sync\n    - uv run pytest --cov\nother:\n  script: !reference [unit, script]\n",
        ),
    ]);
    assert_snapshot!(project.told(), @"");
}

#[test]
fn python_as_it_was() {
    let project = Project::new(&[
        (
            "setup.py",
            "from setuptools import setup\nsetup(\n    name='old',\n    description='An old thing',\n    python_requires='>=3.8',\n)\n",
        ),
        (
            "setup.cfg",
            "[metadata]\nlicense = BSD-3-Clause\n\n[options]\ninstall_requires =\n    django>=4.2,<5\n    celery\n\n[flake8]\nmax-line-length = 100\n\n[tool:pytest]\naddopts = -q\n",
        ),
        ("requirements.txt", "# pinned\n-r base.txt\nDjango==4.2.1\nflask\n"),
        (
            "Pipfile",
            "[packages]\ndjango = \"*\"\n[requires]\npython_version = \"3.10\"\n[scripts]\ntest = \"pytest -x\"\n",
        ),
        (
            "manage.py",
            "#!/usr/bin/env python\nimport os\nos.environ['DJANGO_SETTINGS_MODULE'] = 'x'\nfrom django.core import management\n",
        ),
        ("polls/models.py", "class Poll: ...\nclass Choice: ...\n"),
        ("polls/views.py", "class PollView: ...\n"),
    ]);
    assert_snapshot!(project.told(), @"");
}

#[test]
fn ruby_on_rails() {
    let project = Project::new(&[
        (
            "Gemfile",
            "source \"https://rubygems.org\"\nruby \"3.3.0\"\ngem \"rails\", \"~> 7.1\"\ngem 'sidekiq'\ngroup :test do\n  gem \"rspec-rails\", require: false\nend\n",
        ),
        ("Gemfile.lock", ""),
        (
            "Rakefile",
            "task default: :test\nRake::TestTask.new(:test)\ntask \"lint\" do\nend\ndesc 'x'\ntask :deploy => :test\n",
        ),
        ("bin/rails", "#!/usr/bin/env ruby\n"),
        ("config.ru", "run App\n"),
        (".rubocop.yml", "AllCops: {}\n"),
        (".ruby-version", "ruby-3.3.0\n"),
        ("app/models/booking.rb", "class Booking < ApplicationRecord\n  def self.upcoming; end\nend\n"),
        ("app/models/guest.rb", "module Guests\n  class Guest\n  end\nend\n"),
        ("app/jobs/booking_mailer.rb", "class BookingGuestMailer\nend\n"),
        ("db/migrate/20240101_create_bookings.rb", "class CreateBookings\nend\n"),
        ("spec/models/booking_spec.rb", "RSpec.describe Booking\n"),
        ("test/models/booking_test.rb", "class BookingTest\nend\n"),
    ]);
    assert_snapshot!(project.told(), @"");
}

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
    assert_snapshot!(project.told(), @"");
}
