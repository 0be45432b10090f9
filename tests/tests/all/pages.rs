//! `--html` and `slam report`: pages of each verdict, and what browsers make of them where one is there.

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tests::slam;

/// The page of a program, and that of its result.
fn pages(options: &[&str]) -> (String, String) {
    let (html, json) = (testing::file("page.html", ""), testing::file("result.json", ""));
    slam(&[&["check", "--html", &html, "--json", &json][..], options].concat());
    let again = testing::file("again.html", "");
    let run = slam(&["report", &json, "-o", &again]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    let read = |path: &str| std::fs::read_to_string(path).expect("it was written");
    (read(&html), read(&again))
}

#[test]
fn each_verdict_has_its_page() {
    let broken = testing::file("broken.c", "int main(void) { return 1 }\n");
    let all: [(&[&str], &[&str]); 7] = [
        (
            &["examples/spinlock_unsafe.c"],
            &["UNSAFE(reach)", "class=\"fold\"", "locked = 0", "id=\"f0-16\" class=\"unsafe\""],
        ),
        (
            &["examples/spinlock_safe.c"],
            &["What holds at the loops", "invariant: locked == 0", "<svg", "predicate: "],
        ),
        (&["examples/recursion_unsafe.c"], &["class=\"fold\"", "\u{2190} here"]),
        (
            &["examples/threads/bluetooth_unsafe.c"],
            &[
                "<span>Thread 2</span>",
                "--column:1",
                "<span class=\"thread\">thread 2</span>",
                "may_stop = 1",
            ],
        ),
        (
            &["--rule", "linux/spinlock", "examples/rules/linux/spinlock_unsafe.c"],
            &[
                "The rule linux/spinlock, for &#38;first (first at examples/rules/linux/spinlock_unsafe.c:13): held is 1 since",
                "<span class=\"set\" data-name=\"linux/spinlock: held\" data-value=\"1\">",
            ],
        ),
        (
            &["examples/checks/many/waiting.c", "--tune", "max-iterations=3"],
            &["What to try next", "not decided"],
        ),
        (&[&broken], &["The program was not checked.", "error: "]),
    ];
    for (options, parts) in all {
        let (page, again) = pages(options);
        for part in parts {
            assert!(page.contains(part) && again.contains(part), "{options:?}: {part}");
        }
    }
    // Results for other programs hold no long texts, unless a page is wanted as well.
    let (page, _) = pages(&["examples/spinlock_safe.c"]);
    let json = testing::file("result.json", "");
    slam(&["check", "--json", &json, "examples/spinlock_safe.c"]);
    let short = slam(&["report", &json]).stdout;
    for detail in ["The boolean program", "Why its path cannot be executed: 2 of "] {
        assert!(page.contains(detail) && short.contains("Iteration 3") && !short.contains(detail));
    }
}

/// The text without tags, in lines.
fn told(html: &str) -> Vec<String> {
    let parts = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text: String = parts.collect();
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// Between the steps that contradict each other stands what has to hold there, and the predicates that were taken from it.
#[test]
fn refuted_paths_are_explained() {
    let (page, again) =
        pages(&["examples/recursion_relation.c", "--tune", "without=executions,unrolling,induction"]);
    let explained = |page: &str| -> Vec<Vec<String>> {
        let all = page.split("<ol class=\"why\">").skip(1).filter_map(|rest| rest.split("</ol>").next());
        all.map(told).collect()
    };
    let first = [
        "impossible: the step below contradicts what has to hold behind it",
        "15 int n = __VERIFIER_nondet_int() in main",
        "n != 0n == 0",
        "19 m = copy(n) in main",
        "main::n != 0n == 0",
        "8 if (n == 0) true in copy",
        "main::n != 0 \u{2192} predicate n == 0",
        "9 return 0 in copy",
        "main::n != ret__ \u{2192} predicate ret__ == n",
        "19 m = copy(n) in main",
        "n != m \u{2192} predicate n == m",
        "20 if (m != n) true in main",
    ];
    let all = explained(&page);
    assert_eq!((all.len(), &all[0][..]), (2, &first.map(str::to_owned)[..]));
    assert_eq!(explained(&again), all);
}

/// Lines that no check depends on and lines that no execution reaches are marked, and no others.
#[test]
fn lines_that_do_not_matter_are_marked() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint unused(void) {\n    return 1;\n}\n\
        int main(void) {\n    int x = __VERIFIER_nondet_int();\n    int noise = x + 1;\n    if (x > 3) {\n        noise = 2;\n        \
        if (x < 2)\n            reach_error();\n    }\n    while (x > 0)\n        x = x - 1;\n    if (x > 0)\n        reach_error();\n    \
        return 0;\n}\n";
    let program = testing::file("lines.c", text);
    let json = testing::file("result.json", "");
    let marked = |options: &[&str]| {
        slam(&[&["check", "--json", &json], options, &[&program]].concat());
        let text = std::fs::read_to_string(&json).expect("it was written");
        let result: Value = serde_json::from_str(&text).expect("JSON");
        (
            result["verdict"].clone(),
            result["lines"][0]["sliced"].clone(),
            result["lines"][0]["unreachable"].clone(),
        )
    };
    let expected = (
        Value::from("SAFE"),
        serde_json::json!([[8, 8], [10, 10], [18, 18]]),
        serde_json::json!([[3, 5], [12, 12], [17, 17]]),
    );
    assert_eq!(marked(&[]), expected);
    let (verdict, sliced, unreachable) = marked(&["--tune", "slice=off,propagate=off"]);
    assert_eq!(
        (verdict, sliced, unreachable),
        (Value::from("SAFE"), serde_json::json!([]), expected.2.clone())
    );
    // Without a proof only what the graph does not lead to is.
    let (verdict, _, unreachable) = marked(&["--tune", "max-iterations=0"]);
    assert_eq!((verdict, unreachable), (Value::from("UNKNOWN"), serde_json::json!([[3, 5]])));
    let (page, _) = pages(&[&program]);
    for part in
        ["id=\"f0-8\" class=\"sliced\"", "id=\"f0-12\" class=\"safe unreachable\"", "no execution comes here"]
    {
        assert!(page.contains(part), "{part}");
    }
}

/// A driver of 2,000 lines has a page that is not large, and that a browser shows at once.
#[test]
fn pages_of_drivers_stay_small() {
    let made = Command::new("python3").arg(tests::root().join("scripts/driver.py")).arg("2000").output();
    let Ok(made) = made else { return testing::skipped("python3") };
    let driver = testing::file("driver.c", &made.stdout);
    let (page, _) = pages(&["--rule", "linux/spinlock", &driver]);
    assert!(page.contains("SAFE") && page.matches("class=\"number\"").count() >= 1900);
    assert!(page.len() < 5 << 20, "{}", page.len());
    let Some(browser) = browser() else { return testing::skipped("chromium") };
    let script = "document.body.dataset.told = document.querySelectorAll('.code tr').length";
    assert!(driven(browser, &page, script).as_u64() >= Some(1900));
}

/// A file that is not a result gets a message with a place, and nothing is written.
#[test]
fn what_is_no_result_is_refused() {
    let out = testing::file("page.html", "");
    std::fs::remove_file(&out).expect("it was made");
    for text in [
        "",
        "{",
        "[]",
        "{\"tool\": {\"name\": \"slam\"}}",
        "{\"tool\": {\"name\": \"slam\"}, \"verdict_line\": \"\", \"schema\": 99}",
    ] {
        let path = testing::file("bad.json", text);
        let run = slam(&["report", &path, "-o", &out]);
        assert_eq!(run.code, 2, "{text}");
        assert!(run.stderr.contains("bad.json:1:"), "{}", run.stderr);
        assert!(!Path::new(&out).exists());
    }
    let deep = "{\"tool\": {\"name\": \"slam\"}, \"verdict_line\": \"\", \"schema\": 1, \"trace\": [{\"depth\": \"deep\"}]}";
    let run = slam(&["report", &testing::file("bad.json", deep), "-o", &out]);
    let place = "bad.json:1:1: error: /trace/0/depth: invalid type";
    assert!(run.code == 2 && run.stderr.contains(place), "{}", run.stderr);
    assert_eq!(slam(&["report", "no/such.json", "-o", &out]).code, 2);
    assert_eq!(slam(&["report"]).code, 1);
    let result = testing::file("result.json", "");
    slam(&["check", "--json", &result, "examples/early_return.c"]);
    assert_eq!(slam(&["report", &result, "-o", &result]).code, 1, "a file that is read is not written over");
    assert_eq!(slam(&["report", &result, "-o", "no/such/page.html"]).code, 7);
    assert!(slam(&["report", &result]).stdout.starts_with("<!DOCTYPE html>"));
}

/// What makes a browser run without a screen, and print the page that it has in the end.
const HEADLESS: [&str; 5] =
    ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--virtual-time-budget=2000"];

/// The browser of the machine, if there is one that shows pages here.
fn browser() -> Option<&'static str> {
    let works = |name: &&str| {
        let profile = testing::folder();
        let shown = Command::new(name)
            .args(HEADLESS)
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("data:text/html,<p>shown</p>")
            .output();
        shown.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains("<p>shown</p>"))
    };
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(works)
}

/// What a page holds after a script has done something with it, in a real browser.
fn driven(browser: &str, page: &str, script: &str) -> Value {
    // The page's policy lets scripts of its own run, such as this one at its end, and nothing from elsewhere.
    let script = format!("<script>{script}</script></body>");
    let file = testing::file("driven.html", page.replace("</body>", &script));
    let profile = testing::folder();
    let out = Command::new(browser)
        .args(HEADLESS)
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{file}"))
        .output()
        .expect("the browser runs");
    let dom = String::from_utf8_lossy(&out.stdout).into_owned();
    let told = dom.split("data-told=\"").nth(1).and_then(|rest| rest.split('"').next());
    let told = told.unwrap_or_else(|| panic!("the script ran\n{}", String::from_utf8_lossy(&out.stderr)));
    serde_json::from_str(&told.replace("&quot;", "\"").replace("&amp;", "&")).expect("JSON")
}

/// Stepping, folding, searching and the keyboard work in a browser, and nothing is asked for from elsewhere.
#[test]
fn pages_work_in_a_browser() {
    let Some(browser) = browser() else {
        return testing::skipped("chromium");
    };
    let (page, _) = pages(&["examples/spinlock_unsafe.c"]);
    let told = driven(
        browser,
        &page,
        "const q = (s) => document.querySelector(s), told = {};\
         const now = () => q('.steps li.now').id;\
         const key = (k) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true }));\
         told.first = now(); q('[data-go=on]').click(); told.second = now();\
         key('ArrowRight'); told.third = now(); told.depth = q('.steps li.now').dataset.depth;\
         key('ArrowLeft'); told.back = now(); key('End'); told.last = now();\
         told.line = q('.code tr.now .number').textContent;\
         told.excerpt = [q('#excerpt .at').textContent.trim(), q('#excerpt').children.length];\
         told.state = Array.from(document.querySelectorAll('#state tr'), (r) => r.textContent);\
         key('Home'); q('.fold').click();\
         told.hidden = document.querySelectorAll('.steps li[hidden]').length;\
         q('[data-go=on]').click(); q('[data-go=on]').click(); told.over = now();\
         q('.fold').click(); told.shown = document.querySelectorAll('.steps li[hidden]').length;\
         q('#search').value = 'locked = 1'; q('#search').dispatchEvent(new Event('input'));\
         told.found = q('#found').textContent;\
         told.asked = performance.getEntriesByType('resource').length;\
         document.body.dataset.told = JSON.stringify(told);",
    );
    let expected = serde_json::json!({
        "first": "s1", "second": "s2", "third": "s3", "depth": "2", "back": "s2", "last": "s13", "line": "16", "excerpt": ["16          reach_error();", 11],
        "state": ["locked0", "old1", "packets1"], "hidden": 2, "over": "s5", "shown": 0, "found": "3 found", "asked": 0,
    });
    assert_eq!(told, expected);
}

/// Results of a batch have a page each, and one that leads to them.
#[test]
fn folders_of_results_have_an_index() {
    let folder = testing::folder();
    let into = |name: &str| testing::text(&folder.join(name)).to_owned();
    let files = ["examples/spinlock_safe.c", "examples/spinlock_unsafe.c", "examples/no_such_file.c"];
    let (kept, pages) = (into("kept"), into("pages"));
    tests::binary("slam", &[&["batch", "--keep", "json", "--into", &kept], &files[..]].concat());
    testing::file("kept/other.json", "{}");
    let run = slam(&["report", &kept, "-o", &pages]);
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    assert!(run.stderr.contains("other.json:1:1: error: this is no result"), "{}", run.stderr);
    let read = |name: &str| std::fs::read_to_string(Path::new(&pages).join(name)).expect("it was written");
    let index = read("index.html");
    for part in
        ["3 results", "1 ERROR, 1 SAFE, 1 UNSAFE", "href=\"3.html\">examples/spinlock_unsafe.c", "1 fails"]
    {
        assert!(index.contains(part), "{part}: {index}");
    }
    assert!(read("2.html").contains("SAFE") && read("3.html").contains("UNSAFE(reach)"));
    assert_eq!(slam(&["report", &kept]).code, 1);
    let empty = into("empty");
    std::fs::create_dir(&empty).expect("it can be made");
    let run = slam(&["report", &empty, "-o", &into("none")]);
    assert_eq!((run.code, run.stderr.contains("there is no result in this folder")), (2, true));
}

/// For teaching: each statement with preconditions, cubes and the boolean program, each place with its states.
#[test]
fn full_pages_show_the_abstraction() {
    let options = ["--html-full", "--tune", "without=executions", "examples/spinlock_safe.c"];
    let (page, again) = pages(&options);
    for part in [
        "The abstraction, statement by statement",
        // The weakest precondition of `packets == old` before `packets = packets + 1`.
        "<code>packets == (mathint) old - 1</code>",
        "<code>{locked == 1}</code>",
        "class=\"diagram\"",
        "cubes asked about",
        "{locked == 0}, {locked == 1} := 0, 1;",
    ] {
        assert!(page.contains(part) && again.contains(part), "{part}");
    }
    assert!(page.len() < 5 << 20);
    let json = testing::file("full.json", "");
    let html = testing::file("full.html", "");
    slam(&[
        "check",
        "--json",
        &json,
        "--html",
        &html,
        "--html-full",
        "--tune",
        "without=executions",
        "examples/recursion_relation.c",
    ]);
    let result: Value =
        serde_json::from_str(&std::fs::read_to_string(&json).expect("written")).expect("JSON");
    let told = &result["walkthrough"];
    let values = told["statements"].as_array().expect("a list").iter().flat_map(|s| s["values"].as_array());
    assert!(values.flatten().any(|v| v["how"] == "searched" && v["asked"]["cubes"].as_u64() > Some(0)));
    let reached = told["states"].as_array().expect("a list").iter().filter(|s| s["reached"] == true);
    assert!(reached.clone().count() > 3 && reached.clone().any(|s| !s["cubes"][0].is_null()), "{told}");
    assert_eq!(slam(&["check", "--html-full", "examples/spinlock_safe.c"]).code, 1);
}

/// A page shows the files that were checked, as they were then, and no others that a result names.
#[test]
fn pages_show_what_was_checked_only() {
    let header = testing::file("shown.h", "static int twice(int x) { int z = 0; return x / z; }\n");
    let program = testing::file("shown.c", "#include \"shown.h\"\nint main(void) { return twice(2); }\n");
    let secret = testing::file("secret.txt", "the password\n");
    let json = testing::file("shown.json", "");
    slam(&["check", "--check", "div0", "--json", &json, &program]);
    let page = || slam(&["report", &json]).stdout;
    let whole = page();
    assert!(whole.contains("static int twice") && whole.contains("return twice"), "{whole}");
    let text = std::fs::read_to_string(&json).expect("a result");
    testing::file("shown.json", text.replace("shown.h", "secret.txt"));
    assert!(!page().contains("the password"), "a name, with the sum of another file");
    testing::file("shown.json", text.replace("shown.c", "secret.txt"));
    assert!(!page().contains("the password"), "{secret}");
    testing::file("shown.json", &text);
    testing::file("shown.h", "static int twice(int x) { return 0; }\n");
    let later = page();
    assert!(!later.contains("static int twice") && later.contains("return twice"), "{header}");
}
