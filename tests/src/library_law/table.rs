//! The tables of the law.

/// What is drawn from: a function, or a sequence of calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The function's name, or that of the sequence.
    pub name: String,
    /// The headers that declare it.
    pub headers: Vec<String>,
    /// Statements with placeholders `<kind>` for what is drawn.
    pub statements: String,
    /// Observations besides the objects that placeholders make: a kind and an expression.
    pub looks: Vec<(String, String)>,
}

impl Entry {
    /// The function that it is about.
    pub fn function(&self) -> &str {
        super::first_word(&self.name)
    }
}

/// All entries of both tables.
///
/// # Panics
/// If a table is not as its head says.
pub fn entries() -> Vec<Entry> {
    let mut all = functions(include_str!("functions.txt"));
    all.extend(sequences(include_str!("sequences.txt")));
    all
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'))
}

fn functions(text: &str) -> Vec<Entry> {
    let mut headers = vec![];
    let mut all = vec![];
    for line in lines(text) {
        if let Some(names) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            headers = words(names);
            continue;
        }
        let parts: Vec<&str> = line.split(';').map(str::trim).collect();
        let [names, result, arguments] = parts[..] else { panic!("names; result; arguments: {line}") };
        for name in names.split_whitespace() {
            all.push(function(name, &headers, result, arguments));
        }
    }
    all
}

/// The call of a function by its prototype.
fn function(name: &str, headers: &[String], result: &str, arguments: &str) -> Entry {
    let placed: Vec<String> = arguments.split_whitespace().map(|kind| format!("<{kind}>")).collect();
    let call = format!("{name}({})", placed.join(", "));
    let (declared, kinds): (&str, &[&str]) = match result {
        "void" => ("", &[]),
        "int" | "long" | "long long" | "unsigned" | "unsigned long" | "unsigned long long" => {
            (result, &["int"])
        }
        "float" | "double" => (result, &["float"]),
        // Its values are not modelled.
        "long double" => (result, &[]),
        "pointer" => ("char *", &["pointer"]),
        "text" => ("char *", &["pointer", "text"]),
        other => panic!("a result of the kind {other} is not known"),
    };
    let statements = if declared.is_empty() { format!("{call};") } else { format!("{declared} r = {call};") };
    let looks = kinds.iter().map(|kind| ((*kind).to_owned(), "r".to_owned())).collect();
    Entry { name: name.to_owned(), headers: headers.to_vec(), statements, looks }
}

fn sequences(text: &str) -> Vec<Entry> {
    let mut all: Vec<Entry> = vec![];
    for line in lines(text) {
        if let Some(head) = line.strip_prefix("= ") {
            let (name, headers) = head.split_once('|').expect("= NAME | HEADERS");
            let (name, headers) = (name.trim().to_owned(), words(headers));
            all.push(Entry { name, headers, statements: String::new(), looks: vec![] });
            continue;
        }
        let entry = all.last_mut().expect("a sequence begins with its name");
        if let Some(look) = line.strip_prefix("? ") {
            let (kind, e) = look.split_once(' ').expect("? KIND EXPRESSION");
            entry.looks.push((kind.to_owned(), e.to_owned()));
        } else {
            entry.statements.push_str("  ");
            entry.statements.push_str(line);
            entry.statements.push('\n');
        }
    }
    all
}
