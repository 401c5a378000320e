//! Python.

use insta::assert_snapshot;

use super::{Project, Topic};

fn billing() -> Project {
    Project::new(&[
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
    ])
}

#[test]
fn python_with_uv() {
    assert_snapshot!(billing().told(), @r"
    # Stack

    ## Languages

    - Python: 100 % of the source files (6 files) (`pyproject.toml`)

    ## Versions

    - Python `3.12` (`.python-version`)
    - Python `>=3.11` (`pyproject.toml:4`)

    ## Package managers and build systems

    - uv (`uv.lock`)

    ## Frameworks and libraries

    - FastAPI `>=0.110` (`pyproject.toml:5`)
    - SQLAlchemy `~=2.0` (`pyproject.toml:5`)

    ## Test libraries

    - Hypothesis (`pyproject.toml:11`)
    - pytest `>=8` (`pyproject.toml:11`)

    ## Commands

    ### Test

    - `nox -s tests` (`noxfile.py:4`)
    - `tox`: `pytest {posargs}` (`tox.ini:6`)
    - `uv run pytest --cov` (`.gitlab-ci.yml:5`, CI)

    ### Lint

    - `nox -s lint` (`noxfile.py:8`)
    - `tox -e lint` (`tox.ini:8`)
    - `uv run ruff check .` (`pyproject.toml:16`, configured)
    - `pre-commit run --all-files` (`.pre-commit-config.yaml`, configured)
    - `uv run mypy .` (`pyproject.toml:22`, configured)

    ### Format

    - `uv run ruff format .` (`pyproject.toml:19`, configured)

    ### Run

    - `poe serve`: `uvicorn billing:app` (`pyproject.toml:26`)

    # Structure

    ## Folders

    - `./`: Sends bills (`pyproject.toml:3`)
    - `alembic/`: 1 file, Python
    - `alembic/versions/`: 1 file, Python
    - `billing/`: Bills, from the draft to the payment (`billing/__init__.py:3`)
    - `tests/`: tests

    ## Entry points

    - `billing.cli:main`: program billing (`pyproject.toml:8`)
    - `billing/cli.py`: script (`billing/cli.py:6`)

    # Patterns

    ## Formatting

    - Ruff (`pyproject.toml:19`)

    ## Linting

    - Ruff (`pyproject.toml:16`)
    - mypy (`pyproject.toml:22`)

    ## Tests

    - pytest (`pyproject.toml:13`)
    - tests in `tests`, `test_*.py` (1 file) (`tests/test_bill.py`)

    ## Strictness

    - mypy is strict (`pyproject.toml:23`)

    ## Commits and changes

    - pre-commit (`.pre-commit-config.yaml`)

    ## Continuous integration

    - GitLab CI (`.gitlab-ci.yml`)

    ## Migrations

    - alembic/versions (Alembic) (`alembic/versions/`)

    # Glossary

    ## Words of the code

    - bill: `Bill` (`billing/bill.py:1`), in 2 files
    - payment: `Payment` (`billing/cli.py:2`), in 2 files

    # Proposals

    - Changes of the schema are migrations in `alembic/versions` (alembic/versions/): Add a migration to `alembic/versions` for each change; never edit one that has been applied. The migrations are in the repo.
    - Formatting is done with `uv run ruff format .` (pyproject.toml:19): Formatting is done with `uv run ruff format .`. Keep the code formatted by it. The tool is configured in the repo.
    - Mypy is strict (pyproject.toml:23): Mypy is strict. A manifest or the settings of the compiler say so.
    - Python dependencies are managed with uv (uv.lock): Use uv for Python dependencies, and no other manager of its kind. It is the only package manager of its kind with a file in the repo.
    ");
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
    assert_snapshot!(project.told(), @r"
    # Stack

    ## Languages

    - Python: 100 % of the source files (4 files) (`Pipfile`)

    ## Versions

    - Python `3.10` (`Pipfile:4`)
    - Python `>=3.8` (`setup.py:5`)

    ## Package managers and build systems

    - Pipenv (`Pipfile`)
    - pip (`requirements.txt`)

    ## Frameworks and libraries

    - Celery (`setup.cfg:7`)
    - Django `==4.2.1` (`requirements.txt:3`)
    - Flask (`requirements.txt:4`)

    ## Commands

    ### Test

    - `pipenv run test`: `pytest -x` (`Pipfile:6`)
    - `python manage.py test` (`manage.py`, default)

    ### Lint

    - `flake8` (`setup.cfg:9`, configured)

    ### Run

    - `python manage.py runserver` (`manage.py`, configured)

    # Structure

    ## Folders

    - `./`: An old thing (`setup.py:4`)
    - `polls/`: 2 files, Python

    ## Entry points

    - `manage.py`: Django's command line

    # Patterns

    ## Linting

    - Flake8 (`setup.cfg:9`)

    ## Tests

    - pytest (`setup.cfg:12`)

    ## Licence

    - BSD-3-Clause (`setup.cfg:2`)

    # Glossary

    ## Words of the code

    - poll: `Poll` (`polls/models.py:1`), in 2 files

    # Proposals

    - Linting is done with `flake8` (setup.cfg:9): Linting is done with `flake8`. Run this before a change is called done. The tool is configured in the repo.
    - Python dependencies are managed with Pipenv (Pipfile): Use Pipenv for Python dependencies, and no other manager of its kind. It is the only package manager of its kind with a file in the repo.
    - Tests run with `pipenv run test` (Pipfile:6): Tests run with `pipenv run test`. Run this before a change is called done. The project names this command itself.
    - The licence is `BSD-3-Clause` (setup.cfg:2): Code in this repo is licensed under `BSD-3-Clause`; what is taken in must be compatible. The manifest or the licence file says so.
    ");
}

#[test]
fn what_only_tests_need_is_no_framework() {
    let project = Project::new(&[
        (
            "pyproject.toml",
            r#"
[project]
dependencies = ["click"]
[project.optional-dependencies]
test = ["django>=5", "pytest"]
gpu = ["torch"]
[dependency-groups]
dev = ["flask"]
[tool.poetry.group.dev.dependencies]
fastapi = "1"
"#,
        ),
        ("requirements-dev.txt", "celery\n"),
        ("requirements.txt", "numpy\n"),
        ("setup.cfg", "[options.extras_require]\ntest =\n  tornado\nplot =\n  pandas\n"),
    ]);
    assert_eq!(
        project.on(Topic::Framework),
        [
            "Click (pyproject.toml:2)",
            "NumPy (requirements.txt:1)",
            "PyTorch (pyproject.toml:5)",
            "pandas (setup.cfg:5)",
        ]
    );
    assert_eq!(project.on(Topic::TestLibrary), ["pytest (pyproject.toml:4)"]);
}
