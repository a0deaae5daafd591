//! Parity games in PGSolver's format as facts: who owns a node, its priority, and where one can go from it.
//!
//! ```text
//! parity 3;
//! 0 4 1 1,2 "a name";
//! ```
//!
//! A line has a node, its priority, its owner (0 is Even, 1 is Odd), its successors, and a name, which is ignored.

use std::fmt::Write;
use std::path::Path;

/// A node with its priority, owner and successors.
#[derive(Debug, PartialEq)]
struct Node {
    number: u64,
    priority: u64,
    owner: u64,
    successors: Vec<u64>,
}

/// The facts of a game, and the settings of examples/calculus/parity_game.fp for it.
pub struct Game {
    pub last: u64,
    pub top: u64,
    /// The rows of each input.
    pub facts: [(&'static str, String); 3],
}

pub fn game(path: &Path) -> Result<Game, String> {
    let text = std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    let nodes = nodes(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    let last = nodes.iter().map(|node| node.number).max().ok_or("the game has no nodes")?;
    let top = nodes.iter().map(|node| node.priority).max().unwrap_or(0);
    let (mut owners, mut priorities, mut edges) = (String::new(), String::new(), String::new());
    for Node { number, priority, owner, successors } in &nodes {
        let player = if *owner == 0 { "Even" } else { "Odd" };
        let written = writeln!(owners, "{number}\t{player}")
            .and_then(|()| writeln!(priorities, "{number}\t{priority}"))
            .and_then(|()| successors.iter().try_for_each(|next| writeln!(edges, "{number}\t{next}")));
        written.expect("a string takes everything");
    }
    Ok(Game { last, top, facts: [("owner", owners), ("priority", priorities), ("edge", edges)] })
}

/// Writes the facts, and prints how to solve the game.
pub fn write_facts(path: &Path, out: &Path) -> Result<(), String> {
    let Game { last, top, facts } = game(path)?;
    std::fs::create_dir_all(out).map_err(|why| format!("{}: {why}", out.display()))?;
    for (name, rows) in facts {
        let path = out.join(name).with_extension("facts");
        std::fs::write(&path, rows).map_err(|why| format!("{}: {why}", path.display()))?;
    }
    let folder = out.display();
    println!(
        "fpsolve examples/calculus/parity_game.fp --facts {folder} --set last={last} --set top={top} --keyed Node"
    );
    Ok(())
}

/// The nodes of a game. Headers (`parity 3;`, `start 0;`) say nothing that the lines of the nodes do not say.
fn nodes(text: &str) -> Result<Vec<Node>, String> {
    let mut out = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with("parity") || line.starts_with("start") {
            continue;
        }
        let node = node(line.trim_end_matches(';'));
        out.push(node.ok_or_else(|| format!("line {number} is not `node priority owner successors`"))?);
    }
    Ok(out)
}

fn node(line: &str) -> Option<Node> {
    let mut parts = line.split_whitespace();
    let mut next = || parts.next()?.parse::<u64>().ok();
    let (number, priority, owner) = (next()?, next()?, next().filter(|owner| *owner < 2)?);
    // Blanks may stand between successors; the name begins with a quote.
    let rest = parts.take_while(|part| !part.starts_with('"')).collect::<String>();
    let successors = rest.split(',').filter(|end| !end.is_empty());
    let successors = successors.map(|end| end.parse().ok()).collect::<Option<Vec<_>>>()?;
    Some(Node { number, priority, owner, successors })
}
