//! The text of the program, with a call at each access that others may notice.
//!
//! Nothing else is changed: a place of the text is replaced where it has to be, and everything between stays as it is.

use super::super::places::Places;
use super::super::scan;
use super::super::unit::{Unit, name_of};
use super::schedule::Open;
use super::structures::Shape;
use calculus::span::Span as Place;
use lang_c::ast::{self, DeclarationSpecifier, DerivedDeclarator, StorageClassSpecifier, TypeSpecifier};
use lang_c::span::{Node, Span};
use std::collections::{HashMap, HashSet};

/// A variable that other threads may see.
pub struct Object {
    /// `counter`, or `next.counter` if it is declared in a function.
    pub name: String,
    /// The same without the function.
    pub plain: String,
    /// Where it is declared in the original.
    pub declared: Place,
    /// It exists from the beginning.
    pub global: bool,
}

/// What a name means inside a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Nobody else sees it.
    Own,
    /// It may point to what others see.
    Pointer,
    Shared,
}

/// A part of the text that is replaced.
pub type Edit = (usize, usize, String);

pub struct Text<'a> {
    pub whole: &'a str,
    pub unit: &'a Unit<'a>,
    pub places: &'a Places,
    pub objects: Vec<Object>,
    /// Labels that are errors.
    pub errors: HashSet<String>,
    /// What is wrong with mutexes is an error.
    pub checks_locks: bool,
    pub opens: &'a [Open],
    pub scopes: Vec<HashMap<&'a str, (Meaning, Shape<'a>)>>,
    pub function: String,
    /// The function begins a thread: nobody looks at its result.
    pub begins: bool,
    /// Functions that begin threads.
    pub threads: HashSet<String>,
    /// For each scope the variables that are given to threads in it.
    pub given: Vec<HashSet<String>>,
    pub counter: usize,
    /// Why the text cannot be scheduled.
    pub refusal: Option<String>,
}

impl<'a> Text<'a> {
    pub fn new(whole: &'a str, unit: &'a Unit<'a>, places: &'a Places, opens: &'a [Open]) -> Text<'a> {
        Text {
            whole,
            unit,
            places,
            objects: Vec::new(),
            errors: HashSet::new(),
            checks_locks: false,
            opens,
            scopes: Vec::new(),
            function: String::new(),
            begins: false,
            threads: HashSet::new(),
            given: Vec::new(),
            counter: 0,
            refusal: None,
        }
    }

    pub fn source(&self, span: Span) -> &'a str {
        self.whole.get(span.start..span.end).unwrap_or_default()
    }

    /// The text of a span with edits inside of it.
    pub fn spliced(&self, span: Span, mut edits: Vec<Edit>) -> String {
        edits.sort_by_key(|(start, end, _)| (*start, *end));
        let (mut out, mut at) = (String::new(), span.start);
        for (start, end, text) in edits {
            if start < at {
                continue;
            }
            out.push_str(&self.whole[at..start]);
            out.push_str(&text);
            at = end;
        }
        out.push_str(&self.whole[at..span.end]);
        out
    }

    /// The end of a node without the spaces behind it.
    pub fn end(&self, span: Span) -> usize {
        span.start + self.source(span).trim_end().len()
    }

    /// The whole program.
    pub fn program(&mut self, tree: &'a ast::TranslationUnit) -> Vec<Edit> {
        self.objects.extend(self.globals(tree));
        self.find_threads(tree);
        let mut edits = Vec::new();
        for declaration in &tree.0 {
            match &declaration.node {
                ast::ExternalDeclaration::FunctionDefinition(function) => self.define(function, &mut edits),
                ast::ExternalDeclaration::Declaration(_) | ast::ExternalDeclaration::StaticAssert(_) => {}
            }
        }
        edits
    }

    fn globals(&self, tree: &'a ast::TranslationUnit) -> Vec<Object> {
        let mut objects = Vec::new();
        for declaration in &tree.0 {
            let ast::ExternalDeclaration::Declaration(declaration) = &declaration.node else { continue };
            let declaration = &declaration.node;
            if !is_variable(&declaration.specifiers)
                || is(&declaration.specifiers, StorageClassSpecifier::ThreadLocal)
            {
                continue;
            }
            for declarator in &declaration.declarators {
                let declarator = &declarator.node.declarator;
                let Some(name) = name_of(&declarator.node) else { continue };
                // Only the declaration that counts.
                let counts = self
                    .unit
                    .variables
                    .get(name)
                    .is_some_and(|known| std::ptr::eq(known.declarator, declarator));
                if counts && !is_pointer(&declarator.node) {
                    let declared = self.places.span(declarator.span.start, declarator.span.end);
                    objects.push(Object { name: name.into(), plain: name.into(), declared, global: true });
                }
            }
        }
        objects
    }

    fn find_threads(&mut self, tree: &'a ast::TranslationUnit) {
        self.threads.insert("main".into());
        scan::calls(tree, &mut |name, arguments| {
            if let ("pthread_create", Some(function)) = (name, arguments.get(2))
                && let Some(function) = scan::function_name(&function.node)
            {
                self.threads.insert(function.into());
            }
        });
    }

    fn define(&mut self, function: &'a Node<ast::FunctionDefinition>, edits: &mut Vec<Edit>) {
        let node = &function.node;
        let Some(name) = name_of(&node.declarator.node) else { return };
        if super::super::library::is_error(name) {
            return;
        }
        self.function = name.into();
        self.begins = self.threads.contains(name);
        self.given = vec![scan::given_to_threads(&node.statement)];
        let mut scope = HashMap::new();
        for derived in &node.declarator.node.derived {
            let DerivedDeclarator::Function(declarator) = &derived.node else { continue };
            for parameter in &declarator.node.parameters {
                let Some(declarator) = &parameter.node.declarator else { continue };
                let Some(name) = name_of(&declarator.node) else { continue };
                let meaning =
                    if is_pointer_or_array(&declarator.node) { Meaning::Pointer } else { Meaning::Own };
                scope.insert(name, (meaning, self.shape(&parameter.node.specifiers, &declarator.node)));
            }
        }
        if name == "main" {
            let at = name_span(&node.declarator.node).unwrap_or(node.declarator.span);
            edits.push((at.start, at.start + name.len(), "program_main".into()));
        }
        self.scopes = vec![scope];
        self.statement(&node.statement, edits);
        self.scopes.clear();
    }

    pub fn declaration(&mut self, declaration: &'a Node<ast::Declaration>, edits: &mut Vec<Edit>) {
        let made = self.declared(declaration, edits);
        if !made.is_empty() {
            let end = self.end(declaration.span);
            let made = made.iter().map(|(at, name)| format!(" FP_OBJECT({at}, {name});"));
            edits.push((end, end, made.collect()));
        }
    }

    /// The variables of a declaration; those that others see, with their numbers.
    pub fn declared(
        &mut self,
        declaration: &'a Node<ast::Declaration>,
        edits: &mut Vec<Edit>,
    ) -> Vec<(usize, &'a str)> {
        let mut made = Vec::new();
        let specifiers = &declaration.node.specifiers;
        if is(specifiers, StorageClassSpecifier::Typedef) || is(specifiers, StorageClassSpecifier::Extern) {
            return made;
        }
        let kept = is(specifiers, StorageClassSpecifier::Static);
        let own = is(specifiers, StorageClassSpecifier::ThreadLocal);
        for declarator in &declaration.node.declarators {
            let node = &declarator.node;
            let Some(name) = name_of(&node.declarator.node) else { continue };
            if matches!(
                node.declarator.node.derived.first().map(|derived| &derived.node),
                Some(DerivedDeclarator::Function(_))
            ) {
                continue;
            }
            let given =
                self.given.last().is_some_and(|given| given.contains(name)) && is_variable(specifiers);
            let pointer = is_pointer(&node.declarator.node);
            let shared = !own && !pointer && is_variable(specifiers) && (kept || given);
            // Until it is declared, the name means what it meant before.
            if let Some(initializer) = node.initializer.as_ref().filter(|_| !kept) {
                self.initializer(initializer, edits);
            }
            let meaning = match (shared, pointer) {
                (true, _) => Meaning::Shared,
                (false, true) => Meaning::Pointer,
                (false, false) => Meaning::Own,
            };
            let shape = self.shape(specifiers, &node.declarator.node);
            self.scopes.last_mut().expect("a scope is open").insert(name, (meaning, shape));
            let declared = self.places.span(declarator.span.start, declarator.span.end);
            if shared {
                made.push((self.objects.len(), name));
                let full = format!("{}.{name}", self.function);
                self.objects.push(Object { name: full, plain: name.into(), declared, global: false });
            }
            if node.initializer.is_none() && !kept && !pointer {
                self.open(name, declared, declarator, edits);
            }
        }
        made
    }

    /// A variable without a value gets the one that it has in the run.
    fn open(
        &mut self,
        name: &str,
        declared: Place,
        declarator: &Node<ast::InitDeclarator>,
        edits: &mut Vec<Edit>,
    ) {
        let of = |open: &&Open| open.declared == declared && last_name(&open.name).starts_with(name);
        let Some(at) = self.opens.iter().position(|open| of(&open)) else { return };
        if self.opens[at].values.iter().all(|(_, value)| *value == 0) {
            return;
        }
        if !declarator.node.declarator.node.derived.is_empty() || self.opens.iter().filter(of).count() > 1 {
            self.refusal.get_or_insert(format!("the run needs values of `{name}`, which has none"));
            return;
        }
        let end = self.end(declarator.span);
        edits.push((end, end, format!(" = fp_open({at})")));
    }

    fn initializer(&mut self, initializer: &'a Node<ast::Initializer>, edits: &mut Vec<Edit>) {
        match &initializer.node {
            ast::Initializer::Expression(value) => {
                let text = self.value(value);
                edits.push((value.span.start, value.span.end, text));
            }
            ast::Initializer::List(items) => {
                items.iter().for_each(|item| self.initializer(&item.node.initializer, edits));
            }
        }
    }

    pub fn shape_of_name(&self, name: &str) -> Shape<'a> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        let global = || {
            let declared = self.unit.variables.get(name)?;
            Some(self.shape(declared.specifiers, &declared.declarator.node))
        };
        local.map(|(_, shape)| *shape).or_else(global).unwrap_or_default()
    }

    /// What a name of a variable means here; nothing for functions and constants.
    pub fn meaning(&self, name: &str) -> Option<Meaning> {
        if let Some((local, _)) = self.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            return Some(*local);
        }
        let declared = self.unit.variables.get(name)?;
        Some(
            match (
                is_pointer(&declared.declarator.node),
                self.objects.iter().any(|object| object.global && object.plain == name),
            ) {
                (true, _) => Meaning::Pointer,
                (false, true) => Meaning::Shared,
                (false, false) => Meaning::Own,
            },
        )
    }
}

/// The last part of the name of a variable of the model: `f.x#2` is `x`.
fn last_name(name: &str) -> &str {
    let name = name.split(['[', '#']).next().unwrap_or(name);
    name.rsplit('.').next().unwrap_or(name)
}

fn name_span(declarator: &ast::Declarator) -> Option<Span> {
    match &declarator.kind.node {
        ast::DeclaratorKind::Abstract => None,
        ast::DeclaratorKind::Identifier(name) => Some(name.span),
        ast::DeclaratorKind::Declarator(inner) => name_span(&inner.node),
    }
}

pub fn is(specifiers: &[Node<DeclarationSpecifier>], wanted: StorageClassSpecifier) -> bool {
    specifiers.iter().any(|specifier| match &specifier.node {
        DeclarationSpecifier::StorageClass(class) => class.node == wanted,
        _ => false,
    })
}

/// Whether what is declared has values: names of threads, condition variables and types have none that count.
fn is_variable(specifiers: &[Node<DeclarationSpecifier>]) -> bool {
    let silent =
        |name: &str| name == "pthread_t" || name.starts_with("pthread_cond") || name.ends_with("attr_t");
    let typedef = is(specifiers, StorageClassSpecifier::Typedef);
    !typedef
        && !specifiers.iter().any(|specifier| match &specifier.node {
            DeclarationSpecifier::TypeSpecifier(specifier) => match &specifier.node {
                TypeSpecifier::TypedefName(name) => silent(&name.node.name),
                _ => false,
            },
            _ => false,
        })
}

pub fn is_pointer(declarator: &ast::Declarator) -> bool {
    declarator.derived.iter().any(|derived| matches!(derived.node, DerivedDeclarator::Pointer(_)))
}

fn is_pointer_or_array(declarator: &ast::Declarator) -> bool {
    is_pointer(declarator)
        || declarator.derived.iter().any(|derived| matches!(derived.node, DerivedDeclarator::Array(_)))
}
