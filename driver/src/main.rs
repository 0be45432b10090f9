//! The `slam` binary: the library's `run_as` on the process's own command line and streams.

fn main() {
    cli::process::main(|args, stdout, stderr| slam::run_as(cli::Host::Process, args, stdout, stderr));
}
