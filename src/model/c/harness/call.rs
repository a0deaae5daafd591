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

    /// A function whose body is not in the file.
    fn known(&mut self, name: &str, call: &'a ast::CallExpression, span: Span) -> String {
        let arguments = &call.arguments;
        let plain = |this: &mut Self| {
            let (before, call) = this.in_order(call);
            wrapped(before, call)
        };
        if library::is_error(name) {
            return format!("fp_error({}, __LINE__)", quoted(self.source(span).trim()));
        }
        if library::any_number(name).is_some() {
            return format!("(__typeof__({name}()))fp_input()");
        }
        match name {
            "assert" | "__VERIFIER_assert" | "__CPROVER_assert" => {
                let Some(condition) = arguments.first() else { return plain(self) };
                let text = self.value(condition);
                format!("FP_ASSERT({}, {})", quoted(self.source(span).trim()), text.trim_end())
            }
            "assume_abort_if_not" | "__VERIFIER_assume" | "__CPROVER_assume" => {
                let text = self.value(&arguments[0]);
                format!("FP_ASSUME({})", text.trim_end())
            }
            "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" => "fp_stop()".into(),
            "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" => "fp_enter()".into(),
            "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => "fp_leave()".into(),
            "sleep" | "usleep" | "sched_yield" | "pthread_yield" => "0".into(),
            "pthread_create" => {
                let (thread, attributes) = (self.value(&arguments[0]), self.source(arguments[1].span));
                let function = self.source(arguments[2].span).trim();
                let argument = self.value(&arguments[3]);
                format!(
                    "FP_CREATE({}, {}, {function}, {})",
                    thread.trim_end(),
                    attributes.trim(),
                    argument.trim_end()
                )
            }
            "pthread_exit" => {
                let result = self.effect(&arguments[0]);
                format!("FP_EXIT({})", result.trim_end())
            }
            "pthread_mutex_lock"
            | "pthread_mutex_trylock"
            | "pthread_mutex_unlock"
            | "pthread_mutex_init"
            | "sem_init"
            | "sem_wait"
            | "sem_post" => self.step('w', name, arguments),
            "pthread_cond_wait" => {
                let texts = [0, 1].map(|at| self.value(&arguments[at]).trim_end().to_string());
                format!("FP_WAIT({}, {})", texts[0], texts[1])
            }
            "atomic_load" => format!("FP_READ(*({}))", self.value(&arguments[0]).trim_end()),
            "atomic_store" | "atomic_init" => {
                let texts = [0, 1].map(|at| self.value(&arguments[at]).trim_end().to_string());
                format!("FP_WRITE(*({}), {})", texts[0], texts[1])
            }
            "__sync_lock_release" | "atomic_flag_clear" => {
                let text = self.value(&arguments[0]);
                format!("FP_VOID('w', {name}, {})", text.trim_end())
            }
            "atomic_compare_exchange_weak" => {
                let texts = [0, 1, 2].map(|at| self.value(&arguments[at]).trim_end().to_string());
                format!("FP_WEAK({})", texts.join(", "))
            }
            "__sync_synchronize" | "atomic_thread_fence" | "atomic_thread_fence_explicit" => plain(self),
            _ if name.ends_with("_explicit") => {
                // Only the usual order is supported, which the function without it has.
                self.explicit(name, arguments)
            }
            _ if name.starts_with("__sync_") || name.starts_with("atomic_") => {
                self.step('u', name, arguments)
            }
            _ => plain(self),
        }
    }

    /// A function that is one step, and changes what its first argument points to.
    fn step(&mut self, kind: char, name: &str, arguments: &'a [Node<Expression>]) -> String {
        let (before, texts) = self.arguments(arguments, 1);
        let one = if texts.len() == 1 { "FP_ONE" } else { "FP_MORE" };
        wrapped(before, format!("{one}('{kind}', {name}, {})", texts.join(", ")))
    }

    fn explicit(&mut self, name: &str, arguments: &'a [Node<Expression>]) -> String {
        match name {
            "atomic_load_explicit" => format!("FP_READ(*({}))", self.value(&arguments[0]).trim_end()),
            "atomic_store_explicit" => {
                let texts = [0, 1].map(|at| self.value(&arguments[at]).trim_end().to_string());
                format!("FP_WRITE(*({}), {})", texts[0], texts[1])
            }
            "atomic_flag_clear_explicit" => {
                let text = self.value(&arguments[0]);
                format!("FP_VOID('w', atomic_flag_clear, {})", text.trim_end())
            }
            "atomic_compare_exchange_weak_explicit" => {
                let texts = [0, 1, 2].map(|at| self.value(&arguments[at]).trim_end().to_string());
                format!("FP_WEAK({})", texts.join(", "))
            }
            _ => self.step('u', name, arguments),
        }
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
    let void = |specifier: &Node<DeclarationSpecifier>| matches!(&specifier.node, DeclarationSpecifier::TypeSpecifier(of) if matches!(of.node, TypeSpecifier::Void));
    function.node.specifiers.iter().any(void) && !is_pointer(&function.node.declarator.node)
}
