//! Initialisers: what they say about scalars.

use super::lower::{Lower, Lowered, mistake, unsupported};
use super::types::{CType, Leaf};
use super::value::Object;
use crate::model::program::Var;
use calculus::span::Span;
use lang_c::ast::{self, Expression, Initializer};
use lang_c::span::Node;
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// First values of variables that exist before the program begins: 0 where nothing is said.
    pub(super) fn initial_values(
        &mut self,
        object: &Rc<Object>,
        initializer: Option<&'a Node<Initializer>>,
    ) -> Lowered<()> {
        let mut values = vec![0; object.scalars.len()];
        if let Some(initializer) = initializer {
            self.constants_of(&object.of, initializer, 0, &mut values)?;
        }
        for ((var, leaf), value) in object.scalars.iter().zip(values) {
            let value = match leaf {
                Leaf::Int(of) => super::constants::wrapped(value, *of),
                Leaf::Mutex | Leaf::Semaphore | Leaf::Thread | Leaf::Pointer => 0,
            };
            let variable = match var {
                Var::Shared(at) => &mut self.shared[*at as usize],
                Var::Own(at) => &mut self.own[*at as usize],
                Var::Local(_) => continue,
            };
            let inside = variable.domain.values().contains(&i64::try_from(value).unwrap_or(i64::MAX));
            if inside {
                variable.initial = Some(value as i64);
            } else {
                variable.initial = Some(variable.domain.low().max(0));
                self.too_large.push((object.span, format!("{} begins with {value}", object.name)));
            }
        }
        Ok(())
    }

    /// The constants of an initializer, by scalars from `at` on.
    pub(super) fn constants_of(
        &mut self,
        of: &CType,
        initializer: &'a Node<Initializer>,
        at: usize,
        values: &mut [i128],
    ) -> Lowered<()> {
        for (place, of, value) in self.initialized(of, initializer, at)? {
            values[place] = match of {
                CType::Int(_) | CType::Mutex => self.constant(value)?,
                CType::Pointer(_) => 0,
                _ => {
                    let title = format!("{} cannot be initialised like this", of.words());
                    return Err(unsupported(self.span(value), title, "initialise it in the program"));
                }
            };
        }
        Ok(())
    }

    /// What an initializer says about scalars: their places, types and values.
    pub fn initialized(
        &mut self,
        of: &CType,
        initializer: &'a Node<Initializer>,
        at: usize,
    ) -> Lowered<Vec<(usize, CType, &'a Node<Expression>)>> {
        let span = self.span(initializer);
        let items = match (&initializer.node, of) {
            (Initializer::Expression(_), CType::Stateless) => return Ok(Vec::new()),
            (Initializer::Expression(value), _) => return Ok(vec![(at, of.clone(), &**value)]),
            (Initializer::List(_), CType::Stateless | CType::Mutex) => return Ok(Vec::new()),
            (Initializer::List(items), CType::Array(..) | CType::Struct(_)) => items,
            (Initializer::List(items), _) => match &items[..] {
                [only] if only.node.designation.is_empty() => {
                    return self.initialized(of, &only.node.initializer, at);
                }
                _ => return Err(mistake(span, "one value is needed here", "a list")),
            },
        };
        let parts: Vec<(Option<&str>, CType, usize)> = match of {
            CType::Array(element, count) => {
                (0..*count).map(|i| (None, (**element).clone(), at + i * element.leaves())).collect()
            }
            CType::Struct(structure) => {
                let mut offset = at;
                let part = |(name, of): &'_ (String, CType)| {
                    let here = offset;
                    offset += of.leaves();
                    (name.clone(), of.clone(), here)
                };
                let fields = structure.fields.iter().map(part).collect::<Vec<_>>();
                return self.initialized_fields(items, &fields, span);
            }
            _ => Vec::new(),
        };
        let mut out = Vec::new();
        let mut next = 0;
        for item in items {
            match &item.node.designation[..] {
                [] => {}
                [designator] => match &designator.node {
                    ast::Designator::Index(index) => {
                        next = usize::try_from(self.constant(index)?).unwrap_or(usize::MAX);
                    }
                    ast::Designator::Member(_) => {
                        return Err(mistake(span, "an array has no members", "a member is named"));
                    }
                    ast::Designator::Range(_) => {
                        let title = "ranges of indices in initialisers are not supported";
                        return Err(unsupported(span, title, "write each element"));
                    }
                },
                _ => {
                    return Err(unsupported(
                        span,
                        "nested designators are not supported",
                        "use inner braces",
                    ));
                }
            }
            let Some((_, of, place)) = parts.get(next) else {
                return Err(mistake(span, "there are more values than elements", "this list"));
            };
            if matches!(of, CType::Array(..) | CType::Struct(_))
                && matches!(item.node.initializer.node, Initializer::Expression(_))
            {
                let title = "initialisers without inner braces are not supported";
                return Err(unsupported(span, title, "put braces around each row or structure"));
            }
            out.extend(self.initialized(of, &item.node.initializer, *place)?);
            next += 1;
        }
        Ok(out)
    }

    pub(super) fn initialized_fields(
        &mut self,
        items: &'a [Node<ast::InitializerListItem>],
        fields: &[(String, CType, usize)],
        span: Span,
    ) -> Lowered<Vec<(usize, CType, &'a Node<Expression>)>> {
        let mut out = Vec::new();
        let mut next = 0;
        for item in items {
            match &item.node.designation[..] {
                [] => {}
                [designator] => match &designator.node {
                    ast::Designator::Member(name) => {
                        let found = fields.iter().position(|(field, ..)| *field == name.node.name);
                        next = found.ok_or_else(|| mistake(span, "there is no such member", "named here"))?;
                    }
                    ast::Designator::Index(_) | ast::Designator::Range(_) => {
                        return Err(mistake(span, "a structure has no elements", "an element is named"));
                    }
                },
                _ => {
                    return Err(unsupported(
                        span,
                        "nested designators are not supported",
                        "use inner braces",
                    ));
                }
            }
            let Some((_, of, place)) = fields.get(next) else {
                return Err(mistake(span, "there are more values than members", "this list"));
            };
            if matches!(of, CType::Array(..) | CType::Struct(_))
                && matches!(item.node.initializer.node, Initializer::Expression(_))
            {
                let title = "initialisers without inner braces are not supported";
                return Err(unsupported(span, title, "put braces around each row or structure"));
            }
            out.extend(self.initialized(of, &item.node.initializer, *place)?);
            next += 1;
        }
        Ok(out)
    }

    /// An array without a size has the size of its initialiser.
    pub fn completed(
        &mut self,
        of: CType,
        initializer: Option<&'a Node<Initializer>>,
        span: Span,
    ) -> Lowered<CType> {
        match (of, initializer.map(|initializer| &initializer.node)) {
            (CType::Array(element, usize::MAX), Some(Initializer::List(items)))
                if items.iter().all(|item| item.node.designation.is_empty()) =>
            {
                Ok(CType::Array(element, items.len()))
            }
            (CType::Array(_, usize::MAX), _) => Err(unsupported(
                span,
                "the size of this array is not known",
                "write its size in the brackets",
            )),
            (of, _) => Ok(of),
        }
    }
}
