//! A command that is run with its streams and status left as they are.

use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::{Child, Command, ExitCode, ExitStatus};

use crate::failure::Failure;

/// How a command ended.
#[derive(Debug)]
pub enum Ended {
    /// With a status of its own.
    Exit(u8),
    /// By a signal.
    Signal(i32),
}

/// Runs a command to its end. Signals that reach this program alone are passed on.
///
/// # Errors
/// No command given, or signals that cannot be taken. A command that cannot be started ends with
/// 127 or 126, as in a shell.
pub fn run(command: &[OsString]) -> Result<Ended, Failure> {
    let (name, arguments) =
        command.split_first().ok_or_else(|| Failure::new("expected -- COMMAND, found none"))?;
    let passing = Passing::begin()?;
    match Command::new(name).args(arguments).spawn() {
        Ok(mut child) => Ok(ended(passing.wait(&mut child)?)),
        Err(e) => {
            let _ = writeln!(io::stderr(), "error: {}: {e}", name.to_string_lossy());
            Ok(Ended::Exit(if e.kind() == ErrorKind::NotFound { 127 } else { 126 }))
        }
    }
}

/// Ends this program as the command ended; a failure of its own is exit status 2.
pub fn finish(ended: Result<Ended, Failure>) -> ExitCode {
    match ended {
        Ok(Ended::Exit(status)) => ExitCode::from(status),
        Ok(Ended::Signal(signal)) => die_of(signal),
        Err(failure) => {
            let _ = writeln!(io::stderr(), "error: {failure}");
            ExitCode::from(2)
        }
    }
}

#[cfg(unix)]
fn ended(status: ExitStatus) -> Ended {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => Ended::Signal(signal),
        None => Ended::Exit(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
    }
}

#[cfg(not(unix))]
fn ended(status: ExitStatus) -> Ended {
    Ended::Exit(status.code().and_then(|code| u8::try_from(code & 0xff).ok()).unwrap_or(1))
}

/// Whoever waits for this program sees the same signal.
#[cfg(unix)]
fn die_of(signal: i32) -> ExitCode {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    if let Some(signal) = rustix::process::Signal::from_named_raw(signal) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    }
    // A signal that does not end a program.
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(255))
}

#[cfg(not(unix))]
fn die_of(_: i32) -> ExitCode {
    ExitCode::FAILURE
}

/// Signals on their way to the command.
#[cfg(unix)]
struct Passing(signal_hook::iterator::Signals);

#[cfg(unix)]
impl Passing {
    /// From here on the signals do not end this program: the record is to be written.
    fn begin() -> Result<Self, Failure> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
        let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2];
        Ok(Self(signal_hook::iterator::Signals::new(signals)?))
    }

    /// Waits for the command. What a terminal sends, it sends to the command as well; the rest is
    /// passed on.
    fn wait(mut self, child: &mut Child) -> Result<ExitStatus, Failure> {
        use signal_hook::consts::{SIGINT, SIGQUIT};
        let from_terminal = io::stdin().is_terminal();
        let handle = self.0.handle();
        let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
        let passes = std::thread::spawn(move || {
            for signal in &mut self.0 {
                if from_terminal && [SIGINT, SIGQUIT].contains(&signal) {
                    continue;
                }
                let named = rustix::process::Signal::from_named_raw(signal);
                if let (Some(pid), Some(signal)) = (pid, named) {
                    let _ = rustix::process::kill_process(pid, signal);
                }
            }
        });
        let status = child.wait();
        handle.close();
        let _ = passes.join();
        Ok(status?)
    }
}

#[cfg(not(unix))]
struct Passing;

#[cfg(not(unix))]
impl Passing {
    fn begin() -> Result<Self, Failure> {
        Ok(Self)
    }

    fn wait(self, child: &mut Child) -> Result<ExitStatus, Failure> {
        Ok(child.wait()?)
    }
}
