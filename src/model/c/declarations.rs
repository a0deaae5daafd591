//! Types and variables: from specifiers and declarators to what is stored where.

use super::lower::{Entity, Lower, Lowered, MOST_SCALARS, mistake, refused_before, unsupported};
use super::types::{CType, IntType, Leaf};
use super::unit::{Declared, is_external, name_of};
use super::value::{Number, Object, Place, Pointer, Truth, Value};
use crate::model::program::{Domain, Form, Op, Var, Variable};
use calculus::span::Span;
use lang_c::ast::{self, Initializer, StorageClassSpecifier};
use lang_c::span::Node;
use std::collections::HashMap;
use std::rc::Rc;

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    Shared,
    Own,
    Local,
}

impl<'a> Lower<'a> {
    /// What a name means; global variables come into being when they are used.
    pub fn entity(&mut self, name: &str, span: Span) -> Lowered<Entity> {
        match self.lookup(name) {
            Some(Entity::Refused) => return Err(refused_before(span)),
            Some(entity) => return Ok(entity),
            None => {}
        }
        let unit = self.unit;
        if let Some((enumeration, at)) = unit.enumerators.get(name) {
            let value = self.outside(|this| this.enumerator(enumeration, *at))?;
            let entity = Entity::Constant(value, IntType::INT);
            self.globals.insert(name.into(), entity.clone());
            return Ok(entity);
        }
        if let Some(declared) = unit.variables.get(name) {
            let made = self.once(name, span, |this| this.outside(|this| this.global(name, *declared, span)));
            let entity = match made {
                Ok(entity) => entity,
                Err(refusal) => {
                    self.globals.insert(name.into(), Entity::Refused);
                    return Err(refusal);
                }
            };
            self.globals.insert(name.into(), entity.clone());
            return Ok(entity);
        }
        if unit.functions.contains_key(name) || unit.prototypes.contains_key(name) {
            return Ok(Entity::Value(Value::Pointer(Pointer::Function(name.into()))));
        }
        match name {
            "NULL" => Ok(Entity::Value(Value::Pointer(Pointer::Null))),
            // Headers of the system say more of these; so a text keeps their names.
            "PTHREAD_MUTEX_INITIALIZER" | "PTHREAD_COND_INITIALIZER" | "ATOMIC_FLAG_INIT" => {
                Ok(Entity::Constant(0, IntType::INT))
            }
            _ => Err(mistake(span, format!("`{name}` is not declared"), "not known")),
        }
    }

    /// A variable of the whole program.
    fn global(&mut self, name: &str, declared: Declared<'a>, span: Span) -> Lowered<Entity> {
        let (of, storage) = self.declared_type(declared)?;
        let of = self.completed(of, declared.initializer, span)?;
        if is_external(&declared) && declared.initializer.is_none() {
            return Err(unsupported(
                span,
                format!("the variable `{name}` is defined in another file"),
                "put all files of the program into one, or define it here",
            ));
        }
        let at = self.span(declared.declarator);
        if let CType::Pointer(to) = &of {
            return self.bound_pointer(declared.initializer, to, at);
        }
        let storage = match storage {
            Some(StorageClassSpecifier::ThreadLocal) => Storage::Own,
            _ => Storage::Shared,
        };
        let object = self.object(name, of, storage, at)?;
        self.initial_values(&object, declared.initializer)?;
        Ok(Entity::Object(object))
    }

    /// A pointer keeps the value that its declaration gives it.
    fn bound_pointer(
        &mut self,
        initializer: Option<&'a Node<Initializer>>,
        to: &CType,
        span: Span,
    ) -> Lowered<Entity> {
        match initializer.map(|initializer| &initializer.node) {
            Some(Initializer::Expression(expression)) => {
                let value = self.value(expression)?;
                Ok(Entity::Value(self.pointing(value, to, span)?))
            }
            _ => Ok(Entity::Unbound),
        }
    }

    /// Makes the scalars of a variable.
    pub fn object(&mut self, name: &str, of: CType, storage: Storage, span: Span) -> Lowered<Rc<Object>> {
        if of.leaves() > MOST_SCALARS {
            let title = format!("`{name}` has more than {MOST_SCALARS} elements");
            return Err(unsupported(
                span,
                title,
                "make it smaller: every element is a variable of the model",
            ));
        }
        if matches!(of, CType::Function(_) | CType::Void) {
            return Err(mistake(
                span,
                format!("`{name}` is {}, and no variable", of.words()),
                "declared here",
            ));
        }
        let mut leaves = Vec::new();
        let unique = self.fresh_name(name, storage == Storage::Local);
        of.scalars(&unique, &mut leaves);
        let mut scalars = Vec::new();
        for (name, leaf) in leaves {
            let domain = self.domain_of(leaf);
            let variable = Variable { name, span, domain, initial: None };
            let var = match storage {
                Storage::Shared => {
                    self.shared.push(variable);
                    let var = Var::Shared(self.shared.len() as u32 - 1);
                    match leaf {
                        Leaf::Mutex | Leaf::Semaphore => self.synchronising(var),
                        Leaf::Int(of) if of.atomic => self.synchronising(var),
                        Leaf::Int(_) | Leaf::Thread | Leaf::Pointer => var,
                    }
                }
                Storage::Own => {
                    self.own.push(variable);
                    Var::Own(self.own.len() as u32 - 1)
                }
                Storage::Local => self.emitter.local(variable.name, span, variable.domain),
            };
            if leaf == Leaf::Thread {
                self.names_of_threads.push(((storage == Storage::Local).then_some(self.current), var));
            }
            scalars.push((var, leaf));
        }
        let unit = (storage == Storage::Local).then_some(self.current);
        Ok(Rc::new(Object { name: name.into(), scalars, of, span, unit }))
    }

    /// A declaration inside a function.
    pub fn local_declaration(&mut self, declaration: &'a Node<ast::Declaration>) -> Lowered<()> {
        let (base, storage) = self.specified(&declaration.node.specifiers)?;
        for declarator in &declaration.node.declarators {
            let span = self.span(declarator);
            let node = &declarator.node;
            self.harmless(&node.declarator.node.extensions)?;
            let of = self.derived(base.clone(), &node.declarator)?;
            let Some(name) = name_of(&node.declarator.node) else { continue };
            if storage == Some(StorageClassSpecifier::Typedef) {
                self.declare(name, Entity::Type(of));
                continue;
            }
            if matches!(of, CType::Function(_)) || storage == Some(StorageClassSpecifier::Extern) {
                continue;
            }
            let of = self.completed(of, node.initializer.as_ref(), span)?;
            match storage {
                Some(StorageClassSpecifier::Static) => {
                    self.static_local(name, of, node, Storage::Shared, span)?
                }
                Some(StorageClassSpecifier::ThreadLocal) => {
                    self.static_local(name, of, node, Storage::Own, span)?;
                }
                _ => self.automatic(name, of, node, span)?,
            }
        }
        Ok(())
    }

    /// A variable of a function that keeps its value: there is one, however often the function is inlined.
    fn static_local(
        &mut self,
        name: &'a str,
        of: CType,
        node: &'a ast::InitDeclarator,
        storage: Storage,
        span: Span,
    ) -> Lowered<()> {
        let key = format!("{}.{name}@{node:p}", self.frame().function);
        let entity = match self.globals.get(&key) {
            Some(known) => known.clone(),
            None => {
                let shown = format!("{}.{name}", self.frame().function);
                let object = self.object(&shown, of, storage, span)?;
                self.initial_values(&object, node.initializer.as_ref())?;
                self.globals.insert(key, Entity::Object(Rc::clone(&object)));
                Entity::Object(object)
            }
        };
        self.declare(name, entity);
        Ok(())
    }

    fn automatic(
        &mut self,
        name: &'a str,
        of: CType,
        node: &'a ast::InitDeclarator,
        span: Span,
    ) -> Lowered<()> {
        if let CType::Pointer(to) = &of {
            let entity = self.bound_pointer(node.initializer.as_ref(), to, span)?;
            self.declare(name, entity);
            return Ok(());
        }
        let function = self.frame().body;
        let given = function.is_some_and(|function| self.is_given_to_threads(function, name));
        let storage =
            if given && !self.replicated && self.looping == 0 { Storage::Shared } else { Storage::Local };
        let inlined = self.frames.len() > 1;
        let shown = if inlined { format!("{}.{name}", self.frame().function) } else { name.into() };
        let object = self.object(&shown, of, storage, span)?;
        // Until it is declared, the name means what it meant before.
        let values = node.initializer.as_ref();
        let forget = |this: &mut Self| {
            let vars = object.scalars.iter().map(|(var, _)| *var).collect::<Vec<_>>();
            // A variable that is declared once begins with any value anyway.
            let again = this.looping > 0 || this.frames.iter().any(|frame| frame.loops_back);
            if !vars.is_empty() && again {
                this.emit(Form::Dead(vars), span);
            }
        };
        match values.map(|values| &values.node) {
            None if storage == Storage::Shared => {
                for (var, leaf) in object.scalars.clone() {
                    if let Leaf::Int(of) = leaf {
                        self.emitter.assign(var, vec![Op::Nondet], span);
                        self.unknown(var, of, span);
                    }
                }
            }
            None => forget(self),
            Some(Initializer::Expression(value)) => {
                self.declare(name, Entity::Object(Rc::clone(&object)));
                if matches!(object.of, CType::Mutex | CType::Stateless) {
                    return self.store_zero(&object, span);
                }
                let value = self.value(value)?;
                self.store(&Place::whole(&object), value, span)?;
                return Ok(());
            }
            Some(Initializer::List(_)) => {
                self.declare(name, Entity::Object(Rc::clone(&object)));
                self.store_zero(&object, span)?;
                let listed = self.initialized(&object.of, values.expect("there are values"), 0)?;
                for (at, of, value) in listed {
                    let value = self.value(value)?;
                    let place = Place { offset: at, of, ..Place::whole(&object) };
                    self.store(&place, value, span)?;
                }
                return Ok(());
            }
        }
        self.declare(name, Entity::Object(object));
        Ok(())
    }

    /// All scalars of a variable are 0.
    pub fn store_zero(&mut self, object: &Rc<Object>, span: Span) -> Lowered<()> {
        for (var, _) in object.scalars.clone() {
            let value = match self.domain(var) {
                Domain::Bool => Op::Constant(false),
                Domain::Range { .. } | Domain::Names(_) => Op::Number(0),
            };
            self.emitter.assign(var, vec![value], span);
        }
        Ok(())
    }

    fn is_given_to_threads(&self, function: &ast::FunctionDefinition, name: &str) -> bool {
        super::scan::given_to_threads(&function.statement).contains(name)
    }

    /// The numbers of a type, of a value that nobody knows.
    pub fn any_number(&mut self, of: IntType, span: Span) -> Value {
        if of.truth {
            let any = Truth { code: vec![Op::Nondet], shared: false };
            return Value::Truth(self.settled_truth(any, span));
        }
        let domain = of.domain(self.words.width);
        let var = self.temporary(domain.clone(), span);
        self.emitter.assign(var, vec![Op::Nondet], span);
        self.unknown(var, of, span);
        Value::Number(Number::variable(var, &domain, of))
    }

    pub fn scope(&mut self) {
        self.frame().scopes.push(HashMap::new());
    }

    pub fn leave_scope(&mut self) {
        self.frame().scopes.pop();
    }
}
