//! Types: from specifiers and declarators.

use super::lower::{Entity, Lower, Lowered, MOST_SCALARS, mistake, unsupported};
use super::types::{CType, IntType, Structure};
use super::unit::{Declared, name_of};
use calculus::span::Span;
use lang_c::ast::{
    self, ArraySize, DeclarationSpecifier, DerivedDeclarator, Expression, SpecifierQualifier,
    StorageClassSpecifier, TypeQualifier, TypeSpecifier,
};
use lang_c::span::Node;
use std::rc::Rc;

/// Attributes that do not change what a program does, as far as it is modelled.
const HARMLESS: &[&str] = &[
    "noreturn",
    "unused",
    "used",
    "always_inline",
    "noinline",
    "gnu_inline",
    "inline",
    "nothrow",
    "leaf",
    "pure",
    "const",
    "nonnull",
    "format",
    "malloc",
    "warn_unused_result",
    "deprecated",
    "aligned",
    "cold",
    "hot",
    "artificial",
    "returns_nonnull",
    "access",
    "visibility",
];

impl<'a> Lower<'a> {
    pub(super) fn enumerator(&mut self, enumeration: &'a ast::EnumType, at: usize) -> Lowered<i128> {
        let mut next = 0;
        for enumerator in &enumeration.enumerators[..=at] {
            if let Some(expression) = &enumerator.node.expression {
                let name = &enumerator.node.identifier;
                next = self.once(&name.node.name, self.span(name), |this| this.constant(expression))?;
            }
            next += 1;
        }
        Ok(next - 1)
    }

    /// The type of a declarator, and how it is stored.
    pub fn declared_type(
        &mut self,
        declared: Declared<'a>,
    ) -> Lowered<(CType, Option<StorageClassSpecifier>)> {
        let (base, storage) = self.specified(declared.specifiers)?;
        self.harmless(&declared.declarator.node.extensions)?;
        Ok((self.derived(base, declared.declarator)?, storage))
    }

    pub fn specified(
        &mut self,
        specifiers: &'a [Node<DeclarationSpecifier>],
    ) -> Lowered<(CType, Option<StorageClassSpecifier>)> {
        let mut storage = None;
        let (mut types, mut atomic) = (Vec::new(), false);
        for specifier in specifiers {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => {
                    // `static _Thread_local` is of the thread.
                    if storage != Some(StorageClassSpecifier::ThreadLocal) {
                        storage = Some(class.node.clone());
                    }
                }
                DeclarationSpecifier::TypeSpecifier(of) => types.push(of),
                DeclarationSpecifier::TypeQualifier(qualifier) => {
                    atomic |= qualifier.node == TypeQualifier::Atomic
                }
                DeclarationSpecifier::Function(_) => {}
                DeclarationSpecifier::Alignment(_) => {}
                DeclarationSpecifier::Extension(extensions) => self.harmless(extensions)?,
            }
        }
        Ok((atomic_type(self.base(&types)?, atomic), storage))
    }

    pub(super) fn harmless(&self, extensions: &[Node<ast::Extension>]) -> Lowered<()> {
        for extension in extensions {
            match &extension.node {
                ast::Extension::Attribute(attribute) => {
                    let name = attribute.name.node.trim_matches('_');
                    if !HARMLESS.contains(&name) {
                        let title = format!("the attribute `{name}` is not supported");
                        return Err(unsupported(
                            self.span(extension),
                            title,
                            "leave it out if the program allows",
                        ));
                    }
                }
                ast::Extension::AsmLabel(_) => {
                    let title = "names for the linker are not supported";
                    return Err(unsupported(self.span(extension), title, "leave it out"));
                }
                ast::Extension::AvailabilityAttribute(_) => {}
            }
        }
        Ok(())
    }

    pub fn type_name(&mut self, name: &'a Node<ast::TypeName>) -> Lowered<CType> {
        let base = self.qualified(&name.node.specifiers)?;
        match &name.node.declarator {
            None => Ok(base),
            Some(declarator) => self.derived(base, declarator),
        }
    }

    pub(super) fn qualified(&mut self, specifiers: &'a [Node<SpecifierQualifier>]) -> Lowered<CType> {
        let (mut types, mut atomic) = (Vec::new(), false);
        for specifier in specifiers {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(of) => types.push(of),
                SpecifierQualifier::TypeQualifier(qualifier) => {
                    atomic |= qualifier.node == TypeQualifier::Atomic
                }
                SpecifierQualifier::Extension(extensions) => self.harmless(extensions)?,
            }
        }
        Ok(atomic_type(self.base(&types)?, atomic))
    }

    pub(super) fn base(&mut self, specifiers: &[&'a Node<TypeSpecifier>]) -> Lowered<CType> {
        let (mut bits, mut signed, mut longs, mut truth) = (32, true, 0, false);
        let mut found = None;
        for specifier in specifiers {
            let span = self.span(specifier);
            let refused =
                |what: &str, help: &str| Err(unsupported(span, format!("{what} are not supported"), help));
            match &specifier.node {
                TypeSpecifier::Void => found = Some(CType::Void),
                TypeSpecifier::Char => bits = 8,
                TypeSpecifier::Short => bits = 16,
                TypeSpecifier::Int => {}
                TypeSpecifier::Long => longs += 1,
                TypeSpecifier::Signed => signed = true,
                TypeSpecifier::Unsigned => signed = false,
                TypeSpecifier::Bool => truth = true,
                TypeSpecifier::Float | TypeSpecifier::Double | TypeSpecifier::TS18661Float(_) => {
                    return refused("floating-point numbers", "use whole numbers");
                }
                TypeSpecifier::Complex => return refused("complex numbers", "use whole numbers"),
                TypeSpecifier::Atomic(name) => found = Some(atomic_type(self.type_name(name)?, true)),
                TypeSpecifier::Struct(structure) => found = Some(self.structure(&structure.node, span)?),
                TypeSpecifier::Enum(enumeration) => found = Some(self.enumeration(&enumeration.node, span)?),
                TypeSpecifier::TypedefName(name) => found = Some(self.named_type(&name.node.name, span)?),
                TypeSpecifier::TypeOf(of) => {
                    found = Some(match &of.node {
                        ast::TypeOf::Expression(expression) => self.type_of(expression)?,
                        ast::TypeOf::Type(name) => self.type_name(name)?,
                    });
                }
            }
        }
        Ok(match found {
            Some(found) => found,
            None if truth => CType::Int(IntType::BOOL),
            None => CType::Int(IntType::new(if longs > 0 { 64 } else { bits }, signed)),
        })
    }

    pub(super) fn named_type(&mut self, name: &str, span: Span) -> Lowered<CType> {
        match name {
            "pthread_t" => return Ok(CType::Thread),
            "pthread_mutex_t" => return Ok(CType::Mutex),
            "sem_t" => return Ok(CType::Semaphore),
            "pthread_barrier_t" => return Ok(CType::Barrier),
            "pthread_cond_t"
            | "pthread_attr_t"
            | "pthread_mutexattr_t"
            | "pthread_condattr_t"
            | "pthread_barrierattr_t" => return Ok(CType::Stateless),
            _ => {}
        }
        if let Some(Entity::Type(of)) = self.lookup(name) {
            return Ok(of);
        }
        let unit = self.unit;
        let Some(declared) = unit.types.get(name) else {
            return Err(mistake(span, format!("the type `{name}` is not declared"), "not known"));
        };
        let (of, _) = self.outside(|this| this.declared_type(*declared))?;
        self.globals.insert(name.into(), Entity::Type(of.clone()));
        Ok(of)
    }

    pub(super) fn structure(&mut self, structure: &'a ast::StructType, span: Span) -> Lowered<CType> {
        if structure.kind.node == ast::StructKind::Union {
            return Err(unsupported(span, "unions are not supported", "use a structure with all members"));
        }
        let tag = structure.identifier.as_ref().map(|tag| tag.node.name.as_str());
        let declarations = match (&structure.declarations, tag) {
            (Some(declarations), _) => declarations,
            (None, Some(tag)) => {
                if let Some(Entity::Type(known)) = self.lookup(&tag_name(tag)) {
                    return Ok(known);
                }
                if let Some(known) = self.tags.get(tag) {
                    return Ok(known.clone());
                }
                let unit = self.unit;
                return match unit.structures.get(tag) {
                    Some(defined) => self.outside(|this| this.structure(defined, span)),
                    // A pointer to it may still be declared.
                    None => Ok(CType::Void),
                };
            }
            (None, None) => return Ok(CType::Void),
        };
        // A structure may have pointers to itself.
        if let Some(tag) = tag {
            self.tag(tag, CType::Void);
        }
        let mut fields = Vec::new();
        for declaration in declarations {
            let ast::StructDeclaration::Field(field) = &declaration.node else { continue };
            let base = self.qualified(&field.node.specifiers)?;
            for declarator in &field.node.declarators {
                if let Some(width) = &declarator.node.bit_width {
                    return Err(unsupported(
                        self.span(width),
                        "bit fields are not supported",
                        "leave out the width",
                    ));
                }
                let Some(declarator) = &declarator.node.declarator else { continue };
                let of = self.derived(base.clone(), declarator)?;
                let name = name_of(&declarator.node).unwrap_or_default();
                fields.push((name.into(), of));
            }
            if field.node.declarators.is_empty() {
                let title = "members without a name are not supported";
                return Err(unsupported(self.span(field), title, "give the inner structure a name"));
            }
        }
        let of = CType::Struct(Rc::new(Structure { name: tag.unwrap_or("struct").into(), fields }));
        if let Some(tag) = tag {
            self.tag(tag, of.clone());
        }
        Ok(of)
    }

    /// Those of a function are known there only.
    fn tag(&mut self, tag: &str, of: CType) {
        match self.frames.is_empty() {
            true => drop(self.tags.insert(tag.into(), of)),
            false => self.declare(&tag_name(tag), Entity::Type(of)),
        }
    }

    pub(super) fn enumeration(&mut self, enumeration: &'a ast::EnumType, span: Span) -> Lowered<CType> {
        let tag = enumeration.identifier.as_ref().map(|tag| tag.node.name.as_str());
        let unit = self.unit;
        let enumeration = match (enumeration.enumerators.is_empty(), tag) {
            (false, _) => enumeration,
            (true, tag) => match tag.and_then(|tag| unit.enumerations.get(tag)) {
                Some(defined) if !self.frames.is_empty() => {
                    return self.outside(|this| this.enumeration(defined, span));
                }
                Some(defined) => defined,
                None => return Err(mistake(span, "this enumeration is not declared", "not known")),
            },
        };
        let mut signed = false;
        for at in 0..enumeration.enumerators.len() {
            let value = self.enumerator(enumeration, at)?;
            signed |= value < 0;
            let name = &enumeration.enumerators[at].node.identifier.node.name;
            let constant = Entity::Constant(value, IntType::INT);
            // Those of a function are known there only.
            match self.frames.is_empty() {
                true => drop(self.globals.insert(name.clone(), constant)),
                false => self.declare(name, constant),
            }
        }
        // As common compilers do.
        Ok(CType::Int(IntType::new(32, signed)))
    }

    pub fn derived(&mut self, base: CType, declarator: &'a Node<ast::Declarator>) -> Lowered<CType> {
        let mut of = base;
        let parts = &declarator.node.derived;
        let is_pointer = |part: &&Node<DerivedDeclarator>| matches!(part.node, DerivedDeclarator::Pointer(_));
        for _ in parts.iter().filter(is_pointer) {
            of = CType::Pointer(Rc::new(of));
        }
        for part in parts.iter().rev() {
            of = match &part.node {
                DerivedDeclarator::Pointer(_) => of,
                DerivedDeclarator::Array(array) => {
                    let size = match &array.node.size {
                        ArraySize::Unknown | ArraySize::VariableUnknown => usize::MAX,
                        ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                            self.array_size(size)?
                        }
                    };
                    CType::Array(Rc::new(of), size)
                }
                DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_) => {
                    CType::Function(Rc::new(of))
                }
                DerivedDeclarator::Block(_) => {
                    return Err(unsupported(self.span(part), "blocks are not supported", "use a function"));
                }
            };
        }
        match &declarator.node.kind.node {
            ast::DeclaratorKind::Abstract | ast::DeclaratorKind::Identifier(_) => Ok(of),
            ast::DeclaratorKind::Declarator(inner) => self.derived(of, inner),
        }
    }

    pub(super) fn array_size(&mut self, size: &'a Node<Expression>) -> Lowered<usize> {
        let Some(value) = self.is_constant(size) else {
            let title = "arrays whose size is known only when the program runs are not supported";
            return Err(unsupported(self.span(size), title, "use a constant size"));
        };
        match usize::try_from(value) {
            Ok(value) if value <= MOST_SCALARS => Ok(value),
            _ => {
                let title = format!("arrays have 0 to {MOST_SCALARS} elements here");
                Err(unsupported(self.span(size), title, "make the array smaller"))
            }
        }
    }
}

/// The name of a structure among the names of a scope.
fn tag_name(tag: &str) -> String {
    format!("struct {tag}")
}

fn atomic_type(of: CType, atomic: bool) -> CType {
    match of {
        CType::Int(int) => CType::Int(IntType { atomic: int.atomic || atomic, ..int }),
        of => of,
    }
}
