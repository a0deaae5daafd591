//! Slips of a newcomer: each is told with what to do instead.

use crate::support::{command_in, transcript};
use std::fs;
use std::path::Path;

#[test]
fn slips_are_told_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for program in ["concurrent/bluetooth1.bp", "programs/double_fetch.bp", "parameterized/tas_lock_split.bp"]
    {
        let name = Path::new(program).file_name().expect("a name");
        fs::copy(examples.join(program), folder.path().join(name)).expect("an example");
    }
    fs::create_dir(folder.path().join("drivers")).expect("a folder");
    fs::write(folder.path().join("plain.fp"), "query Yes = true;\n").expect("a file");
    fs::create_dir(folder.path().join("marked")).expect("a folder");
    fs::write(folder.path().join("marked/edge.facts"), "\u{feff}0\t1\n").expect("a file");
    let marked = "input edge(x, y: 0..3);\nquery Q(x, y: 0..3) = edge(x, y);\n";
    fs::write(folder.path().join("marked.fp"), marked).expect("a file");
    fs::write(folder.path().join("broken.bp"), "void main() begin\n").expect("a file");
    fs::write(folder.path().join("idle.bp"), "void main() begin skip; end\n").expect("a file");
    let seen = [
        "broken.bp",
        "bluetooth1.bp --stats",
        "bluetooth1.bp double_fetch.bp",
        "lazy_cba bluetooth1.bp --goal bug",
        "bluetooth1.bp lazy_cba",
        "solve lazy_cba",
        "help",
        "lazy_cba bluetooth1.bp double_fetch.bp",
        "lazy_cba bluetooth1.bp check",
        "lazy_cba bluetoth1.bp",
        "lazy_cba drivers",
        "lazy_cba bluetooth1.bp --thread ader",
        "lazy_cba bluetooth1.bp --thread nobody",
        "lazy_cba bluetooth1.bp --target NOWHERE",
        "summaries tas_lock_split.bp",
        "summaries_eager double_fetch.bp --deepen rounds=1..3",
        "plain.fp bluetooth1.bp",
        "summaries idle.bp",
        "dead_code idle.bp",
        "plain.fp --trace",
        "lazy_cba bluetooth1.bp --report nowhere/out.html",
        "lazy_cba bluetooth1.bp --report drivers",
        "check bluetooth1.bp",
        "fmt bluetooth1.bp",
        "certify interleaving bluetooth1.bp",
        "export lazy_cba bluetooth1.bp --to smt2 --query Nothing",
        "export lazy_cba --to smt2",
        "export plain.fp --to datalog",
        "export plain.fp --to prolog",
        "lazy_cba bluetooth1.bp --set contexts 3",
        "lazy_cba bluetooth1.bp --set contexts",
        "lazy_cba bluetooth1.bp --set contexts=three",
        "lazy_cba bluetooth1.bp --set contexts=100000",
        "lazy_cba bluetooth1.bp --contexts 3",
        "lazy_cba bluetooth1.bp --contexts=3",
        "lazy_cba bluetooth1.c",
        "plain.fp --certificate plain.json",
        "marked.fp --facts marked",
    ];
    let see = |arguments: &str| {
        let output = command_in(folder.path(), arguments).output().expect("the command starts");
        transcript(arguments, &output)
    };
    insta::assert_snapshot!(seen.map(see).join("\n"));
}
