//! What is odd about a pushdown system, though it has a meaning.

use super::system::{Right, Rule, System, Top};
use calculus::diagnostic::{Diagnostic, nearest};
use calculus::span::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub fn warnings(system: &System) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (number, thread) in system.threads.iter().enumerate() {
        out.extend(beyond_promise(number, &thread.rules, thread.promised, thread.span));
        repeated(&thread.rules, &mut out);
        idle(system, number, &mut out);
    }
    unknown(system, &mut out);
    out
}

/// The first symbol outside of what the head promises.
fn beyond_promise(number: usize, rules: &[Rule], (low, high): (u32, u32), head: Span) -> Option<Diagnostic> {
    let outside = |rule: &&Rule| mentioned(rule).into_iter().any(|symbol| symbol < low || symbol > high);
    let first = rules.iter().find(outside)?;
    let symbol = mentioned(first).into_iter().find(|symbol| *symbol < low || *symbol > high)?;
    let title = format!("thread {} has the symbol {symbol}, which is not in {low} to {high}", number + 1);
    let warning = Diagnostic::warning("pds::symbol_range", title).label(first.span, "the first such rule");
    Some(warning.label(head, "the symbols that are promised").help("every number is a symbol all the same"))
}

/// The symbols of a rule, from left to right.
fn mentioned(rule: &Rule) -> Vec<u32> {
    let top = match rule.top {
        Top::Bottom => None,
        Top::Symbol(symbol) => Some(symbol),
    };
    top.into_iter().chain(right(rule)).collect()
}

fn right(rule: &Rule) -> Vec<u32> {
    match rule.right {
        Right::Pop => Vec::new(),
        Right::Overwrite(next) => vec![next],
        Right::Push(pushed, under) => vec![pushed, under],
    }
}

fn repeated(rules: &[Rule], out: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<_, Span> = HashMap::new();
    for rule in rules {
        if let Some(first) = seen.get(&rule.meaning()) {
            out.push(
                Diagnostic::warning("pds::repeated", format!("the rule `{rule}` stands there twice"))
                    .label(rule.span, "again")
                    .label(*first, "the first time")
                    .help("leave one of them out"),
            );
        } else {
            seen.insert(rule.meaning(), rule.span);
        }
    }
}

/// Rules that no run applies, because their symbol never comes to the top of the stack, whatever the control states are.
fn idle(system: &System, number: usize, out: &mut Vec<Diagnostic>) {
    let rules = &system.threads[number].rules;
    let initial = &system.initial.stacks[number];
    let visible = visible(rules, initial);
    let produced = rules.iter().flat_map(right).chain(initial.iter().copied()).collect::<BTreeSet<_>>();
    let mut heads: BTreeMap<Top, (Span, usize)> = BTreeMap::new();
    for rule in rules.iter().filter(|rule| !visible.contains(&rule.top)) {
        heads.entry(rule.top).or_insert((rule.span, 0)).1 += 1;
    }
    let mut heads = heads.into_iter().collect::<Vec<_>>();
    heads.sort_by_key(|(_, (span, _))| *span);
    for (top, (span, count)) in heads {
        let rules = if count == 1 { "1 rule".into() } else { format!("{count} rules") };
        let thread = number + 1;
        let never = match top {
            Top::Symbol(symbol) if !produced.contains(&symbol) => {
                let title = format!("no rule of thread {thread} leads to the symbol {symbol}");
                Diagnostic::warning("pds::never_pushed", title)
            }
            _ => {
                let title = format!("the symbol {top} never comes to the top of thread {thread}'s stack");
                Diagnostic::warning("pds::never_applies", title)
            }
        };
        out.push(
            never
                .label(span, format!("{rules} with it on the left"))
                .help("these rules change nothing: is a rule missing, or a number mistyped?"),
        );
    }
}

/// What can be on top of the stack if every rule applies in every control state.
fn visible(rules: &[Rule], initial: &[u32]) -> BTreeSet<Top> {
    let mut of: HashMap<Top, Vec<&Rule>> = HashMap::new();
    rules.iter().for_each(|rule| of.entry(rule.top).or_default().push(rule));
    let removable = removable(rules);
    let mut visible = BTreeSet::new();
    let mut work = Vec::new();
    // The levels of the initial stack come up one after the other.
    for symbol in initial {
        work.push(Top::Symbol(*symbol));
        if !removable.contains(symbol) {
            break;
        }
    }
    if initial.iter().all(|symbol| removable.contains(symbol)) {
        work.push(Top::Bottom);
    }
    while let Some(top) = work.pop() {
        if !visible.insert(top) {
            continue;
        }
        for rule in of.get(&top).into_iter().flatten() {
            match rule.right {
                Right::Pop => {}
                Right::Overwrite(next) => work.push(Top::Symbol(next)),
                Right::Push(pushed, under) => {
                    work.push(Top::Symbol(pushed));
                    if removable.contains(&pushed) {
                        work.push(Top::Symbol(under));
                    }
                }
            }
        }
    }
    visible
}

/// The symbols that some sequence of rules takes away, with all that they put in their place.
fn removable(rules: &[Rule]) -> BTreeSet<u32> {
    // For each symbol the rules that wait for it.
    let mut waiting: HashMap<u32, Vec<&Rule>> = HashMap::new();
    let mut work = Vec::new();
    for rule in rules {
        let Top::Symbol(top) = rule.top else { continue };
        match right(rule).as_slice() {
            [] => work.push(top),
            symbols => symbols.iter().for_each(|symbol| waiting.entry(*symbol).or_default().push(rule)),
        }
    }
    let mut removable = BTreeSet::new();
    while let Some(symbol) = work.pop() {
        if !removable.insert(symbol) {
            continue;
        }
        for rule in waiting.get(&symbol).into_iter().flatten() {
            if let Top::Symbol(top) = rule.top
                && right(rule).iter().all(|symbol| removable.contains(symbol))
            {
                work.push(top);
            }
        }
    }
    removable
}

/// Symbols of configurations that no rule of the thread has.
fn unknown(system: &System, out: &mut Vec<Diagnostic>) {
    for (number, thread) in system.threads.iter().enumerate() {
        let known = thread.rules.iter().flat_map(mentioned).collect::<BTreeSet<_>>();
        let names = known.iter().map(u32::to_string).collect::<Vec<_>>();
        let initial = system.initial.stacks[number].iter().map(|symbol| (*symbol, system.initial_span));
        let targets = system.targets.iter().filter_map(|target| match target.tops[number] {
            Some(Top::Symbol(symbol)) => Some((symbol, target.span)),
            _ => None,
        });
        for (symbol, span) in initial.chain(targets).filter(|(symbol, _)| !known.contains(symbol)) {
            let title = format!("no rule of thread {} has the symbol {symbol}", number + 1);
            let near = nearest(&symbol.to_string(), names.iter().map(String::as_str));
            let help = match near {
                Some(near) => format!("did you mean {near}?"),
                None => "the thread can do nothing with it".into(),
            };
            out.push(
                Diagnostic::warning("pds::unknown_symbol", title)
                    .label(span, format!("{symbol} stands in the stack of thread {}", number + 1))
                    .label(thread.span, "the thread")
                    .help(help),
            );
        }
    }
}
