//! Files that are protected because of what they are called: keys, credentials, histories, start files.
//!
//! Credentials are known by name wherever they lie and whatever the case of their letters; names that are also common for harmless things
//! count only where the program that owns them keeps them.

use crate::world::World;

use super::guarded::Ward;
use super::kinds::{begins_like_env_file, by_kind, has_extension};
use super::normal::Place;

/// A file by its last component.
struct Named {
    name: &'static str,
    /// Where it must lie: `""` anywhere, `"~"` directly in a home, `"~/a"` in that directory of a home, `"a/b"` in a directory that ends so.
    below: &'static str,
    ward: Ward,
}

const fn named(name: &'static str, below: &'static str, ward: Ward) -> Named {
    Named { name, below, ward }
}

/// Sorted by name.
static NAMED: &[Named] = &[
    named(".bash_aliases", "~", Ward::StartFile),
    named(".bash_history", "~", Ward::History),
    named(".bash_login", "~", Ward::StartFile),
    named(".bash_logout", "~", Ward::StartFile),
    named(".bash_profile", "~", Ward::StartFile),
    named(".bashrc", "~", Ward::StartFile),
    named(".boto", "~", Ward::Secret),
    named(".credentials.json", "", Ward::Secret),
    named(".cshrc", "~", Ward::StartFile),
    named(".databrickscfg", "", Ward::Secret),
    named(".git-credentials", "", Ward::Secret),
    named(".gitconfig", "~", Ward::GitSettings),
    named(".htpasswd", "", Ward::Secret),
    named(".kshrc", "~", Ward::StartFile),
    named(".my.cnf", "", Ward::Secret),
    named(".mylogin.cnf", "", Ward::Secret),
    named(".mysql_history", "~", Ward::History),
    named(".netrc", "", Ward::Secret),
    named(".node_repl_history", "~", Ward::History),
    named(".npmrc", "~", Ward::Secret),
    named(".pgpass", "", Ward::Secret),
    named(".profile", "~", Ward::StartFile),
    named(".psql_history", "~", Ward::History),
    named(".pypirc", "", Ward::Secret),
    named(".python_history", "~", Ward::History),
    named(".rediscli_history", "~", Ward::History),
    named(".s3cfg", "", Ward::Secret),
    named(".tcshrc", "~", Ward::StartFile),
    named(".terraformrc", "~", Ward::Secret),
    named(".vault-token", "", Ward::Secret),
    named(".xinitrc", "~", Ward::StartFile),
    named(".xprofile", "~", Ward::StartFile),
    named(".xsession", "~", Ward::StartFile),
    named(".yarnrc.yml", "~", Ward::Secret),
    named(".zlogin", "~", Ward::StartFile),
    named(".zlogout", "~", Ward::StartFile),
    named(".zprofile", "~", Ward::StartFile),
    named(".zsh_history", "~", Ward::History),
    named(".zshenv", "~", Ward::StartFile),
    named(".zshrc", "~", Ward::StartFile),
    named("_netrc", "", Ward::Secret),
    named("accesstokens.json", ".azure", Ward::Secret),
    named("apps.json", "github-copilot", Ward::Secret),
    named("auth.json", "~/.codex", Ward::Secret),
    named("auth.json", "~/.composer", Ward::Secret),
    named("auth.json", "~/.config/composer", Ward::Secret),
    named("auth.json", "~/.config/containers", Ward::Secret),
    named("auth.json", "~/.local/share/opencode", Ward::Secret),
    named("config", ".git", Ward::GitHook),
    named("config", "~/.config/git", Ward::GitSettings),
    named("config", "~/.kube", Ward::Secret),
    named("config", "~/.snowsql", Ward::Secret),
    named("config.fish", ".config/fish", Ward::StartFile),
    named("config.json", "~/.config/helm/registry", Ward::Secret),
    named("config.json", "~/.docker", Ward::Secret),
    named("config.toml", "~/.config/stripe", Ward::Secret),
    named("config.yaml", "~/.config/doctl", Ward::Secret),
    named("config.yml", "~/.config/glab-cli", Ward::Secret),
    named("config.yml", "~/.fly", Ward::Secret),
    named("cookies", "default", Ward::Secret),
    named("cookies", "network", Ward::Secret),
    named("cookies.sqlite", "", Ward::Secret),
    named("credentials", ".aws", Ward::Secret),
    named("credentials", ".cargo", Ward::Secret),
    named("credentials", ".config/git", Ward::Secret),
    named("credentials", ".gem", Ward::Secret),
    named("credentials.db", "", Ward::Secret),
    named("credentials.json", "", Ward::Secret),
    named("credentials.tfrc.json", "", Ward::Secret),
    named("credentials.toml", "", Ward::Secret),
    named("credentials.xml", "", Ward::Secret),
    named("credentials.yaml", "", Ward::Secret),
    named("credentials.yml", "", Ward::Secret),
    named("firebase-tools.json", "configstore", Ward::Secret),
    named("fish_history", "", Ward::History),
    named("head", ".git", Ward::GitHook),
    named("hosts.json", "github-copilot", Ward::Secret),
    named("hosts.yml", ".config/gh", Ward::Secret),
    named("hub", "~/.config", Ward::Secret),
    named("kaggle.json", ".kaggle", Ward::Secret),
    named("key3.db", "", Ward::Secret),
    named("key4.db", "", Ward::Secret),
    named("keys.txt", "sops/age", Ward::Secret),
    named("kubeconfig", "", Ward::Secret),
    named("login data", "", Ward::Secret),
    named("login.keychain-db", "", Ward::Secret),
    named("logins.json", "", Ward::Secret),
    named("msal_token_cache.bin", "", Ward::Secret),
    named("msal_token_cache.json", "", Ward::Secret),
    named("oauth_creds.json", "", Ward::Secret),
    named("passwd", ".vnc", Ward::Secret),
    named("rclone.conf", "", Ward::Secret),
    named("secrets.json", "", Ward::Secret),
    named("secrets.tfvars", "", Ward::Secret),
    named("secrets.toml", "", Ward::Secret),
    named("secrets.yaml", "", Ward::Secret),
    named("secrets.yml", "", Ward::Secret),
    named("service_principal_entries.json", ".azure", Ward::Secret),
    named("token", "huggingface", Ward::Secret),
    named("token", "serviceaccount", Ward::Secret),
    named("wallet.dat", "", Ward::Secret),
    named("web data", "default", Ward::Secret),
];

/// Directories in which everything is protected, wherever they lie.
static DIRECTORIES: &[(&str, Ward)] = &[
    (".gnupg", Ward::Secret),
    (".password-store", Ward::Secret),
    (".git/hooks", Ward::GitHook),
    (".git/refs", Ward::GitHook),
    (".aws/sso", Ward::Secret),
    (".aws/cli", Ward::Secret),
    (".config/gcloud", Ward::Secret),
    (".config/op", Ward::Secret),
    (".config/fish/conf.d", Ward::StartFile),
    (".config/autostart", Ward::Schedule),
    (".config/environment.d", Ward::StartFile),
    (".config/systemd/user", Ward::Schedule),
    (".local/share/keyrings", Ward::Secret),
    ("Library/Keychains", Ward::Secret),
    ("Library/LaunchAgents", Ward::Schedule),
];

/// Directories of a home that hold credentials among other things: to take the whole is to take those.
static HOME_DIRECTORIES: &[&str] = &[
    ".aws",
    ".azure",
    ".docker",
    ".kube",
    ".config/gh",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
];

/// File names that stand for their kind when a pattern is asked whether it means one.
static TYPICAL: &[&str] = &[
    ".env",
    ".env.local",
    ".env.production",
    ".env.development",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
    "id_dsa",
    "server.pem",
    "private.pem",
    "server.key",
    "private.key",
    "master.key",
    "keystore.jks",
    "cert.p12",
    "cert.pfx",
    "vault.kdbx",
];

/// Finds what protects a place because of its name.
pub(super) fn by_name(place: &Place, world: &World<'_>) -> Option<Ward> {
    let name = place.name();
    if name.is_empty() {
        return None;
    }
    let may_be_hidden = place.may_be_hidden();
    if may_be_hidden && let Some(ward) = in_ssh(place) {
        return ward;
    }
    let found = if place.is_pattern() && super::glob::is_pattern(name) {
        by_pattern(place, name, world)
    } else {
        by_exact(place, name, world).or_else(|| by_kind(place, name))
    };
    found.or_else(|| may_be_hidden.then(|| by_directory(place, world)).flatten())
}

/// The directory `.ssh`: what is public in it may be read, nothing may be changed. `None` if the place is not in one.
#[expect(clippy::option_option, reason = "the directory decides, also that something in it is free")]
fn in_ssh(place: &Place) -> Option<Option<Ward>> {
    let mut components = place.components().rev();
    let name = components.next()?;
    if place.means(name, ".ssh") && !super::glob::sweeps(name) {
        return Some(Some(Ward::Secret));
    }
    components.clone().any(|component| place.means(component, ".ssh")).then(|| {
        let public =
            |start: &str| name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
        let is_public = has_extension(name, "pub")
            || public("config")
            || public("known_hosts")
            || public("authorized_keys")
            || public("allowed_signers")
            || components.next().is_some_and(|dir| dir.eq_ignore_ascii_case("config.d"));
        Some(if is_public { Ward::Ssh } else { Ward::Secret })
    })
}

fn by_exact(place: &Place, name: &str, world: &World<'_>) -> Option<Ward> {
    // No name in the table is longer, so that longer ones need not be folded.
    let mut buffer = [0_u8; 32];
    let folded = buffer.get_mut(..name.len())?;
    folded.copy_from_slice(name.as_bytes());
    folded.make_ascii_lowercase();
    let folded = &*folded;
    let from = NAMED.partition_point(|known| known.name.as_bytes() < folded);
    NAMED[from..]
        .iter()
        .take_while(|known| known.name.as_bytes() == folded)
        .find(|known| lies_below(place, known.below, world))
        .map(|known| known.ward)
        // Charts keep templates of secrets, without a value in them.
        .filter(|_| !(folded.starts_with(b"secrets.") && place.lies_in("templates")))
}

fn by_pattern(place: &Place, name: &str, world: &World<'_>) -> Option<Ward> {
    if super::glob::sweeps(name) && !name.starts_with('.') || is_all_wild(name) {
        return None;
    }
    if TYPICAL.iter().any(|typical| place.means(name, typical)) && !is_broad(name) {
        let env = place.means(name, ".env") || place.means(name, ".env.local");
        return Some(if env { Ward::EnvFile } else { Ward::Secret });
    }
    if begins_like_env_file(name) {
        return Some(Ward::EnvFile);
    }
    NAMED
        .iter()
        .find(|known| {
            place.means(name, known.name)
                && (!is_broad(name) || !known.below.is_empty())
                && lies_below(place, known.below, world)
        })
        .map(|known| known.ward)
}

/// Says whether a pattern names nothing but an extension that harmless files have too.
fn is_broad(name: &str) -> bool {
    name.strip_prefix("*.").is_some_and(|extension| {
        !["pem", "key", "p12", "pfx", "jks", "kdbx", "env"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

fn is_all_wild(name: &str) -> bool {
    name.bytes().all(|byte| matches!(byte, b'*' | b'?'))
}

fn lies_below(place: &Place, below: &str, world: &World<'_>) -> bool {
    match below {
        "" => true,
        "~" => place.after_home(world).is_some_and(|rest| !rest.is_empty() && !rest.contains('/')),
        _ => match below.strip_prefix("~/") {
            // Of a floating path it is not known that it is not in a home.
            Some(dir) if place.is_floating() => place.lies_in(dir),
            Some(dir) => {
                place.lies_in(dir)
                    && place
                        .after_home(world)
                        .is_some_and(|rest| rest.split('/').count() == dir.split('/').count() + 1)
            }
            None => place.lies_in(below),
        },
    }
}

fn by_directory(place: &Place, world: &World<'_>) -> Option<Ward> {
    let mut here = place.components();
    loop {
        let starts_here = |directory: &str| {
            let mut components = here.clone();
            directory
                .split('/')
                .all(|name| components.next().is_some_and(|component| place.means(component, name)))
        };
        if let Some((_, ward)) = DIRECTORIES.iter().find(|(directory, _)| starts_here(directory)) {
            return Some(*ward);
        }
        if here.next().is_none() {
            break;
        }
    }
    let rest = place.after_home(world)?;
    let is_whole = |directory: &&&str| {
        rest.split('/').count() == directory.split('/').count()
            && rest.split('/').zip(directory.split('/')).all(|(component, name)| place.means(component, name))
    };
    HOME_DIRECTORIES.iter().find(is_whole).map(|_| Ward::Secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_searched() {
        assert!(NAMED.is_sorted_by(|a, b| a.name.as_bytes() <= b.name.as_bytes()));
        assert!(
            NAMED.iter().all(|known| known.name.len() <= 32 && known.name == known.name.to_ascii_lowercase())
        );
    }
}
