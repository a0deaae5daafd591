//! Structures that others see are read and written member by member, as in the model: each member is an access of its own.

use super::text::Text;
use crate::model::c::unit::name_of;
use lang_c::ast::{
    self, BinaryOperator, DeclarationSpecifier, Expression, MemberOperator, TypeSpecifier, UnaryOperator,
};
use lang_c::span::Node;

/// What is known of the type of a place: the structure below so many arrays and pointers.
#[derive(Clone, Copy, Default)]
pub struct Shape<'a> {
    structure: Option<&'a ast::StructType>,
    depth: usize,
}

impl<'a> Text<'a> {
    /// The shape of what is declared.
    pub fn shape(
        &self,
        specifiers: &'a [Node<DeclarationSpecifier>],
        declarator: &'a ast::Declarator,
    ) -> Shape<'a> {
        let specifiers = specifiers.iter().filter_map(|specifier| match &specifier.node {
            DeclarationSpecifier::TypeSpecifier(of) => Some(&of.node),
            _ => None,
        });
        below(self.specified(specifiers), declarator)
    }

    fn specified(&self, mut specifiers: impl Iterator<Item = &'a TypeSpecifier>) -> Shape<'a> {
        let found = specifiers.find_map(|specifier| match specifier {
            TypeSpecifier::Struct(structure) => Some(self.defined(&structure.node)),
            TypeSpecifier::TypedefName(name) => {
                let declared = self.unit.types.get(name.node.name.as_str())?;
                Some(self.shape(declared.specifiers, &declared.declarator.node))
            }
            _ => None,
        });
        found.unwrap_or_default()
    }

    fn defined(&self, structure: &'a ast::StructType) -> Shape<'a> {
        let tag = structure.identifier.as_ref().map(|tag| tag.node.name.as_str());
        let known = match structure.declarations {
            Some(_) => Some(structure),
            None => tag.and_then(|tag| self.unit.structures.get(tag).copied()),
        };
        Shape { structure: known, depth: 0 }
    }

    /// The members of a structure.
    fn members(&self, structure: &'a ast::StructType) -> Vec<(&'a str, Shape<'a>)> {
        let mut members = Vec::new();
        for field in structure.declarations.iter().flatten() {
            let ast::StructDeclaration::Field(field) = &field.node else { continue };
            let specifiers = field.node.specifiers.iter().filter_map(|specifier| match &specifier.node {
                ast::SpecifierQualifier::TypeSpecifier(of) => Some(&of.node),
                _ => None,
            });
            let base = self.specified(specifiers);
            for declarator in
                field.node.declarators.iter().filter_map(|member| member.node.declarator.as_ref())
            {
                members.extend(name_of(&declarator.node).map(|name| (name, below(base, &declarator.node))));
            }
        }
        members
    }

    fn shape_of(&self, place: &'a Expression) -> Shape<'a> {
        let element = |of: Shape<'a>| match of.depth.checked_sub(1) {
            Some(depth) => Shape { depth, ..of },
            None => Shape::default(),
        };
        match place {
            Expression::Identifier(name) => self.shape_of_name(&name.node.name),
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                element(self.shape_of(&binary.node.lhs.node))
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                element(self.shape_of(&unary.node.operand.node))
            }
            Expression::Member(member) => {
                let of = self.shape_of(&member.node.expression.node);
                let depth = usize::from(member.node.operator.node == MemberOperator::Indirect);
                let Some(structure) = of.structure.filter(|_| of.depth == depth) else {
                    return Shape::default();
                };
                let members = self.members(structure);
                let found = members.iter().find(|(name, _)| *name == member.node.identifier.node.name);
                found.map(|(_, of)| *of).unwrap_or_default()
            }
            _ => Shape::default(),
        }
    }

    /// The structure that a place is.
    pub fn structure(&self, place: &'a Expression) -> Option<&'a ast::StructType> {
        let of = self.shape_of(place);
        of.structure.filter(|_| of.depth == 0)
    }

    /// The value of a place, read member by member.
    pub fn copied(&self, structure: &'a ast::StructType, place: &str) -> String {
        let read =
            self.each(structure, "fp_copy", "", 0, &|at| format!("fp_copy{at} = FP_READ((*fp_from){at}); "));
        format!(
            "({{ __auto_type fp_from = &({place}); __typeof__((void)0, *fp_from) fp_copy; {read}fp_copy; }})"
        )
    }

    /// `to = from`, member by member.
    pub fn assigned(&self, structure: &'a ast::StructType, to: &str, from: &str) -> String {
        let write = |at: &str| format!("FP_WRITE((*fp_to){at}, FP_READ((*fp_from){at})); ");
        let write = self.each(structure, "(*fp_to)", "", 0, &write);
        format!("({{ __auto_type fp_to = &({to}); __auto_type fp_from = &({from}); {write}*fp_to; }})")
    }

    /// A statement for each scalar below a place, which has the name of the whole and what stands behind it.
    fn each(
        &self,
        structure: &'a ast::StructType,
        whole: &str,
        at: &str,
        loops: usize,
        make: &dyn Fn(&str) -> String,
    ) -> String {
        let members = self.members(structure).into_iter();
        members.map(|(name, of)| self.below(of, whole, &format!("{at}.{name}"), loops, make)).collect()
    }

    fn below(
        &self,
        of: Shape<'a>,
        whole: &str,
        at: &str,
        loops: usize,
        make: &dyn Fn(&str) -> String,
    ) -> String {
        match (of.depth.checked_sub(1), of.structure) {
            (Some(depth), _) => {
                let inner = Shape { depth, ..of };
                let each = self.below(inner, whole, &format!("{at}[fp_at{loops}]"), loops + 1, make);
                let count = format!("sizeof({whole}{at}) / sizeof({whole}{at}[0])");
                format!(
                    "for (unsigned long fp_at{loops} = 0; fp_at{loops} < {count}; fp_at{loops}++) {{ {each}}} "
                )
            }
            (None, Some(structure)) => self.each(structure, whole, at, loops, make),
            (None, None) => make(at),
        }
    }
}

fn below<'a>(base: Shape<'a>, declarator: &'a ast::Declarator) -> Shape<'a> {
    Shape { depth: base.depth + declarator.derived.len(), ..base }
}
