use super::{Language, check};

#[test]
fn commands() {
    check(
        Language::JavaScript,
        &[
            ("require('child_process').execSync('rm -rf /')", "sh rm -rf /"),
            ("require('node:child_process').exec('x', (e, o) => console.log(o))", "sh x"),
            ("const cp = require(\"child_process\"); cp.exec(\"x\")", "sh x"),
            ("const { execSync } = require('child_process'); execSync('x')", "sh x"),
            ("const { execSync: run, spawn } = require('child_process'); run('x')", "sh x"),
            ("import { execSync } from 'child_process'; execSync('x')", "sh x"),
            ("import { execSync as e } from 'node:child_process'\ne('x')", "sh x"),
            ("import * as cp from 'child_process'\ncp.execSync('x')", "sh x"),
            ("import cp from 'child_process'; cp.spawnSync('rm', ['-rf', '/'])", "run rm|-rf|/"),
            ("const cp = await import('child_process'); cp.execSync('x')", "sh x"),
            ("(await import('node:child_process')).execSync('x')", "sh x"),
            ("require('child_process')['exec' + 'Sync']('x')", "sh x"),
            ("child_process.execSync('x')", "sh x"),
            ("process.mainModule.require('child_process').execSync('x')", "sh x"),
            ("global.process.mainModule.constructor._load('child_process').execSync('x')", "sh x"),
            ("require('child_process').spawn('rm', ['-rf', '/'], {stdio: 'inherit'})", "run rm|-rf|/"),
            ("require('child_process').spawn('rm -rf /', {shell: true})", "sh rm -rf /"),
            ("require('child_process').execFileSync('git', ['push', '-f'])", "run git|push|-f"),
            ("require('child_process').execSync('rm -rf *', {cwd: '/'})", "sh cd '/' && rm -rf *"),
            ("require('child_process').execSync('bash', {input: 'rm -rf /'})", "sh bash\nsh rm -rf /"),
            ("const s = require('child_process').spawn('sh'); s.stdin.write('x')", "run sh\nsh x"),
            ("const c = 'rm'; require('child_process').execSync(`${c} -rf /`)", "sh rm -rf /"),
            ("require('child_process').execSync(`rm -rf ${dir}/x`)", "sh rm -rf ?/x"),
            ("require('child_process').execSync(['rm', '-rf', '/'].join(' '))", "sh rm -rf /"),
            ("require('child_process').execSync('rm '.concat('-rf /'))", "sh rm -rf /"),
            ("require('child_process').execSync('/ fr- mr'.split('').reverse().join(''))", "sh rm -rf /"),
            (
                "require('child_process').execSync(Buffer.from('cm0gLXJmIC8=', 'base64').toString())",
                "sh rm -rf /",
            ),
            ("require('child_process').execSync(atob('cm0gLXJmIC8='))", "sh rm -rf /"),
            ("require('child_process').execSync(String.fromCharCode(114,109))", "sh rm"),
            ("console.log(`${require('child_process').execSync('x')}`)", "sh x"),
            ("const {promisify} = require('util'); promisify(require('child_process').exec)('x')", "sh x"),
            ("['a', 'b'].forEach(c => require('child_process').execSync(c))", "sh a\nsh b"),
            ("for (const c of ['a', 'b']) { child_process.execSync(c) }", "sh a\nsh b"),
            ("function run(c) { child_process.execSync(c) }\nrun('x')", "sh x"),
            ("const run = (c) => { child_process.execSync(c) }; run('x')", "sh x"),
            ("const run = c => child_process.execSync(c)\nrun('x')", "sh x"),
            ("(async () => { await require('child_process').exec('x') })()", "sh x"),
            ("await Bun.$`rm -rf /`", "sh rm -rf /"),
            ("import { $ } from 'bun'; await $`rm -rf ${'/'}`", "sh rm -rf /"),
            ("Bun.spawn(['rm', '-rf', '/'])", "run rm|-rf|/"),
            ("new Deno.Command('rm', {args: ['-rf', '/']}).output()", "run rm|-rf|/"),
            ("Deno.run({cmd: ['rm', '-rf', '/']})", "run rm|-rf|/"),
            ("import {execa} from 'execa'; await execa('rm', ['-rf', '/'])", "run rm|-rf|/"),
            ("const cmd: string = 'x'; child_process.execSync(cmd)", "sh x"),
        ],
    );
}

#[test]
fn files() {
    check(
        Language::JavaScript,
        &[
            ("require('fs').rmSync('/', {recursive: true, force: true})", "delete-all /"),
            ("fs.rmSync('/x', { recursive: true })", "delete-all /x"),
            ("fs.rmSync('x')", "delete x"),
            ("fs.rmdirSync('x', {recursive: true})", "delete-all x"),
            ("const o = {recursive: true}; fs.rmSync('/x', o)", "delete-all /x"),
            ("const fs = require('fs'); fs.unlinkSync('.env')", "delete .env"),
            ("const fs = require('fs').promises; await fs.rm('/', {recursive: true})", "delete-all /"),
            ("const { rm } = require('fs/promises'); rm('/', {recursive: !0})", "delete-all /"),
            ("import fs from 'node:fs/promises'; await fs.readFile('.env', 'utf8')", "read .env"),
            ("import { rmSync } from 'fs'\nrmSync(process.env.HOME, {recursive: true})", "delete-all ~"),
            ("fs.rmSync(require('os').homedir(), {recursive: true})", "delete-all ~"),
            (
                "const os = require('os'), path = require('path'); fs.rmSync(path.join(os.homedir(), '.ssh'), {recursive: true})",
                "delete-all ~/.ssh",
            ),
            ("fs.rmSync(process.env.HOME + '/x')", "delete ~/x"),
            ("fs.rmSync(`${process.env.HOME}/x`)", "delete ~/x"),
            ("fs.rmSync(process.env['HOME'])", "delete ~"),
            ("require('fs-extra').removeSync('/')", "delete-all /"),
            ("require('fs-extra').emptyDirSync('/x')", "delete-all /x"),
            ("require('rimraf').sync('/')", "delete-all /"),
            ("const { rimraf } = require('rimraf'); rimraf('/')", "delete-all /"),
            ("import rimraf from 'rimraf'; rimraf('/', () => {})", "delete-all /"),
            ("fs.writeFileSync('.env', 'x')", "write .env"),
            ("fs.appendFile('a', 'b', () => {})", "write a"),
            ("fs.createWriteStream('a')", "write a"),
            ("JSON.parse(fs.readFileSync('package.json'))", "read package.json"),
            ("JSON.parse(fs.readFileSync(0, 'utf8'))", ""),
            ("fs.openSync('x', 'w')", "write x"),
            ("fs.renameSync('a', 'b')", "delete a\nwrite b"),
            ("fs.copyFileSync('a', 'b')", "read a\nwrite b"),
            ("fs.chmodSync('f', 0o777)", "mode 777 f"),
            ("fs.chmodSync('f', '755')", "mode 755 f"),
            ("fs.readdirSync('/x').forEach(f => fs.unlinkSync('/x/' + f))", "delete /x/*"),
            ("['a', 'b'].forEach(fs.unlinkSync)", "delete a\ndelete b"),
            ("['a','b'].map(function (f) { return f })", ""),
            ("Deno.removeSync('/', {recursive: true})", "delete-all /"),
            ("await Deno.readTextFile('.env')", "read .env"),
            ("process.chdir('/'); fs.rmSync('etc', {recursive: true})", "delete-all /etc"),
        ],
    );
}

#[test]
fn code_in_code() {
    check(
        Language::JavaScript,
        &[
            ("eval(\"require('child_process').execSync('x')\")", "sh x"),
            ("new Function(\"require('fs').rmSync('/')\")()", "delete /"),
            ("require('vm').runInThisContext(\"child_process.execSync('x')\")", "sh x"),
            ("eval(Buffer.from(data, 'base64').toString())", "unresolved decoded"),
            ("eval(atob(x))", "unresolved decoded"),
            ("fetch('http://x').then(r => r.text()).then(eval)", "unresolved downloaded"),
            ("fetch('http://x').then(r => r.text()).then(t => eval(t))", "unresolved downloaded"),
            ("eval(await (await fetch('http://x')).text())", "unresolved downloaded"),
            (
                "require('https').get('http://x', r => r.on('data', d => eval(d.toString())))",
                "unresolved downloaded",
            ),
            ("const r = await fetch(u); console.log(await r.json())", ""),
        ],
    );
}
