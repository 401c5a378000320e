//! One start of one program: `posix_spawn`, `wait4`, and what they tell.

use std::ffi::{CString, OsStr};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, PipeReader, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::ptr;
use std::time::{Duration, Instant};

use serde::Serialize;
use tempfile::NamedTempFile;

/// What a fresh pipe surely takes before anyone reads: its full size on Linux, its initial size on macOS.
const PIPE_CAPACITY: usize = if cfg!(target_os = "linux") { 64 * 1024 } else { 16 * 1024 };

/// A program that is ready to be started any number of times.
///
/// Everything that can be prepared is prepared here, so that a run measures the child and not the bench.
/// What the child writes goes to `/dev/null`.
#[derive(Debug)]
pub struct Launch {
    program: CString,
    /// `argv`, the program's own name first.
    arguments: Vec<CString>,
    /// `NAME=value`, and nothing inherited.
    environment: Vec<CString>,
    input: Input,
}

#[derive(Debug)]
enum Input {
    Nothing,
    Pipe(Vec<u8>),
    File(NamedTempFile),
}

/// What one run took.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// From before the start until the end was known.
    pub wall: Duration,
    /// User and system time of the child.
    pub cpu: Duration,
    /// The most memory it had resident.
    pub peak: Peak,
    /// How it ended.
    pub status: ExitStatus,
}

/// The most memory a child had resident, as the kernel reports it.
///
/// On Linux a child begins with the high-water mark of the process that started it, so a small child of a
/// large bench shows the bench's memory. Such a figure is marked as a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Peak {
    /// Bytes.
    pub bytes: u64,
    /// Whether the true figure may be smaller.
    pub is_bound: bool,
}

impl fmt::Display for Peak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = if self.is_bound { "≤ " } else { "" };
        write!(f, "{bound}{:.1} MB", self.bytes as f64 / 1e6)
    }
}

impl Launch {
    /// Takes over a command's program, arguments and the variables set on it; nothing else is inherited.
    ///
    /// The program must be a path, as `PATH` is not searched, and the working directory is the bench's own.
    pub fn new(command: &Command) -> io::Result<Self> {
        if command.get_current_dir().is_some() {
            return Err(invalid("the process bench cannot change the working directory of a child"));
        }
        let program = c_string(command.get_program())?;
        let mut arguments = vec![program.clone()];
        for argument in command.get_args() {
            arguments.push(c_string(argument)?);
        }
        let mut environment = Vec::new();
        for (name, value) in command.get_envs() {
            let Some(value) = value else { continue };
            environment.push(c_string(&[name, value].join(OsStr::new("=")))?);
        }
        Ok(Self { program, arguments, environment, input: Input::Nothing })
    }

    /// Feeds these bytes to every run through a pipe that is filled and closed before the start.
    ///
    /// This is what a hook's client does. It works as far as a pipe holds bytes that nobody reads yet.
    pub fn with_pipe(self, bytes: impl Into<Vec<u8>>) -> io::Result<Self> {
        let bytes = bytes.into();
        if bytes.len() > PIPE_CAPACITY {
            let length = bytes.len();
            return Err(invalid(format!(
                "an input of {length} bytes would block a pipe of {PIPE_CAPACITY}: feed it from a file"
            )));
        }
        Ok(Self { input: Input::Pipe(bytes), ..self })
    }

    /// Feeds these bytes to every run from a file, which may be of any size.
    pub fn with_file(self, bytes: impl AsRef<[u8]>) -> io::Result<Self> {
        let mut file = NamedTempFile::with_prefix("custos-stdin-")?;
        file.write_all(bytes.as_ref())?;
        Ok(Self { input: Input::File(file), ..self })
    }

    /// Starts the program, waits for its end and says what it took.
    pub fn run(&self) -> io::Result<Run> {
        let input = self.open_input()?;
        let output = File::options().write(true).open("/dev/null")?;
        let inherited = inherited_peak();
        let mut streams = Streams::new()?;
        streams.connect(input.as_raw_fd(), 0)?;
        streams.connect(output.as_raw_fd(), 1)?;
        streams.connect(output.as_raw_fd(), 2)?;
        let arguments = null_terminated(&self.arguments);
        let environment = null_terminated(&self.environment);

        let started = Instant::now();
        let pid = spawn(&self.program, &streams, &arguments, &environment)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.name())))?;
        let (status, usage) = wait(pid)?;
        let wall = started.elapsed();

        // Linux counts in kilobytes, macOS in bytes.
        let unit = if cfg!(target_os = "linux") { 1024 } else { 1 };
        let bytes = u64::try_from(usage.ru_maxrss).unwrap_or_default() * unit;
        Ok(Run {
            wall,
            cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
            peak: Peak { bytes, is_bound: bytes <= inherited },
            status,
        })
    }

    /// Returns the program's path, for messages.
    pub fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    fn open_input(&self) -> io::Result<OpenInput> {
        Ok(match &self.input {
            Input::Nothing => OpenInput::File(File::open("/dev/null")?),
            Input::File(file) => OpenInput::File(File::open(file.path())?),
            Input::Pipe(bytes) => {
                let (reader, mut writer) = io::pipe()?;
                writer.write_all(bytes)?;
                OpenInput::Pipe(reader)
            }
        })
    }
}

enum OpenInput {
    File(File),
    Pipe(PipeReader),
}

impl AsRawFd for OpenInput {
    fn as_raw_fd(&self) -> RawFd {
        match self {
            Self::File(file) => file.as_raw_fd(),
            Self::Pipe(reader) => reader.as_raw_fd(),
        }
    }
}

fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message.into())
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

fn null_terminated(strings: &[CString]) -> Vec<*mut libc::c_char> {
    strings.iter().map(|string| string.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let micros = u64::try_from(time.tv_usec).unwrap_or_default();
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

/// Returns the high-water mark that a child of this process starts with, in bytes.
fn inherited_peak() -> u64 {
    if !cfg!(target_os = "linux") {
        return 0;
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|value| value.trim().strip_suffix(" kB"))
        .and_then(|value| value.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// The list of streams that the child is to find connected.
struct Streams {
    actions: libc::posix_spawn_file_actions_t,
}

impl Streams {
    #[expect(unsafe_code, reason = "posix_spawn has no safe wrapper in std")]
    fn new() -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the pointer is valid for writes, and the value is used only after success.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        // SAFETY: initialised by the call above, which succeeded.
        Ok(Self { actions: unsafe { actions.assume_init() } })
    }

    /// Gives the child `descriptor` as its stream `number`.
    #[expect(unsafe_code, reason = "posix_spawn has no safe wrapper in std")]
    fn connect(&mut self, descriptor: RawFd, number: RawFd) -> io::Result<()> {
        // SAFETY: `actions` is initialised. The numbers are only recorded; a wrong one fails at the start.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(&raw mut self.actions, descriptor, number) })
    }
}

impl Drop for Streams {
    #[expect(unsafe_code, reason = "posix_spawn has no safe wrapper in std")]
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, destroyed only here.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.actions) };
    }
}

#[expect(unsafe_code, reason = "posix_spawn has no safe wrapper in std")]
fn spawn(
    program: &CString,
    streams: &Streams,
    arguments: &[*mut libc::c_char],
    environment: &[*mut libc::c_char],
) -> io::Result<libc::pid_t> {
    let mut pid = 0;
    // SAFETY: both arrays come from `null_terminated`, point into strings that the caller still holds, and
    // are not written to; `pid` and `streams` outlive the call; no attributes are given.
    check(unsafe {
        libc::posix_spawn(
            &raw mut pid,
            program.as_ptr(),
            &raw const streams.actions,
            ptr::null(),
            arguments.as_ptr(),
            environment.as_ptr(),
        )
    })?;
    Ok(pid)
}

#[expect(unsafe_code, reason = "std waits for a child without asking for its resource usage")]
fn wait(pid: libc::pid_t) -> io::Result<(ExitStatus, libc::rusage)> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are valid for writes for the whole call.
    while unsafe { libc::wait4(pid, &raw mut status, 0, usage.as_mut_ptr()) } == -1 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    // SAFETY: `rusage` is plain numbers, zeroed above and filled by the call.
    Ok((ExitStatus::from_raw(status), unsafe { usage.assume_init() }))
}

/// The `posix_spawn` family returns its error instead of setting `errno`.
fn check(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Launch {
        Launch::new(Command::new("/bin/sh").args(["-c", script]).env("WORD", "given")).unwrap()
    }

    fn code(launch: &Launch) -> Option<i32> {
        launch.run().unwrap().status.code()
    }

    #[test]
    fn the_exit_status_is_the_childs() {
        assert_eq!(code(&shell("exit 7")), Some(7));
        assert_eq!(shell("kill -9 $$").run().unwrap().status.signal(), Some(9));
    }

    #[test]
    fn arguments_and_variables_arrive_and_nothing_is_inherited() {
        assert_eq!(code(&shell(r#"test "$WORD" = given && test -z "$CARGO_MANIFEST_DIR$HOME""#)), Some(0));
    }

    #[test]
    fn input_is_the_same_for_every_run() {
        let read = r#"read -r line; read -r rest; test "$line" = one && test -z "$rest""#;
        for launch in [shell(read).with_pipe("one\n").unwrap(), shell(read).with_file("one\n").unwrap()] {
            assert_eq!([code(&launch), code(&launch), code(&launch)], [Some(0); 3]);
        }
        assert_eq!(code(&shell("read -r line")), Some(1), "without input there is the end of file at once");
    }

    #[test]
    fn large_input_needs_a_file() {
        let bytes = vec![b'x'; 1_000_000];
        let error = shell("").with_pipe(bytes.clone()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        let count = shell(r#"test "$(/usr/bin/wc -c | /usr/bin/tr -d ' ')" = 1000000"#);
        assert_eq!(code(&count.with_file(bytes).unwrap()), Some(0));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Launch::new(&Command::new("/no/such/program")).unwrap().run().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().starts_with("/no/such/program: "), "{error}");
    }

    #[test]
    fn another_working_directory_is_refused() {
        let error = Launch::new(Command::new("/bin/sh").current_dir("/")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn work_and_memory_are_accounted_to_the_child() {
        let busy = shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done").run().unwrap();
        assert!(busy.cpu > Duration::ZERO && busy.cpu <= busy.wall * 2, "{busy:?}");
        assert!(busy.peak.bytes > 100_000, "{busy:?}");
    }

    #[test]
    fn a_bound_is_shown_as_one() {
        let shown = |is_bound| Peak { bytes: 2_345_678, is_bound }.to_string();
        assert_eq!([shown(false), shown(true)], ["2.3 MB", "≤ 2.3 MB"]);
    }
}
