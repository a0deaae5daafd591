//! Functions without a body: what they do is known, or they are refused.

use super::lower::{Lower, Lowered, mistake, unsupported};
use super::types::{CType, IntType};
use super::value::{Number, Place, Pointer, Truth, Value};
use crate::model::options::Check;
use crate::model::program::predicate::PredicateText;
use crate::model::program::{Domain, Expr, Form, Op, ProcedureId, Var, Variable};
use calculus::span::Span;
use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;
use std::collections::BTreeSet;

/// Functions that must not be called, whatever their body is.
pub fn is_error(name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error" | "__assert_fail" | "__assert")
}

/// The type of the numbers that a function gives, any of them.
pub fn any_number(name: &str) -> Option<IntType> {
    let kind = name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_"))?;
    Some(match kind {
        "bool" | "_Bool" => IntType::BOOL,
        "char" | "s8" => IntType::new(8, true),
        "uchar" | "unsigned_char" | "u8" => IntType::new(8, false),
        "short" | "s16" => IntType::new(16, true),
        "ushort" | "unsigned_short" | "u16" => IntType::new(16, false),
        "int" | "s32" => IntType::INT,
        "uint" | "unsigned" | "unsigned_int" | "u32" => IntType::new(32, false),
        "long" | "longlong" | "s64" => IntType::LONG,
        "ulong" | "unsigned_long" | "ulonglong" | "size_t" | "u64" => IntType::SIZE,
        _ => return None,
    })
}

/// The number of arguments is what the function takes.
pub fn expect(name: &str, arguments: &[Node<Expression>], count: usize, span: Span) -> Lowered<()> {
    if arguments.len() == count {
        return Ok(());
    }
    let title = format!("`{name}` takes {count} arguments and gets {}", arguments.len());
    Err(mistake(span, title, "called here"))
}

impl<'a> Lower<'a> {
    pub fn library(&mut self, name: &str, arguments: &'a [Node<Expression>], span: Span) -> Lowered<Value> {
        if is_error(name) {
            self.error_unless(Truth::constant(false), span);
            self.stop(span);
            return Ok(Value::Void);
        }
        if let Some(of) = any_number(name) {
            return Ok(self.any_number(of, span));
        }
        if let Some(value) = self.atomics(name, arguments, span)? {
            return Ok(value);
        }
        match name {
            "assert" | "__VERIFIER_assert" | "__CPROVER_assert" => {
                let Some(condition) = arguments.first() else {
                    return Err(mistake(span, format!("`{name}` takes a condition"), "called here"));
                };
                let condition = self.condition(condition)?;
                self.error_unless(condition, span);
                Ok(Value::Void)
            }
            "assume_abort_if_not" | "__VERIFIER_assume" | "__CPROVER_assume" => {
                expect(name, arguments, 1, span)?;
                let condition = self.condition(&arguments[0])?;
                self.assume(condition, span);
                Ok(Value::Void)
            }
            "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" => {
                arguments.iter().try_for_each(|argument| self.effect(argument))?;
                self.stop(span);
                Ok(Value::Void)
            }
            // Read as a text: its names need no value here, and `other.x` is no C.
            "__CPROVER_predicate" => {
                expect(name, arguments, 1, span)?;
                let Span { file, start, .. } = self.span(&arguments[0]);
                let text = self.places.text(arguments[0].span.start, arguments[0].span.end).to_string();
                self.predicates.push(PredicateText { text, file, start });
                Ok(Value::Void)
            }
            "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" => {
                self.begin_atomic(span);
                Ok(Value::Void)
            }
            "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => {
                self.end_atomic(span);
                Ok(Value::Void)
            }
            "printf" | "fprintf" | "puts" | "putchar" | "fflush" | "perror" => {
                // Where it is written to is no value here.
                let stream = usize::from(matches!(name, "fprintf" | "fflush"));
                for argument in arguments.iter().skip(stream) {
                    let value = self.value(argument)?;
                    let _ = self.settled_value(value, span);
                }
                Ok(self.any_number(IntType::INT, span))
            }
            "sleep" | "usleep" | "sched_yield" | "pthread_yield" => {
                arguments.iter().try_for_each(|argument| self.effect(argument))?;
                Ok(Value::int(0))
            }
            "pthread_create" => self.create(arguments, span),
            "pthread_join" => self.join(arguments, span),
            "pthread_detach" => {
                arguments.iter().try_for_each(|argument| self.effect(argument))?;
                Ok(Value::int(0))
            }
            "pthread_exit" => {
                expect(name, arguments, 1, span)?;
                self.exit_thread(span)
            }
            "pthread_mutex_init" | "pthread_mutex_destroy" => {
                let mutex = self.object_at(arguments.first(), &CType::Mutex, span)?;
                if name == "pthread_mutex_init" {
                    self.set(mutex, vec![Op::Constant(false)], None, span);
                }
                Ok(Value::int(0))
            }
            "pthread_mutex_lock" | "pthread_mutex_trylock" | "pthread_mutex_unlock" => {
                expect(name, arguments, 1, span)?;
                let mutex = self.object_at(arguments.first(), &CType::Mutex, span)?;
                self.mutex(name, mutex, span)
            }
            "pthread_cond_init"
            | "pthread_cond_destroy"
            | "pthread_cond_signal"
            | "pthread_cond_broadcast"
            | "pthread_attr_init"
            | "pthread_attr_destroy"
            | "pthread_attr_setdetachstate"
            | "pthread_mutexattr_init"
            | "pthread_mutexattr_destroy"
            | "pthread_barrierattr_init"
            | "pthread_barrierattr_destroy" => {
                // Whoever waits may go on at any time, so a signal changes nothing.
                Ok(Value::int(0))
            }
            "pthread_mutexattr_settype" => Err(unsupported(
                span,
                "kinds of mutexes other than the usual one are not supported",
                "use the usual kind: locking it twice waits forever",
            )),
            "pthread_cond_wait" => {
                expect(name, arguments, 2, span)?;
                let mutex = self.object_at(arguments.get(1), &CType::Mutex, span)?;
                self.mutex("pthread_mutex_unlock", mutex, span)?;
                self.mutex("pthread_mutex_lock", mutex, span)
            }
            "sem_init" => {
                expect(name, arguments, 3, span)?;
                let semaphore = self.object_at(arguments.first(), &CType::Semaphore, span)?;
                let value = self.value(&arguments[2])?;
                let value = self.settled_value(value, span);
                self.write(semaphore, value, span)?;
                Ok(Value::int(0))
            }
            "sem_wait" | "sem_trywait" | "sem_post" | "sem_destroy" => {
                expect(name, arguments, 1, span)?;
                let semaphore = self.object_at(arguments.first(), &CType::Semaphore, span)?;
                self.semaphore(name, semaphore, span)
            }
            "pthread_barrier_init" => self.barrier_init(arguments, span),
            "pthread_barrier_wait" => self.barrier_wait(arguments, span),
            "pthread_barrier_destroy" => self.barrier(arguments.first(), span).map(|_| Value::int(0)),
            "__builtin_expect" => {
                expect(name, arguments, 2, span)?;
                self.value(&arguments[0])
            }
            "malloc" | "calloc" | "realloc" | "free" | "aligned_alloc" | "alloca" => Err(unsupported(
                span,
                format!("`{name}`: memory that is made while the program runs is not supported"),
                "use global variables or arrays of a fixed size",
            )),
            "pthread_rwlock_rdlock"
            | "pthread_rwlock_wrlock"
            | "pthread_rwlock_unlock"
            | "pthread_rwlock_destroy"
            | "pthread_rwlock_tryrdlock"
            | "pthread_rwlock_trywrlock"
            | "pthread_spin_init"
            | "pthread_rwlock_init"
            | "pthread_once"
            | "pthread_cancel"
            | "pthread_self"
            | "pthread_key_create"
            | "pthread_setspecific"
            | "pthread_getspecific"
            | "pthread_spin_lock"
            | "pthread_spin_unlock"
            | "pthread_cond_timedwait" => Err(unsupported(
                span,
                format!("`{name}` is not supported"),
                "use mutexes and condition variables",
            )),
            "memcpy" | "memset" | "strlen" | "strcmp" | "strcpy" => {
                Err(unsupported(span, format!("`{name}` is not supported"), "assign the elements one by one"))
            }
            _ if name.starts_with("__VERIFIER_nondet") => Err(unsupported(
                span,
                format!("`{name}` is not supported"),
                "numbers from outside are of types such as int, uint, char or bool",
            )),
            _ => Err(unsupported(
                span,
                format!("what `{name}` does is not known"),
                format!("give it a body in this file, or let it return anything: --havoc {name}"),
            )),
        }
    }

    /// The variable whose address is given.
    pub fn object_at(
        &mut self,
        argument: Option<&'a Node<Expression>>,
        of: &CType,
        span: Span,
    ) -> Lowered<Var> {
        let place = self.place_at(argument, of, span)?;
        self.only_scalar(&place, span)
    }

    /// The place whose address is given.
    pub fn place_at(
        &mut self,
        argument: Option<&'a Node<Expression>>,
        of: &CType,
        span: Span,
    ) -> Lowered<Place> {
        let Some(argument) = argument else {
            return Err(mistake(span, format!("the address of {} is missing", of.words()), "called here"));
        };
        let value = self.value(argument)?;
        let place = self.target(value, span)?;
        if place.of != *of {
            let title = format!("the address of {} is needed, and this is {}", of.words(), place.of.words());
            return Err(unsupported(span, title, format!("give the address of {}", of.words())));
        }
        Ok(place)
    }

    fn only_scalar(&mut self, place: &Place, span: Span) -> Lowered<Var> {
        match (place.indices.is_empty(), place.object.scalars.get(place.offset)) {
            (true, Some((var, _))) => Ok(*var),
            _ => Err(unsupported(
                span,
                "which element of the array is meant is known only when the program runs",
                "use a constant index here, or a switch over the index",
            )),
        }
    }

    /// One step that sets a variable; a thread waits until the guard holds.
    pub fn set(&mut self, var: Var, code: Vec<Op>, guard: Option<Vec<Op>>, span: Span) {
        let values = vec![Expr { code, span }];
        self.set_all(vec![Some(var)], values, guard, span);
    }

    fn set_all(&mut self, targets: Vec<Option<Var>>, values: Vec<Expr>, guard: Option<Vec<Op>>, span: Span) {
        let waits = guard.is_some();
        let constrain = guard.map(|code| Expr { code, span });
        let statement = self.emit(Form::Assign { targets, values, constrain, others: None }, span);
        if waits {
            self.synchronisation.waits.insert((ProcedureId(self.current as u32), statement));
        }
    }

    /// A variable by which threads wait for each other.
    pub fn synchronising(&mut self, var: Var) -> Var {
        if let Var::Shared(at) = var {
            self.synchronisation.variables.insert(at);
        }
        var
    }

    /// Whether the running thread holds a mutex; nobody asks unless mistakes with locks are looked for.
    fn holds(&mut self, mutex: Var, span: Span) -> Option<Var> {
        if !self.words.checks(Check::Lock) {
            return None;
        }
        if let Some(known) = self.held.get(&mutex) {
            return Some(*known);
        }
        let name = match mutex {
            Var::Shared(at) => self.shared[at as usize].name.clone(),
            Var::Own(at) => self.own[at as usize].name.clone(),
            Var::Local(at) => self.emitter.locals[at as usize].name.clone(),
        };
        let variable = Variable { span, ..Variable::flag(format!("holds {name}")) };
        self.own.push(variable);
        let flag = Var::Own(self.own.len() as u32 - 1);
        self.held.insert(mutex, flag);
        Some(flag)
    }

    /// A thread that ends holds no mutex.
    pub fn check_held(&mut self, span: Span) {
        let mine = self.held.values().copied().collect::<BTreeSet<_>>();
        for flag in mine {
            self.check(Truth::variable(flag).negated(), span);
        }
    }

    /// A mutex is held from now on, or not any more.
    fn hold(&mut self, (mutex, flag): (Var, Option<Var>), held: bool, guard: Option<Vec<Op>>, span: Span) {
        let targets = [Some(mutex), flag].into_iter().flatten().map(Some).collect::<Vec<_>>();
        let values = targets.iter().map(|_| Expr { code: vec![Op::Constant(held)], span }).collect();
        self.set_all(targets, values, guard, span);
    }

    fn mutex(&mut self, name: &str, mutex: Var, span: Span) -> Lowered<Value> {
        let free = vec![Op::Old(mutex), Op::Not];
        let flag = self.holds(mutex, span);
        match name {
            "pthread_mutex_lock" => {
                self.hold((mutex, flag), true, Some(free), span);
                Ok(Value::int(0))
            }
            "pthread_mutex_trylock" => {
                // Whether it was free, and from now on it is held: one step.
                let var = self.temporary(Domain::Bool, span);
                let mut values = vec![free.clone(), vec![Op::Constant(true)]];
                let mut targets = vec![Some(var), Some(mutex)];
                if let Some(flag) = flag {
                    targets.push(Some(flag));
                    values.push([free, vec![Op::Old(flag), Op::Or]].concat());
                }
                let values = values.into_iter().map(|code| Expr { code, span }).collect();
                self.emit(Form::Assign { targets, values, constrain: None, others: None }, span);
                // EBUSY
                self.one_of(Truth::variable(var), 0, 16, span)
            }
            _ => {
                if let Some(flag) = flag {
                    self.check(Truth::variable(flag), span);
                }
                self.hold((mutex, flag), false, None, span);
                Ok(Value::int(0))
            }
        }
    }

    fn semaphore(&mut self, name: &str, semaphore: Var, span: Span) -> Lowered<Value> {
        let old = Op::Old(semaphore);
        let free = vec![old, Op::Number(0), Op::Greater];
        let one_less = vec![old, Op::Number(1), Op::Minus];
        match name {
            "sem_wait" => self.set(semaphore, one_less, Some(free), span),
            "sem_trywait" => {
                self.enter_section(span);
                let taken = self.settled_truth(Truth { code: free, shared: true }, span);
                let take = |this: &mut Self| {
                    this.set(semaphore, one_less, None, span);
                    Ok(())
                };
                let done = self.branch(taken.clone(), span, take, |_| Ok(()));
                self.leave_section(span);
                done?;
                return self.one_of(taken, 0, -1, span);
            }
            "sem_post" => {
                self.cuts
                    .entry(span)
                    .or_insert_with(|| format!("a semaphore leaves {} bits", self.words.width));
                self.set(semaphore, vec![old, Op::Number(1), Op::Plus], None, span);
            }
            _ => {}
        }
        Ok(Value::int(0))
    }

    /// One number if a condition holds, and another one if not.
    pub fn one_of(&mut self, condition: Truth, then: i64, otherwise: i64, span: Span) -> Lowered<Value> {
        let domain = Domain::Range { low: then.min(otherwise), high: then.max(otherwise), wraps: false };
        let result = self.temporary(domain.clone(), span);
        let number = |number: i64| {
            move |this: &mut Self| {
                this.emitter.assign(result, vec![Op::Number(number)], span);
                Ok(())
            }
        };
        self.branch(condition, span, number(then), number(otherwise))?;
        Ok(Value::Number(Number::temporary(result, &domain, IntType::INT)))
    }

    /// `__sync_…` and `atomic_…`: each is one step.
    fn atomics(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        span: Span,
    ) -> Lowered<Option<Value>> {
        let explicit = name.strip_suffix("_explicit");
        let orders = match explicit {
            Some("atomic_compare_exchange_strong" | "atomic_compare_exchange_weak") => 2,
            Some(_) => 1,
            None => usize::from(name == "atomic_thread_fence"),
        };
        if orders > 0 {
            for order in arguments.iter().rev().take(orders) {
                if self.is_constant(order) != Some(5) {
                    let title = "only sequentially consistent atomics are supported";
                    return Err(unsupported(self.span(order), title, "use memory_order_seq_cst"));
                }
            }
        }
        let base = explicit.unwrap_or(name);
        let arguments = &arguments[..arguments.len().saturating_sub(orders)];
        let fetched = |operator: &str| match operator {
            "add" => Some(BinaryOperator::Plus),
            "sub" => Some(BinaryOperator::Minus),
            "or" => Some(BinaryOperator::BitwiseOr),
            "and" => Some(BinaryOperator::BitwiseAnd),
            "xor" => Some(BinaryOperator::BitwiseXor),
            _ => None,
        };
        let before = base.strip_prefix("__sync_fetch_and_").or_else(|| base.strip_prefix("atomic_fetch_"));
        let after = base.strip_prefix("__sync_").and_then(|rest| rest.strip_suffix("_and_fetch"));
        if let Some(operator) = before.or(after).and_then(fetched) {
            expect(name, arguments, 2, span)?;
            let place = self.atomic_place(&arguments[0], span)?;
            let by = self.value(&arguments[1])?;
            let by = self.settled_value(by, span);
            self.enter_section(span);
            let done = self.changed(&place, &operator, by, true, span);
            self.leave_section(span);
            let (old, new) = done?;
            return Ok(Some(if before.is_some() { old } else { new }));
        }
        let value = match base {
            "__sync_synchronize" | "atomic_thread_fence" if arguments.is_empty() => Value::Void,
            "atomic_load" => {
                expect(name, arguments, 1, span)?;
                let place = self.atomic_place(&arguments[0], span)?;
                let value = self.load(place, span)?;
                self.settled_value(value, span)
            }
            "atomic_store" | "atomic_init" => {
                expect(name, arguments, 2, span)?;
                let place = self.atomic_place(&arguments[0], span)?;
                let value = self.value(&arguments[1])?;
                self.store(&place, value, span)?;
                Value::Void
            }
            "__sync_lock_release" | "atomic_flag_clear" => {
                expect(name, arguments, 1, span)?;
                let place = self.atomic_place(&arguments[0], span)?;
                self.store(&place, Value::int(0), span)?;
                Value::Void
            }
            "__sync_lock_test_and_set" | "atomic_exchange" | "atomic_flag_test_and_set" => {
                let count = if base == "atomic_flag_test_and_set" { 1 } else { 2 };
                expect(name, arguments, count, span)?;
                let place = self.atomic_place(&arguments[0], span)?;
                let value = match arguments.get(1) {
                    Some(value) => self.value(value)?,
                    None => Value::int(1),
                };
                let value = self.settled_value(value, span);
                self.enter_section(span);
                let old = self.load(place.clone(), span);
                let old = old.map(|old| self.settled_value(old, span));
                let stored = self.store(&place, value, span);
                self.leave_section(span);
                stored?;
                old?
            }
            "__sync_bool_compare_and_swap" | "__sync_val_compare_and_swap" => {
                expect(name, arguments, 3, span)?;
                let place = self.atomic_place(&arguments[0], span)?;
                let expected = self.value(&arguments[1])?;
                let expected = self.settled_value(expected, span);
                let wanted = self.value(&arguments[2])?;
                let wanted = self.settled_value(wanted, span);
                self.enter_section(span);
                let swapped = self.swapped(&place, expected, wanted, span);
                self.leave_section(span);
                let (old, same) = swapped?;
                if base == "__sync_bool_compare_and_swap" { Value::Truth(same) } else { old }
            }
            "atomic_compare_exchange_strong" | "atomic_compare_exchange_weak" => {
                expect(name, arguments, 3, span)?;
                let place = self.atomic_place(&arguments[0], span)?;
                let expected = self.value(&arguments[1])?;
                let expected = self.target(expected, span)?;
                let wanted = self.value(&arguments[2])?;
                let wanted = self.settled_value(wanted, span);
                if expected.is_shared() {
                    let title = "the expected value is in a variable that other threads see";
                    return Err(unsupported(span, title, "use a local variable"));
                }
                self.enter_section(span);
                let done = self.exchanged(&place, &expected, wanted, base.ends_with("weak"), span);
                self.leave_section(span);
                Value::Truth(done?)
            }
            _ if base.starts_with("__sync_")
                || base.starts_with("atomic_")
                || base.starts_with("__atomic_") =>
            {
                return Err(unsupported(
                    span,
                    format!("`{name}` is not supported"),
                    "use atomic_load, atomic_store, atomic_exchange, atomic_fetch_add or atomic_compare_exchange_strong",
                ));
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn atomic_place(&mut self, argument: &'a Node<Expression>, span: Span) -> Lowered<Place> {
        let value = self.value(argument)?;
        match value {
            Value::Pointer(Pointer::To(_)) => self.target(value, span),
            _ => Err(unsupported(span, "the address of a variable is needed", "write `&x`")),
        }
    }

    pub fn enter_section(&mut self, span: Span) {
        self.begin_atomic(span);
        self.atomic += 1;
    }

    /// The same, where a thread waits until it can be passed.
    pub fn enter_waiting(&mut self, span: Span) {
        let begin = self.emit(Form::AtomicBegin, span);
        self.synchronisation.waits.insert((ProcedureId(self.current as u32), begin));
        self.atomic += 1;
    }

    pub fn leave_section(&mut self, span: Span) {
        self.atomic -= 1;
        self.end_atomic(span);
    }

    /// Compare and swap, inside a section: the value before, and whether it was the expected one.
    fn swapped(
        &mut self,
        place: &Place,
        expected: Value,
        wanted: Value,
        span: Span,
    ) -> Lowered<(Value, Truth)> {
        let CType::Int(of) = place.of else {
            return Err(unsupported(span, "this is no number", "swap numbers"));
        };
        let old = self.load(place.clone(), span)?;
        let old = self.settled_value(old, span);
        let expected = self.stored(expected, of, span)?;
        let same = self.equal(old.clone(), expected, span)?;
        let same = self.settled_truth(same, span);
        let place = place.clone();
        self.branch(same.clone(), span, |this| this.store(&place, wanted, span), |_| Ok(()))?;
        Ok((old, same))
    }

    fn exchanged(
        &mut self,
        place: &Place,
        expected: &Place,
        wanted: Value,
        weak: bool,
        span: Span,
    ) -> Lowered<Truth> {
        let guess = self.load(expected.clone(), span)?;
        let guess = self.settled_value(guess, span);
        let old = self.load(place.clone(), span)?;
        let old = self.settled_value(old, span);
        let mut same = self.equal(old.clone(), guess, span)?;
        if weak {
            // It may fail without a reason.
            same = same.combined(Op::And, Truth { code: vec![Op::Nondet], shared: false });
        }
        let same = self.settled_truth(same, span);
        let (to, from) = (place.clone(), expected.clone());
        self.branch(
            same.clone(),
            span,
            |this| this.store(&to, wanted, span),
            |this| this.store(&from, old, span),
        )?;
        Ok(same)
    }
}
