//! Petri nets in PNML as equations: the reachable markings, one clause for each transition.
//!
//! Places are fields of a record, in the order of the file, and their tokens a number up to the most that a place has at the
//! beginning. `Overflow` holds if a place would get more: then the markings are not all.

use crate::Tabling;
use crate::measure::Stopwatch;
use crate::table::{Table, grouped, seconds};
use calculus::bdd::{Limits, Reorder};
use calculus::check::{self, Options, WishedOrder};
use calculus::elaborate::elaborate;
use calculus::solve::{Ending, Settings, solve};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A net whose arcs have multiplicities.
pub struct Net {
    /// What the places have at the beginning.
    places: Vec<u32>,
    /// What each transition takes from places, and what it gives.
    transitions: Vec<[BTreeMap<usize, u32>; 2]>,
}

/// The net of a file.
pub fn net(path: &Path) -> Result<Net, String> {
    let text = std::fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))?;
    Net::parse(&text).map_err(|why| format!("{}: {why}", path.display()))
}

/// The elements of one name: their attributes and what they contain.
fn elements<'t>(text: &'t str, name: &str) -> Vec<(&'t str, &'t str)> {
    let (open, close) = (format!("<{name} "), format!("</{name}>"));
    let mut out = Vec::new();
    for (at, _) in text.match_indices(&open) {
        let rest = &text[at + open.len()..];
        let Some((attributes, inside)) = rest.split_once('>') else { continue };
        let inside = match attributes.ends_with('/') {
            true => "",
            false => inside.split(&close).next().unwrap_or_default(),
        };
        out.push((attributes, inside));
    }
    out
}

fn attribute<'t>(attributes: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = attributes.split_once(&format!("{name}=\""))?;
    rest.split('"').next()
}

/// The number in the text of a part, such as `initialMarking`.
fn number(inside: &str, part: &str) -> Result<Option<u32>, String> {
    let Some((_, rest)) = inside.split_once(&format!("<{part}>")) else { return Ok(None) };
    let text = rest.split_once("<text>").and_then(|(_, rest)| rest.split('<').next());
    let text = text.unwrap_or_default().trim();
    text.parse().map(Some).map_err(|_| format!("`{text}` is no number of tokens"))
}

impl Net {
    fn parse(text: &str) -> Result<Net, String> {
        let id = |attributes| attribute(attributes, "id").ok_or("something has no id");
        let mut place_at = BTreeMap::new();
        let mut places = Vec::new();
        for (attributes, inside) in elements(text, "place") {
            place_at.insert(id(attributes)?, places.len());
            places.push(number(inside, "initialMarking")?.unwrap_or(0));
        }
        let mut transition_at = BTreeMap::new();
        let mut transitions = Vec::new();
        for (attributes, _) in elements(text, "transition") {
            transition_at.insert(id(attributes)?, transitions.len());
            transitions.push([BTreeMap::new(), BTreeMap::new()]);
        }
        for (attributes, inside) in elements(text, "arc") {
            let end = |name| attribute(attributes, name).ok_or("an arc has no end");
            let (source, target) = (end("source")?, end("target")?);
            let (place, transition, side) = match (place_at.get(source), transition_at.get(target)) {
                (Some(place), Some(transition)) => (place, transition, 0),
                _ => match (place_at.get(target), transition_at.get(source)) {
                    (Some(place), Some(transition)) => (place, transition, 1),
                    _ => return Err(format!("an arc leads from `{source}` to `{target}`")),
                },
            };
            let sides: &mut [BTreeMap<usize, u32>; 2] = &mut transitions[*transition];
            *sides[side].entry(*place).or_default() += number(inside, "inscription")?.unwrap_or(1);
        }
        if places.is_empty() {
            return Err("the net has no places".into());
        }
        Ok(Net { places, transitions })
    }

    /// The equations.
    pub fn equations(&self) -> String {
        let most = self.places.iter().copied().max().unwrap_or(0).max(1);
        let names = (0..self.places.len()).map(|place| format!("p{place}")).collect::<Vec<_>>().join(", ");
        let mut out = format!("range Tokens = 0..{most};\nrecord Marking {{ {names}: Tokens }}\n\n");
        let begin = self.places.iter().enumerate().map(|(place, tokens)| format!("m.p{place} = {tokens}"));
        let begin = begin.collect::<Vec<_>>().join(" & ");
        let (mut reach, mut overflow) = (format!("    begin: {begin}"), String::new());
        for (number, [takes, gives]) in self.transitions.iter().enumerate() {
            let mut conditions = vec!["Reach(o)".to_string()];
            let (mut vars, mut new, mut set, mut full) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            let mut places = takes.keys().chain(gives.keys()).copied().collect::<Vec<_>>();
            places.sort_unstable();
            places.dedup();
            for place in places {
                let [take, give] = [takes, gives].map(|side| side.get(&place).copied().unwrap_or(0));
                if take > 0 {
                    conditions.push(format!("o.p{place} >= {take}"));
                }
                if give > take {
                    full.push(format!("o.p{place} > {}", i64::from(most) - i64::from(give - take)));
                }
                match take.cmp(&give) {
                    Ordering::Equal => {}
                    // One token or none: nothing is to be computed.
                    Ordering::Less if most == 1 => {
                        conditions.push(format!("o.p{place} = 0"));
                        set.push(format!("p{place} = 1"));
                    }
                    Ordering::Greater if most == 1 => set.push(format!("p{place} = 0")),
                    _ => {
                        let (sign, by) = if give > take { ('+', give - take) } else { ('-', take - give) };
                        vars.push(format!("n{place}"));
                        new.push(format!("n{place} = o.p{place} {sign} {by}"));
                        set.push(format!("p{place} = n{place}"));
                    }
                }
            }
            if !full.is_empty() {
                let enabled = takes.iter().map(|(place, take)| format!(" & o.p{place} >= {take}"));
                let (enabled, full) = (enabled.collect::<String>(), full.join(" | "));
                overflow += &format!("  | c{number}: exists o. Reach(o){enabled} & ({full})\n");
            }
            if !set.is_empty() {
                let vars =
                    if vars.is_empty() { String::new() } else { format!(", {}: Tokens", vars.join(", ")) };
                conditions.append(&mut new);
                let (enabled, set) = (conditions.join(" & "), set.join(", "));
                reach +=
                    &format!("\n  | t{number}: exists o: Marking{vars}. {enabled} & m = {{ o with {set} }}");
            }
        }
        let overflow = if overflow.is_empty() { "    false\n".to_string() } else { overflow };
        out += &format!("mu Reach(m: Marking) =\n{reach};\n\nquery Markings(m: Marking) = Reach(m);\n");
        out + &format!("query Overflow =\n{overflow}  ;\n")
    }
}

/// The markings of nets, with the order that the solver finds, in the order of the file, and without reordering.
pub fn table(nets: &[PathBuf], tabling: &Tabling) -> Result<(), String> {
    let head = [
        "net",
        "places",
        "transitions",
        "markings",
        "time",
        "peak nodes",
        "order of the file",
        "not reordered",
    ];
    let mut table = Table::new(tabling.command("petri NETS"), &head);
    let limit = tabling.limit(Duration::from_secs(30));
    for path in nets {
        let net = net(path)?;
        let text = net.equations();
        let fields = (0..net.places.len()).map(|place| format!("Reach.m.p{place} + *"));
        let of_file = WishedOrder { names: fields.collect(), is_kept: false };
        let found = run(&text, &WishedOrder::default(), Reorder::Auto, limit)?;
        let listed = run(&text, &of_file, Reorder::Auto, limit)?;
        let plain = run(&text, &WishedOrder::default(), Reorder::Off, limit)?;
        let time = |run: &Run| run.time.map_or(format!("> {}", seconds(limit)), seconds);
        table.row(vec![
            path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            net.places.len().to_string(),
            net.transitions.len().to_string(),
            found.markings.clone(),
            time(&found),
            grouped(found.nodes),
            time(&listed),
            time(&plain),
        ]);
    }
    table.print(tabling.out.as_deref())
}

struct Run {
    /// Nothing if the limit was reached.
    time: Option<Duration>,
    markings: String,
    nodes: u64,
}

fn run(text: &str, order: &WishedOrder, reorder: Reorder, limit: Duration) -> Result<Run, String> {
    let watch = Stopwatch::start();
    let (mut program, mistakes) = check::load("net.fp", text, &|_, _| Err("no such file".into()));
    if let Some(mistake) = mistakes.first() {
        return Err(mistake.title.clone());
    }
    let options = Options { order: order.clone(), ..Options::default() };
    let (system, _) = check::check(&mut program, &options).map_err(|mistakes| mistakes[0].title.clone())?;
    let (core, _) = elaborate(&system);
    let limits = Limits { timeout: Some(limit), ..Limits::default() };
    let settings = Settings { reorder, limits, list: 0, ..Settings::default() };
    let answer = solve(&system, &core, &settings);
    let stopped = matches!(answer.ending, Ending::Stopped(_));
    let count = |query: usize| answer.queries[query].tuples.as_ref().map(|tuples| tuples.count.to_string());
    let markings = match (stopped, count(0), count(1).as_deref()) {
        (false, Some(markings), Some("0")) => markings.parse().map_or(markings, grouped),
        (false, ..) => return Err("a place gets more tokens than any has at the beginning".into()),
        (true, ..) => "–".into(),
    };
    let nodes = answer.statistics.bdd.as_ref().map_or(0, |bdd| bdd.peak_nodes);
    Ok(Run { time: (!stopped).then(|| watch.time()), markings, nodes })
}
