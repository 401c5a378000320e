//! Exit codes, as one table.
//!
//! The codes from 64 up are those of `sysexits.h`. 2 is not among them and must never be: clients take it for "block this tool".

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Exit {
    #[default]
    Success,
    Found,
    Usage,
    Data,
    NotFound,
    Internal,
    Io,
    Busy,
    Config,
}

impl Exit {
    pub(crate) const ALL: [Self; 9] = [
        Self::Success,
        Self::Found,
        Self::Usage,
        Self::Data,
        Self::NotFound,
        Self::Internal,
        Self::Io,
        Self::Busy,
        Self::Config,
    ];

    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Found => 1,
            Self::Usage => 64,
            Self::Data => 65,
            Self::NotFound => 66,
            Self::Internal => 70,
            Self::Io => 74,
            Self::Busy => 75,
            Self::Config => 78,
        }
    }

    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Success => "done",
            Self::Found => {
                "done, and something needs attention, which was said (verify, doctor, setup, init, import, close, proposals, oracle scan, what is added to several stores, backup, migrate, distill, context, forget)"
            }
            Self::Usage => "the command line is wrong",
            Self::Data => "the input is wrong; what was right in it is recorded",
            Self::NotFound => "there is no such thing",
            Self::Internal => "a bug in Custos",
            Self::Io => "the system refused to read or write",
            Self::Busy => "another process holds the lock, or a provider fails (worker); try again",
            Self::Config => "the configuration is wrong",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_ever_exits_with_2() {
        let mut codes: Vec<u8> = Exit::ALL.iter().map(|exit| exit.code()).collect();
        assert!(!codes.contains(&2));
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Exit::ALL.len());
    }
}
