//! `slam lsp`: a client drives the server over its standard streams, as editors do.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tests::root;

/// How long an answer may take. Nothing is tested about times: this ends a test that would hang.
const PATIENCE: Duration = Duration::from_secs(120);

struct Client {
    server: Child,
    input: Option<ChildStdin>,
    heard: Receiver<Value>,
    /// What was heard while something else was waited for.
    kept: Vec<Value>,
    next: u64,
}

/// Reads messages until the server ends.
fn messages(output: impl Read) -> impl Iterator<Item = Value> {
    let mut output = BufReader::new(output);
    std::iter::from_fn(move || {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if output.read_line(&mut line).ok()? == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                header => {
                    if let Some(number) = header.strip_prefix("Content-Length: ") {
                        length = number.parse().expect("a length");
                    }
                }
            }
        }
        let mut bytes = vec![0; length];
        output.read_exact(&mut bytes).ok()?;
        Some(serde_json::from_slice(&bytes).expect("messages are JSON"))
    })
}

impl Client {
    /// A server with these options whose client shows everything.
    fn start(options: &[&str]) -> Client {
        let mut client = Client::silent(options);
        let capabilities = json!({
            "window": { "workDoneProgress": true }, "workspace": { "codeLens": { "refreshSupport": true } },
        });
        let answer = client.ask("initialize", json!({ "capabilities": capabilities }));
        assert_eq!(answer["serverInfo"]["name"], "slam");
        client.tell("initialized", json!({}));
        client
    }

    /// A server that nothing was said to.
    fn silent(options: &[&str]) -> Client {
        let folder = std::env::var_os("SLAM_BINARIES").map(|folder| root().join(folder));
        let program = match folder {
            Some(folder) => folder.join("slam"),
            None => {
                tests::binary("slam", &["--version"]);
                let test = std::env::current_exe().expect("a test has a path");
                test.ancestors().nth(2).expect("a test lies below its profile").join("slam")
            }
        };
        let mut server = Command::new(program)
            .arg("lsp")
            .args(options)
            .current_dir(root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server can be started");
        let output = server.stdout.take().expect("it is piped");
        let (sender, heard) = channel();
        std::thread::spawn(move || messages(output).all(|message| sender.send(message).is_ok()));
        let input = server.stdin.take();
        Client { server, input, heard, kept: vec![], next: 0 }
    }

    fn write(&mut self, text: &str) {
        let input = self.input.as_mut().expect("it is open");
        let message = framed(text);
        let _ = input.write_all(message.as_bytes()).and_then(|()| input.flush());
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// The whole response to a request.
    fn response(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        self.wait(|m| m["id"] == id && m["method"].is_null())
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let response = self.response(method, params);
        assert!(response["error"].is_null(), "{response}");
        response["result"].clone()
    }

    /// The first message that fits, also among those that came before.
    fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&fits) {
            return self.kept.remove(at);
        }
        loop {
            let message = self.heard.recv_timeout(PATIENCE).expect("the server says something");
            if fits(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    /// The next diagnostics of a file.
    fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        let message =
            self.wait(|m| m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == uri);
        message["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// The next progress of a kind.
    fn progress(&mut self, kind: &str) -> Value {
        let message = self.wait(|m| m["method"] == "$/progress" && m["params"]["value"]["kind"] == kind);
        message["params"].clone()
    }

    fn open(&mut self, file: &str) -> String {
        let uri = uri(file);
        let text = std::fs::read_to_string(file).expect("it was written");
        let document = json!({ "uri": uri, "languageId": "c", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        uri
    }

    fn change(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "version": 2 });
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
    }

    fn save(&mut self, file: &str, text: &str) {
        std::fs::write(file, text).expect("it can be written");
        self.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri(file) } }));
    }

    fn command(&mut self, command: &str, arguments: Value) -> Value {
        self.response("workspace/executeCommand", json!({ "command": command, "arguments": arguments }))
    }

    /// Says goodbye; the exit code.
    fn leave(mut self) -> Option<i32> {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.wait().expect("it ends").code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A message as it is sent.
pub(crate) fn framed(text: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

/// The URI of a file whose name needs no escapes but for blanks.
pub(crate) fn uri(file: &str) -> String {
    format!("file://{}", file.replace(' ', "%20"))
}

const HEAD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";

/// A program that takes long.
fn slow() -> String {
    format!(
        "{HEAD}int main(void) {{\n  unsigned n = __VERIFIER_nondet_int(), x = 1, y = 1;\n  for (unsigned i = 0; i < n; i++) {{ \
         x = x * x + y; y = y * 3 + x; }}\n  if (x * y * 7 + 5 == n * n * 3 + 8) reach_error();\n}}\n"
    )
}

#[test]
fn errors_come_with_their_executions() {
    let text = std::fs::read_to_string(root().join("examples/spinlock_unsafe.c")).expect("an example");
    let file = testing::file("a lock.c", text);
    let mut client = Client::start(&["--stdio"]);
    let uri = client.open(&file);
    let found = client.diagnostics(&uri);
    let errors: Vec<&Value> = found.iter().filter(|d| d["severity"] == 1).collect();
    assert_eq!(errors.len(), 1, "{found:?}");
    let error = errors.iter().find(|d| d["range"]["start"]["line"] == 15).expect("that of line 16");
    assert_eq!((&error["code"], &error["source"]), (&json!("reach"), &json!("slam")));
    assert_eq!(error["range"]["start"]["character"], 8);
    let steps = error["relatedInformation"].as_array().expect("the execution");
    assert!(steps.len() > 5 && steps.iter().all(|s| s["location"]["uri"] == uri.as_str()), "{steps:?}");
    assert!(
        steps.iter().any(|s| s["message"].as_str().is_some_and(|m| m.contains("locked = "))),
        "{steps:?}"
    );
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn broken_files_are_mended() {
    let broken = format!("{HEAD}/* \u{1f600} */ int main(void) {{ return 1 }}\n");
    let file = testing::file("broken.c", &broken);
    let mut client = Client::start(&[]);
    let uri = client.open(&file);
    let found = client.diagnostics(&uri);
    assert_eq!((found.len(), &found[0]["severity"]), (1, &json!(1)));
    // The sign before it is one character, two units and four bytes.
    let column = broken.lines().nth(2).and_then(|l| l.find('}')).expect("it is there") - 2;
    assert_eq!(found[0]["range"]["start"], json!({ "line": 2, "character": column }));
    let right = broken.replace("1 }", "1; }");
    client.change(&uri, &right);
    client.save(&file, &right);
    // There is nothing to check, which is not a mistake.
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new());
    for bytes in [&b"\x00\xff"[..], b"", b"int main(void) { int x[", b"#include \"no-such.h\"\n"] {
        std::fs::write(&file, bytes).expect("it can be written");
        client.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
        assert!(!client.diagnostics(&uri).is_empty(), "{bytes:?}");
    }
    std::fs::remove_file(&file).expect("it was there");
    client.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    assert!(!client.diagnostics(&uri).is_empty());
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new());
    // What the server does not know does not disturb it.
    client.tell("textDocument/didSave", json!({ "textDocument": { "uri": "untitled:1" } }));
    client.tell("no/such", json!([]));
    assert_eq!(client.response("no/such", json!([]))["error"]["code"], -32601);
    assert_eq!(client.response("textDocument/hover", Value::Null)["result"], Value::Null);
    assert_eq!(client.leave(), Some(0));
}

/// What has no end, or waits for somebody, is not read.
#[cfg(unix)]
#[test]
fn pipes_and_devices_block_nothing() {
    let pipe = testing::folder().join("pipe.c");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()), "mkfifo");
    let endless = testing::folder().join("endless.c");
    std::os::unix::fs::symlink("/dev/zero", &endless).expect("a link");
    let mut client = Client::start(&[]);
    for path in [&pipe, &endless] {
        let uri = uri(path.to_str().expect("a name"));
        let document = json!({ "uri": uri, "languageId": "c", "version": 1, "text": "int x;" });
        client.tell("textDocument/didOpen", json!({ "textDocument": document }));
        client.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
        let message = client.wait(|m| m["method"] == "window/showMessage");
        let text = message["params"]["message"].as_str().expect("a text");
        assert!(text.ends_with(".c is no regular file"), "{text}");
    }
    let uri = client.open(&testing::file("open.c", "int main(void) { return 0; }\n"));
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new());
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn notes_and_functions() {
    let text = format!(
        "{HEAD}static int twice(int x) {{\n  int y = x + x;\n  return y;\n}}\nint main(void) {{\n  int n = 0;\n  while \
         (n < 10) n++;\n  if (n < 10) reach_error();\n  return 0;\n}}\n"
    );
    let file = testing::file("notes.c", &text);
    let mut client = Client::start(&[
        "--check",
        "overflow",
        "--tune",
        "without=bounds",
        "--tune",
        "without=executions",
        "--tune",
        "blocks=statement",
    ]);
    let uri = client.open(&file);
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new());
    client.wait(|m| m["method"] == "workspace/codeLens/refresh");
    let hover = |client: &mut Client, line: u64| {
        let at = json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": 3 } });
        client.ask("textDocument/hover", at)["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    assert!(
        hover(&mut client, 9).contains("**SAFE** ` reach_error() is called `"),
        "{}",
        hover(&mut client, 9)
    );
    assert!((7..10).any(|line| hover(&mut client, line).contains("invariant: ")));
    assert_eq!(hover(&mut client, 1), "");
    let lenses = |client: &mut Client| {
        let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
        let one = |lens: &Value| {
            let title = lens["command"]["title"].as_str().expect("a title").to_owned();
            (lens["range"]["start"]["line"].as_u64().expect("a line"), title, lens["command"].clone())
        };
        lenses.as_array().expect("a list").iter().map(one).collect::<Vec<_>>()
    };
    let shown = lenses(&mut client);
    assert_eq!(shown[0].1, "check this file (VERDICT: SAFE)");
    assert_eq!((shown[1].0, shown[1].1.as_str()), (2, "check this function"));
    assert_eq!((shown[2].0, shown.len()), (6, 3));
    // By itself, the function is called with any argument.
    let command = &shown[1].2;
    client.command(command["command"].as_str().expect("a name"), command["arguments"].clone());
    let found = client.diagnostics(&uri);
    assert_eq!((&found[0]["code"], &found[0]["range"]["start"]["line"]), (&json!("overflow"), &json!(3)));
    assert!(lenses(&mut client)[1].1.starts_with("check this function (VERDICT: UNSAFE(overflow)"));
    // What is not saved is not what was checked.
    client.change(&uri, &format!("\n{text}"));
    assert_eq!(hover(&mut client, 9), "");
    assert_eq!(lenses(&mut client)[1].0, 3);
    assert!(!client.command("slam.checkFile", json!([uri]))["error"].is_null());
    assert!(!client.command("slam.checkFile", json!(["file:///no/such.c"]))["error"].is_null());
    assert!(!client.command("slam.noSuch", json!([uri]))["error"].is_null());
    assert_eq!(client.leave(), Some(0));
}

/// The number of child processes of a process, where the system reports it.
fn workers(of: u32) -> usize {
    let parent = |entry: &Path| {
        let stat = std::fs::read_to_string(entry.join("stat")).ok()?;
        let (_, rest) = stat.rsplit_once(')')?;
        let mut words = rest.split_whitespace();
        let state = words.next()?;
        (state != "Z").then(|| words.next()?.parse::<u32>().ok()).flatten()
    };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter(|entry| parent(&entry.path()) == Some(of)).count()
}

#[test]
fn edits_and_the_user_stop_checks() {
    let file = testing::file("slow.c", slow());
    let mut client = Client::start(&["--time-limit", "10min"]);
    let uri = client.open(&file);
    let token = client.progress("begin")["token"].clone();
    assert!(client.progress("report")["value"]["message"].is_string());
    // An edit: what the check would say is about another text.
    client.change(&uri, "int main(void) { return 1 }\n");
    assert_eq!(client.progress("end")["token"], token);
    client.save(&file, "int main(void) { return 1 }\n");
    assert_eq!(client.diagnostics(&uri).len(), 1);
    client.progress("end");
    // The button, the command, the next save, and closing the file.
    client.progress("begin");
    for way in 0..4 {
        client.save(&file, &slow());
        let token = client.progress("begin")["token"].clone();
        // It has read the file.
        client.wait(|m| m["params"]["token"] == token && m["params"]["value"]["kind"] == "report");
        match way {
            0 => client.tell("window/workDoneProgress/cancel", json!({ "token": token })),
            1 => _ = client.command("slam.stop", json!([uri])),
            2 => client.save(&file, "int main(void) { return 0; }\n"),
            _ => client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } })),
        }
        let end = client.wait(|m| m["params"]["token"] == token && m["params"]["value"]["kind"] == "end");
        assert_eq!(end["params"]["value"]["message"], "stopped");
        if way == 2 {
            client.progress("begin");
            client.progress("end");
        }
    }
    assert_eq!(workers(client.server.id()), 0);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn servers_end_with_their_clients() {
    let file = testing::file("slow.c", slow());
    // The client goes away while a check runs.
    let mut client = Client::start(&["--time-limit", "10min"]);
    client.open(&file);
    client.progress("report");
    drop(client.input.take());
    assert_eq!(client.server.wait().expect("it ends").code(), Some(1));
    // The server is killed: no check goes on (Linux).
    let mut client = Client::start(&["--time-limit", "10min"]);
    client.open(&file);
    client.progress("report");
    client.server.kill().expect("it runs");
    client.server.wait().expect("it ends");
    while client.heard.recv_timeout(PATIENCE).is_ok() {}
    // Malformed messages.
    for text in ["{", "[]", "nonsense"] {
        let mut client = Client::silent(&[]);
        client.write(text);
        drop(client.input.take());
        let code = client.server.wait().expect("it ends").code();
        assert!(matches!(code, Some(1 | 2)), "{text}: {code:?}");
        let mut said = String::new();
        client.server.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
        assert!(!said.contains("panicked") && !said.contains("internal"), "{said}");
    }
    // Options that make no sense for many files, or none at all.
    for options in [&["--json", "x"][..], &["--no-such"], &["a.c"], &["--html", "x"]] {
        let mut client = Client::silent(options);
        assert_eq!(client.server.wait().expect("it ends").code(), Some(1), "{options:?}");
    }
}
