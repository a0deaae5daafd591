//! Functions that call themselves: they stay procedures, which algorithms with rules for calls decide. They take and give
//! numbers, so that a call copies values and nothing else.

use super::declarations::Storage;
use super::emit::Emitter;
use super::lower::{Entity, Frame, Lower, Lowered, mistake, unsupported};
use super::types::{CType, Leaf};
use super::unit::Unit;
use super::value::{Place, Value};
use crate::model::program::{Expr, Form, Op, Procedure, ProcedureId, Var};
use calculus::span::Span;
use lang_c::ast::{self, Expression};
use lang_c::span::Node;
use std::collections::{HashMap, HashSet};

/// The functions that call themselves, perhaps through others.
pub fn recursive<'a>(unit: &Unit<'a>) -> HashSet<&'a str> {
    let names = unit.functions.keys().copied().collect::<Vec<_>>();
    let at = names.iter().enumerate().map(|(at, name)| (*name, at)).collect::<HashMap<_, _>>();
    let calls = names.iter().map(|name| {
        let body = &unit.functions[name].node.statement;
        let called = super::scan::calls_in(&body.node, &body.span);
        called.iter().filter_map(|name| at.get(name.as_str()).copied()).collect::<Vec<_>>()
    });
    let calls = calls.collect::<Vec<_>>();
    let components = calculus::graph::components(names.len(), |node| calls[node].clone());
    let cyclic = components
        .into_iter()
        .filter(|component| component.len() > 1 || component.iter().any(|node| calls[*node].contains(node)));
    cyclic.flatten().map(|node| names[node]).collect()
}

impl<'a> Lower<'a> {
    /// A call of a function that stays a procedure.
    pub fn called_procedure(
        &mut self,
        name: &'a str,
        function: &'a Node<ast::FunctionDefinition>,
        arguments: &'a [Node<Expression>],
        span: Span,
    ) -> Lowered<Value> {
        let (parameters, result) = (self.parameters(function)?, self.result_type(function)?);
        if parameters.len() != arguments.len() {
            let title = format!("`{name}` takes {} arguments and gets {}", parameters.len(), arguments.len());
            return Err(mistake(span, title, "called here"));
        }
        if self.atomic > 0 || name.starts_with(super::calls::ATOMIC) {
            let title = format!("`{name}` calls itself, in a function that is one step");
            return Err(unsupported(span, title, "use a loop in functions that are one step"));
        }
        let mut values = Vec::new();
        for (argument, (_, of)) in arguments.iter().zip(&parameters) {
            let value = self.value(argument)?;
            let place = self.span(argument);
            let CType::Int(of) = of else {
                let title = format!("`{name}` calls itself, and one of its parameters is {}", of.words());
                return Err(unsupported(place, title, "give numbers to such functions, or use a loop"));
            };
            let value = self.stored(value, *of, place)?;
            let value = match value {
                Value::Number(number) => Value::Number(self.converted(number, *of, place)?),
                value => value,
            };
            values.push((self.settled_value(value, place), *of, place));
        }
        let callee = self.procedure_of(name, function, parameters, &result)?;
        let mut given = Vec::new();
        for (value, of, place) in values {
            // In a variable of the parameter's own domain.
            let var = self.temporary(self.domain_of(Leaf::Int(of)), place);
            self.write(var, value, place)?;
            given.push(Expr { code: vec![Op::Old(var)], span: place });
        }
        let (targets, value) = match result {
            CType::Int(of) => {
                let var = self.temporary(self.domain_of(Leaf::Int(of)), span);
                (vec![Some(var)], self.read(var, Leaf::Int(of)))
            }
            _ => (Vec::new(), Value::Void),
        };
        self.emit(Form::Call { callee: ProcedureId(callee as u32), arguments: given, targets }, span);
        Ok(value)
    }

    /// The procedure of a function: it is translated when it is called for the first time.
    fn procedure_of(
        &mut self,
        name: &'a str,
        function: &'a Node<ast::FunctionDefinition>,
        parameters: Vec<(Option<&'a str>, CType)>,
        result: &CType,
    ) -> Lowered<usize> {
        if let Some(known) = self.recursive.get(name) {
            return Ok(*known);
        }
        let span = self.span(&function.node.declarator);
        if !matches!(result, CType::Int(_) | CType::Void) {
            let title = format!("`{name}` calls itself, and returns {}", result.words());
            return Err(unsupported(span, title, "let it return a number"));
        }
        let procedure = self.procedures.len();
        self.procedures.push(None);
        self.recursive.insert(name.into(), procedure);
        let emitter = std::mem::replace(&mut self.emitter, Emitter::new());
        let frames = std::mem::take(&mut self.frames);
        let (current, looping) = (self.current, self.looping);
        let bounded = self.bounded_next.take();
        // What is made in it can be made several times.
        (self.current, self.looping) = (procedure, 1);
        let count = parameters.len() as u32;
        let done = self.procedure_body(name, function, parameters, result, span);
        if let Err(refusal) = done {
            self.refuse(refusal);
        }
        let emitter = std::mem::replace(&mut self.emitter, emitter);
        self.frames = frames;
        (self.current, self.looping, self.bounded_next) = (current, looping, bounded);
        let (locals, statements, body) = emitter.finish(span);
        let results = match result {
            CType::Int(of) => vec![self.domain_of(Leaf::Int(*of))],
            _ => Vec::new(),
        };
        self.procedures[procedure] = Some(Procedure {
            name: name.into(),
            qualified: name.into(),
            block: None,
            span: self.span(function),
            name_span: span,
            locals,
            parameters: count,
            results,
            enforce: None,
            own: 0..0,
            atomic: false,
            statements,
            body,
        });
        Ok(procedure)
    }

    fn procedure_body(
        &mut self,
        name: &'a str,
        function: &'a Node<ast::FunctionDefinition>,
        parameters: Vec<(Option<&'a str>, CType)>,
        result: &CType,
        span: Span,
    ) -> Lowered<()> {
        let body = &function.node.statement;
        let end = self.emitter.label();
        self.frames.push(Frame {
            function: name.into(),
            scopes: vec![HashMap::new()],
            result: None,
            end,
            loops: Vec::new(),
            labels: HashMap::new(),
            body: Some(&function.node),
            loops_back: true,
        });
        // Parameters are the first variables.
        for (at, (parameter, of)) in parameters.into_iter().enumerate() {
            let unnamed = format!("{name}.{at}");
            let object = self.object(parameter.unwrap_or(&unnamed), of, Storage::Local, span)?;
            debug_assert_eq!(object.scalars.first().map(|(var, _)| *var), Some(Var::Local(at as u32)));
            if let Some(parameter) = parameter {
                self.declare(parameter, Entity::Object(object));
            }
        }
        let returned = match result {
            CType::Int(of) => {
                let domain = self.domain_of(Leaf::Int(*of));
                Some(self.emitter.local(format!("{name}.return"), span, domain))
            }
            _ => None,
        };
        self.frame().result = returned.map(|var| (var, result.clone()));
        self.statement(body);
        let labels = self.frame().labels.drain().collect::<Vec<_>>();
        self.check_labels(labels, span);
        self.emitter.place_used(end);
        let values = returned.map(|var| Expr { code: vec![Op::Old(var)], span });
        self.emit(Form::Return(values.into_iter().collect()), span);
        self.frames.pop();
        Ok(())
    }

    /// `--havoc f`: it returns anything, and what it gets the address of has any value afterwards.
    pub fn havoc(&mut self, name: &'a str, arguments: &'a [Node<Expression>], span: Span) -> Lowered<Value> {
        let unit = self.unit;
        if unit.functions.contains_key(name) {
            let title = format!("`{name}` has a body, and --havoc is for functions without one");
            return Err(mistake(span, title, "called here"));
        }
        for argument in arguments {
            let value = self.value(argument)?;
            let place = self.span(argument);
            match value {
                Value::Pointer(super::value::Pointer::To(to)) => self.any_values(&to, place)?,
                value => drop(self.settled_value(value, place)),
            }
        }
        self.more_runs.entry(span).or_insert_with(|| format!("what `{name}` returns"));
        let result = match unit.prototypes.get(name) {
            Some(declared) => self.declared_type(*declared)?.0,
            None => CType::Int(super::types::IntType::INT),
        };
        let result = match result {
            CType::Function(result) => (*result).clone(),
            of => of,
        };
        match result {
            CType::Int(of) => Ok(self.any_number(of, span)),
            CType::Void => Ok(Value::Void),
            of => {
                let title = format!("`{name}` returns {}, and --havoc is for numbers", of.words());
                Err(unsupported(span, title, "write a body for it"))
            }
        }
    }

    /// Everything that can be reached from an address has any value.
    fn any_values(&mut self, place: &Place, span: Span) -> Lowered<()> {
        if !place.indices.is_empty() {
            let title = "which element of the array is meant is known only when the program runs";
            return Err(unsupported(span, title, "give the address of a variable"));
        }
        let (before, behind) = place.room.unwrap_or((0, 0));
        let size = place.of.leaves();
        let first = place.offset - before * size;
        let scalars = place.object.scalars.get(first..place.offset + behind.wrapping_add(1) * size);
        for (var, leaf) in scalars.unwrap_or_default().to_vec() {
            let Leaf::Int(of) = leaf else {
                let title = "something that is no number is given to a function without a body";
                return Err(unsupported(span, title, "write a body for the function"));
            };
            let value = self.any_number(of, span);
            self.write(var, value, span)?;
        }
        Ok(())
    }
}
