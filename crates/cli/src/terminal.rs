//! What every tool does for the terminal that it is used from: `--color`, completions for shells, manual pages; and the
//! standard streams, which take colours out of what is written to them where they are not wanted.

use crate::Usage;
use anstream::AutoStream;
use anstream::stream::{AsLockedWrite, RawStream};
use clap::builder::Resettable;
use clap::{Args, Command, FromArgMatches};
use clap_complete::Shell;
use colorchoice_clap::Color;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Options that every tool has.
#[derive(Args, Clone, Debug)]
struct Terminal {
    #[command(flatten)]
    color: Color,
    /// Print the script with which this shell completes command lines
    #[arg(long, value_name = "SHELL", value_enum)]
    completions: Option<Shell>,
    /// Write the manual pages of the tool and its commands into this folder
    #[arg(long, value_name = "DIR")]
    man_pages: Option<PathBuf>,
}

/// The command line with them.
pub(crate) fn augmented(command: Command) -> Command {
    let lines = "Show colours: auto (on terminals, unless NO_COLOR is set), always, never";
    let shown = |color: clap::Arg| color.help(lines).help_heading("Output").hide_possible_values(true);
    // What the tool says of itself stays: the options of `Color` bring words of their own.
    let about = (command.get_about().cloned(), command.get_long_about().cloned());
    let command = Terminal::augment_args(command).mut_arg("color", shown);
    command.about(Resettable::from(about.0)).long_about(Resettable::from(about.1))
}

/// Does what a command line asks of these options: sets the choice of colours, whatever else is wrong with the line.
///
/// # Errors
/// What is to be printed in place of the tool's work.
pub(crate) fn asked(
    command: &Command,
    args: impl Iterator<Item = OsString>,
) -> std::result::Result<(), Usage> {
    let lenient = command.clone().ignore_errors(true);
    let Ok(matches) = lenient.try_get_matches_from(args) else { return Ok(()) };
    let Ok(terminal) = Terminal::from_arg_matches(&matches) else { return Ok(()) };
    terminal.color.write_global();
    let name = command.get_name().to_owned();
    if let Some(shell) = terminal.completions {
        let mut script = vec![];
        clap_complete::generate(shell, &mut command.clone(), name, &mut script);
        return Err(answer(String::from_utf8_lossy(&script).into_owned()));
    }
    let Some(folder) = terminal.man_pages else { return Ok(()) };
    match man_pages(command, &folder) {
        Ok(text) => Err(answer(text)),
        Err(e) => Err(Usage::mistake(format!("--man-pages {}: {e}", folder.display()))),
    }
}

/// What is printed where it was asked for.
fn answer(text: String) -> Usage {
    Usage { text, mistake: false }
}

/// Writes the pages, those of hidden commands and of `help` aside; gives their names, one a line.
fn man_pages(command: &Command, folder: &Path) -> Result<String> {
    std::fs::create_dir_all(folder)?;
    let mut root = command.clone().disable_help_subcommand(true);
    root.build();
    let (mut open, mut names) = (vec![root], String::new());
    while let Some(command) = open.pop() {
        let page = clap_mangen::Man::new(command.clone());
        let mut text = vec![];
        page.render(&mut text)?;
        let file = folder.join(page.get_filename());
        crate::write_atomically(&file, &text)?;
        names.push_str(&format!("{}\n", file.display()));
        open.extend(command.get_subcommands().filter(|c| !c.is_hide_set()).cloned());
    }
    Ok(names)
}

/// How many characters a line of the standard output has; set by the main function of a binary.
static WIDTH: OnceLock<Option<usize>> = OnceLock::new();

/// Looks how wide the terminal is, if there is one.
pub(crate) fn measure() {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    let _ =
        WIDTH.set(size.map(|(terminal_size::Width(width), _)| usize::from(width)).filter(|w| *w >= NARROW));
}

/// Narrower terminals get lines as they are.
const NARROW: usize = 30;

/// How many characters a line of the standard output has, where that is a terminal of this process.
pub fn width() -> Option<usize> {
    WIDTH.get().copied().flatten()
}

/// The text with its lines no longer than the terminal's, broken between words; what comes behind a break is indented
/// more than the line.
pub fn fitted(text: &str) -> String {
    width().map_or_else(|| text.to_owned(), |width| fitted_to(width, text))
}

fn fitted_to(width: usize, text: &str) -> String {
    let line = |line: &str| {
        let own = line.len() - line.trim_start_matches(' ').len();
        wrapped(line, width, (own + 2).min(width / 2)) + "\n"
    };
    text.lines().map(line).collect()
}

/// A line in lines of at most `width` characters (longer words aside), those after the first with an indentation.
pub fn wrapped(line: &str, width: usize, indent: usize) -> String {
    if textwrap::core::display_width(line) <= width {
        return line.to_owned();
    }
    let indent = " ".repeat(indent);
    let options = textwrap::Options::new(width).subsequent_indent(&indent).break_words(false);
    textwrap::fill(line, options.word_splitter(textwrap::WordSplitter::NoHyphenation))
}

/// The standard output and the standard error. Whether one shows colours is decided when something is written to it for
/// the first time, that is, after the command line was read.
pub(crate) enum Standard<S: RawStream> {
    /// Nothing was written yet.
    New(fn() -> S),
    /// Open.
    Open(AutoStream<S>),
}

impl<S: RawStream> Standard<S> {
    fn stream(&mut self) -> &mut AutoStream<S> {
        if let Standard::New(raw) = *self {
            *self = Standard::Open(AutoStream::auto(raw()));
        }
        match self {
            Standard::Open(stream) => stream,
            Standard::New(_) => unreachable!("it has just been opened"),
        }
    }
}

impl<S: RawStream + AsLockedWrite> Write for Standard<S> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        let stream = self.stream();
        match stream.is_terminal() {
            true => stream.write_all(&unturned(bytes)),
            false => stream.write_all(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.stream().flush()
    }
}

/// The text as a terminal gets it: without characters that turn its direction, for which their numbers stand.
fn unturned(bytes: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.contains(base::turns_text) => {
            let escaped =
                |c: char| if base::turns_text(c) { c.escape_unicode().to_string() } else { c.to_string() };
            Cow::Owned(text.chars().map(escaped).collect::<String>().into_bytes())
        }
        _ => Cow::Borrowed(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::styles::{BAD, styled};
    use clap::CommandFactory;

    #[derive(clap::Parser)]
    #[command(name = "tool", about = "Does something")]
    struct Tool {
        #[arg(required = true)]
        file: PathBuf,
    }

    fn ask(line: &str) -> std::result::Result<(), Usage> {
        asked(&augmented(Tool::command()), line.split(' ').map(OsString::from))
    }

    #[test]
    fn terminals_get_no_characters_that_turn_text() {
        assert_eq!(&*unturned("a \u{202e}b\n".as_bytes()), b"a \\u{202e}b\n");
        assert_eq!(&*unturned("\u{e9}".as_bytes()), "\u{e9}".as_bytes());
        assert_eq!(&*unturned(b"\xff"), b"\xff");
    }

    #[test]
    fn lines_are_broken_between_words() {
        let red = styled(BAD, "red");
        let text = format!("  one two {red} four five\nshort\n");
        // The escape sequences have no width.
        assert_eq!(fitted_to(16, &text), format!("  one two {red}\n    four five\nshort\n"));
        assert_eq!(fitted_to(60, &text), text);
        assert_eq!(wrapped("a-word-that-is-long b", 8, 1), "a-word-that-is-long\n b");
    }

    #[test]
    fn completions_need_no_arguments() {
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            let script = ask(&format!("tool --completions {shell}")).expect_err("a script");
            assert!(!script.mistake && script.text.contains("man-pages"), "{}", script.text);
        }
        assert!(ask("tool a.c").is_ok() && ask("tool --no-such-option").is_ok());
    }

    #[test]
    fn pages_are_written() {
        let scratch = children::Scratch::new("pages").expect("a directory");
        let folder = scratch.path().join("man1");
        let told = ask(&format!("tool --man-pages {}", folder.display())).expect_err("names");
        assert_eq!(told.text, format!("{}\n", folder.join("tool.1").display()));
        let page = std::fs::read_to_string(folder.join("tool.1")).expect("written");
        assert!(page.contains("tool \\- Does something"), "{page}");
        assert!(page.contains(".TH tool 1") && page.contains("man\\-pages"), "{page}");
        let file = folder.join("tool.1");
        assert!(ask(&format!("tool --man-pages {}", file.display())).expect_err("no folder").mistake);
    }
}
