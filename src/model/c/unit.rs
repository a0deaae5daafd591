//! A translation unit by name: functions, variables, types and constants, before any of them is needed.
//!
//! Headers declare much that a program never uses. What is not used is not looked at, and so not refused.

use lang_c::ast::{self, DeclarationSpecifier, ExternalDeclaration, TypeSpecifier};
use lang_c::span::Node;
use std::collections::{HashMap, HashSet};

/// A declarator with the specifiers before it.
#[derive(Clone, Copy)]
pub struct Declared<'a> {
    pub specifiers: &'a [Node<DeclarationSpecifier>],
    pub declarator: &'a Node<ast::Declarator>,
    pub initializer: Option<&'a Node<ast::Initializer>>,
}

#[derive(Default)]
pub struct Unit<'a> {
    pub functions: HashMap<&'a str, &'a Node<ast::FunctionDefinition>>,
    pub variables: HashMap<&'a str, Declared<'a>>,
    pub types: HashMap<&'a str, Declared<'a>>,
    /// Enumerators with their enumeration and their place in it.
    pub enumerators: HashMap<&'a str, (&'a ast::EnumType, usize)>,
    pub structures: HashMap<&'a str, &'a ast::StructType>,
    pub enumerations: HashMap<&'a str, &'a ast::EnumType>,
    /// Functions that are declared.
    pub prototypes: HashMap<&'a str, Declared<'a>>,
    /// Whether a function is called anywhere.
    pub called: HashSet<String>,
    /// Whether the result of `pthread_barrier_wait` is used anywhere.
    pub barriers_tell: bool,
    /// Functions that call themselves, perhaps through others.
    pub recursive: HashSet<&'a str>,
}

impl<'a> Unit<'a> {
    pub fn new(tree: &'a ast::TranslationUnit) -> Unit<'a> {
        let mut unit = Unit::default();
        for declaration in &tree.0 {
            match &declaration.node {
                ExternalDeclaration::Declaration(declaration) => unit.declaration(&declaration.node),
                ExternalDeclaration::StaticAssert(_) => {}
                ExternalDeclaration::FunctionDefinition(function) => {
                    unit.specifiers(&function.node.specifiers);
                    if let Some(name) = name_of(&function.node.declarator.node) {
                        unit.functions.insert(name, function);
                    }
                }
            }
        }
        unit.called = super::scan::called(tree);
        unit.barriers_tell = super::scan::uses_result(tree, "pthread_barrier_wait");
        unit.recursive = super::recursion::recursive(&unit);
        unit
    }

    fn declaration(&mut self, declaration: &'a ast::Declaration) {
        self.specifiers(&declaration.specifiers);
        let is = |wanted: ast::StorageClassSpecifier| {
            declaration.specifiers.iter().any(|specifier| match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => class.node == wanted,
                _ => false,
            })
        };
        let (typedef, external) =
            (is(ast::StorageClassSpecifier::Typedef), is(ast::StorageClassSpecifier::Extern));
        for declarator in &declaration.declarators {
            let Some(name) = name_of(&declarator.node.declarator.node) else { continue };
            let declared = Declared {
                specifiers: &declaration.specifiers,
                declarator: &declarator.node.declarator,
                initializer: declarator.node.initializer.as_ref(),
            };
            if typedef {
                // One that is declared again says the same.
                self.types.entry(name).or_insert(declared);
            } else if is_function(&declarator.node.declarator.node) {
                self.prototypes.insert(name, declared);
            } else {
                // A definition with a value counts more than one without, and that more than `extern`.
                let weaker =
                    |known: &Declared| known.initializer.is_none() && (!external || is_external(known));
                if self.variables.get(name).is_none_or(weaker) {
                    self.variables.insert(name, declared);
                }
            }
        }
    }

    fn specifiers(&mut self, specifiers: &'a [Node<DeclarationSpecifier>]) {
        for specifier in specifiers {
            if let DeclarationSpecifier::TypeSpecifier(specifier) = &specifier.node {
                self.specifier(&specifier.node);
            }
        }
    }

    fn specifier(&mut self, specifier: &'a TypeSpecifier) {
        match specifier {
            TypeSpecifier::Struct(structure) => {
                let structure = &structure.node;
                if let (Some(tag), Some(_)) = (&structure.identifier, &structure.declarations) {
                    self.structures.insert(&tag.node.name, structure);
                }
                for field in structure.declarations.iter().flatten() {
                    if let ast::StructDeclaration::Field(field) = &field.node {
                        for specifier in &field.node.specifiers {
                            if let ast::SpecifierQualifier::TypeSpecifier(inner) = &specifier.node {
                                self.specifier(&inner.node);
                            }
                        }
                    }
                }
            }
            TypeSpecifier::Enum(enumeration) => {
                let enumeration = &enumeration.node;
                if let Some(tag) =
                    enumeration.identifier.as_ref().filter(|_| !enumeration.enumerators.is_empty())
                {
                    self.enumerations.insert(&tag.node.name, enumeration);
                }
                for (at, enumerator) in enumeration.enumerators.iter().enumerate() {
                    self.enumerators.insert(&enumerator.node.identifier.node.name, (enumeration, at));
                }
            }
            _ => {}
        }
    }
}

/// Whether `extern` stands before it.
pub fn is_external(declared: &Declared) -> bool {
    declared.specifiers.iter().any(|specifier| match &specifier.node {
        DeclarationSpecifier::StorageClass(class) => class.node == ast::StorageClassSpecifier::Extern,
        _ => false,
    })
}

/// The name that is declared.
pub fn name_of(declarator: &ast::Declarator) -> Option<&str> {
    match &declarator.kind.node {
        ast::DeclaratorKind::Abstract => None,
        ast::DeclaratorKind::Identifier(name) => Some(&name.node.name),
        ast::DeclaratorKind::Declarator(inner) => name_of(&inner.node),
    }
}

/// Whether a function is declared, not a pointer to one.
fn is_function(declarator: &ast::Declarator) -> bool {
    let plain = matches!(declarator.kind.node, ast::DeclaratorKind::Identifier(_));
    let last = declarator.derived.iter().any(|derived| {
        matches!(derived.node, ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_))
    });
    plain && last
}
