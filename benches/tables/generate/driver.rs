//! Parameterized programs in the style of the device drivers of La Torre, Madhusudan and Parlato (section 6): one
//! kernel and any number of drivers, which share flags, a lock, a use count.
//!
//! A program is made of protocols, as many as there are shared variables for: each has a part in the kernel and
//! one in the driver, and an assertion that holds for any number of drivers. In half of the programs one of the
//! protocols has a bug. What is left of the shared variables are flags that everybody reads and writes, and what
//! is left of the statements is work on them and on the locals. It cannot break a protocol, but the check for
//! adequacy must follow it.

use super::Text;
use crate::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub statements: usize,
    pub shared: usize,
    pub locals: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Protocol {
    /// A lock that is taken in an atomic step. Bug: looked at in one step and taken in another.
    SpinLock,
    /// A module that the kernel unloads while nobody uses it. Bug: a driver is counted after it looked.
    UseCount,
    /// A timer that an interrupt arms and the kernel serves. Bug: the driver cancels it before it switches the
    /// interrupt off.
    Watchdog,
    /// A message that the kernel writes and announces. Bug: announced first.
    Message,
}

use Protocol::*;

impl Protocol {
    fn variables(self) -> &'static [&'static str] {
        match self {
            SpinLock => &["locked", "inside"],
            UseCount => &["loaded", "c1", "c0"],
            Watchdog => &["opened", "irq", "armed"],
            Message => &["ready", "data"],
        }
    }

    fn initially(self, variable: &str) -> &'static str {
        if self == UseCount && variable == "loaded" { "T" } else { "F" }
    }
}

pub fn program(size: &Size, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut protocols = Vec::new();
    let mut left = size.shared.max(2);
    loop {
        let fits = |protocol: &Protocol| protocol.variables().len() <= left && !protocols.contains(protocol);
        let open = [SpinLock, UseCount, Watchdog, Message].into_iter().filter(fits).collect::<Vec<_>>();
        // The first must be there; the others leave something for the flags now and then.
        if open.is_empty() || !protocols.is_empty() && random.percent(30) {
            break;
        }
        let protocol = *random.pick(&open);
        left -= protocol.variables().len();
        protocols.push(protocol);
    }
    let bug = if random.percent(50) { Some(*random.pick(&protocols)) } else { None };
    let flags = (0..left).map(|at| format!("f{at}")).collect();
    let locals = (0..size.locals).map(|at| format!("l{at}")).collect();
    let writer = Writer { text: Text::default(), random, protocols, bug, flags, locals };
    writer.write(size.statements)
}

struct Writer {
    text: Text,
    random: Random,
    protocols: Vec<Protocol>,
    bug: Option<Protocol>,
    flags: Vec<String>,
    locals: Vec<String>,
}

impl Writer {
    fn write(mut self, statements: usize) -> String {
        let bug = self.bug.map_or("none".into(), |bug| format!("{bug:?}"));
        self.text.line(&format!("// Protocols: {:?}. Bug: {bug}.", self.protocols));
        let mut shared = self.protocols.iter().flat_map(|one| one.variables()).copied().collect::<Vec<_>>();
        shared.extend(self.flags.iter().map(String::as_str));
        let names = shared.join(", ");
        let value = |name: &&str| self.protocols.iter().map(|one| one.initially(name)).max().unwrap_or("F");
        let values = shared.iter().map(value).collect::<Vec<_>>().join(", ");
        self.text.line(&format!("decl {names};"));
        self.text.line("");
        self.text.open("init begin");
        self.text.simple(&format!("{names} := {values}"));
        self.text.close("end");
        self.thread("kernel", statements / 3, Writer::in_kernel);
        self.thread("driver*", statements, Writer::in_driver);
        self.text.out
    }

    /// A thread that chooses again and again among its parts of the protocols and other work, until the text
    /// has so many statements.
    fn thread(&mut self, name: &str, until: usize, part: fn(&mut Writer, Protocol)) {
        self.text.line("");
        self.text.open(&format!("thread {name} begin"));
        if !self.locals.is_empty() {
            let values = vec!["F"; self.locals.len()].join(", ");
            self.text.line(&format!("decl {};", self.locals.join(", ")));
            self.text.simple(&format!("{} := {values}", self.locals.join(", ")));
        }
        self.text.head("while (T) do");
        for (at, protocol) in self.protocols.clone().into_iter().enumerate() {
            match at {
                0 => self.text.head("if (*) then"),
                _ => self.text.arm("elsif (*) then"),
            }
            part(self, protocol);
        }
        self.text.arm("else");
        self.work();
        while self.text.statements < until {
            self.work();
        }
        self.text.close("fi");
        self.text.close("od");
        self.text.close("end");
    }

    fn atomic(&mut self, statements: &[&str]) {
        self.text.simple("atomic_begin");
        statements.iter().for_each(|statement| self.text.simple(statement));
        self.text.simple("atomic_end");
    }

    fn steps(&mut self, statements: &[&str]) {
        statements.iter().for_each(|statement| self.text.simple(statement));
    }

    fn in_kernel(&mut self, protocol: Protocol) {
        match protocol {
            SpinLock => {
                self.atomic(&["assume(!locked)", "locked := T"]);
                self.steps(&["assert(!inside)", "locked := F"]);
            }
            UseCount => {
                self.atomic(&["assume(!c1 & !c0)", "loaded := F"]);
                self.steps(&["loaded := T"]);
            }
            Watchdog => {
                self.text.head("if (*) then");
                self.atomic(&["assume(irq)", "armed := T"]);
                self.text.arm("else");
                self.atomic(&["assume(armed)", "assert(opened)", "armed := F"]);
                self.text.close("fi");
            }
            Message if self.bug == Some(Message) => self.steps(&["ready := T", "data := T"]),
            Message => self.steps(&["data := T", "ready := T"]),
        }
    }

    fn in_driver(&mut self, protocol: Protocol) {
        let right = self.bug != Some(protocol);
        match protocol {
            SpinLock => {
                match right {
                    true => self.atomic(&["assume(!locked)", "locked := T"]),
                    false => self.steps(&["assume(!locked)", "locked := T"]),
                }
                self.steps(&["assert(!inside)", "inside := T"]);
                self.work_on_locals();
                self.steps(&["inside := F", "locked := F"]);
            }
            UseCount => {
                match right {
                    true => self.atomic(&["assume(loaded & !(c1 & c0))", "c1, c0 := c1 ^ c0, !c0"]),
                    false => {
                        self.steps(&["assume(loaded)"]);
                        self.atomic(&["assume(!(c1 & c0))", "c1, c0 := c1 ^ c0, !c0"]);
                    }
                }
                self.work_on_locals();
                self.steps(&["assert(loaded)"]);
                self.atomic(&["c1, c0 := c1 & c0, !c0"]);
            }
            Watchdog => {
                self.atomic(&["assume(!opened)", "opened, irq := T, T"]);
                self.work_on_locals();
                match right {
                    true => self.steps(&["irq := F", "armed := F", "opened := F"]),
                    false => self.steps(&["armed := F", "irq := F", "opened := F"]),
                }
            }
            Message => self.steps(&["assume(ready)", "assert(data)"]),
        }
    }

    /// A few statements that no protocol depends on.
    fn work(&mut self) {
        if self.flags.is_empty() || self.random.percent(30) {
            return self.work_on_locals();
        }
        let flag = self.random.pick(&self.flags).clone();
        let other = self.random.pick(&self.flags).clone();
        let value = self.value();
        match self.random.below(6) {
            0 => self.steps(&[&format!("{flag} := {value}")]),
            1 => self.steps(&[&format!("{flag} := !{flag}")]),
            2 if flag != other => {
                self.atomic(&[&format!("assume({flag})"), &format!("{flag}, {other} := F, {value}")]);
            }
            3 if !self.locals.is_empty() => {
                let local = self.random.pick(&self.locals).clone();
                self.steps(&[&format!("{local} := {flag} & {value}")]);
            }
            4 => {
                self.text.head(&format!("if ({flag}) then"));
                self.steps(&[&format!("{other} := {value}")]);
                self.text.close("fi");
            }
            _ => {
                self.text.head(&format!("if ({value}) then"));
                self.steps(&[&format!("{flag} := T")]);
                self.text.arm("else");
                self.steps(&[&format!("{flag} := F")]);
                self.text.close("fi");
            }
        }
    }

    /// Work that changes no shared variable.
    fn work_on_locals(&mut self) {
        if self.locals.is_empty() {
            return self.steps(&["skip"]);
        }
        let local = self.random.pick(&self.locals).clone();
        let value = self.value();
        match self.random.below(3) {
            0 => self.steps(&[&format!("{local} := {value}")]),
            1 => self.steps(&[&format!("{local} := {local} ^ {value}")]),
            _ => {
                self.text.head(&format!("if ({local}) then"));
                self.steps(&[&format!("{local} := {value}")]);
                self.text.close("fi");
            }
        }
    }

    fn value(&mut self) -> String {
        let local = self.random.below(3) > 0 && !self.locals.is_empty();
        match self.random.below(6) {
            0 => "*".into(),
            1 => "T".into(),
            2 => "F".into(),
            _ if local => self.random.pick(&self.locals).clone(),
            _ if !self.flags.is_empty() => self.random.pick(&self.flags).clone(),
            _ => self.random.pick(self.protocols[0].variables()).to_string(),
        }
    }
}
