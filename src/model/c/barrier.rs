//! Barriers: threads wait until as many have come as the barrier was made for, and then all of them go on.
//!
//! A thread comes in one step and leaves in another one. When the last one comes, all of a round may leave; before they have,
//! nobody comes for the next round. No run is lost by that: leaving is possible at once, others notice nothing of it, and who
//! has left may still wait before its next statement. So a thread of the next round never takes the place of one that is
//! to leave, however many threads share the barrier.

use super::library::expect;
use super::lower::{Lower, Lowered, unsupported};
use super::types::{CType, IntType, Leaf};
use super::value::{Truth, Value};
use crate::model::program::{Domain, Expr, Form, Op, Var};
use calculus::span::Span;
use lang_c::ast::Expression;
use lang_c::span::Node;

/// For how many threads it is, how many have come, how many are to leave, and whether one of these was told that it is
/// the one that gets another result.
pub const PARTS: [(&str, Leaf); 4] = [
    ("count", Leaf::Semaphore),
    ("inside", Leaf::Semaphore),
    ("leaving", Leaf::Semaphore),
    ("told", Leaf::Mutex),
];

impl<'a> Lower<'a> {
    /// The variables of the barrier whose address is given.
    pub fn barrier(&mut self, argument: Option<&'a Node<Expression>>, span: Span) -> Lowered<[Var; 4]> {
        let of = &CType::Barrier;
        let place = self.place_at(argument, of, span)?;
        let scalars = place.object.scalars.get(place.offset..place.offset + PARTS.len());
        match scalars {
            Some([count, inside, leaving, told]) if place.indices.is_empty() => {
                Ok([count.0, inside.0, leaving.0, told.0])
            }
            _ => Err(unsupported(
                span,
                "which element of the array is meant is known only when the program runs",
                "use a constant index here, or a switch over the index",
            )),
        }
    }

    pub fn barrier_init(&mut self, arguments: &'a [Node<Expression>], span: Span) -> Lowered<Value> {
        expect("pthread_barrier_init", arguments, 3, span)?;
        let [count, inside, leaving, _] = self.barrier(arguments.first(), span)?;
        let threads = self.value(&arguments[2])?;
        let threads = self.number(threads, span)?;
        let threads = self.converted(threads, IntType::new(32, false), span)?;
        let threads = self.settled(threads, span);
        if !self.domain(count).takes(threads.interval) {
            let why = format!("the number of threads of a barrier leaves {} bits", self.words.width);
            self.cuts.entry(span).or_insert(why);
        }
        let zero = vec![Op::Number(0)];
        let values = [threads.code, zero.clone(), zero].map(|code| Expr { code, span });
        let targets = [count, inside, leaving].map(Some);
        self.emit(
            Form::Assign { targets: targets.into(), values: values.into(), constrain: None, others: None },
            span,
        );
        Ok(Value::int(0))
    }

    pub fn barrier_wait(&mut self, arguments: &'a [Node<Expression>], span: Span) -> Lowered<Value> {
        expect("pthread_barrier_wait", arguments, 1, span)?;
        let [count, inside, leaving, told] = self.barrier(arguments.first(), span)?;
        let with_one_more = vec![Op::Old(inside), Op::Number(1), Op::Plus];
        let nobody = Truth { code: vec![Op::Old(leaving), Op::Number(0), Op::Equal], shared: true };
        let last = [&with_one_more[..], &[Op::Old(count), Op::Equal]].concat();
        self.enter_waiting(span);
        self.assume(nobody, span);
        let last = self.settled_truth(Truth { code: last, shared: true }, span);
        let let_go = |this: &mut Self| {
            this.set(leaving, vec![Op::Old(count)], None, span);
            this.set(inside, vec![Op::Number(0)], None, span);
            Ok(())
        };
        let come = |this: &mut Self| {
            // More than the barrier is for never are inside, unless it was never made: then nobody goes on.
            let room = Truth { code: vec![Op::Old(inside), Op::Old(count), Op::Less], shared: true };
            this.assume(room, span);
            this.set(inside, with_one_more, None, span);
            Ok(())
        };
        let came = self.branch(last, span, let_go, come);
        self.leave_section(span);
        came?;
        self.enter_waiting(span);
        self.assume(Truth { code: vec![Op::Old(leaving), Op::Number(0), Op::Greater], shared: true }, span);
        self.set(leaving, vec![Op::Old(leaving), Op::Number(1), Op::Minus], None, span);
        let result = match self.unit.barriers_tell {
            true => self.told(leaving, told, span),
            false => Ok(Value::int(0)),
        };
        self.leave_section(span);
        result
    }

    /// Exactly one of those that leave, and nobody knows which one, gets `PTHREAD_BARRIER_SERIAL_THREAD`.
    fn told(&mut self, leaving: Var, told: Var, span: Span) -> Lowered<Value> {
        let this_one = self.temporary(Domain::Bool, span);
        self.emitter.assign(this_one, vec![Op::Nondet], span);
        let (mine, known) = (Op::Old(this_one), Op::Old(told));
        let not_two = vec![mine, known, Op::And, Op::Not];
        self.assume(Truth { code: not_two, shared: true }, span);
        let done = vec![Op::Old(leaving), Op::Number(0), Op::Equal];
        let done = Truth { code: done, shared: true };
        let either = Truth { code: vec![mine, known, Op::Or], shared: true };
        let last = |this: &mut Self| {
            this.assume(either, span);
            this.set(told, vec![Op::Constant(false)], None, span);
            Ok(())
        };
        let other = |this: &mut Self| {
            this.set(told, vec![mine, known, Op::Or], None, span);
            Ok(())
        };
        self.branch(done, span, last, other)?;
        self.one_of(Truth::variable(this_one), -1, 0, span)
    }
}
