//! Linear temporal logic: the automata of random formulas against direct evaluation on words that repeat, and
//! algorithms/pushdown/ltl.fp against saturation of the product.

use super::saturation::repeats;
use super::system::{BOTTOM, Random, Rule, System, shown};
use super::{Case, effort, word};
use calculus::span::FileId;
use fpsolve::model::ltl::automaton::{Automaton, Edge, automaton};
use fpsolve::model::ltl::formula::{Connective, Formula};
use fpsolve::model::ltl::{Basic, check, syntax};
use fpsolve::model::options::FormulaText;
use fpsolve::model::{Model, ProgramOptions, boolean, pds};
use fpsolve::report::diagnostics::{Medium, diagnostics};
use fpsolve::run::{Request, Settings, files, offered, run};
use std::collections::BTreeSet;

const CONNECTIVES: [(Connective, &str); 8] = [
    (Connective::And, "&"),
    (Connective::Or, "|"),
    (Connective::Implies, "->"),
    (Connective::Iff, "<->"),
    (Connective::Until, "U"),
    (Connective::WeakUntil, "W"),
    (Connective::Release, "R"),
    (Connective::StrongRelease, "M"),
];

pub fn random_formula(random: &mut Random, size: usize, atoms: usize) -> Formula {
    if size <= 1 {
        let constant = random.one_in(12);
        return if constant {
            Formula::Constant(random.one_in(2))
        } else {
            Formula::Atom(random.below(atoms))
        };
    }
    if size == 2 || random.one_in(2) {
        let inner = Box::new(random_formula(random, size - 1, atoms));
        return match random.below(4) {
            0 => Formula::Not(inner),
            1 => Formula::Next(inner),
            2 => Formula::Finally(inner),
            _ => Formula::Globally(inner),
        };
    }
    let left = 1 + random.below(size - 2);
    let connective = CONNECTIVES[random.below(8)].0;
    let (left, right) = (random_formula(random, left, atoms), random_formula(random, size - 1 - left, atoms));
    Formula::Both(connective, Box::new(left), Box::new(right))
}

/// The text of a formula, with atoms as they are called. Brackets everywhere, or only where precedence asks for them.
pub fn text(formula: &Formula, names: &dyn Fn(usize) -> String) -> String {
    let inside = |formula: &Formula| match formula {
        Formula::Both(..) => format!("({})", text(formula, names)),
        _ => text(formula, names),
    };
    match formula {
        Formula::Constant(value) => value.to_string(),
        Formula::Atom(atom) => names(*atom),
        Formula::Not(inner) => format!("!{}", inside(inner)),
        Formula::Next(inner) => format!("X {}", inside(inner)),
        Formula::Finally(inner) => format!("F {}", inside(inner)),
        Formula::Globally(inner) => format!("G {}", inside(inner)),
        Formula::Both(connective, left, right) => {
            let (_, sign) =
                CONNECTIVES.iter().find(|(known, _)| known == connective).expect("all are listed");
            format!("{} {sign} {}", inside(left), inside(right))
        }
    }
}

/// Letters as bits of atoms; behind the last one comes the one at `back`.
struct Lasso {
    letters: Vec<usize>,
    back: usize,
}

impl Lasso {
    fn random(random: &mut Random) -> Lasso {
        let length = 1 + random.below(5);
        Lasso { letters: (0..length).map(|_| random.below(8)).collect(), back: random.below(length) }
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back }
    }

    /// The positions from one on, each at least once, in order.
    fn future(&self, at: usize) -> Vec<usize> {
        let positions = std::iter::successors(Some(at), |at| Some(self.next(*at)));
        positions.take(2 * self.letters.len()).collect()
    }

    /// Whether a formula holds at a position, as its definition says.
    fn holds(&self, formula: &Formula, at: usize) -> bool {
        let future = self.future(at);
        let until = |left: &Formula, right: &Formula| {
            let end = future.iter().position(|at| self.holds(right, *at));
            end.is_some_and(|end| future[..end].iter().all(|at| self.holds(left, *at)))
        };
        let released = |left: &Formula, right: &Formula| {
            let end = future.iter().position(|at| self.holds(left, *at));
            end.is_some_and(|end| future[..=end].iter().all(|at| self.holds(right, *at)))
        };
        let always = |formula: &Formula| future.iter().all(|at| self.holds(formula, *at));
        match formula {
            Formula::Constant(value) => *value,
            Formula::Atom(atom) => self.letters[at] >> atom & 1 == 1,
            Formula::Not(inner) => !self.holds(inner, at),
            Formula::Next(inner) => self.holds(inner, self.next(at)),
            Formula::Finally(inner) => future.iter().any(|at| self.holds(inner, *at)),
            Formula::Globally(inner) => always(inner),
            Formula::Both(connective, left, right) => match connective {
                Connective::And => self.holds(left, at) && self.holds(right, at),
                Connective::Or => self.holds(left, at) || self.holds(right, at),
                Connective::Implies => !self.holds(left, at) || self.holds(right, at),
                Connective::Iff => self.holds(left, at) == self.holds(right, at),
                Connective::Until => until(left, right),
                Connective::WeakUntil => until(left, right) || always(left),
                Connective::Release => released(left, right) || always(right),
                Connective::StrongRelease => released(left, right),
            },
        }
    }

    /// Whether an automaton accepts: an accepting place comes back to itself, at the same position.
    fn accepted(&self, automaton: &Automaton) -> bool {
        let fits = |edge: &Edge, at: usize| {
            edge.letter.iter().all(|(atom, holds)| (self.letters[at] >> atom & 1 == 1) == *holds)
        };
        let next = |(place, at): (usize, usize)| {
            let edges = automaton.edges[place].iter().filter(move |edge| fits(edge, at));
            edges.map(move |edge| (edge.to, self.next(at))).collect::<Vec<_>>()
        };
        let reached = |mut work: Vec<(usize, usize)>| {
            let mut seen = BTreeSet::new();
            while let Some(now) = work.pop() {
                if seen.insert(now) {
                    work.extend(next(now));
                }
            }
            seen
        };
        let seen = reached(automaton.initial.iter().map(|place| (*place, 0)).collect());
        let accepting = seen.into_iter().filter(|(place, _)| automaton.accepting.contains(place));
        accepting.into_iter().any(|now| reached(next(now)).contains(&now))
    }
}

#[test]
fn automata_accept_exactly_the_words_that_satisfy_their_formulas() {
    let mut random = Random(0x00c0_ffee_1234_5671);
    let (mut held, mut compared) = (0, 0);
    for _ in 0..effort::cases(600) {
        let (size, atoms) = (1 + random.below(8), 1 + random.below(3));
        let formula = random_formula(&mut random, size, atoms);
        let written = text(&formula, &|atom| format!("p{atom}"));
        let accepting = automaton(&formula.normal(true)).expect("it is small");
        let refusing = automaton(&formula.normal(false)).expect("it is small");
        for _ in 0..5 {
            let lasso = Lasso::random(&mut random);
            let holds = lasso.holds(&formula, 0);
            let about = format!("{written} on {:?}, back to {}", lasso.letters, lasso.back);
            assert_eq!(lasso.accepted(&accepting), holds, "{about}");
            assert_eq!(lasso.accepted(&refusing), !holds, "the negation of {about}");
            compared += 1;
            held += usize::from(holds);
        }
    }
    assert!(held > compared / 4 && held < compared - compared / 4, "{held} of {compared} hold");
}

#[test]
fn formulas_are_read_as_they_are_written() {
    let mut random = Random(0x0bad_cafe_0bad_cafe);
    for _ in 0..effort::cases(600) {
        let size = 1 + random.below(8);
        let formula = random_formula(&mut random, size, 1);
        let written = text(&formula, &|_| "p".into());
        let read = syntax::parse(FileId(0), &written)
            .unwrap_or_else(|mistake| panic!("{written}: {}", mistake.title));
        assert_eq!(read.formula, formula, "{written}");
    }
}

#[test]
fn operators_bind_as_the_documentation_says() {
    let same = |left: &str, right: &str| {
        let read = |text: &str| syntax::parse(FileId(0), text).expect("it is a formula").formula;
        assert_eq!(read(left), read(right), "{left}");
    };
    same("a U b & c | d -> e <-> f", "((((a U b) & c) | d) -> e) <-> f");
    same("!a U X b", "(!a) U (X b)");
    same("a U b U c", "a U (b U c)");
    same("a -> b -> c", "a -> (b -> c)");
    same("G F a & F G b", "(G (F a)) & (F (G b))");
    same("[]<>a && ~b || c => d", "((G F a) & !b) | c -> d");
    same("x != 1", "!(x = 1)");
    same("a // why\n& b # and\n", "a & b");
}

/// The symbols that can be on the stack.
fn symbols(system: &System) -> Vec<usize> {
    let symbols = system.threads[0].iter().flat_map(|rule| rule.word.iter().copied().chain([rule.top]));
    symbols.chain(system.stacks[0].iter().copied()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The rules of a system that runs with an automaton: a control state is one of both.
fn product(system: &System, automaton: &Automaton, holds: &dyn Fn(usize, usize, usize) -> bool) -> Vec<Rule> {
    let places = automaton.edges.len();
    let mut rules = system.threads[0].clone();
    for from in 0..system.shared {
        for top in symbols(system) {
            if !rules.iter().any(|rule| (rule.from, rule.top) == (from, top)) {
                // A run that ends stays where it is.
                rules.push(Rule { from, top, to: from, word: vec![top] });
            }
        }
    }
    let mut out = Vec::new();
    for rule in &rules {
        for (place, edges) in automaton.edges.iter().enumerate() {
            let fits = |edge: &&Edge| {
                edge.letter.iter().all(|(fact, value)| holds(*fact, rule.from, rule.top) == *value)
            };
            out.extend(edges.iter().filter(fits).map(|edge| Rule {
                from: rule.from * places + place,
                to: rule.to * places + edge.to,
                ..rule.clone()
            }));
        }
    }
    out
}

#[test]
fn ltl_finds_the_runs_that_violate_a_formula() {
    let mut random = Random(0x7070_7070_1234_4321);
    let cases = effort::cases(300);
    let mut violated = 0;
    for number in 0..cases {
        let system = System::random(&mut random, 1);
        let symbols = symbols(&system);
        let mut atom = || match random.below(2) {
            0 => format!("state = {}", random.below(system.shared)),
            _ => format!("top = {}", shown(symbols[random.below(symbols.len())])),
        };
        let atoms = [atom(), atom(), atom()];
        let size = 2 + random.below(6);
        let formula = random_formula(&mut random, size, 3);
        let formula = text(&formula, &|atom| atoms[atom].clone());
        // The oracle's own reading of atoms: a control state, or a symbol on top.
        let given = FormulaText { name: "--ltl".into(), text: formula.clone() };
        let meaning = |atom: &syntax::Atom| {
            let value = atom.equal().expect("states are equal or not").expect("all atoms have values");
            let value = if value == "-" { BOTTOM } else { value.parse().expect("a number") };
            Ok(match atom.name.as_str() {
                "state" => vec![(Basic::SharedValue(value as u64), true)],
                _ => vec![(Basic::At { thread: 1, locations: BTreeSet::from([value as u64]) }, true)],
            })
        };
        let checked = check(&given, &meaning).unwrap_or_else(|rejection| panic!("{formula}: {rejection}"));
        let holds = |fact: usize, state: usize, top: usize| match &checked.basics[fact] {
            Basic::SharedValue(value) => *value == state as u64,
            Basic::At { locations, .. } => locations.contains(&(top as u64)),
            other => panic!("no such fact: {other:?}"),
        };
        let automaton = &checked.violations;
        let (places, rules) = (automaton.edges.len(), product(&system, automaton, &holds));
        let expected = automaton.initial.iter().any(|initial| {
            let begin = (system.start * places + initial, &system.stacks[0][..]);
            let accepting = |control: usize, _| automaton.accepting.contains(&(control % places));
            repeats(&rules, system.shared * places, begin, accepting)
        });
        violated += usize::from(expected);
        let case = Case { system: &system, formula: Some(formula.clone()) };
        let found = case.run(&*case.model(), "ltl", &[]);
        let expected = if expected { "unsafe" } else { "safe" };
        assert_eq!(word(&found), expected, "system {number}, {formula}\n{}", system.told());
    }
    assert!(
        effort::enough(violated, 60) && effort::enough(cases - violated, 60),
        "{violated} of {cases} are violated"
    );
}

/// What users read when a formula is wrong.
#[test]
fn wrong_formulas_are_explained() {
    let system = "2\nPDA 1 2\n0 1 -> 1 2\n";
    let program = "decl lock, IN; decl n: -1..3; decl state: { idle, busy };
        thread one begin decl own; IN: lock := T; OUT: skip; end thread two begin skip; end";
    let cases = [
        ("ltl", "G (state = 1"),
        ("ltl", "G state = 1)"),
        ("ltl", "G state = 1 F top = 2"),
        ("ltl", "U state = 1"),
        ("ltl", ""),
        ("ltl", "G stat\u{e9} = 1"),
        ("ltl", "G (top = 7 -> F top = -)"),
        ("ltl", "F state = 2"),
        ("ltl", "F top"),
        ("ltl", "G a $ b % c"),
        ("ltl_threads", "G (lok -> F one@OUT)"),
        ("ltl_threads", "G (IN -> F one@OT)"),
        ("ltl_threads", "F onne@OUT & F two@OUT"),
        ("ltl_threads", "F lock = 2"),
        ("ltl_threads", "F one.own -> F OUT = 1"),
        ("ltl_threads", "G n < 4 & F n"),
        ("ltl_threads", "G n = -2 & F n = busy"),
        ("ltl_threads", "F state = bsuy & G state <= busy"),
        ("ltl_threads", "G lock > 0"),
        ("ltl", "F state < 1"),
    ];
    let mut told = String::new();
    for (algorithm, formula) in cases {
        let mut options = ProgramOptions::default();
        options.reading.initial = Some("0|1".into());
        options.formula = Some(FormulaText { name: "--ltl".into(), text: formula.into() });
        let model: Box<dyn Model> = match algorithm {
            "ltl" => Box::new(pds::system("system.pds", system, &options).expect("a system")),
            _ => Box::new(boolean::program("program.bp", program, &options).expect("a program")),
        };
        let file = files::find(algorithm, &[]).expect("the algorithm is bundled");
        let rejection = offered(&*model, &file).err();
        let rejection = rejection.unwrap_or_else(|| panic!("nothing is wrong with {formula}"));
        let text = diagnostics(&rejection.sources, &rejection.diagnostics, Medium::Plain);
        told += &format!("{algorithm}: {formula}\n\n{text}\n");
    }
    insta::assert_snapshot!("wrong_formulas", told);
}

/// Atoms about numbers and names, in a program whose runs are few.
#[test]
fn numbers_and_names_are_compared() {
    let program = "decl n: -1..3 := -1; decl state: { idle, busy, done } := idle;
        thread one begin decl own: 0..2 := 2; n := 2; state := done; own := 1; end";
    for (formula, holds) in [
        ("F n = 2", true),
        ("n = -1", true),
        ("n = -1 U n = 2", true),
        ("G n <= 2", true),
        ("G n < 2", false),
        ("F n > 1 & G n >= -1", true),
        ("G n != 1", true),
        ("F n = 3", false),
        ("G state != busy", true),
        ("state = idle U state = done", true),
        ("G state = idle", false),
        ("one.own = 2 & F one.own < 2", true),
        ("G one.own > 1", false),
    ] {
        let given = FormulaText { name: "--ltl".into(), text: formula.into() };
        let options = ProgramOptions { formula: Some(given), ..ProgramOptions::default() };
        let model = boolean::program("numbers.bp", program, &options).expect("a program");
        let file = files::find("ltl_threads", &[]).expect("it is bundled");
        let offered = offered(&model as &dyn Model, &file).unwrap_or_else(|rejection| panic!("{rejection}"));
        let request = Request { model: Some(offered), ..Request::new(file) };
        let outcome = run(&request, &Settings::default()).unwrap_or_else(|rejection| panic!("{rejection}"));
        assert_eq!(outcome.conclusion().word(), Some(if holds { "safe" } else { "unsafe" }), "{formula}");
    }
}
