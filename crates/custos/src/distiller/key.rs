//! The key of a provider: from the environment, or from a file that nobody else can read.
//!
//! Never from the command line, which every process of the machine can read, and never into a message: what is said about a key is
//! where it was looked for.

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use custos_config::env::{self, EnvVar};
use custos_config::{Environment, Provider};

/// The longest file that can be a key.
const LONGEST: u64 = 16 << 10;

/// A key. It cannot be shown, only handed on.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key {
    secret: String,
    /// Where it was found.
    pub(crate) from: KeySource,
}

/// Where a key was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeySource {
    Variable(&'static str),
    File(PathBuf),
}

/// Why there is no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoKey {
    /// It is nowhere.
    Missing { provider: Provider, file: PathBuf },
    /// Others can read the file.
    Open { file: PathBuf, mode: u32 },
    /// The file is there and holds no key.
    Unusable { file: PathBuf, why: String },
}

impl Key {
    /// Gives what is sent to the provider.
    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("from", &self.from).finish_non_exhaustive()
    }
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => f.write_str(name),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl NoKey {
    /// Says what to do about it.
    pub(crate) fn advice(&self) -> String {
        match self {
            Self::Missing { provider, file } => format!(
                "set {} where you start your clients, or put the key into {} (chmod 600)",
                names(*provider),
                file.display()
            ),
            Self::Open { file, .. } => format!("chmod 600 '{}'", file.display()),
            Self::Unusable { file, .. } => {
                format!("put the key, and nothing else, into {}", file.display())
            }
        }
    }
}

impl fmt::Display for NoKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { provider, .. } => write!(f, "there is no key for {}", provider.name()),
            Self::Open { file, mode } => {
                write!(f, "{} has mode {mode:o}: others can read the key, so it is not used", file.display())
            }
            Self::Unusable { file, why } => write!(f, "{}: {why}", file.display()),
        }
    }
}

/// The variables that may hold a provider's key, in the order in which they are looked at.
fn variables(provider: Provider) -> &'static [EnvVar] {
    match provider {
        Provider::Anthropic => &[env::ANTHROPIC_API_KEY],
        Provider::Openai => &[env::OPENAI_API_KEY],
        Provider::Gemini => &[env::GEMINI_API_KEY, env::GOOGLE_API_KEY],
        Provider::Rules | Provider::ClaudeCli => &[],
    }
}

fn names(provider: Provider) -> String {
    variables(provider).iter().map(|variable| variable.name).collect::<Vec<_>>().join(" or ")
}

/// Says whether a provider is asked with a key.
pub(crate) fn is_wanted(provider: Provider) -> bool {
    !variables(provider).is_empty()
}

/// Finds the key of a provider.
pub(crate) fn find(provider: Provider, config: &Path, env: &dyn Environment) -> Result<Key, NoKey> {
    let file = config.join("keys").join(provider.name());
    look(variables(provider), &file, env)?.ok_or(NoKey::Missing { provider, file })
}

/// Finds the key of a server that makes vectors; many ask for none.
pub(crate) fn of_embedder(config: &Path, env: &dyn Environment) -> Result<Option<Key>, NoKey> {
    look(&[env::CUSTOS_EMBEDDER_KEY], &config.join("keys").join("embedder"), env)
}

fn look(variables: &[EnvVar], file: &Path, env: &dyn Environment) -> Result<Option<Key>, NoKey> {
    for variable in variables {
        let value = env.get(variable.name).and_then(|value| value.into_string().ok());
        if let Some(secret) = value.as_deref().map(str::trim).filter(|value| is_key(value)) {
            return Ok(Some(Key { secret: secret.to_owned(), from: KeySource::Variable(variable.name) }));
        }
    }
    let secret = read(file)?;
    Ok(secret.map(|secret| Key { secret, from: KeySource::File(file.to_owned()) }))
}

/// Says whether a text can be sent as a key: one word, in characters that a header takes.
fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Reads a key from its file; none where there is no such file.
fn read(file: &Path) -> Result<Option<String>, NoKey> {
    let unusable = |why: String| NoKey::Unusable { file: file.to_owned(), why };
    let opened = match std::fs::File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(error.to_string())),
    };
    // Asked of what was opened: a path may lead elsewhere a moment later.
    let metadata = opened.metadata().map_err(|error| unusable(error.to_string()))?;
    if !metadata.is_file() {
        return Err(unusable("this is no file".to_owned()));
    }
    if let Some(mode) = open_to_others(&metadata) {
        return Err(NoKey::Open { file: file.to_owned(), mode });
    }
    let mut text = String::new();
    opened.take(LONGEST).read_to_string(&mut text).map_err(|error| unusable(error.to_string()))?;
    match text.trim() {
        "" => Err(unusable("it is empty".to_owned())),
        key if is_key(key) => Ok(Some(key.to_owned())),
        _ => Err(unusable("it holds more than a key".to_owned())),
    }
}

#[cfg(unix)]
pub(crate) fn open_to_others(metadata: &std::fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = metadata.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
pub(crate) fn open_to_others(_metadata: &std::fs::Metadata) -> Option<u32> {
    None
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "tests set the scene with plain writes")]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use custos_config::env::Variables;

    use super::*;

    /// A configuration directory with a key in it.
    fn kept(text: &str, mode: u32) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("keys")).unwrap();
        let file = dir.path().join("keys/openai");
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        (dir, file)
    }

    fn nothing() -> Variables {
        Variables::default()
    }

    #[test]
    fn a_variable_goes_before_the_file() {
        let (dir, file) = kept("sk-of-the-file\n", 0o600);
        let env: Variables = [("OPENAI_API_KEY", " sk-of-the-variable ")].into_iter().collect();
        let key = find(Provider::Openai, dir.path(), &env).unwrap();
        assert_eq!((key.secret(), &key.from), ("sk-of-the-variable", &KeySource::Variable("OPENAI_API_KEY")));
        let empty: Variables = [("OPENAI_API_KEY", "")].into_iter().collect();
        let key = find(Provider::Openai, dir.path(), &empty).unwrap();
        assert_eq!((key.secret(), &key.from), ("sk-of-the-file", &KeySource::File(file)));
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        for mode in [0o644, 0o640, 0o604, 0o620] {
            let (dir, file) = kept("sk-secret", mode);
            let refused = find(Provider::Openai, dir.path(), &nothing()).unwrap_err();
            assert_eq!(refused, NoKey::Open { file: file.clone(), mode });
            assert_eq!(refused.advice(), format!("chmod 600 '{}'", file.display()));
            assert!(!format!("{refused} {refused:?}").contains("sk-secret"));
        }
    }

    #[test]
    fn a_file_without_a_key_says_so() {
        for (text, why) in
            [("", "it is empty"), (" \n", "it is empty"), ("two words", "it holds more than a key")]
        {
            let (dir, file) = kept(text, 0o600);
            let refused = find(Provider::Openai, dir.path(), &nothing()).unwrap_err();
            assert_eq!(refused, NoKey::Unusable { file, why: why.to_owned() });
        }
    }

    #[test]
    fn what_is_missing_is_named_with_both_places() {
        let refused = find(Provider::Gemini, Path::new("/nowhere"), &nothing()).unwrap_err();
        assert_eq!(refused.to_string(), "there is no key for gemini");
        assert_eq!(
            refused.advice(),
            "set GEMINI_API_KEY or GOOGLE_API_KEY where you start your clients, or put the key into \
             /nowhere/keys/gemini (chmod 600)"
        );
    }

    #[test]
    fn a_key_is_never_shown() {
        let env: Variables = [("GOOGLE_API_KEY", "AIza-secret")].into_iter().collect();
        let key = find(Provider::Gemini, Path::new("/nowhere"), &env).unwrap();
        assert_eq!(format!("{key:?}"), r#"Key { from: Variable("GOOGLE_API_KEY"), .. }"#);
    }
}
