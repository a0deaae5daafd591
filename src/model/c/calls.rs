//! Calls: the body of the function takes their place.

use super::lower::{Entity, Frame, Lower, Lowered, mistake, unsupported};
use super::types::CType;
use super::unit::name_of;
use super::value::{Place, Pointer, Truth, Value};
use crate::model::program::Form;
use calculus::span::Span;
use lang_c::ast::{self, BlockItem, DerivedDeclarator, Expression, Statement, UnaryOperator};
use lang_c::span::Node;
use std::collections::HashMap;

/// Functions with this name are executed as one step.
pub const ATOMIC: &str = "__VERIFIER_atomic_";
/// Calls inside calls.
const DEEPEST: usize = 100;

impl<'a> Lower<'a> {
    pub fn call(&mut self, call: &'a ast::CallExpression, span: Span) -> Lowered<Value> {
        let Expression::Identifier(name) = &call.callee.node else {
            return Err(unsupported(
                span,
                "calls through pointers are not supported",
                "call the function by its name",
            ));
        };
        let name = name.node.name.as_str();
        if let Some(Entity::Object(_) | Entity::Unbound | Entity::Value(_)) = self.lookup(name) {
            return Err(unsupported(
                span,
                "calls through pointers are not supported",
                "call the function by its name",
            ));
        }
        let unit = self.unit;
        self.one_order_of(&call.arguments, span);
        if self.words.havoc.iter().any(|havoc| havoc == name) {
            return self.havoc(name, &call.arguments, span);
        }
        match unit.functions.get(name) {
            Some(function) if !super::library::is_error(name) => {
                match unit.recursive.contains(name) && self.deepest == 0 {
                    true => self.called_procedure(name, function, &call.arguments, span),
                    false => self.inlined(name, function, &call.arguments, span),
                }
            }
            _ => self.library(name, &call.arguments, span),
        }
    }

    /// Whether a call gives any number.
    pub fn is_any_number(&self, call: &ast::CallExpression) -> bool {
        let Expression::Identifier(name) = &call.callee.node else { return false };
        let name = name.node.name.as_str();
        super::library::any_number(name).is_some() && !self.unit.functions.contains_key(name)
    }

    /// The parameters of a function: names and types.
    pub fn parameters(
        &mut self,
        function: &'a Node<ast::FunctionDefinition>,
    ) -> Lowered<Vec<(Option<&'a str>, CType)>> {
        self.outside(|this| this.declared_parameters(function))
    }

    fn declared_parameters(
        &mut self,
        function: &'a Node<ast::FunctionDefinition>,
    ) -> Lowered<Vec<(Option<&'a str>, CType)>> {
        let mut parameters = Vec::new();
        for derived in &function.node.declarator.node.derived {
            match &derived.node {
                DerivedDeclarator::Function(declarator) => {
                    if declarator.node.ellipsis == ast::Ellipsis::Some {
                        let title = "functions with any number of arguments are not supported";
                        return Err(unsupported(
                            self.span(declarator),
                            title,
                            "give each number its own function",
                        ));
                    }
                    for parameter in &declarator.node.parameters {
                        let (base, _) = self.specified(&parameter.node.specifiers)?;
                        let (name, of) = match &parameter.node.declarator {
                            None => (None, base),
                            Some(declarator) => (name_of(&declarator.node), self.derived(base, declarator)?),
                        };
                        parameters.push((name, of));
                    }
                }
                DerivedDeclarator::KRFunction(names) if names.is_empty() => {}
                DerivedDeclarator::KRFunction(_) => {
                    let title = "parameters in the old style are not supported";
                    return Err(unsupported(
                        self.span(derived),
                        title,
                        "write their types in the parentheses",
                    ));
                }
                DerivedDeclarator::Pointer(_) | DerivedDeclarator::Array(_) | DerivedDeclarator::Block(_) => {
                }
            }
        }
        if let [(None, CType::Void)] = parameters[..] {
            parameters.clear();
        }
        Ok(parameters)
    }

    fn inlined(
        &mut self,
        name: &'a str,
        function: &'a Node<ast::FunctionDefinition>,
        arguments: &'a [Node<Expression>],
        span: Span,
    ) -> Lowered<Value> {
        if self.frames.len() > DEEPEST {
            return Err(unsupported(span, "calls are nested too deeply", "put some functions together"));
        }
        // A narrow parameter would make other numbers 0.
        let whole = |of: &CType| matches!(of, CType::Int(of) if of.truth || of.bits >= 32);
        if let [argument] = arguments
            && is_assumption(function)
            && matches!(&self.parameters(function)?[..], [(_, of)] if whole(of))
        {
            let condition = self.condition(argument)?;
            self.assume(condition, span);
            return Ok(Value::Void);
        }
        let (_, result) = (self.parameters(function)?, self.result_type(function)?);
        let parameters = self.parameters(function)?;
        if parameters.len() != arguments.len() && !(parameters.is_empty() && is_old_style(function)) {
            let title = format!("`{name}` takes {} arguments and gets {}", parameters.len(), arguments.len());
            return Err(mistake(span, title, "called here"));
        }
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.value(argument)?;
            let place = self.span(argument);
            // What comes behind must not change what was given.
            values.push(self.settled_value(value, place));
        }
        if self.unit.recursive.contains(name) && self.is_too_deep(name, &values, span) {
            return self.no_result(name, result, span);
        }
        let atomic = name.starts_with(ATOMIC);
        if atomic {
            self.begin_atomic(span);
            self.atomic += 1;
        }
        let value = self.body(name, function, parameters, values, result, span);
        if atomic {
            self.atomic -= 1;
            self.end_atomic(span);
        }
        value
    }

    pub fn result_type(&mut self, function: &'a Node<ast::FunctionDefinition>) -> Lowered<CType> {
        let of = self.outside(|this| {
            let (base, _) = this.specified(&function.node.specifiers)?;
            this.derived(base, &function.node.declarator)
        });
        match of? {
            CType::Function(result) => Ok((*result).clone()),
            of => Ok(of),
        }
    }

    /// The body of a function, with its parameters bound.
    pub fn body(
        &mut self,
        name: &'a str,
        function: &'a Node<ast::FunctionDefinition>,
        parameters: Vec<(Option<&'a str>, CType)>,
        values: Vec<Value>,
        result: CType,
        span: Span,
    ) -> Lowered<Value> {
        let end = self.emitter.label();
        let body = &function.node.statement;
        let single = single_return(body);
        let variable = match (&result, single) {
            (CType::Int(of), None) => {
                let domain = self.domain_of(super::types::Leaf::Int(*of));
                let shown = format!("{name}.return");
                Some((self.emitter.local(shown, span, domain), result.clone()))
            }
            (CType::Pointer(_) | CType::Struct(_), None) => {
                Some((self.temporary(crate::model::program::Domain::Bool, span), result.clone()))
            }
            _ => None,
        };
        // Whoever starts a thread or a process does not look at its result.
        let variable = variable.filter(|_| !self.frames.is_empty());
        self.frames.push(Frame {
            function: name.into(),
            scopes: vec![HashMap::new()],
            result: variable.clone(),
            end,
            loops: Vec::new(),
            labels: HashMap::new(),
            body: Some(&function.node),
            loops_back: super::scan::jumps_back(body),
        });
        for ((parameter, of), value) in parameters.into_iter().zip(values) {
            let Some(parameter) = parameter else { continue };
            if let Err(refusal) = self.bind(parameter, of, value, body, span) {
                self.refuse(refusal);
            }
        }
        let mut value = Value::Void;
        match (single, &body.node) {
            (Some(last), Statement::Compound(items)) if self.frames.len() > 1 => {
                self.items(&items[..items.len() - 1]);
                let place = self.span(last);
                let returned = self.value(last).and_then(|value| self.returned(value, &result, place));
                match returned {
                    Ok(returned) => value = returned,
                    Err(refusal) => self.refuse(refusal),
                }
            }
            _ => self.statement(body),
        }
        let labels = self.frame().labels.drain().collect::<Vec<_>>();
        self.check_labels(labels, span);
        self.emitter.place_used(end);
        self.frames.pop();
        Ok(match variable {
            Some((var, CType::Int(of))) => self.read(var, super::types::Leaf::Int(of)),
            _ => value,
        })
    }

    /// What a call gives, as the function's type has it.
    fn returned(&mut self, value: Value, result: &CType, span: Span) -> Lowered<Value> {
        match result {
            CType::Int(of) => {
                let value = self.stored(value, *of, span)?;
                let value = match value {
                    Value::Number(number) => Value::Number(self.converted(number, *of, span)?),
                    value => value,
                };
                Ok(self.settled_value(value, span))
            }
            CType::Void => Ok(Value::Void),
            _ => Ok(value),
        }
    }

    fn bind(
        &mut self,
        name: &'a str,
        of: CType,
        value: Value,
        body: &'a Node<Statement>,
        span: Span,
    ) -> Lowered<()> {
        match of {
            CType::Pointer(to) | CType::Array(to, _) => {
                let value = self.pointing(value, &to, span)?;
                self.declare(name, Entity::Value(value));
                Ok(())
            }
            CType::Int(of) => {
                let value = self.stored(value, of, span)?;
                let value = match value {
                    Value::Number(number) => Value::Number(self.converted(number, of, span)?),
                    value => value,
                };
                if !super::scan::changes(body, name) {
                    let value = self.settled_value(value, span);
                    self.declare(name, Entity::Value(value));
                    return Ok(());
                }
                let shown = format!("{}.{name}", self.frame().function);
                let object =
                    self.object(&shown, CType::Int(of), super::declarations::Storage::Local, span)?;
                self.store(&Place::whole(&object), value, span)?;
                self.declare(name, Entity::Object(object));
                Ok(())
            }
            CType::Thread => {
                self.declare(name, Entity::Value(value));
                Ok(())
            }
            of => {
                let title = format!("a parameter `{name}` that is {} is not supported", of.words());
                Err(unsupported(span, title, "give its address"))
            }
        }
    }

    pub fn begin_atomic(&mut self, span: Span) {
        self.emit(Form::AtomicBegin, span);
    }

    pub fn end_atomic(&mut self, span: Span) {
        self.emit(Form::AtomicEnd, span);
    }

    pub fn is_null(value: &Value) -> bool {
        match value {
            Value::Pointer(Pointer::Null) => true,
            Value::Number(number) => number.known() == Some(0),
            Value::Truth(Truth { .. }) | Value::Pointer(_) | Value::Aggregate(_) | Value::Void => false,
        }
    }
}

fn is_old_style(function: &Node<ast::FunctionDefinition>) -> bool {
    let parts = function.node.declarator.node.derived.iter();
    parts.clone().any(|part| matches!(&part.node, DerivedDeclarator::KRFunction(_)))
}

/// `if (!p) abort();` and nothing else: who calls it goes on only if the argument holds.
pub fn is_assumption(function: &Node<ast::FunctionDefinition>) -> bool {
    fn only(statement: &Statement) -> &Statement {
        match statement {
            Statement::Compound(items) => match &items[..] {
                [Node { node: BlockItem::Statement(inner), .. }] => only(&inner.node),
                _ => statement,
            },
            _ => statement,
        }
    }
    let Statement::If(conditional) = only(&function.node.statement.node) else { return false };
    let Expression::UnaryOperator(negated) = &conditional.node.condition.node else { return false };
    let Expression::Identifier(tested) = &negated.node.operand.node else { return false };
    let Statement::Expression(Some(stop)) = only(&conditional.node.then_statement.node) else { return false };
    let Expression::Call(stop) = &stop.node else { return false };
    let parameter = function.node.declarator.node.derived.iter().find_map(|part| match &part.node {
        DerivedDeclarator::Function(function) => match &function.node.parameters[..] {
            [only] => only.node.declarator.as_ref().and_then(|declarator| name_of(&declarator.node)),
            _ => None,
        },
        _ => None,
    });
    negated.node.operator.node == UnaryOperator::Negate
        && conditional.node.else_statement.is_none()
        && parameter == Some(tested.node.name.as_str())
        && super::scan::function_name(&stop.node.callee.node) == Some("abort")
}

/// The value of a function that returns once, with its last statement.
fn single_return(body: &Node<Statement>) -> Option<&Node<Expression>> {
    let Statement::Compound(items) = &body.node else { return None };
    let BlockItem::Statement(last) = &items.last()?.node else { return None };
    let Statement::Return(Some(value)) = &last.node else { return None };
    (super::scan::returns(body) == 1).then_some(&**value)
}
