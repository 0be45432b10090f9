//! The state of the server: the files that are open, their checks, and what they have found.

use super::job::{self, Options, Slots, What};
use super::tell::{self, Told};
use super::text::{self, Encoding};
use crossbeam_channel::Sender;
use lsp_server::{Message, Notification, Request};
use lsp_types::{Range, Uri};
use results::Outcome;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

/// The commands of the server.
const CHECK_FILE: &str = "slam.checkFile";
const CHECK_FUNCTION: &str = "slam.checkFunction";
const STOP: &str = "slam.stop";

/// See the module's documentation.
pub(super) struct Server {
    sender: Sender<Message>,
    encoding: Encoding,
    /// The client shows progress.
    progress: bool,
    /// The client takes a hint that what it shows above functions has changed.
    refresh: bool,
    checks: Options,
    slots: Slots,
    /// By URI.
    documents: Mutex<BTreeMap<String, Document>>,
    /// Numbers of requests to the client.
    next: AtomicI32,
}

/// An open file.
struct Document {
    path: PathBuf,
    /// As the editor has it.
    text: String,
    /// It is what was saved, as far as is known.
    saved: bool,
    running: Option<Running>,
    /// What the last check has found, and of what.
    found: Option<(What, Outcome)>,
    told: Told,
}

/// A check at work.
#[derive(Clone)]
struct Running {
    stop: Arc<AtomicBool>,
    token: String,
}

impl Server {
    /// A server for a client with these parameters of `initialize`.
    pub(super) fn new(sender: Sender<Message>, client: &Value, checks: Options) -> Server {
        let flag = |pointer: &str| client.pointer(pointer) == Some(&Value::Bool(true));
        let encodings = client.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
        let utf8 = encodings.is_some_and(|all| all.iter().any(|e| e == "utf-8"));
        Server {
            sender,
            encoding: if utf8 { Encoding::Utf8 } else { Encoding::Utf16 },
            progress: flag("/capabilities/window/workDoneProgress"),
            refresh: flag("/capabilities/workspace/codeLens/refreshSupport"),
            checks,
            slots: Slots::new(),
            documents: Mutex::default(),
            next: AtomicI32::new(1),
        }
    }

    /// What the server can do.
    pub(super) fn capabilities(&self) -> Value {
        json!({
            "positionEncoding": match self.encoding { Encoding::Utf8 => "utf-8", Encoding::Utf16 => "utf-16" },
            "textDocumentSync": { "openClose": true, "change": 1, "save": true },
            "hoverProvider": true,
            "codeLensProvider": {},
            "executeCommandProvider": { "commands": [CHECK_FILE, CHECK_FUNCTION, STOP] },
        })
    }

    fn documents(&self) -> MutexGuard<'_, BTreeMap<String, Document>> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops all checks.
    pub(super) fn stop(&self) {
        for document in self.documents().values_mut() {
            document.halt();
        }
    }

    /// Does what a notification is about.
    pub(super) fn heard<'s>(&'s self, method: &str, params: &Value, scope: &'s Scope<'s, '_>) {
        let uri = super::text(params, "/textDocument/uri").unwrap_or_default();
        match method {
            "textDocument/didOpen" => {
                let Some(path) = Uri::from_str(uri).ok().and_then(|uri| text::path(&uri)) else { return };
                let text = super::text(params, "/textDocument/text").unwrap_or_default().to_owned();
                let saved = cli::inputs::regular(&path).is_ok_and(|bytes| bytes == text.as_bytes());
                let document = Document { path, text, saved, running: None, found: None, told: Told::new() };
                self.documents().insert(uri.to_owned(), document);
                if saved {
                    self.check(uri, What::File, scope);
                }
            }
            "textDocument/didChange" => {
                if let Some(document) = self.documents().get_mut(uri) {
                    let changes = params["contentChanges"].as_array().into_iter().flatten();
                    if let Some(text) = changes.filter_map(|c| c["text"].as_str()).next_back() {
                        document.text = text.to_owned();
                    }
                    document.saved = false;
                    document.halt();
                }
            }
            "textDocument/didSave" => {
                if let Some(document) = self.documents().get_mut(uri) {
                    document.saved = true;
                }
                self.check(uri, What::File, scope);
            }
            "textDocument/didClose" => {
                let mut documents = self.documents();
                if let Some(mut document) = documents.remove(uri) {
                    document.halt();
                    self.publish(&documents, document.told.into_keys().collect());
                }
            }
            "window/workDoneProgress/cancel" => {
                let token = super::text(params, "/token").unwrap_or_default();
                for document in self.documents().values_mut() {
                    if document.running.as_ref().is_some_and(|running| running.token == token) {
                        document.halt();
                    }
                }
            }
            _ => {}
        }
    }

    /// Answers a request; nothing where there is no such request.
    pub(super) fn asked<'s>(
        &'s self,
        method: &str,
        params: &Value,
        scope: &'s Scope<'s, '_>,
    ) -> Option<Result<Value, String>> {
        let uri = super::text(params, "/textDocument/uri").unwrap_or_default();
        Some(match method {
            "textDocument/hover" => Ok(self.hover(uri, params["position"]["line"].as_u64())),
            "textDocument/codeLens" => Ok(self.lenses(uri)),
            "workspace/executeCommand" => self.execute(params, scope),
            _ => return None,
        })
    }

    fn hover(&self, uri: &str, line: Option<u64>) -> Value {
        let documents = self.documents();
        let document = documents.get(uri).filter(|document| document.saved);
        let notes = document.and_then(|document| {
            let (_, result) = document.found.as_ref()?;
            tell::notes(result, &document.path, u32::try_from(line?).ok()?.checked_add(1)?)
        });
        notes.map_or(Value::Null, |text| json!({ "contents": { "kind": "markdown", "value": text } }))
    }

    /// What stands above the file and above its functions.
    fn lenses(&self, uri: &str) -> Value {
        let documents = self.documents();
        let Some(document) = documents.get(uri) else { return json!([]) };
        let verdict = |what: &What| {
            let (known, result) = document.found.as_ref()?;
            (known == what).then_some(result.verdict_line.as_str())
        };
        let title = |what: &str, verdict: Option<&str>| {
            verdict.map_or_else(|| what.to_owned(), |verdict| format!("{what} ({verdict})"))
        };
        let lens = |range: Range, title: String, command: &str, arguments: Value| json!({ "range": range, "command": { "title": title, "command": command, "arguments": arguments } });
        let mut out = vec![lens(
            Range::default(),
            title("check this file", verdict(&What::File)),
            CHECK_FILE,
            json!([uri]),
        )];
        for (name, range) in text::functions(&document.text, self.encoding) {
            let what = What::Function(name);
            let verdict = verdict(&what);
            let What::Function(name) = what else { continue };
            let title = title("check this function", verdict);
            out.push(lens(range, title, CHECK_FUNCTION, json!([uri, name])));
        }
        out.into()
    }

    fn execute<'s>(&'s self, params: &Value, scope: &'s Scope<'s, '_>) -> Result<Value, String> {
        let argument = |n: usize| params["arguments"][n].as_str();
        let uri = argument(0).ok_or("the URI of a file is wanted")?;
        let saved = self.documents().get(uri).map(|document| document.saved);
        let command = params["command"].as_str().unwrap_or_default();
        match (command, saved) {
            (_, None) => return Err(format!("{uri} is not open")),
            (STOP, _) => {
                if let Some(document) = self.documents().get_mut(uri) {
                    document.halt();
                }
            }
            (CHECK_FILE | CHECK_FUNCTION, Some(false)) => return Err("the file has to be saved first".into()),
            (CHECK_FILE, _) => self.check(uri, What::File, scope),
            (CHECK_FUNCTION, _) => {
                let name = argument(1).ok_or("the name of a function is wanted")?;
                self.check(uri, What::Function(name.to_owned()), scope);
            }
            _ => return Err(format!("there is no command {command}")),
        }
        Ok(Value::Null)
    }

    /// Begins a check, in place of the one that runs.
    fn check<'s>(&'s self, uri: &str, what: What, scope: &'s Scope<'s, '_>) {
        let token = format!("slam-{}", self.next.fetch_add(1, Ordering::Relaxed));
        let running = Running { stop: Arc::default(), token };
        let path = {
            let mut documents = self.documents();
            let Some(document) = documents.get_mut(uri) else { return };
            document.halt();
            document.running = Some(running.clone());
            document.path.clone()
        };
        let uri = uri.to_owned();
        scope.spawn(move || {
            let name = match &what {
                What::File => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                What::Function(name) => format!("{name}()"),
            };
            self.begin(&running.token, &format!("slam: {name}"));
            let tell = |line: &str| self.report(&running.token, json!({ "kind": "report", "message": line }));
            let result = job::check((&path, &what, &self.checks), &self.slots, &running.stop, tell);
            let end = match &result {
                Ok(Some(result)) => &result.verdict_line,
                Ok(None) => "stopped",
                Err(why) => why,
            };
            self.report(&running.token, json!({ "kind": "end", "message": end }));
            match result {
                Ok(Some(result)) => self.found(&uri, &running, what, result),
                Ok(None) => {}
                Err(why) => self.notify("window/showMessage", json!({ "type": 1, "message": why })),
            }
        });
    }

    /// Takes the result of a check, if it is still wanted.
    fn found(&self, uri: &str, running: &Running, what: What, result: Outcome) {
        let mut documents = self.documents();
        let Some(document) = documents.get_mut(uri) else { return };
        if !document.running.as_ref().is_some_and(|now| Arc::ptr_eq(&now.stop, &running.stop)) {
            return;
        }
        document.running = None;
        // A file without an entry, or with nothing to check, is not a mistake.
        let kinds = [cfront::FailureKind::NoEntry, cfront::FailureKind::NoChecks];
        let line = result.verdict_line.strip_prefix("VERDICT: ");
        let told = match kinds.iter().any(|kind| line == Some(kind.verdict().as_str())) {
            true => Told::new(),
            false => tell::diagnostics(&result, &document.path, self.encoding),
        };
        let mut changed: BTreeSet<String> = document.told.keys().chain(told.keys()).cloned().collect();
        changed.insert(uri.to_owned());
        (document.told, document.found) = (told, Some((what, result)));
        self.publish(&documents, changed);
        drop(documents);
        if self.refresh {
            self.request("workspace/codeLens/refresh", Value::Null);
        }
    }

    /// Sends what all open files say about these.
    fn publish(&self, documents: &BTreeMap<String, Document>, files: BTreeSet<String>) {
        for file in files {
            let all = documents.values().filter_map(|document| document.told.get(&file)).flatten();
            let all: Vec<_> = all.collect();
            self.notify("textDocument/publishDiagnostics", json!({ "uri": file, "diagnostics": all }));
        }
    }

    fn begin(&self, token: &str, title: &str) {
        if self.progress {
            self.request("window/workDoneProgress/create", json!({ "token": token }));
            self.report(token, json!({ "kind": "begin", "title": title, "cancellable": true }));
        }
    }

    fn report(&self, token: &str, value: Value) {
        if self.progress {
            self.notify("$/progress", json!({ "token": token, "value": value }));
        }
    }

    /// Sends a message; a client that has gone is noticed elsewhere.
    fn notify(&self, method: &str, params: Value) {
        let _ = self.sender.send(Notification::new(method.to_owned(), params).into());
    }

    fn request(&self, method: &str, params: Value) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let _ = self.sender.send(Request::new(id.into(), method.to_owned(), params).into());
    }
}

impl Document {
    /// Stops the check.
    fn halt(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop.store(true, Ordering::SeqCst);
        }
    }
}
