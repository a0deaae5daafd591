//! Certificates: what makes a file `safe`, in a form that is checked without solving anything.
//!
//! A certificate bounds the recursive relations that a verdict rests on, each from the side that matters
//! (`needs`). The checker evaluates equations on these bounds (`equation`), each once per bound, and compares
//! (`check`). With F the right side of an equation, or of all equations of a component:
//!
//! | bound | of `mu` | of `nu` |
//! |---|---|---|
//! | upper | one set X with F(X) ⊆ X | stages from everything on, each with F(Xᵢ) ⊆ Xᵢ₊₁ |
//! | lower | stages from nothing on, each with Xᵢ₊₁ ⊆ F(Xᵢ) | one set X with X ⊆ F(X) |
//!
//! A set that merely solves the equation would not do: there are other solutions than the least and the greatest one.
//! Where `mu` and `nu` are mixed, each stage of the outer one has a proof for the inner ones inside.
//! Relations without recursion are evaluated, so they need no bounds.
//!
//! Certificates are made (`prove`) from what the solver found; nobody has to believe that.

mod check;
mod equation;
mod layout;
mod needs;
mod prove;

pub use crate::relation::StoredRelation;
pub use check::{Refusal, check};
pub use layout::Lane;
pub use needs::Side;
pub use prove::prove;

/// What makes a verdict hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The position of the verdict.
    pub verdict: usize,
    /// The lanes that the bits of the diagrams belong to.
    pub lanes: Vec<Lane>,
    /// The groups of neighbouring bits, from the top of the order: a lane and a bit of it. In each group the last
    /// copy comes first.
    pub order: Vec<(usize, usize)>,
    /// Decision diagrams: a level counted from the top, and what is left where that bit is false and where it is
    /// true. 0 is false, 1 is true, and n + 2 is the node at position n; children stand before.
    pub nodes: Vec<(usize, usize, usize)>,
    /// Of recursive components, each after those that it mentions.
    pub bounds: Vec<Bound>,
}

/// A bound of the relations of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The fixed points of the component, outermost first.
    pub blocks: Vec<Vec<RelationName>>,
    /// From where it bounds them.
    pub side: Side,
    /// Why it is a bound; values are numbers of nodes.
    pub proof: Proof<usize>,
}

/// A relation: its name with its indices, and the lane and copy of each scalar column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationName {
    /// As `Relation::title` says it.
    pub title: String,
    /// A lane and a copy for each scalar.
    pub columns: Vec<(usize, usize)>,
}

/// The values of the outermost block, stage by stage; the last ones are its bounds. There is one stage where one
/// set is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof<T> {
    /// At least one.
    pub stages: Vec<Stage<T>>,
}

/// Values of the relations of a block, and the proof of the blocks inside it for these values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage<T> {
    /// One for each relation of the block.
    pub values: Vec<T>,
    /// None for the innermost block.
    pub inner: Option<Proof<T>>,
}

impl<T> Proof<T> {
    /// The same with other values, taken stage by stage.
    fn map<U>(&self, to: &mut impl FnMut(&T) -> U) -> Proof<U> {
        let stages = self.stages.iter().map(|stage| Stage {
            values: stage.values.iter().map(&mut *to).collect(),
            inner: stage.inner.as_ref().map(|inner| inner.map(to)),
        });
        Proof { stages: stages.collect() }
    }
}

/// The relations of a component as a certificate names them.
fn names(equations: &equation::Equations, part: &needs::NeededComponent) -> Vec<Vec<RelationName>> {
    let name = |&at: &usize| RelationName {
        title: equations.system.relations[at].title(),
        columns: equations.layout.column_places(at).iter().map(|place| copy(*place)).collect(),
    };
    part.blocks.iter().map(|block| block.members.iter().map(name).collect()).collect()
}

fn copy(place: crate::space::Place) -> (usize, usize) {
    match place {
        crate::space::Place::Bits { lane, slot } => (lane, slot),
        crate::space::Place::Key(_) => unreachable!("everything is in bits here"),
    }
}
