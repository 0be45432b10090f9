//! The messages of a client on the standard streams. Each message is preceded by its length: those longer than any text
//! in an editor are refused.

use lsp_server::{Connection, Message};
use std::io::{BufRead, Error, ErrorKind, Read, Result};
use std::thread::JoinHandle;

/// The largest message, in bytes.
const MOST: u64 = 256 << 20;

/// The longest line before a message.
const LINE: u64 = 4096;

/// What reads and writes.
pub(super) struct Streams {
    reader: JoinHandle<Result<()>>,
    writer: JoinHandle<Result<()>>,
}

/// A connection over the standard input and output.
///
/// # Errors
/// When the system gives no threads.
pub(super) fn connect() -> Result<(Connection, Streams)> {
    let (server, client) = Connection::memory();
    let Connection { sender, receiver } = client;
    let reader = move || {
        let mut input = std::io::stdin().lock();
        while let Some(message) = message(&mut input)? {
            let is_exit = matches!(&message, Message::Notification(n) if n.method == "exit");
            if sender.send(message).is_err() || is_exit {
                break;
            }
        }
        Ok(())
    };
    let writer = move || {
        let mut output = std::io::stdout().lock();
        receiver.into_iter().try_for_each(|message| message.write(&mut output))
    };
    let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
    let streams =
        Streams { reader: thread("lsp-reader").spawn(reader)?, writer: thread("lsp-writer").spawn(writer)? };
    Ok((server, streams))
}

impl Streams {
    /// Waits until nothing comes and nothing is to be written any more.
    ///
    /// # Errors
    /// What the client did wrong, or why nothing could be written.
    pub(super) fn join(self) -> Result<()> {
        let broken = || Error::other("a stream was given up");
        self.reader.join().map_err(|_| broken())??;
        self.writer.join().map_err(|_| broken())?
    }
}

/// The next message; nothing at the end.
///
/// # Errors
/// When it is none, is too large, or is broken off.
fn message(input: &mut impl BufRead) -> Result<Option<Message>> {
    let wrong = |why: &str| Err(Error::new(ErrorKind::InvalidData, why.to_owned()));
    let (mut whole, mut length) = (vec![], None);
    loop {
        let mut line = vec![];
        input.by_ref().take(LINE).read_until(b'\n', &mut line)?;
        match line.last() {
            None if whole.is_empty() => return Ok(None),
            Some(b'\n') => {}
            _ => return wrong("the lines before a message are broken off, or too long"),
        }
        whole.extend(&line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        match line.split_once(':') {
            None if line.is_empty() => break,
            Some((name, value)) if name.eq_ignore_ascii_case("Content-Length") => {
                length = value.trim().parse::<u64>().ok();
            }
            _ => {}
        }
        if whole.len() as u64 > LINE {
            return wrong("the lines before a message are too many");
        }
    }
    let Some(length) = length else { return wrong("a message does not say how long it is") };
    if length > MOST {
        return wrong(&format!("a message of {length} bytes is too large"));
    }
    let head = whole.len() as u64;
    input.take(length).read_to_end(&mut whole)?;
    if (whole.len() as u64) < head + length {
        return wrong("a message is broken off");
    }
    Message::read(&mut whole.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Message>> {
        let mut input = text.as_bytes();
        std::iter::from_fn(|| message(&mut input).transpose()).collect()
    }

    #[test]
    fn messages_are_bounded() {
        let body = "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{}}";
        let one = format!("Content-Type: text\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        assert_eq!(read("").expect("nothing").len(), 0);
        assert_eq!(read(&format!("{one}{one}")).expect("messages").len(), 2);
        for (text, why) in [
            ("Content-Length: 99999999999999\r\n\r\n{}", "too large"),
            ("Content-Length: 99999999999999999999999\r\n\r\n{}", "how long"),
            ("Content-Length: 9\r\n\r\n{}", "broken off"),
            ("Content-Length: -1\r\n\r\n{}", "how long"),
            ("\r\n", "how long"),
            (&"x".repeat(9000), "too long"),
            (&"x: y\n".repeat(9000), "too many"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
