//! Longer snippets, as people and models write them.

use super::{Language, check};

#[test]
fn everyday_scripts_touch_what_they_say() {
    check(
        Language::Python,
        &[
            (
                "import json, pathlib\n\nroot = pathlib.Path('src')\nfor path in sorted(root.rglob('*.py')):\n    text = path.read_text()\n    if 'TODO' in text:\n        print(path, text.count('TODO'))\n",
                "read src/*.py",
            ),
            (
                "import re\nwith open('README.md') as f:\n    text = f.read()\ntext = re.sub(r'v\\d+', 'v2', text)\nwith open('README.md', 'w') as f:\n    f.write(text)\n",
                "read README.md\nwrite README.md",
            ),
            (
                "import subprocess\nresult = subprocess.run(['git', 'status', '--short'], capture_output=True, text=True)\nfor line in result.stdout.splitlines():\n    print(line[3:])\n",
                "run git|status|--short",
            ),
            (
                "import os\nfor root, dirs, files in os.walk('.'):\n    dirs[:] = [d for d in dirs if d != 'node_modules']\n    for name in files:\n        print(os.path.join(root, name))\n",
                "",
            ),
            (
                "import csv, sys\nrows = list(csv.DictReader(open('data.csv')))\nprint(sum(float(r['price']) * int(r['n']) for r in rows))\n",
                "read data.csv",
            ),
            (
                "import tempfile, shutil, os\nwork = tempfile.mkdtemp()\ntry:\n    open(os.path.join(work, 'a'), 'w').close()\nfinally:\n    shutil.rmtree(work)\n",
                "write /tmp/?/a\ndelete-all /tmp/?",
            ),
            (
                "DOC = '''\nNever call os.system(\"rm -rf /\") or shutil.rmtree('/').\n'''\nprint(DOC.strip())\n",
                "",
            ),
            (
                "import ast\nfor node in ast.walk(ast.parse(open('x.py').read())):\n    if isinstance(node, ast.Call) and getattr(node.func, 'attr', '') == 'system':\n        print(node.lineno)\n",
                "read x.py",
            ),
        ],
    );
    check(
        Language::JavaScript,
        &[
            (
                "const fs = require('fs');\nconst pkg = JSON.parse(fs.readFileSync('package.json', 'utf8'));\npkg.version = '1.2.3';\nfs.writeFileSync('package.json', JSON.stringify(pkg, null, 2) + '\\n');\n",
                "read package.json\nwrite package.json",
            ),
            (
                "process.stdin.on('data', d => console.log(JSON.parse(d).items.map(i => i.name).join('\\n')))",
                "",
            ),
            (
                "const s = require('http').createServer((req, res) => { res.end('ok') });\ns.listen(8080, () => console.log(`on ${8080}`));\n",
                "",
            ),
            (
                "import { readdir, stat } from 'node:fs/promises';\nimport path from 'node:path';\nfor (const f of await readdir('dist')) {\n  const { size } = await stat(path.join('dist', f));\n  console.log(f, size);\n}\n",
                "",
            ),
            (
                "for (let i = 0; i < 3; i++) { const re = /[\"'`]/g; console.log('a'.replace(re, '')); }\nrequire('child_process').execSync('npm test', {stdio: 'inherit'});",
                "sh npm test",
            ),
        ],
    );
}

#[test]
fn longer_scripts_are_seen_through() {
    check(
        Language::Python,
        &[
            (
                "#!/usr/bin/env python3\nimport os\nimport shutil\nfrom pathlib import Path\n\nHOME = Path.home()\n\ndef clean(target):\n    \"\"\"Removes it.\"\"\"\n    if target.exists():\n        shutil.rmtree(target)\n\nif __name__ == '__main__':\n    clean(HOME / 'Documents')\n",
                "delete-all ~/Documents",
            ),
            (
                "import subprocess\ncmd = ['git', 'push']\ncmd = cmd + ['--force', 'origin', 'main']\nsubprocess.check_call(cmd)\n",
                "run git|push|--force|origin|main",
            ),
            ("targets = {'a': '/etc', 'b': '/usr'}\nos.system('rm -rf ' + targets['a'])\n", "sh rm -rf /etc"),
            ("cmds = []\nimport os\nos.system(\n    # it's here\n    'rm -rf /'\n)\n", "sh rm -rf /"),
            ("import os;[os.system(x) for x in ['rm -rf /']]", "sh rm -rf /"),
            ("from os import path, remove\nremove(path.join('/etc', 'passwd'))", "delete /etc/passwd"),
            ("import os.path as p, shutil as s\ns.rmtree(p.expanduser('~'))", "delete-all ~"),
            (
                "with open(os.path.expanduser('~/.ssh/authorized_keys'), 'a') as f: f.write('k')",
                "write ~/.ssh/authorized_keys",
            ),
            ("(os if True else None).system('x')", "sh x"),
            ("print(*map(str, [os.system('x')]))", "sh x"),
        ],
    );
    check(
        Language::JavaScript,
        &[
            (
                "const { join } = require('path')\nconst { homedir } = require('os')\nconst { rmSync } = require('fs')\nrmSync(join(homedir(), 'Documents'), {\n  recursive: true,\n  force: true,\n})\n",
                "delete-all ~/Documents",
            ),
            (
                "require('fs').readdirSync('/').forEach(d => {\n  require('fs').rmSync('/' + d, { recursive: true })\n})",
                "delete-all /*",
            ),
            (
                "const cp = require('child_process');\nconst cmds = ['git add .', 'git push -f'];\nfor (const c of cmds) cp.execSync(c);",
                "sh git add .\nsh git push -f",
            ),
            ("var x = { run: require('child_process').execSync }; x.run('rm -rf /')", "sh rm -rf /"),
        ],
    );
}
