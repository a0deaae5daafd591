//! What the suite measures: algorithm, program and bound. The list is fixed, so that numbers can be compared over time;
//! sizes are chosen so that many cases take more than a second and none takes minutes.

use crate::bluetooth;
use crate::generate::locks;
use crate::generate::sequential::{Requests, Size, program};
use crate::measure::Job;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub struct Case {
    algorithm: &'static str,
    program: Program,
    /// As behind `--set`; empty for what the file says.
    bound: &'static str,
    /// It is measured with `--quick` too.
    pub quick: bool,
}

enum Program {
    /// A file of examples/, without its ending.
    Example(&'static str),
    /// So many statements, a hundred per procedure.
    Sequential(usize),
    /// So many threads.
    Bluetooth(usize),
    /// A token that goes round so many threads; test and set; Peterson's filter lock.
    Ring(usize),
    TestAndSet(usize),
    Filter(usize),
    /// A program of the folder with those from elsewhere, without its ending.
    Peer(&'static str),
    /// The same, of which any number of copies of thread0 run beside one thread1.
    Parameterized(&'static str),
    /// The algorithm is a file of examples/calculus that needs none.
    Alone,
}

use Program::*;

const fn case(algorithm: &'static str, program: Program, bound: &'static str) -> Case {
    Case { algorithm, program, bound, quick: false }
}

const fn quick(algorithm: &'static str, program: Program, bound: &'static str) -> Case {
    Case { algorithm, program, bound, quick: true }
}

pub const CASES: &[Case] = &[
    quick("summaries", Sequential(200), ""),
    case("summaries", Sequential(2_000), ""),
    case("summaries", Sequential(5_000), ""),
    quick("summaries_eager", Sequential(200), ""),
    case("summaries_eager", Sequential(2_000), ""),
    case("summaries_eager", Sequential(5_000), ""),
    quick("lazy_cba", Bluetooth(2), "contexts=2"),
    case("lazy_cba", Bluetooth(3), "contexts=4"),
    case("lazy_cba", Bluetooth(4), "contexts=4"),
    case("lazy_cba", Bluetooth(3), "contexts=5"),
    quick("eager_cba", Bluetooth(2), "contexts=2"),
    case("eager_cba", Bluetooth(3), "contexts=3"),
    case("eager_cba", Bluetooth(4), "contexts=4"),
    quick("lazy_cba", Example("concurrent/peterson"), "contexts=3"),
    case("lazy_cba", Example("concurrent/bakery"), "contexts=4"),
    case("lazy_cba", Example("concurrent/readers_writers"), "contexts=4"),
    case("lazy_cba", Example("concurrent/search_tree"), "contexts=3"),
    quick("product_cba", Example("concurrent/peterson"), "contexts=3"),
    case("product_cba", Example("concurrent/lamport"), "contexts=4"),
    case("product_cba", Example("concurrent/lamport"), "contexts=6"),
    quick("interleaving", Example("concurrent/szymanski"), ""),
    case("interleaving", Example("concurrent/anderson"), ""),
    case("interleaving", Example("concurrent/msmie"), ""),
    quick("k_induction", Example("concurrent/peterson"), "k=4"),
    case("k_induction", Example("concurrent/bakery"), "k=3"),
    quick("k_induction", Ring(4), ""),
    case("k_induction", Ring(8), ""),
    case("k_induction", Ring(16), ""),
    case("interleaving", Ring(16), ""),
    quick("interleaving", TestAndSet(8), ""),
    case("interleaving", TestAndSet(32), ""),
    case("interleaving", Filter(4), ""),
    case("interleaving", Filter(5), ""),
    case("product_cba", Filter(4), "contexts=3"),
    case("lazy_cba", Filter(4), "contexts=2"),
    case("lazy_cba", Filter(4), "contexts=3"),
    quick("linear_interfaces", Example("parameterized/work_queue"), "rounds=3"),
    case("linear_interfaces", Example("parameterized/bluetooth_repaired"), "rounds=5"),
    case("linear_interfaces", Example("parameterized/ticket_lock"), "rounds=4"),
    quick("adequacy", Example("parameterized/use_count"), "rounds=2"),
    case("adequacy", Example("parameterized/use_count"), "rounds=3"),
    case("adequacy", Example("parameterized/readers_writers"), "rounds=3"),
    case("adequacy", Example("parameterized/bluetooth_repaired"), "rounds=3"),
    quick("linear_interfaces_calls", Example("parameterized/recursive_lock"), "rounds=3"),
    case("linear_interfaces_calls", Example("parameterized/bluetooth_repaired"), "rounds=5"),
    quick("calculus/cycle", Alone, ""),
    quick("calculus/counter", Alone, "base=2,width=8,ticks=255"),
    case("calculus/counter", Alone, "base=3,width=8,ticks=1000"),
    case("product_cba", Peer("getafix-fork/fib_3_safe"), "contexts=4"),
    case("product_cba", Peer("getafix-fork/fib_3_unsafe"), "contexts=4"),
    case("lazy_cba", Peer("getafix-fork/fib_3_safe"), "contexts=4"),
    case("lazy_cba", Peer("measured/fib_4_unsafe_noat"), "contexts=4"),
    case("product_cba", Peer("measured/fib_5_unsafe_noat"), "contexts=4"),
    case("linear_interfaces", Peer("measured/fib_3_unsafe_at"), "rounds=4"),
    case("linear_interfaces", Parameterized("measured/tiny"), "rounds=4"),
    case("linear_interfaces", Parameterized("measured/atom_unsafe"), "rounds=4"),
    case("linear_interfaces", Parameterized("measured/atom_safe"), "rounds=4"),
    case("linear_interfaces", Parameterized("measured/cnt4"), "rounds=4"),
    case("linear_interfaces", Parameterized("measured/cnt8"), "rounds=4"),
    case("summaries", Peer("measured/bebop10"), ""),
    case("summaries", Peer("measured/bebop50"), ""),
    case("summaries", Peer("measured/bebop200"), ""),
    case("summaries", Peer("cliffs/seqs_1000_6"), ""),
    case("summaries", Peer("cliffs/seqs_1000_10"), ""),
    case("summaries", Peer("cliffs/seqs_1000_14"), ""),
    case("summaries_eager", Peer("cliffs/seqs_1000_14"), ""),
    case("summaries", Peer("cliffs/seq_1000_20_4"), ""),
    case("summaries_eager", Peer("cliffs/seq_1000_20_4"), ""),
    case("summaries", Peer("cliffs/seq_5000_20_4"), ""),
    case("summaries_eager", Peer("cliffs/seq_5000_20_4"), ""),
    case("adequacy", Peer("cliffs/adequacy_small"), ""),
    case("lazy_cba", Peer("cliffs/fil4"), "contexts=3"),
    case("interleaving", Peer("cliffs/fil5"), ""),
    case("lazy_cba", Peer("getafix-fork/SafeStack_seqcst_forCSEQ_oneforloop"), "contexts=2"),
    case("product_cba", Peer("getafix-fork/SafeStack_seqcst_forCSEQ_unrolled_underapprox"), "contexts=2"),
    case("lazy_cba", Peer("getafix-fork/SafeStack_seqcst_forCSEQ_underapprox"), "contexts=2"),
    case("lazy_cba", Peer("getafix-fork/SafeStack_seqcst_forCSEQ_underapprox_safe"), "contexts=2"),
];

impl Case {
    pub fn name(&self) -> String {
        let program = match self.program {
            Example(path) | Peer(path) | Parameterized(path) => {
                path.rsplit('/').next().unwrap_or(path).to_string()
            }
            Sequential(statements) => format!("sequential {statements}"),
            Bluetooth(threads) => format!("bluetooth {threads}"),
            Ring(threads) => format!("ring {threads}"),
            TestAndSet(threads) => format!("test and set {threads}"),
            Filter(threads) => format!("filter {threads}"),
            Alone => String::new(),
        };
        let parts = [self.algorithm, &program, self.bound];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The program's text; nothing if it is one from elsewhere and they are not here.
    pub fn text(&self) -> Result<Option<String>, String> {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        Ok(Some(match self.program {
            Example(path) => read(&examples.join(format!("{path}.bp")))?,
            Sequential(statements) => {
                let procedures = (statements / 100).max(4);
                program(&Size { statements, globals: 60, procedures, requests: Requests::One }, 1, false)
            }
            Bluetooth(threads) => bluetooth::program(threads),
            Ring(threads) => locks::ring(threads),
            TestAndSet(threads) => locks::test_and_set(threads),
            Filter(threads) => locks::filter(threads),
            Peer(path) | Parameterized(path) => match elsewhere() {
                Some(folder) => read(&folder.join(format!("{path}.bp")))?,
                None => return Ok(None),
            },
            Alone => String::new(),
        }))
    }

    pub fn has_program(&self) -> bool {
        !matches!(self.program, Alone)
    }

    /// The case as it is by default.
    pub fn job(&self, limit: Duration) -> Job {
        let mut job = Job::new(self.algorithm, limit, false);
        job.set = (!self.bound.is_empty()).then(|| self.bound.to_string());
        match self.program {
            Alone => {
                let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
                job.algorithm = folder.join(format!("{}.fp", self.algorithm)).display().to_string();
                job.alone = true;
            }
            Parameterized(_) => {
                job.thread = Some("thread1".into());
                job.replicate = Some("thread0".into());
            }
            _ => {}
        }
        job
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The folder with programs from elsewhere, if it is beside the project.
fn elsewhere() -> Option<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1).find_map(|parent| {
        let folder = parent.join("shared/benchmarks");
        folder.is_dir().then_some(folder)
    })
}
