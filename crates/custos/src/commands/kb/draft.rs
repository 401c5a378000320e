//! What a person writes in their editor: the file that it opens, and what becomes of it.

use std::io::Write;
use std::path::PathBuf;

use custos_config::source::{Links, read_text};
use tempfile::TempPath;

use super::editor::Editor;
use crate::error::CliError;
use crate::exit::Exit;

/// The largest text that is read back: far more than is taken, so that the refusal can say so.
const LARGEST: u64 = 4 << 20;

/// A text that a person is writing. Its file is private, and gone with it unless it is kept.
#[derive(Debug)]
pub(super) struct Draft {
    path: TempPath,
    template: String,
}

impl Draft {
    /// Writes down what the person will find.
    pub(super) fn begin(template: &str) -> Result<Self, CliError> {
        let write = || {
            let mut file = tempfile::Builder::new().prefix("custos-").suffix(".md").tempfile()?;
            file.write_all(template.as_bytes())?;
            Ok(file.into_temp_path())
        };
        let path = write().map_err(|error: std::io::Error| {
            CliError::new(Exit::Io, format!("cannot make a file for the editor: {error}"))
        })?;
        Ok(Self { path, template: template.to_owned() })
    }

    /// Opens the editor, waits for its end, and gives what is in the file then.
    pub(super) fn edit(&self, editor: Editor) -> Result<String, CliError> {
        let name = editor.name();
        let unusable = |why: String| {
            CliError::new(Exit::Io, format!("the editor `{name}` {why}; nothing was saved"))
                .hint("set EDITOR to one that works, or give the texts as flags")
        };
        let status = editor.open(&self.path).map_err(unusable)?;
        if !status.success() {
            return Err(unusable(format!("ended with {status}")));
        }
        match read_text(&self.path, LARGEST, Links::Follow) {
            Ok(text) => Ok(text.unwrap_or_default()),
            Err(error) => {
                Err(CliError::new(Exit::Data, format!("what the editor left cannot be used: {error}")))
            }
        }
    }

    /// Leaves the file where it is, for a person whose text could not be saved. One that nobody wrote in is not worth keeping.
    pub(super) fn keep(self) -> Option<PathBuf> {
        let is_untouched = read_text(&self.path, LARGEST, Links::Follow)
            .is_ok_and(|text| text.is_none_or(|text| text.trim().is_empty() || text == self.template));
        if is_untouched { None } else { self.path.keep().ok() }
    }
}
