//! Places in files: relative names as URIs, and columns counted in characters.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
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

    /// The range of a file that an object of the result names.
    pub(super) fn location(&mut self, at: &Value) -> Value {
        let file = text(at, "file");
        let (line, end_line) = (number(at, "line").max(1), number(at, "end_line"));
        let column = self.character(file, line, number(at, "column"));
        let mut region = json!({ "startLine": line, "startColumn": column });
        if end_line >= line {
            let end = self.character(file, end_line, number(at, "end_column"));
            let least = if end_line == line { column } else { 1 };
            region["endLine"] = end_line.into();
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
    pub(super) fn line(&mut self, at: &Value) -> String {
        let physical = &at["physicalLocation"];
        let uri = text(&physical["artifactLocation"], "uri");
        let name = percent_encoding::percent_decode_str(uri).decode_utf8_lossy().into_owned();
        let name = name.strip_prefix("file://").map(str::to_owned).unwrap_or(name);
        let line = number(&physical["region"], "startLine");
        self.text_of(&name, line).unwrap_or_default().trim().to_owned()
    }

    fn text_of(&mut self, file: &str, line: i64) -> Option<&str> {
        let folder = &self.folder;
        let lines = self.files.entry(file.to_owned()).or_insert_with(|| {
            let bytes = cli::inputs::regular(&folder.join(file)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).split('\n').map(str::to_owned).collect()
        });
        lines.get(usize::try_from(line).ok()?.checked_sub(1)?).map(String::as_str)
    }

    /// The column in characters of one in bytes.
    fn character(&mut self, file: &str, line: i64, column: i64) -> i64 {
        let bytes = usize::try_from(column - 1).unwrap_or(0);
        let before = self.text_of(file, line).and_then(|text| text.get(..bytes));
        before.map_or(bytes, |text| text.chars().count()) as i64 + 1
    }
}

/// The URI of a file with an absolute name.
pub(crate) fn file_uri(path: &Path) -> String {
    format!("file://{}", escaped(&path.to_string_lossy()))
}

fn escaped(path: &str) -> String {
    utf8_percent_encode(path, &ESCAPED).to_string()
}

/// The function that a check is in.
pub(super) fn function(check: &Value) -> Value {
    json!({ "fullyQualifiedName": text(check, "function"), "kind": "function" })
}

/// A text of an object; the empty one where it has none.
pub(crate) fn text<'v>(of: &'v Value, field: &str) -> &'v str {
    of[field].as_str().unwrap_or_default()
}

/// A number of an object; 0 where it has none.
pub(crate) fn number(of: &Value, field: &str) -> i64 {
    of[field].as_i64().unwrap_or(0)
}
