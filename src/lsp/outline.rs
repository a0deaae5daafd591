//! The names in a text: what it declares, and where it mentions what. One form for equations and programs.

use calculus::span::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Relation,
    Sort,
    /// A value of an enumeration.
    Value,
    /// A parameter or a constant.
    Constant,
    /// A column, a quantified variable, an index; a variable of a program.
    Variable,
    Procedure,
    Label,
}

impl Kind {
    /// The number that the protocol has for it in lists of symbols.
    pub fn symbol(self) -> u32 {
        match self {
            Kind::Relation | Kind::Procedure => 12,
            Kind::Sort => 10,
            Kind::Value => 22,
            Kind::Constant => 14,
            Kind::Variable => 13,
            Kind::Label => 20,
        }
    }

    /// The number that the protocol has for it in completions.
    pub fn completion(self) -> u32 {
        match self {
            Kind::Relation | Kind::Procedure => 3,
            Kind::Sort => 13,
            Kind::Value => 20,
            Kind::Constant => 21,
            Kind::Variable => 6,
            Kind::Label => 18,
        }
    }
}

/// A name that is declared.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub name: String,
    pub kind: Kind,
    /// The name where it is declared.
    pub span: Span,
    /// The whole declaration.
    pub whole: Span,
    /// The part of the text that sees it, if not all of it does.
    pub seen: Option<Span>,
}

/// A name that is mentioned; its declaration if that is in the same text.
#[derive(Clone, Debug)]
pub struct Mention {
    pub name: String,
    pub span: Span,
    pub means: Option<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct Outline {
    pub declarations: Vec<Declaration>,
    pub mentions: Vec<Mention>,
}

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named<'o> {
    /// A declaration of this text, by its number.
    Own(usize),
    /// A name that other texts declare.
    Foreign(&'o str),
}

impl Outline {
    pub fn declare(&mut self, name: &str, kind: Kind, span: Span, whole: Span, seen: Option<Span>) -> usize {
        self.declarations.push(Declaration { name: name.into(), kind, span, whole, seen });
        self.declarations.len() - 1
    }

    /// The declaration that the whole text sees.
    pub fn global(&self, name: &str) -> Option<usize> {
        self.declarations.iter().position(|known| known.seen.is_none() && known.name == name)
    }

    /// Gives the mentions without a declaration those that the whole text sees.
    pub fn settle(&mut self) {
        for at in 0..self.mentions.len() {
            if self.mentions[at].means.is_none() {
                self.mentions[at].means = self.global(&self.mentions[at].name);
            }
        }
    }

    /// The name at a place, and where it stands.
    pub fn at(&self, offset: usize) -> Option<(Named<'_>, Span)> {
        let covers = |span: Span| (span.start as usize..=span.end as usize).contains(&offset);
        let declared = self.declarations.iter().position(|known| covers(known.span));
        if let Some(at) = declared {
            return Some((Named::Own(at), self.declarations[at].span));
        }
        let mention = self.mentions.iter().find(|mention| covers(mention.span))?;
        Some((mention.means.map_or(Named::Foreign(&mention.name), Named::Own), mention.span))
    }

    /// All places of a declaration of this text, itself included.
    pub fn places(&self, declaration: usize) -> Vec<Span> {
        let own = self.declarations[declaration].span;
        let mentions = self.mentions.iter().filter(|mention| mention.means == Some(declaration));
        let mut places = mentions.map(|mention| mention.span).chain([own]).collect::<Vec<_>>();
        places.sort();
        places.dedup();
        places
    }

    /// All places of a name that another text declares.
    pub fn foreign(&self, name: &str) -> Vec<Span> {
        let mentions = self.mentions.iter().filter(|mention| mention.means.is_none() && mention.name == name);
        mentions.map(|mention| mention.span).collect()
    }

    /// What can be named at a place.
    pub fn visible(&self, offset: usize) -> impl Iterator<Item = &Declaration> {
        let sees = move |span: Span| (span.start as usize..=span.end as usize).contains(&offset);
        self.declarations.iter().filter(move |known| known.seen.is_none_or(sees))
    }
}
