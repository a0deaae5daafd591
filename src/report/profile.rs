//! Where the time of a run went: relations with their clauses, and everything else in rows of its own, so that the
//! shares add up.
//!
//! Shares are tenths of a percent. They are rounded together, so that what is printed adds up too: those of the entries
//! to 1000, those of an entry's parts to its own.

use super::diagnostics::place;
use super::json::{SCHEMA, pretty};
use super::table::{Align, table};
use super::units::{duration, short};
use crate::run::Outcome;
use calculus::solve::{Count, Phases, RelationStats, Statistics};
use calculus::span::{Sources, Span};
use serde_json::{Value as Json, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

/// The whole, in tenths of a percent.
const WHOLE: u64 = 1000;

pub struct Profile {
    pub total: Duration,
    /// The longest first.
    pub entries: Vec<Entry>,
}

/// A relation with its clauses, or other work with its parts.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: String,
    /// Where a relation or a clause stands.
    pub span: Option<Span>,
    pub time: Duration,
    /// Of the total.
    pub share: u64,
    /// What a relation or clause did; nothing for other work.
    pub effort: Option<WorkDone>,
    /// The longest first.
    pub parts: Vec<Entry>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkDone {
    /// Of a relation, how often new rows were taken up; of a clause, how often it was evaluated.
    pub rounds: u64,
    /// Tuples that were new when a clause brought them.
    pub tuples: Count,
    /// Of a relation, nodes of all its rows together, the most that was seen; of a clause, of one row that it brought.
    pub nodes: usize,
}

impl Entry {
    fn work(name: &str, time: Duration) -> Entry {
        Entry { name: name.into(), span: None, time, share: 0, effort: None, parts: Vec::new() }
    }

    fn of_relation(relation: &RelationStats) -> Entry {
        let clauses = relation.clauses.iter().filter(|clause| clause.rounds > 0);
        let parts = clauses.map(|clause| Entry {
            span: Some(clause.span),
            effort: Some(WorkDone {
                rounds: clause.rounds,
                tuples: clause.tuples.clone(),
                nodes: clause.nodes,
            }),
            ..Entry::work(&clause.name, clause.time)
        });
        let nodes = relation.nodes.max(relation.samples.peak());
        let tuples = relation.clauses.iter().map(|clause| &clause.tuples).sum();
        Entry {
            span: Some(relation.span),
            effort: Some(WorkDone { rounds: relation.rounds, tuples, nodes }),
            parts: parts.collect(),
            ..Entry::work(&relation.title, relation.time)
        }
    }

    /// The same relation, or clause, in another step of deepening.
    fn add(&mut self, other: Entry) {
        self.time += other.time;
        if let (Some(effort), Some(more)) = (&mut self.effort, other.effort) {
            effort.rounds += more.rounds;
            effort.tuples += more.tuples;
            effort.nodes = effort.nodes.max(more.nodes);
        }
        for part in other.parts {
            match self.parts.iter_mut().find(|own| own.span == part.span && own.name == part.name) {
                Some(own) => own.add(part),
                None => self.parts.push(part),
            }
        }
    }
}

/// The profile of a run, of all its steps together, and of what it took to find traces and explanations.
pub fn profile(outcome: &Outcome, explaining: Duration) -> Profile {
    let laps = &outcome.laps;
    let total = laps.reading + outcome.time + explaining;
    let mut relations: BTreeMap<String, Entry> = BTreeMap::new();
    let mut given = Vec::new();
    let (mut all_phases, mut rest) = (Phases::default(), Duration::ZERO);
    for statistics in outcome.before.iter().chain([&outcome.answer.statistics]) {
        let Statistics { relations: solved, watched, phases, time, .. } = statistics;
        let all = solved.iter().chain(watched).filter(|relation| !relation.kept);
        let mut known = phases.planning + phases.preparing + phases.counting + phases.listing;
        for relation in all {
            known += relation.time;
            if relation.clauses.is_empty() {
                given.push(Entry { effort: None, span: None, ..Entry::of_relation(relation) });
                continue;
            }
            let entry = Entry::of_relation(relation);
            match relations.get_mut(&entry.name) {
                Some(own) => own.add(entry),
                None => {
                    relations.insert(entry.name.clone(), entry);
                }
            }
        }
        all_phases.planning += phases.planning;
        all_phases.preparing += phases.preparing;
        all_phases.counting += phases.counting;
        all_phases.listing += phases.listing;
        rest += time.saturating_sub(known);
    }
    let loading = Entry {
        time: given.iter().map(|entry| entry.time).sum(),
        parts: merged(given),
        ..Entry::work("loading facts", Duration::ZERO)
    };
    let mut entries = relations.into_values().collect::<Vec<_>>();
    entries.push(loading);
    entries.extend([
        Entry::work("reading the program", laps.reading),
        Entry::work("checking the file", laps.checking),
        Entry::work("planning", all_phases.planning),
        Entry::work("preparing BDDs", all_phases.preparing),
        Entry::work("taking in new rows", rest),
        Entry::work("listing answers", all_phases.listing),
        Entry::work("counting for this profile", all_phases.counting),
        Entry::work("certificate", laps.certifying),
        Entry::work("trace and explanations", explaining),
    ]);
    let known = entries.iter().map(|entry| entry.time).sum::<Duration>();
    entries.push(Entry::work("other", total.saturating_sub(known)));
    // Clocks are read one after the other: parts may be longer than the whole by what that takes.
    let total = total.max(known);
    entries.retain(|entry| entry.effort.is_some() || !entry.time.is_zero());
    share_out(&mut entries, WHOLE);
    Profile { total, entries }
}

/// Instances of a family as one entry.
fn merged(entries: Vec<Entry>) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    for mut entry in entries {
        entry.name.truncate(entry.name.find('[').unwrap_or(entry.name.len()));
        match out.iter_mut().find(|own| own.name == entry.name) {
            Some(own) => own.add(entry),
            None => out.push(entry),
        }
    }
    out
}

/// Sorts the entries and gives each its share; those of the entries add up to the whole.
fn share_out(entries: &mut [Entry], whole: u64) {
    entries.sort_by_key(|entry| Reverse(entry.time));
    let times = entries.iter().map(|entry| entry.time.as_nanos()).collect::<Vec<_>>();
    for (entry, share) in entries.iter_mut().zip(shares(&times, whole)) {
        entry.share = share;
        share_out(&mut entry.parts, share);
    }
}

/// Integers in proportion to the times that add up to the whole: what rounding down leaves goes to the largest
/// remainders.
fn shares(times: &[u128], whole: u64) -> Vec<u64> {
    let total = times.iter().sum::<u128>();
    if total == 0 {
        // Nothing took any time: the first stands for all.
        return (0..times.len()).map(|at| if at == 0 { whole } else { 0 }).collect();
    }
    let exact = times.iter().map(|time| time * u128::from(whole)).collect::<Vec<_>>();
    let mut shares = exact.iter().map(|exact| (exact / total) as u64).collect::<Vec<_>>();
    let mut order = (0..times.len()).collect::<Vec<_>>();
    order.sort_by_key(|&at| Reverse(exact[at] % total));
    let left = whole - shares.iter().sum::<u64>();
    order.into_iter().take(left as usize).for_each(|at| shares[at] += 1);
    shares
}

/// `12.3 %`
pub fn percent(share: u64) -> String {
    format!("{}.{} %", share / 10, share % 10)
}

/// The profile as a table. Entries without a share are one line, unless all are wanted.
pub fn text(profile: &Profile, sources: &Sources, all: bool, width: usize) -> String {
    let head = ["relation or work", "line", "rounds", "new tuples", "peak nodes", "time", "share"];
    let mut rows = vec![head.map(String::from).to_vec()];
    let hidden = profile.entries.iter().filter(|entry| entry.share == 0 && !all).collect::<Vec<_>>();
    let shown = if hidden.len() < 2 { profile.entries.len() } else { profile.entries.len() - hidden.len() };
    for entry in &profile.entries[..shown] {
        rows.push(row(entry, sources, 0));
        // One clause without a name says nothing that the relation does not.
        if !matches!(entry.parts.as_slice(), [only] if only.name == "1") {
            rows.extend(entry.parts.iter().map(|part| row(part, sources, 2)));
        }
    }
    if shown < profile.entries.len() {
        let time = hidden.iter().map(|entry| entry.time).sum();
        rows.push(row(&Entry::work(&format!("{} more (--all)", hidden.len()), time), sources, 0));
    }
    let align =
        [Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right];
    format!("profile: {} in all\n\n{}", duration(profile.total), table(&rows, &align, 0, width))
}

fn row(entry: &Entry, sources: &Sources, indent: usize) -> Vec<String> {
    let effort = |shown: fn(&WorkDone) -> String| entry.effort.as_ref().map(shown).unwrap_or_default();
    let line = entry.span.map(|span| {
        let (file, line, _) = place(sources, span);
        // The last word says enough: `linear_interfaces.fp` of `bundled:linear_interfaces.fp`.
        format!("{}:{line}", file.rsplit(['/', ':']).next().unwrap_or(file))
    });
    vec![
        format!("{}{}", " ".repeat(indent), entry.name),
        line.unwrap_or_default(),
        effort(|effort| effort.rounds.to_string()),
        effort(|effort| short(&effort.tuples.to_string())),
        effort(|effort| effort.nodes.to_string()),
        duration(entry.time),
        percent(entry.share),
    ]
}

/// The profile as one document.
pub fn document(outcome: &Outcome, profile: &Profile) -> String {
    let mut object = json!({
        "schema": SCHEMA,
        "file": outcome.file,
        "model": outcome.model.as_ref().map(|model| &model.name),
        "verdict": outcome.conclusion().word(),
    });
    object["profile"] = json(profile, &outcome.sources);
    pretty(&object)
}

pub fn json(profile: &Profile, sources: &Sources) -> Json {
    let entries = profile.entries.iter().map(|entry| entry_json(entry, sources));
    json!({ "seconds": profile.total.as_secs_f64(), "entries": entries.collect::<Vec<_>>() })
}

fn entry_json(entry: &Entry, sources: &Sources) -> Json {
    let place = entry.span.map(|span| place(sources, span));
    let effort = entry.effort.as_ref();
    let parts = entry.parts.iter().map(|part| entry_json(part, sources));
    json!({
        "name": entry.name,
        "file": place.map(|(file, _, _)| file),
        "line": place.map(|(_, line, _)| line),
        "rounds": effort.map(|effort| effort.rounds),
        "new_tuples": effort.map(|effort| effort.tuples.to_string()),
        "peak_nodes": effort.map(|effort| effort.nodes),
        "seconds": entry.time.as_secs_f64(),
        "percent": entry.share as f64 / 10.0,
        "parts": parts.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_however_they_round() {
        assert_eq!(shares(&[1, 1, 1], 1000), [334, 333, 333]);
        assert_eq!(shares(&[2, 1], 1), [1, 0]);
        assert_eq!(shares(&[0, 0], 7), [7, 0]);
        assert_eq!(shares(&[], 0), [0; 0]);
        for whole in [1, 10, 999, 1000] {
            let times = (1..50u128).map(|number| number * number % 37 + 1).collect::<Vec<_>>();
            assert_eq!(shares(&times, whole).iter().sum::<u64>(), whole);
        }
    }

    #[test]
    fn parts_share_what_the_whole_has() {
        let part = |nanos| Entry::work("part", Duration::from_nanos(nanos));
        let mut entries = [
            Entry::work("short", Duration::from_nanos(10)),
            Entry {
                parts: vec![part(3), part(7), part(10)],
                ..Entry::work("long", Duration::from_nanos(20))
            },
        ];
        share_out(&mut entries, 1000);
        let seen = entries.iter().map(|entry| (entry.name.as_str(), entry.share)).collect::<Vec<_>>();
        assert_eq!(seen, [("long", 667), ("short", 333)]);
        assert_eq!(entries[0].parts.iter().map(|part| part.share).collect::<Vec<_>>(), [334, 233, 100]);
    }
}
