//! Threads with large stacks, panics and the end of the process.

use crate::terminal::{self, Standard};
use crate::verdict::{EXIT_WRITE, Verdict};
use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Stack of the thread that does the work. The memory is virtual: only what is used counts.
const STACK: usize = 1 << 30;

/// Stack of the workers of a pool: less, since there may be many and address space may be limited.
const WORKER_STACK: usize = 256 << 20;

/// Runs `f` on a thread with a stack of 1 GiB (or less where the system refuses that much) and hands a panic on.
pub fn run_on_big_stack<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    let mut f = Some(f);
    let mut result = None;
    for size in [STACK, STACK / 4, STACK / 16] {
        let spawned = std::thread::scope(|scope| {
            let (f, result) = (&mut f, &mut result);
            let work = move || *result = f.take().map(|f| f());
            let thread = std::thread::Builder::new().name("work".into()).stack_size(size);
            match thread.spawn_scoped(scope, work) {
                Ok(handle) => {
                    if let Err(panic) = handle.join() {
                        std::panic::resume_unwind(panic);
                    }
                    true
                }
                Err(_) => false,
            }
        });
        if spawned {
            break;
        }
    }
    match (result, f) {
        (Some(value), _) => value,
        (None, Some(f)) => f(),
        (None, None) => unreachable!("work that was started has given its result or panicked"),
    }
}

/// A pool of `threads` workers (0: one a processor) with large stacks. `pool.install(work)` runs the work on one of
/// them.
///
/// # Errors
/// When the system gives no threads.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, String> {
    let threads = bounded(threads);
    let build = |stack: usize| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(stack)
            .thread_name(|i| format!("work-{i}"))
            .build()
    };
    build(WORKER_STACK)
        .or_else(|_| build(WORKER_STACK / 16))
        .map_err(|e| format!("cannot start the worker threads: {e}"))
}

/// The number of worker threads for a requested number (0: one a processor): at most four a processor, whatever the
/// environment says.
fn bounded(threads: usize) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    if threads == 0 { processors } else { threads.min(4 * processors) }
}

/// Runs `f`; a panic becomes its message.
///
/// # Errors
/// The message of the panic.
pub fn catching<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".into())
    })
}

/// Where output goes.
pub type Sink<'a> = dyn Write + Send + 'a;

/// Writes the text and gives the exit code back, or that of a result that cannot be written.
pub fn tell(to: &mut Sink<'_>, text: &str, code: i32) -> i32 {
    if written(to, text.as_bytes()) { code } else { EXIT_WRITE }
}

/// Writes to a stream; whether that was possible. Who closes a pipe does not want to read on: no error.
pub(crate) fn written(to: &mut dyn Write, text: &[u8]) -> bool {
    match to.write_all(text).and_then(|()| to.flush()) {
        Ok(()) => true,
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => true,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "error: cannot write the result: {e}");
            false
        }
    }
}

/// The main function of a binary: runs `command` with the command line and the standard streams, on a large stack,
/// and ends the process with its code. A panic is reported on standard error and ends with `VERDICT: ERROR(internal)`.
pub fn main(command: impl FnOnce(&[OsString], &mut Sink<'_>, &mut Sink<'_>) -> i32 + Send) {
    end_with_parent();
    // A file that becomes too large is an error of the write, and no end of the process.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    #[cfg(unix)]
    crate::crash::guard();
    terminal::measure();
    let args: Vec<_> = std::env::args_os().collect();
    std::panic::set_hook(Box::new(|info| {
        let _ = writeln!(std::io::stderr().lock(), "internal error: {info}");
    }));
    let (mut stdout, mut stderr) = (Standard::New(std::io::stdout), Standard::New(std::io::stderr));
    let code =
        catching(|| run_on_big_stack(|| command(&args, &mut stdout, &mut stderr))).unwrap_or_else(|_| {
            let _ = writeln!(std::io::stdout(), "{}", Verdict::Internal);
            Verdict::Internal.exit_code()
        });
    let _ = std::io::stdout().flush();
    exit(code);
}

/// Ends the process at once. No destructors run: a prover may still be at work in another thread, and its library
/// must not be taken down under it.
pub fn exit(code: i32) -> ! {
    signal_hook::low_level::exit(code)
}

/// The peak memory of the process so far, in bytes, where the system reports it (Linux).
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The processor time that the process has used so far, where the system reports it (Linux): its own, and that of the
/// processes that it has waited for.
pub fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second word is the name in parentheses, which may contain anything.
    let (_, words) = stat.rsplit_once(')')?;
    let ticks: Vec<u64> = words.split_whitespace().skip(11).take(4).filter_map(|w| w.parse().ok()).collect();
    // The unit is a hundredth of a second on the systems that have this file.
    (ticks.len() == 4).then(|| Duration::from_millis(10 * ticks.iter().sum::<u64>()))
}

/// The variable of the environment by which a process learns that it works for another one, whose number it holds.
pub const PARENT: &str = "SLAM_PARENT";

/// Makes the system end this process when its parent ends, if the environment says so (Linux): what works for a batch
/// has no use without it.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    if let Some(parent) = std::env::var_os(PARENT) {
        let kill = Some(rustix::process::Signal::KILL);
        let _ = rustix::process::set_parent_process_death_signal(kill);
        if parent.to_str().and_then(|p| p.parse().ok()) != Some(std::os::unix::process::parent_id()) {
            exit(Verdict::Internal.exit_code());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_recursion_fits() {
        fn depth(n: u64) -> u64 {
            let pad = std::hint::black_box([n; 64]);
            if n == 0 { 0 } else { depth(n - 1) + pad[0] - (n - 1) }
        }
        assert_eq!(run_on_big_stack(|| depth(100_000)), 100_000);
        assert_eq!(pool(1).expect("a thread").install(|| depth(100_000)), 100_000);
    }

    #[test]
    fn workers_are_bounded_by_the_machine() {
        let processors = bounded(0);
        assert!(processors >= 1);
        assert_eq!((bounded(1), bounded(100_000), bounded(usize::MAX)), (1, 4 * processors, 4 * processors));
        assert_eq!(pool(100_000).expect("threads").current_num_threads(), 4 * processors);
    }

    #[test]
    fn panics_become_messages() {
        assert_eq!(
            catching(|| run_on_big_stack(|| -> i32 { panic!("broken {}", 1) })),
            Err("broken 1".into())
        );
        assert_eq!(catching(|| 3), Ok(3));
    }
}
