//! The loop by hand, `c2bp && bebop --path && newton --add`, makes the iterations of
//! `slam check --blocks statement --paths checks`.

use std::fs;
use std::path::Path;
use tests::{Run, binary, slam};

/// What an iteration by hand left.
struct Iteration {
    abstraction: String,
    paths: String,
    known: String,
}

/// Reads a file; nothing where there is none.
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Goes round by hand until a command has an exit code other than 0; gives that command's run.
fn by_hand(file: &str, folder: &Path) -> (Vec<Iteration>, Run) {
    let name = |file: &str| folder.join(file).display().to_string();
    let (known, program, path) = (name("known.preds"), name("x.bp"), name("x.path"));
    let mut iterations = vec![];
    loop {
        let predicates = ["--predicates", known.as_str()];
        let given = if iterations.is_empty() { &[][..] } else { &predicates[..] };
        let c2bp = binary("c2bp", &[&[file, "-o", &program][..], given].concat());
        assert_eq!((c2bp.code, c2bp.stderr.as_str()), (0, ""));
        let mut iteration = Iteration {
            abstraction: read(Path::new(&program)),
            paths: String::new(),
            known: read(Path::new(&known)),
        };
        let bebop = binary("bebop", &[&program, "--path", &path]);
        if bebop.code == 0 {
            iteration.paths = read(Path::new(&path));
        }
        iterations.push(iteration);
        if bebop.code != 0 {
            return (iterations, bebop);
        }
        let newton = binary("newton", &[file, &path, "--add", &known]);
        if newton.code != 0 {
            return (iterations, newton);
        }
    }
}

/// The steps of a path, without what stands beside them.
fn steps(path: &str) -> Vec<&str> {
    path.lines().map(|line| line.split("//").next().unwrap_or_default().trim()).collect()
}

/// The predicates of a file, sorted: scope and text.
fn predicates(text: &str) -> Vec<String> {
    let (mut scope, mut out) = (String::new(), vec![]);
    for line in text.lines().map(|l| l.split("//").next().unwrap_or_default().trim()) {
        match line.split_once(" {") {
            Some((name, "")) => scope = name.to_owned(),
            Some((name, one)) => out.push(format!("{name}: {}", one.trim_end_matches('}').trim())),
            None if line.ends_with(';') && !line.starts_with('@') => {
                out.push(format!("{scope}: {}", line.trim_end_matches(';')));
            }
            None => {}
        }
    }
    out.sort();
    out
}

/// Compares the iterations by hand with those of `slam check`, one by one, and gives the last command's run.
fn same(name: &str) -> Run {
    let file = format!("examples/{name}.c");
    let folder = testing::folder().join(name);
    fs::create_dir(&folder).expect("a folder can be made");
    let saved = folder.join("saved");
    let save = testing::text(&saved);
    let run = slam(&[
        "check",
        &file,
        "--tune",
        "without=executions",
        "--tune",
        "without=unrolling",
        "--tune",
        "without=induction",
        "--tune",
        "blocks=statement",
        "--tune",
        "paths=checks",
        "--save",
        save,
        "--time-limit",
        "120s",
    ]);
    let (iterations, last) = by_hand(&file, &folder);
    for (n, iteration) in (1..).zip(&iterations) {
        let of_loop = |file: &str| read(&saved.join(format!("iter-{n}")).join(file));
        assert_eq!(iteration.abstraction, of_loop("abstraction.bp"), "{name}, iteration {n}");
        assert_eq!(predicates(&iteration.known), predicates(&of_loop("predicates.preds")), "{name}, {n}");
        let mut paths = iteration.paths.split("---\n");
        assert_eq!(steps(paths.next().unwrap_or_default()), steps(&of_loop("trace.txt")), "{name}, {n}");
        for (k, path) in (2..).zip(paths) {
            let other = of_loop(&format!("trace-{k}.txt"));
            // The loop keeps those that it analyses.
            assert!(other.is_empty() || steps(path) == steps(&other), "{name}, iteration {n}, path {k}");
        }
    }
    let more = saved.join(format!("iter-{}", iterations.len() + 1));
    assert!(!more.exists(), "{name}: {} iterations by hand, and slam check makes more", iterations.len());
    let word = if run.verdict() == "SAFE" { "UNREACHABLE" } else { "REACHABLE" };
    assert!(last.verdict().starts_with(word), "{name}: {} and {}", run.verdict(), last.verdict());
    last
}

/// One check, and several; wide state; refiners one after the other; recursion.
#[test]
fn iterations_by_hand_are_those_of_the_loop() {
    for name in ["spinlock_safe", "slide14", "initialisers", "recursion_even_odd", "state_machine_12"] {
        let last = same(name);
        assert_eq!((last.code, last.verdict()), (3, "UNREACHABLE"), "{name}");
    }
}

/// The number of further paths that are analysed changes from iteration to iteration: newton notes it in the file.
#[test]
fn many_procedures_with_checks_by_hand() {
    assert_eq!(same("driver_safe").code, 3);
}

#[test]
fn an_error_by_hand() {
    let last = same("spinlock_unsafe");
    assert_eq!(last.code, 10, "{}", last.stdout);
    assert!(last.stdout.contains("replayed: the interpreter reaches"), "{}", last.stdout);
}

/// What each iteration saves is enough for newton to find the iteration's predicates again.
#[test]
fn saved_paths_give_the_predicates_of_their_iteration() {
    for name in ["spinlock_safe", "nested_loops_relational"] {
        let file = format!("examples/{name}.c");
        let folder = testing::folder().join(name);
        let common = ["check", &file, "--tune", "without=executions,blocks=statement,paths=checks"];
        slam(&[&common[..], &["--save", testing::text(&folder)]].concat());
        for n in 1.. {
            let iteration = folder.join(format!("iter-{n}"));
            let next = folder.join(format!("iter-{}", n + 1)).join("predicates.preds");
            if !next.exists() {
                break;
            }
            let known = iteration.join("predicates.preds").display().to_string();
            let mut all = predicates(&read(Path::new(&known)));
            for path in (1..).map(|k| iteration.join(format!("trace-{k}.txt"))).take_while(|p| p.exists()) {
                let path = path.display().to_string();
                let run = binary("newton", &[&file, &path, "--predicates", &known]);
                let found = run.stdout.split("new predicates").nth(1).unwrap_or_default();
                all.extend(predicates(found));
            }
            all.sort();
            all.dedup();
            assert_eq!(all, predicates(&read(&next)), "{name}, iteration {n}");
        }
    }
}

/// What is in the file of `--add` stays, nothing comes twice, and where there is nothing new the file is not touched.
#[test]
fn predicates_are_added_once() {
    let folder = testing::folder();
    let name = |file: &str| folder.join(file).display().to_string();
    let (file, known, program, path) =
        ("examples/slide14.c", name("known.preds"), name("x.bp"), name("x.path"));
    binary("c2bp", &[file, "-o", &program]);
    binary("bebop", &[&program, "--path", &path, "-q"]);
    fs::write(&known, "// mine\nmain { x == 3 } // no line break").expect("it can be written");
    let run = binary("newton", &[file, &path, "--add", &known]);
    assert_eq!((run.code, run.verdict()), (0, "UNREACHABLE"), "{}", run.stderr);
    let text = read(Path::new(&known));
    assert!(text.starts_with("// mine\nmain { x == 3 } // no line break\nglobal { g == 0 }"), "{text}");
    let again = binary("newton", &[file, &path, "--add", &known, "--refiner", "wp"]);
    assert_eq!((again.code, again.verdict()), (5, "UNKNOWN(no new predicate)"), "{}", again.stdout);
    assert_eq!(read(Path::new(&known)), text);
}

/// A file that cannot be made is reported before the work; mistakes in the files are reported at their places.
#[test]
fn mistakes_by_hand() {
    let folder = testing::folder();
    let name = |file: &str| folder.join(file).display().to_string();
    let (file, program, path) = ("examples/slide14.c", name("x.bp"), name("x.path"));
    binary("c2bp", &[file, "-o", &program]);
    binary("bebop", &[&program, "--path", &path, "-q"]);
    let lost = binary("newton", &[file, &path, "--add", &name("no/such.preds")]);
    assert_eq!((lost.code, lost.verdict()), (7, "ERROR(cannot write)"));
    let same = binary("newton", &[file, &path, "--add", &path]);
    assert_eq!(same.code, 1, "{}", same.stderr);
    fs::write(name("wrong.preds"), "main { x == 3 }\n@path 3;\n").expect("it can be written");
    let wrong = binary("newton", &[file, &path, "--add", &name("wrong.preds")]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("wrong.preds:2:1: error: `@path 3` is no note"), "{}", wrong.stderr);
    fs::write(name("other.path"), read(Path::new(&path)) + "---\nmain e0\n").expect("it can be written");
    let wrong = binary("newton", &[file, &name("other.path")]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("other.path:13:1: error: "), "{}", wrong.stderr);
    fs::write(name("own.bp"), "void main() begin\n  assert(0);\nend\n").expect("it can be written");
    let own = binary("bebop", &[&name("own.bp"), "--path", &name("own.path")]);
    assert_eq!((own.code, Path::new(&name("own.path")).exists()), (2, false));
    assert!(own.stderr.contains("own.bp:2:3: error: nothing says which step"), "{}", own.stderr);
}
