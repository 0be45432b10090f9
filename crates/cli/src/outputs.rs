//! Where results go: the one way in which the binaries write files.
//!
//! Invariants: nobody ever sees half of a file; what stands behind a symbolic link, a device or a pipe is written to,
//! never replaced; no file that is read is written over.

use crate::options::Usage;
use base::styles::ERROR;
use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// Symbolic links that are followed one after the other.
const LINKS: usize = 40;

/// Writes a result. `-`, and whatever else is standard output, gets it as it is; so do devices and pipes. A file is
/// written under a temporary name beside it, which is then renamed; behind a symbolic link that is the file that the
/// link names.
///
/// # Errors
/// When it cannot be written; no part of a file is left behind.
pub fn write_atomically(path: &Path, contents: &[u8]) -> Result<()> {
    if path == Path::new("-") {
        return write_all(&mut std::io::stdout().lock(), contents);
    }
    match std::fs::metadata(path) {
        Ok(meta) if is_stream(&meta, "/dev/stdout") => write_all(&mut std::io::stdout().lock(), contents),
        Ok(meta) if is_stream(&meta, "/dev/stderr") => write_all(&mut std::io::stderr().lock(), contents),
        Ok(meta) if meta.is_file() => replace(&resolved(path)?, Some(&meta), contents),
        Ok(meta) if meta.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(_) => write_all(&mut OpenOptions::new().write(true).open(path)?, contents),
        Err(e) if e.kind() == ErrorKind::NotFound => replace(&resolved(path)?, None, contents),
        Err(e) => Err(e),
    }
}

fn write_all(to: &mut dyn Write, contents: &[u8]) -> Result<()> {
    to.write_all(contents)?;
    to.flush()
}

/// Whether this is what one of the standard streams leads to.
fn is_stream(meta: &Metadata, stream: &str) -> bool {
    std::fs::metadata(stream).is_ok_and(|stream| is_same(meta, &stream))
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// The file that symbolic links lead to, whether it exists or not.
fn resolved(path: &Path) -> Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(Error::other("too many symbolic links"))
}

/// Puts a file in the place of another one, whose rights it gets. Where no file can be made beside it, or the place
/// cannot be taken (a mounted file), what is there is written over.
fn replace(path: &Path, old: Option<&Metadata>, contents: &[u8]) -> Result<()> {
    match written_beside(path, old, contents) {
        Err(e) if old.is_some() && e.kind() != ErrorKind::StorageFull => {
            write_all(&mut OpenOptions::new().write(true).truncate(true).open(path)?, contents)
        }
        result => result,
    }
}

fn written_beside(path: &Path, old: Option<&Metadata>, contents: &[u8]) -> Result<()> {
    if old.is_some() {
        // A file that must not be written is not replaced either.
        OpenOptions::new().append(true).open(path)?;
    }
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    // Long names leave no room for more.
    let word: String = format!(".{}", name.to_string_lossy()).chars().take(40).collect();
    let temporary = path.with_file_name(children::random_name(&word) + ".tmp");
    let mut file = File::create_new(&temporary)?;
    let result = (|| {
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        write_all(&mut file, contents)?;
        std::fs::rename(&temporary, path)
    })();
    if result.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    result
}

/// The file behind an option; `None` when it was not given.
pub type Given<'a> = (&'static str, Option<&'a Path>);

/// Refuses outputs that are inputs, or that are one file.
///
/// # Errors
/// The mistake in the command line.
pub fn refuse<'a>(
    outputs: &[Given<'_>],
    inputs: impl IntoIterator<Item = &'a Path>,
) -> std::result::Result<(), Usage> {
    let inputs: Vec<&Path> = inputs.into_iter().collect();
    let given: Vec<(&str, &Path)> =
        outputs.iter().filter_map(|(name, path)| Some((*name, (*path)?))).collect();
    for (k, (name, path)) in given.iter().enumerate() {
        let complain = |what: &str| {
            let shown = path.display().to_string();
            Err(Usage::mistake(format!("{name} {}: {what}", shown.escape_debug())))
        };
        if inputs.iter().any(|input| is_same_file(path, input)) {
            return complain(IS_READ);
        }
        if let Some((other, _)) = given[..k].iter().find(|(_, other)| is_same_file(path, other)) {
            return complain(&format!("this is also the file of {other}"));
        }
    }
    Ok(())
}

/// Why a file is refused that the work reads.
pub(crate) const IS_READ: &str = "this file is read, and is not written over";

/// Whether both are one ordinary file, or would be.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    if [a, b].iter().any(|path| *path == Path::new("-")) {
        return false;
    }
    match (std::fs::metadata(a), std::fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.is_file() || a.is_dir()) && is_same(&a, &b),
        (Err(_), Err(_)) => place(a).zip(place(b)).is_some_and(|(a, b)| a == b),
        _ => false,
    }
}

/// Where a file will be that is not there: the folder behind all links, and the name in it.
fn place(path: &Path) -> Option<(PathBuf, OsString)> {
    let path = resolved(path).ok()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some((folder.canonicalize().ok()?, path.file_name()?.to_owned()))
}

/// A message about outputs that cannot be written, as far as that is known before the work.
pub fn unwritable(outputs: &[Given<'_>]) -> Option<String> {
    outputs.iter().find_map(|(_, path)| {
        let path = (*path)?;
        probe(path).err().map(|e| message(path, &e))
    })
}

fn probe(path: &Path) -> Result<()> {
    if path == Path::new("-") {
        return Ok(());
    }
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(meta) if meta.is_file() => OpenOptions::new().append(true).open(path).map(|_| ()),
        Ok(_) => Ok(()),
        Err(e) if e.kind() == ErrorKind::NotFound => {
            let target = resolved(path)?;
            let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if std::fs::metadata(folder)?.is_dir() { Ok(()) } else { Err(ErrorKind::NotADirectory.into()) }
        }
        Err(e) => Err(e),
    }
}

/// The message that a file cannot be written.
pub fn message(path: &Path, why: &Error) -> String {
    format!("{ERROR} cannot write {}: {why}\n", path.display().to_string().escape_debug())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use children::Scratch;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("it is there").flatten();
        let mut names: Vec<String> =
            entries.map(|e| e.file_name().into_string().expect("names are UTF-8")).collect();
        names.sort();
        names
    }

    #[test]
    fn files_are_written_whole() {
        let scratch = Scratch::new("outputs").expect("a directory");
        let file = scratch.path().join("out.txt");
        write_atomically(&file, b"one").expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("ours");
        write_atomically(&file, b"two").expect("written over");
        assert_eq!(std::fs::read(&file).expect("there"), b"two");
        assert_eq!(file.metadata().expect("there").permissions().mode() & 0o777, 0o640);
        assert_eq!(names(scratch.path()), ["out.txt"]);
        assert!(write_atomically(&scratch.path().join("no/such"), b"x").is_err());
        assert!(write_atomically(scratch.path(), b"x").is_err());
        let long = scratch.path().join("\u{e9}".repeat(127));
        write_atomically(&long, b"x").expect("a name of 254 bytes");
    }

    #[test]
    fn links_stay_links() {
        let scratch = Scratch::new("outputs").expect("a directory");
        let at = |name: &str| scratch.path().join(name);
        std::fs::create_dir(at("folder")).expect("made");
        symlink("folder/target", at("link")).expect("made");
        symlink("link", at("twice")).expect("made");
        write_atomically(&at("twice"), b"one").expect("the target need not exist");
        write_atomically(&at("link"), b"two").expect("nor be new");
        assert_eq!(std::fs::read(at("folder/target")).expect("there"), b"two");
        assert!(at("link").is_symlink() && at("twice").is_symlink());
        assert_eq!(names(&at("folder")), ["target"]);
        symlink("round", at("round")).expect("made");
        assert!(write_atomically(&at("round"), b"x").is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_stay_devices() {
        use std::os::unix::fs::FileTypeExt;
        write_atomically(Path::new("/dev/null"), b"text").expect("it takes everything");
        assert_eq!(
            write_atomically(Path::new("/dev/full"), b"text").expect_err("it takes nothing").kind(),
            ErrorKind::StorageFull
        );
        for device in ["/dev/null", "/dev/full"] {
            assert!(std::fs::metadata(device).expect("there").file_type().is_char_device());
        }
    }

    #[test]
    fn outputs_are_no_inputs() {
        let scratch = Scratch::new("outputs").expect("a directory");
        let at = |name: &str| scratch.path().join(name);
        std::fs::write(at("a.c"), "int x;").expect("written");
        symlink("a.c", at("link")).expect("made");
        std::fs::hard_link(at("a.c"), at("hard")).expect("made");
        let refused = |out: &Path| refuse(&[("--json", Some(out))], [at("a.c").as_path()]).is_err();
        assert!(refused(&at("a.c")) && refused(&at("link")) && refused(&at("hard")));
        assert!(refused(&at("./a.c")) && !refused(&at("b")) && !refused(Path::new("-")));
        let two = |a: &str, b: &str| {
            let (a, b) = (at(a), at(b));
            refuse(&[("--json", Some(&a)), ("--save", None), ("--harness", Some(&b))], []).is_err()
        };
        assert!(two("new", "new") && two("a.c", "link") && !two("new", "other"));
        assert!(refuse(&[("--json", Some(Path::new("/dev/null")))], [Path::new("/dev/null")]).is_ok());
    }

    #[test]
    fn what_cannot_be_written_is_told_before() {
        let scratch = Scratch::new("outputs").expect("a directory");
        let at = |name: &str| scratch.path().join(name);
        std::fs::write(at("file"), "").expect("written");
        let told = |path: &Path| unwritable(&[("--json", Some(path))]).is_some();
        assert!(told(&at("no/such")) && told(scratch.path()) && told(&at("file/below")));
        assert!(!told(&at("new")) && !told(&at("file")) && !told(Path::new("-")));
        assert_eq!(names(scratch.path()), ["file"]);
    }
}
