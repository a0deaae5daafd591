//! A front end that is not part of fpsolve: Petri nets in which a place has at most one token. The book shows it
//! (docs/book/src/front_ends.md).

use calculus::sort::{Value, Width};
use calculus::span::Source;
use calculus::vocabulary::{Bit, BitExpr, OfferedRelation, OfferedSort, Row, Show, Vocabulary};
use fpsolve::run::{Request, Settings, run};
use std::rc::Rc;

/// Two philosophers and their forks.
const NET: &str = "
    marked: thinking1 thinking2 fork1 fork2
    first1:  thinking1 fork1 -> waiting1
    second1: waiting1 fork2 -> eating1
    done1:   eating1 -> thinking1 fork1 fork2
    first2:  thinking2 fork2 -> waiting2
    second2: waiting2 fork1 -> eating2
    done2:   eating2 -> thinking2 fork1 fork2
";

const FILE: &str = "
use net;

mu Reach(m: Marking) =
    start: initial(m)
  | fire:  exists m'. Reach(m') & fire(m', m);

query Reachable(m: Marking) = Reach(m);
query Dead(m: Marking) = Reach(m) & !exists m'. fire(m, m');

verdict unsafe \"a deadlock is reached\" if exists m. Dead(m);
verdict safe;
";

/// The places of a net, in the order in which it names them.
struct Net {
    places: Vec<String>,
}

impl Net {
    fn place(&mut self, name: &str) -> u16 {
        let found = self.places.iter().position(|place| place == name);
        let number = found.unwrap_or_else(|| {
            self.places.push(name.to_owned());
            self.places.len() - 1
        });
        u16::try_from(number).expect("not that many places")
    }

    fn numbers(&mut self, names: &str) -> Vec<u16> {
        names.split_whitespace().map(|name| self.place(name)).collect()
    }
}

impl Show for Net {
    fn show(&self, _: &str, value: &Value) -> Option<String> {
        let Value::Bits(marked) = value else { return None };
        let names =
            self.places.iter().zip(marked).filter(|(_, marked)| **marked).map(|(place, _)| place.as_str());
        Some(names.collect::<Vec<_>>().join("+"))
    }
}

/// Place `place` has a token in column `leaf`, or has none.
fn token(leaf: u16, place: u16, there: bool) -> BitExpr {
    let bit = BitExpr::Bit(Bit { leaf, bit: place });
    if there { bit } else { BitExpr::Not(Rc::new(bit)) }
}

/// What a transition does: `fire(m, m')` has m in column 0 and m' in column 1.
fn transition(takes: &[u16], gives: &[u16], places: u16) -> Row {
    let mut core = Vec::new();
    let mut equal = Vec::new();
    for place in 0..places {
        match (takes.contains(&place), gives.contains(&place)) {
            (true, gives) => core.extend([token(0, place, true), token(1, place, gives)]),
            (false, true) => core.extend([token(0, place, false), token(1, place, true)]),
            (false, false) => equal.push((Bit { leaf: 0, bit: place }, Bit { leaf: 1, bit: place }).into()),
        }
    }
    Row { fixed: Vec::new(), core: BitExpr::And(core), equal }
}

fn vocabulary(text: &str) -> Vocabulary {
    let mut net = Net { places: Vec::new() };
    let (mut marked, mut transitions) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (name, line) = line.split_once(':').expect("a name");
        match line.split_once("->") {
            Some((takes, gives)) => transitions.push((net.numbers(takes), net.numbers(gives))),
            None if name.trim() == "marked" => marked = net.numbers(line),
            None => panic!("what is {name}?"),
        }
    }
    let places = u16::try_from(net.places.len()).expect("not that many places");
    let first = (0..places).map(|place| token(0, place, marked.contains(&place)));
    let first = Row { fixed: Vec::new(), core: BitExpr::And(first.collect()), equal: Vec::new() };
    let fire = transitions.iter().map(|(takes, gives)| transition(takes, gives, places));
    let relation = |name: &str, columns: &[&str], rows: Vec<Row>| OfferedRelation {
        name: name.into(),
        index: None,
        columns: columns.iter().map(|column| (column.to_string(), "Marking".into())).collect(),
        instances: vec![rows.into()],
        moves: false,
    };
    Vocabulary {
        name: "net".into(),
        sorts: vec![OfferedSort { name: "Marking".into(), width: Width::Bits(places.into()), keyed: false }],
        symbols: Vec::new(),
        records: Vec::new(),
        facts: vec![("places".into(), places.into())],
        relations: vec![
            relation("initial", &["m"], vec![first]),
            relation("fire", &["m", "m'"], fire.collect()),
        ],
        approximations: Vec::new(),
        woven: Vec::new(),
        show: Rc::new(net),
        chapter: None,
    }
}

#[test]
fn philosophers_can_wait_for_ever() {
    let file = Source::new("deadlock.fp", FILE);
    let request = Request { model: Some(vocabulary(NET)), ..Request::new(file) };
    let outcome = run(&request, &Settings { early_stop: false, ..Settings::default() }).expect("no mistakes");
    assert_eq!(outcome.conclusion().word(), Some("unsafe"));
    let queries = outcome.queries();
    assert_eq!(queries[0].word().as_deref(), Some("6 tuples"));
    let (_, dead) = queries[1].answer.as_ref().expect("solved");
    let shown = dead.iter().map(|row| outcome.show(queries[1].columns[0].sort, &row[0])).collect::<Vec<_>>();
    assert_eq!(shown, ["waiting1+waiting2"]);
}
