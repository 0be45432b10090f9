//! `slam lsp`: a server of the language server protocol. Files are checked when they are opened and saved, functions on
//! request; the results are diagnostics, and notes beside lines.
//!
//! Invariant: what is shown is about the text that was checked: a change stops the check of the file, and takes the notes away
//! until it is saved.

mod job;
mod server;
mod stdio;
mod tell;
mod text;

use crate::commands::Console;
use crate::options::{Lsp, Slam, options_for_check};
use base::styles::ERROR;
use cli::verdict::EXIT_INPUT;
use cli::{Host, Usage};
use lsp_server::{Connection, Message, Request, Response};
use serde_json::Value;
use server::Server;
use std::ffi::OsString;

/// Exit code of a server whose client went away without a word.
const EXIT_LEFT: i32 = 1;

/// Runs the server until its client ends it; returns the exit code.
///
/// # Errors
/// A usage error, also in the options for checks.
pub(crate) fn run(Console { host, stderr, .. }: Console<'_>, options: &Lsp) -> Result<i32, Usage> {
    if host == Host::Library {
        return Err(Usage::mistake("a server starts processes of the program `slam`, which this is not"));
    }
    let given: Vec<OsString> = options.options.iter().filter(|word| *word != "--stdio").cloned().collect();
    let checks = checks(&given)?;
    let (connection, streams) = stdio::connect().map_err(|e| Usage::mistake(e.to_string()))?;
    let ended = serve(&connection, checks);
    drop(connection);
    let broken = streams.join().err().map(|e| e.to_string()).or_else(|| ended.as_ref().err().cloned());
    match (broken, ended) {
        (Some(why), _) => {
            let _ = writeln!(stderr, "{ERROR} the client broke the protocol: {why}");
            Ok(EXIT_INPUT)
        }
        (None, Ok(true)) => Ok(0),
        (None, _) => Ok(EXIT_LEFT),
    }
}

/// The options for checks.
fn checks(given: &[OsString]) -> Result<job::Options, Usage> {
    let words: [OsString; 2] = ["slam".into(), "check".into()];
    let line = [&words, given, &["--".into(), "file.c".into()][..]].concat();
    let (line, _) = crate::options::expanded(&line)?;
    let parsed = cli::parse::<Slam>(&line)?;
    let Some(crate::options::Command::Check(check)) = parsed.command else {
        return Err(Usage::mistake("options of `slam check` are wanted"));
    };
    crate::commands::batch::refuse_files(&check, |name| {
        format!("{name} is for one result; a server has many")
    })?;
    if check.files.len() != 1 {
        return Err(Usage::mistake("the editor says which files are checked: only options are wanted"));
    }
    let file = options_for_check(&line, &[])?;
    let function = options_for_check(&line, &["entry", "environment"])?;
    Ok(job::Options::new(&check, file, function))
}

/// Serves a client; true if it said goodbye.
///
/// # Errors
/// What the client did wrong.
fn serve(connection: &Connection, checks: job::Options) -> Result<bool, String> {
    let (id, client) = match connection.initialize_start() {
        Ok(started) => started,
        Err(e) if e.channel_is_disconnected() => return Ok(false),
        Err(e) => return Err(e.to_string()),
    };
    let server = Server::new(connection.sender.clone(), &client, checks);
    let answer = serde_json::json!({
        "capabilities": server.capabilities(),
        "serverInfo": { "name": "slam", "version": env!("CARGO_PKG_VERSION") },
    });
    match connection.initialize_finish(id, answer) {
        Ok(()) => {}
        Err(e) if e.channel_is_disconnected() => return Ok(false),
        Err(e) => return Err(e.to_string()),
    }
    std::thread::scope(|scope| {
        let ended = listen(connection, &server, scope);
        server.stop();
        ended
    })
}

/// Does what the client wants until it leaves.
fn listen<'s>(
    connection: &Connection,
    server: &'s Server,
    scope: &'s std::thread::Scope<'s, '_>,
) -> Result<bool, String> {
    for message in &connection.receiver {
        match message {
            Message::Request(request) if request.method == "shutdown" => {
                server.stop();
                // The answer, and then the end: whatever else comes is a mistake.
                return connection.handle_shutdown(&request).map_err(|e| e.to_string());
            }
            Message::Request(request) => {
                let response = answer(server, request, scope);
                let _ = connection.sender.send(response.into());
            }
            Message::Notification(told) if told.method == "exit" => return Ok(false),
            Message::Notification(told) => server.heard(&told.method, &told.params, scope),
            Message::Response(_) => {}
        }
    }
    Ok(false)
}

fn answer<'s>(server: &'s Server, request: Request, scope: &'s std::thread::Scope<'s, '_>) -> Response {
    let Request { id, method, params } = request;
    match server.asked(&method, &params, scope) {
        Some(Ok(value)) => Response::new_ok(id, value),
        Some(Err(what)) => Response::new_err(id, lsp_server::ErrorCode::InvalidParams as i32, what),
        None => {
            let what = format!("there is no {method}");
            Response::new_err(id, lsp_server::ErrorCode::MethodNotFound as i32, what)
        }
    }
}

/// A text of the parameters of a message.
fn text<'v>(params: &'v Value, pointer: &str) -> Option<&'v str> {
    params.pointer(pointer)?.as_str()
}
