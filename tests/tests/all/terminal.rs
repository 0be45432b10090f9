//! What the tools do for terminals: colours, widths, completions and manual pages.

use std::path::Path;
use std::process::Command;
use tests::{Run, binary, root};

const TOOLS: [&str; 6] = ["slam", "c2bp", "bebop", "getafix", "newton", "zing"];

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// The words are the same with colours and without, and pipes have none unless they are asked for.
#[test]
fn colours_change_nothing_but_colours() {
    let broken = testing::file("broken.c", "int main(void) { return 1 }\n");
    let red = "\x1b[31m";
    let all: [(&[&str], &str); 7] = [
        (&["check", "examples/spinlock_unsafe.c"], "\x1b[36m1\x1b[0m)"),
        (&["check", "examples/spinlock_safe.c"], "\x1b[1m\x1b[32mVERDICT: SAFE\x1b[0m\n"),
        (
            &["check", "--keep-going", "examples/checks/many/waiting.c", "--tune", "max-iterations=1"],
            "\x1b[33m",
        ),
        (&["check", &broken], red),
        (&["check", "--no-such-option"], red),
        (&["check", "no-such-file.c"], red),
        (&["report", "no-such-file.json"], red),
    ];
    for (args, sign) in all {
        let with = |color| binary("slam", &[&args[..1], &["--color", color], &args[1..]].concat());
        let (always, never) = (with("always"), with("never"));
        let both = |run: &Run| (run.stdout.clone() + &run.stderr, run.code);
        let (shown, code) = both(&always);
        assert!(shown.contains(sign), "{args:?}: {shown}");
        assert_eq!((plain(&shown), code), both(&never), "{args:?}");
        assert_eq!(with("auto"), never, "{args:?}: a pipe is no terminal");
    }
    // What is to be read by programs has no colours.
    let json = testing::file("result.json", "");
    binary("slam", &["check", "--color", "always", "--json", &json, "examples/spinlock_unsafe.c"]);
    assert!(!std::fs::read_to_string(&json).expect("written").contains('\x1b'));
    assert_eq!(binary("slam", &["check", "--color", "blue", "a.c"]).code, 1);
}

/// What an executed program writes is not touched.
#[test]
fn bytes_of_programs_pass() {
    let text = "extern int putchar(int);\nint main(void) { putchar(27); putchar('['); putchar('1'); putchar('m'); \
                putchar(7); return 0; }\n";
    let file = testing::file("bytes.c", text);
    for color in ["always", "never"] {
        assert_eq!(binary("slam", &["run", "--color", color, &file]).stdout, "\x1b[1m\x07");
    }
}

/// The output of the command on a terminal of this many columns; `None` where terminals cannot be made.
fn on_terminal(columns: usize, command: &str) -> Option<String> {
    let binaries = std::env::var_os("SLAM_BINARIES")?;
    let line = format!("stty rows 24 cols {columns}; exec {}/{command}", root().join(binaries).display());
    let output = Command::new("script").args(["-qec", &line, "/dev/null"]).current_dir(root()).output();
    let text = output.ok().filter(|o| !o.stdout.is_empty())?.stdout;
    Some(String::from_utf8(text).expect("the tools write UTF-8").replace('\r', ""))
}

/// Terminals get colours unless the user wants none, and lines that they can show.
#[test]
fn terminals_get_colours_and_lines_that_fit() {
    let Some(shown) = on_terminal(100, "slam check --quiet examples/spinlock_safe.c") else {
        return testing::skipped("script");
    };
    // The environment of the tests may say that it wants none.
    let wanted = std::env::var_os("NO_COLOR").is_none() && std::env::var("TERM").is_ok_and(|t| t != "dumb");
    assert_eq!(shown.contains("\x1b[32mVERDICT"), wanted, "{shown}");
    let set = |value| format!("env NO_COLOR={value} TERM=xterm");
    let folder = std::env::var("SLAM_BINARIES").expect("it was read before");
    let slam = root().join(folder).join("slam").display().to_string();
    let with = |variables: &str, options: &str| {
        let line = format!("{variables} {slam} check --quiet {options} examples/spinlock_safe.c");
        let output = Command::new("script").args(["-qec", &line, "/dev/null"]).current_dir(root()).output();
        String::from_utf8_lossy(&output.expect("it worked before").stdout).contains("\x1b[32m")
    };
    assert!(!with(&set("1"), "") && with(&set("1"), "--color always"));
    assert!(with("env -u NO_COLOR TERM=xterm", "") && !with("env -u NO_COLOR TERM=xterm", "--color never"));

    for columns in [50, 90] {
        for file in
            ["examples/spinlock_unsafe.c", "examples/spinlock_safe.c", "examples/nested_loops_unsafe.c"]
        {
            if !root().join(file).exists() {
                continue;
            }
            let text = on_terminal(columns, &format!("slam check {file}")).expect("it worked before");
            let text = text.rsplit("\x1b[2K").next().unwrap_or_default();
            for line in plain(text).lines().filter(|l| !l.starts_with("VERDICT") && !l.contains(".c:")) {
                assert!(line.chars().count() <= columns, "{columns} columns: {line}");
            }
        }
    }
}

/// The words that bash offers for the last word of a line.
fn completed(script: &Path, line: &[&str]) -> Vec<String> {
    let words: Vec<String> = line.iter().map(|word| format!("'{word}'")).collect();
    let text = format!(
        "source {}; COMP_WORDS=({}); COMP_CWORD={}; _slam slam {} {}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        words.join(" "),
        line.len() - 1,
        words[line.len() - 1],
        words[line.len() - 2],
    );
    let output = Command::new("bash").args(["-c", &text]).output().expect("bash can be started");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn shells_complete_command_lines() {
    for tool in TOOLS {
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            let script = binary(tool, &["--completions", shell]);
            assert_eq!((script.code, script.stderr.as_str()), (0, ""));
            assert!(script.stdout.contains(tool) && script.stdout.contains("time-limit"), "{tool} {shell}");
            if ["bash", "zsh", "fish"].contains(&shell) {
                let file = testing::file("script", &script.stdout);
                match Command::new(shell).args(["-n", &file]).output() {
                    Ok(checked) => assert!(checked.status.success(), "{tool} {shell}: {checked:?}"),
                    Err(_) => testing::skipped(shell),
                }
            }
        }
    }
    let script = testing::file("slam.bash", binary("slam", &["--completions", "bash"]).stdout);
    let script = Path::new(&script);
    assert_eq!(completed(script, &["slam", "che"]), ["check"]);
    assert_eq!(completed(script, &["slam", "check", "--sar"]), ["--sarif"]);
    assert_eq!(completed(script, &["slam", "check", "--check", "overf"]), ["overflow"]);
    assert_eq!(completed(script, &["slam", "--color", "n"]), ["never"]);
}

#[test]
fn every_command_has_its_page() {
    let folder = testing::folder().join("man1");
    for tool in TOOLS {
        let run = binary(tool, &["--man-pages", testing::text(&folder)]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.lines().any(|l| l == folder.join(format!("{tool}.1")).display().to_string()));
    }
    let help = binary("slam", &["--help"]).stdout;
    let commands = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let names =
        commands.into_iter().flat_map(str::lines).filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let mut number = 0;
    for name in names.filter_map(|l| l.split_whitespace().next()).filter(|name| *name != "help") {
        number += 1;
        let page = std::fs::read_to_string(folder.join(format!("slam-{name}.1"))).expect("a page");
        assert!(
            page.contains(&format!(".TH slam\\-{name} 1")) || page.contains(&format!(".TH slam-{name} 1")),
            "{page}"
        );
    }
    assert!(number > 10);
    // The formatter finds nothing to complain about.
    for page in std::fs::read_dir(&folder).expect("it is there").map(|e| e.expect("it is there").path()) {
        match Command::new("groff").args(["-man", "-ww", "-z", "-Tutf8"]).arg(&page).output() {
            Ok(checked) => assert!(checked.stderr.is_empty(), "{}: {checked:?}", page.display()),
            Err(_) => return testing::skipped("groff"),
        }
    }
}
