//! `--tune KEY=VALUE`: how an answer is searched for, for experiments. No value makes an answer wrong; most make it slower.
//!
//! Each key stands for an option of its own, which clap reads and help hides: [`expanded`] rewrites the command line. The options were
//! documented by themselves up to version 0.1, so they are still accepted, with a note.

use super::Preparation;
use super::check::Refinement;
use clap::{ArgAction, Args, Command};
use cli::Usage;
use std::borrow::Cow;
use std::ffi::OsString;

/// The keys, in the order in which an answer is searched for, each with its option. Of the options that begin with `no-`, which have
/// no value, the key says `on` or `off`.
const KEYS: [(&str, &str); 11] = [
    ("alias", "alias"),
    ("slice", "no-slice"),
    ("propagate", "no-propagate"),
    ("bytes", "bytes"),
    ("integers", "integers"),
    ("without", "without"),
    ("blocks", "blocks"),
    ("max-cube", "max-cube"),
    ("paths", "paths"),
    ("refiner", "refiner"),
    ("max-iterations", "max-iterations"),
];

/// The option that stands for `--tune`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Tune {
    /// Change how the answer is searched for, for experiments
    #[arg(long, value_name = "KEY=VALUE", action = ArgAction::Append, help_heading = super::DECIDED, value_parser = unread, long_help = help())]
    pub tune: Vec<String>,
}

/// The value of a `--tune` that was not rewritten.
fn unread(_: &str) -> Result<String, String> {
    Err("--tune is read with the words of `slam check` and `slam batch` only".to_owned())
}

/// Whether help hides the option with this name, since a key stands for it.
pub(crate) fn is_tuned(option: &str) -> bool {
    KEYS.iter().any(|(_, tuned)| *tuned == option)
}

/// An option with its value as `--tune` has them; nothing for an option without a key.
pub(crate) fn word(option: &str, value: &str) -> Option<String> {
    let (key, _) = KEYS.iter().find(|(_, tuned)| *tuned == option)?;
    let value = if option.starts_with("no-") { "off" } else { value };
    Some(format!("--tune={key}={value}"))
}

/// The options that keys stand for.
fn options() -> Command {
    let command = Refinement::augment_args(Command::new("tune"));
    Preparation::augment_args(command)
}

fn help() -> String {
    let options = options();
    let mut text = "Change how the answer is searched for, for experiments\n\nKEY=VALUE, comma separated. No value makes an answer \
        wrong; most make it slower. Keys:"
        .to_owned();
    for (key, option) in KEYS {
        let arg = options
            .get_arguments()
            .find(|arg| arg.get_long() == Some(option))
            .expect("each key has an option");
        let (about, default, values) = match option.starts_with("no-") {
            true => (switch(key).to_owned(), "on".to_owned(), vec!["on".to_owned(), "off".to_owned()]),
            false => {
                let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
                let default =
                    arg.get_default_values().first().map(|word| word.to_string_lossy().into_owned());
                let values = arg.get_possible_values();
                (about, default.unwrap_or_default(), values.iter().map(|v| v.get_name().to_owned()).collect())
            }
        };
        let others: Vec<&str> = values.iter().map(String::as_str).filter(|value| *value != default).collect();
        let others = if others.is_empty() { String::new() } else { format!(" (or {})", others.join(", ")) };
        text += &format!("\n  {key}={default}{others}: {about}");
    }
    text
}

/// What the keys of options without values do.
fn switch(key: &str) -> &'static str {
    match key {
        "slice" => "Whether statements that cannot influence a check are left out",
        _ => "Whether variables are replaced by constants and copies that they are known to hold",
    }
}

/// The command line with the options that `--tune` stands for, and notes about options that it replaces.
///
/// # Errors
/// A key that there is not, or one without a value.
pub(crate) fn expanded(args: &[OsString]) -> Result<(Cow<'_, [OsString]>, Vec<String>), Usage> {
    let is_ours = args.get(1).is_some_and(|command| command == "check" || command == "batch");
    if !is_ours {
        return Ok((args.into(), vec![]));
    }
    let (mut out, mut notes) = (vec![], vec![]);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let word = arg.to_str().unwrap_or_default();
        match word.split_once('=') {
            _ if word == "--" => {
                out.push(arg.clone());
                out.extend(rest.by_ref().cloned());
            }
            None if word == "--tune" => {
                let list = rest.next().map(|list| list.to_string_lossy().into_owned());
                out.extend(each(&list.unwrap_or_default())?);
            }
            Some(("--tune", list)) => out.extend(each(list)?),
            found => {
                let name = found.map_or(word, |(name, _)| name);
                if let Some((key, _)) =
                    KEYS.iter().find(|(_, option)| name.strip_prefix("--") == Some(option))
                {
                    notes.push(format!(
                        "note: {name} is --tune {key}=VALUE now, and goes with the next version\n"
                    ));
                }
                out.push(arg.clone());
            }
        }
    }
    Ok((out.into(), notes))
}

/// The options that a list of keys stands for. A word without `=` belongs to the value in front of it.
fn each(list: &str) -> Result<Vec<OsString>, Usage> {
    let mut found: Vec<(&str, String)> = vec![];
    for word in list.split(',') {
        match (word.split_once('='), found.last_mut()) {
            (Some((key, value)), _) => {
                let known = KEYS.iter().find(|(known, _)| *known == key.trim());
                let (_, option) = known.ok_or_else(|| {
                    let keys: Vec<&str> = KEYS.iter().map(|(key, _)| *key).collect();
                    Usage::mistake(format!("--tune: there is no key `{key}`; keys are {}", keys.join(", ")))
                })?;
                found.push((option, value.trim().to_owned()));
            }
            (None, Some((_, value))) => *value += &format!(",{}", word.trim()),
            (None, None) => {
                return Err(Usage::mistake(format!(
                    "--tune: `{word}` should be KEY=VALUE, as in --tune slice=off"
                )));
            }
        }
    }
    let option = |(option, value): (&str, String)| match (option.starts_with("no-"), value.as_str()) {
        (true, "on") => Ok(None),
        (true, "off") => Ok(Some(format!("--{option}").into())),
        (true, _) => Err(Usage::mistake(format!("--tune: {} is on or off", &option[3..]))),
        (false, _) => Ok(Some(format!("--{option}={value}").into())),
    };
    found.into_iter().filter_map(|one| option(one).transpose()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<String, String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let (words, notes) = expanded(&words).map_err(|usage| usage.text)?;
        let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Ok(words.join(" ") + "|" + &notes.concat())
    }

    #[test]
    fn keys_stand_for_options() {
        assert_eq!(
            read("slam check --tune refiner=wp,without=unrolling,bounds a.c").unwrap(),
            "slam check --refiner=wp --without=unrolling,bounds a.c|"
        );
        assert_eq!(
            read("slam check --tune=without=observed,computed,slice=off,propagate=on a.c").unwrap(),
            "slam check --without=observed,computed --no-slice a.c|"
        );
        // Behind `--` all words are files, and other commands have the options by themselves.
        assert_eq!(read("slam check -- --tune").unwrap(), "slam check -- --tune|");
        assert_eq!(read("slam nullness --no-slice a.c").unwrap(), "slam nullness --no-slice a.c|");
    }

    #[test]
    fn old_names_get_a_note() {
        let read = read("slam check --no-slice --refiner=wp a.c").unwrap();
        assert!(read.contains("--no-slice is --tune slice=VALUE") && read.contains("--refiner is"), "{read}");
    }

    #[test]
    fn mistakes_are_reported() {
        for (list, message) in [
            ("speed=9", "there is no key `speed`; keys are alias"),
            ("fast", "`fast` should be KEY=VALUE"),
            ("slice=maybe", "slice is on or off"),
        ] {
            let text = read(&format!("slam check --tune {list} a.c")).unwrap_err();
            assert!(text.contains(message), "{text}");
        }
    }

    #[test]
    fn options_of_children_are_keys() {
        assert_eq!(word("no-slice", "true").as_deref(), Some("--tune=slice=off"));
        assert_eq!(word("without", "bounds").as_deref(), Some("--tune=without=bounds"));
        assert_eq!(word("check", "all"), None);
    }
}
