//! Places in files: relative names as URIs, and columns counted in characters.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use results::check::Location;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of the folder that relative names are meant from.
const ROOT: &str = "SRCROOT";

/// What stands as `%XX` in the path of a URI.
const ESCAPED: AsciiSet = CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b':');

/// Files that places are in, read once each.
pub(super) struct Places {
    folder: PathBuf,
    /// By name: the lines, or none where the file cannot be read.
    files: BTreeMap<String, Vec<String>>,
}

impl Places {
    /// Places in files whose relative names are meant from this folder.
    pub(super) fn new(folder: &Path) -> Places {
        Places { folder: folder.to_owned(), files: BTreeMap::new() }
    }

    /// What relative names are meant from.
    pub(super) fn base(&self) -> Value {
        let mut uri = file_uri(&self.folder);
        if !uri.ends_with('/') {
            uri.push('/');
        }
        json!({ ROOT: { "uri": uri } })
    }

    /// A range of a file.
    pub(super) fn location(&mut self, at: &Location) -> Value {
        let Location { file, end_line, .. } = at;
        let line = at.line.max(1);
        let column = self.character(file, line, at.column);
        let mut region = json!({ "startLine": line, "startColumn": column });
        if *end_line >= line {
            let end = self.character(file, *end_line, at.end_column);
            let least = if *end_line == line { column } else { 1 };
            region["endLine"] = (*end_line).into();
            region["endColumn"] = end.max(least).into();
        }
        json!({ "physicalLocation": { "artifactLocation": self.artifact(file), "region": region } })
    }

    fn artifact(&self, file: &str) -> Value {
        let inside = Path::new(file).strip_prefix(&self.folder).ok();
        let path = inside.unwrap_or(Path::new(file));
        let path = path.strip_prefix(".").unwrap_or(path);
        match path.is_absolute() {
            true => json!({ "uri": file_uri(path) }),
            false => json!({ "uri": escaped(&path.to_string_lossy()), "uriBaseId": ROOT }),
        }
    }

    /// The text of the line where a place begins, without the blanks around it.
    pub(super) fn line(&mut self, at: &Location) -> String {
        self.text_of(&at.file, at.line.max(1)).unwrap_or_default().trim().to_owned()
    }

    fn text_of(&mut self, file: &str, line: u32) -> Option<&str> {
        let folder = &self.folder;
        let lines = self.files.entry(file.to_owned()).or_insert_with(|| {
            let bytes = cli::inputs::regular(&folder.join(file)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).split('\n').map(str::to_owned).collect()
        });
        lines.get(usize::try_from(line).ok()?.checked_sub(1)?).map(String::as_str)
    }

    /// The column in characters of one in bytes.
    fn character(&mut self, file: &str, line: u32, column: u32) -> usize {
        let bytes = column.saturating_sub(1) as usize;
        let before = self.text_of(file, line).and_then(|text| text.get(..bytes));
        before.map_or(bytes, |text| text.chars().count()) + 1
    }
}

/// The URI of a file with an absolute name.
pub(crate) fn file_uri(path: &Path) -> String {
    format!("file://{}", escaped(&path.to_string_lossy()))
}

fn escaped(path: &str) -> String {
    utf8_percent_encode(path, &ESCAPED).to_string()
}
