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
