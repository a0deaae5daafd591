//! Calls in the text: what others notice of a function of the library, and the order of arguments.

use super::super::calls::ATOMIC;
use super::super::library;
use super::text::{Text, is_pointer};
use lang_c::ast::{self, DeclarationSpecifier, Expression, TypeSpecifier};
use lang_c::span::{Node, Span};

impl<'a> Text<'a> {
    pub fn call(&mut self, call: &'a ast::CallExpression, span: Span) -> String {
        let Expression::Identifier(name) = &call.callee.node else {
            self.refusal.get_or_insert("it calls through a pointer".into());
            return self.source(span).into();
        };
        let name = name.node.name.as_str();
        let text = match self.unit.functions.get(name) {
            Some(function) if !library::is_error(name) => {
                let (before, call) = self.in_order(call);
                let nothing = returns_nothing(function);
                let call = match (name.starts_with(ATOMIC), nothing) {
                    (true, true) => format!("FP_ATOMIC_VOID({call})"),
                    (true, false) => format!("FP_ATOMIC({call})"),
                    (false, _) => call,
                };
                wrapped(before, call)
            }
            _ => self.known(name, call, span),
        };
        self.spaced(span, text)
    }

    /// A call with its arguments; all that others may notice of them is done before, from left to right.
    fn in_order(&mut self, call: &'a ast::CallExpression) -> (String, String) {
        let (before, arguments) = self.arguments(&call.arguments, 2);
        let callee = self.source(call.callee.span).trim();
        (before, format!("{callee}({})", arguments.join(", ")))
    }

    /// Arguments as texts, and what is done before them if so many of them do something.
    fn arguments(&mut self, arguments: &'a [Node<Expression>], most: usize) -> (String, Vec<String>) {
        let texts = arguments.iter().map(|argument| self.value(argument).trim_end().to_string());
        let mut texts = texts.collect::<Vec<_>>();
        let noticed = |this: &Self, at: usize| this.noticed(&arguments[at], &texts[at]);
        let places = (0..texts.len()).filter(|at| noticed(self, *at)).collect::<Vec<_>>();
        let mut before = String::new();
        if places.len() >= most {
            for at in places {
                self.counter += 1;
                let kept = format!("fp_{}", self.counter);
                before.push_str(&format!("__auto_type {kept} = {}; ", texts[at]));
                texts[at] = kept;
            }
        }
        (before, texts)
    }

    /// A function whose body is not in the file. What nothing is known of, or is called with too little, stays as it is.
    fn known(&mut self, name: &str, call: &'a ast::CallExpression, span: Span) -> String {
        if library::is_error(name) {
            return format!("fp_error({}, __LINE__)", quoted(self.source(span).trim()));
        }
        if library::any_number(name).is_some() {
            return format!("(__typeof__({name}()))fp_input()");
        }
        self.scheduled(name, &call.arguments, span).unwrap_or_else(|| {
            let (before, call) = self.in_order(call);
            wrapped(before, call)
        })
    }

    /// A function that others notice, or that ends something.
    fn scheduled(&mut self, name: &str, arguments: &'a [Node<Expression>], span: Span) -> Option<String> {
        // Only the usual order is supported, which the function without it has.
        let (base, explicit) = match name.strip_suffix("_explicit") {
            Some(base) => (base, true),
            None => (name, false),
        };
        Some(match base {
            "assert" | "__VERIFIER_assert" | "__CPROVER_assert" => {
                format!("FP_ASSERT({}, {})", quoted(self.source(span).trim()), self.argument(arguments, 0)?)
            }
            "assume_abort_if_not" | "__VERIFIER_assume" | "__CPROVER_assume" => {
                format!("FP_ASSUME({})", self.argument(arguments, 0)?)
            }
            "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" => "fp_stop()".into(),
            "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" => "fp_enter()".into(),
            "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => "fp_leave()".into(),
            "sleep" | "usleep" | "sched_yield" | "pthread_yield" => "0".into(),
            "pthread_create" => {
                let [_, attributes, function, _] = arguments else { return None };
                let (thread, argument) = (self.argument(arguments, 0)?, self.argument(arguments, 3)?);
                let (attributes, function) = (self.source(attributes.span), self.source(function.span));
                format!("FP_CREATE({thread}, {}, {}, {argument})", attributes.trim(), function.trim())
            }
            "pthread_exit" => {
                let result = self.effect(arguments.first()?);
                format!("FP_EXIT({})", result.trim_end())
            }
            "pthread_mutex_lock" if self.checks_locks => self.one("FP_LOCK", arguments)?,
            "pthread_mutex_trylock" if self.checks_locks => self.one("FP_TRYLOCK", arguments)?,
            "pthread_mutex_unlock" if self.checks_locks => self.one("FP_UNLOCK", arguments)?,
            "pthread_mutex_lock"
            | "pthread_mutex_trylock"
            | "pthread_mutex_unlock"
            | "pthread_mutex_init"
            | "pthread_barrier_init"
            | "sem_init"
            | "sem_wait"
            | "sem_post" => self.step('w', name, arguments)?,
            "sem_trywait" => self.step('u', name, arguments)?,
            "pthread_barrier_wait" => {
                let result = if self.unit.barriers_tell { "fp_input() ? -1 : 0" } else { "0" };
                format!("({{ {}; {result}; }})", self.one("FP_BARRIER", arguments)?)
            }
            "pthread_cond_wait" => {
                let wait = if self.checks_locks { "FP_WAIT_HELD" } else { "FP_WAIT" };
                format!("{wait}({}, {})", self.argument(arguments, 0)?, self.argument(arguments, 1)?)
            }
            "atomic_load" => format!("FP_READ(*({}))", self.argument(arguments, 0)?),
            "atomic_store" | "atomic_init" => {
                format!("FP_WRITE(*({}), {})", self.argument(arguments, 0)?, self.argument(arguments, 1)?)
            }
            "__sync_lock_release" | "atomic_flag_clear" => {
                format!("FP_VOID('w', {base}, {})", self.argument(arguments, 0)?)
            }
            "atomic_compare_exchange_weak" => {
                let texts = (0..3).map(|at| self.argument(arguments, at)).collect::<Option<Vec<_>>>()?;
                format!("FP_WEAK({})", texts.join(", "))
            }
            "__sync_synchronize" | "atomic_thread_fence" => return None,
            _ if explicit || name.starts_with("__sync_") || name.starts_with("atomic_") => {
                self.step('u', name, arguments)?
            }
            _ => return None,
        })
    }

    fn argument(&mut self, arguments: &'a [Node<Expression>], at: usize) -> Option<String> {
        Some(self.value(arguments.get(at)?).trim_end().to_string())
    }

    /// A macro in place of a function with one argument.
    fn one(&mut self, name: &str, arguments: &'a [Node<Expression>]) -> Option<String> {
        Some(format!("{name}({})", self.argument(arguments, 0)?))
    }

    /// A function that is one step, and changes what its first argument points to.
    fn step(&mut self, kind: char, name: &str, arguments: &'a [Node<Expression>]) -> Option<String> {
        let (before, texts) = self.arguments(arguments, 1);
        let (place, others) = texts.split_first()?;
        let others = others.iter().map(|other| format!(", {other}")).collect::<String>();
        let macro_name = if others.is_empty() { "FP_ONE" } else { "FP_MORE" };
        Some(wrapped(before, format!("{macro_name}('{kind}', {name}, {place}{others})")))
    }
}

fn wrapped(before: String, call: String) -> String {
    match before.is_empty() {
        true => call,
        false => format!("({{ {before}{call}; }})"),
    }
}

/// A string of C.
pub fn quoted(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("\"{}\"", words.replace('\\', "\\\\").replace('"', "\\\""))
}

fn returns_nothing(function: &Node<ast::FunctionDefinition>) -> bool {
    let void = |specifier: &Node<DeclarationSpecifier>| match &specifier.node {
        DeclarationSpecifier::TypeSpecifier(of) => matches!(of.node, TypeSpecifier::Void),
        _ => false,
    };
    function.node.specifiers.iter().any(void) && !is_pointer(&function.node.declarator.node)
}
