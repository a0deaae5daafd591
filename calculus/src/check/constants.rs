//! The values of parameters and constants. Each may rest on others, in whatever order they stand.

use super::declare::{Declarations, Global, GlobalKind};
use super::findings::{Checked, Findings};
use super::statics::{Constants, Statics};
use crate::diagnostic::{Diagnostic, nearest};
use crate::span::Span;
use crate::syntax::MAX_DEPTH;
use crate::syntax::ast::{Expr, ExprKind, ParamBounds};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Computes every parameter and constant, so that mistakes in unused ones are found too. `set` has the values that
/// the user gives to parameters.
pub(super) fn constants(
    declarations: &Declarations,
    set: &BTreeMap<String, i64>,
    findings: &mut Findings,
) -> Constants {
    let mut pass =
        ConstantPass { declarations, set, findings, values: Constants::new(), open: BTreeSet::new() };
    let mut names = declarations.globals.iter().collect::<Vec<_>>();
    // In the order of the text, where most names rest on earlier ones.
    names.sort_by_key(|(_, global)| global.span);
    names.into_iter().for_each(|(name, global)| pass.compute(name, global.span));
    pass.values
}

struct ConstantPass<'d, 'a> {
    declarations: &'d Declarations<'a>,
    set: &'d BTreeMap<String, i64>,
    findings: &'d mut Findings,
    values: Constants,
    /// Those that are being computed, each inside the one that needs it.
    open: BTreeSet<Rc<str>>,
}

impl<'a> ConstantPass<'_, 'a> {
    /// Computes a value, after those that it rests on. A name that stands for something else is passed over.
    fn compute(&mut self, name: &Rc<str>, used: Span) {
        let declarations = self.declarations;
        let Some(global) = declarations.get(name) else { return };
        let (value, bounds, set) = match global.kind {
            GlobalKind::Param { value, bounds } => (value, bounds, self.set.get(&**name).copied()),
            GlobalKind::Const(value) => (value, None, None),
            _ => return,
        };
        if self.values.contains_key(name) {
            return;
        }
        if self.open.contains(name) {
            self.findings.add(
                Diagnostic::error("fp::cyclic", format!("the value of `{name}` depends on itself"))
                    .label(used, "which is needed here again")
                    .label(global.span, "the value of this")
                    .help("give one of them a value without the others"),
            );
            return;
        }
        if self.open.len() >= MAX_DEPTH {
            self.findings.add(too_deep(used));
            return;
        }
        self.open.insert(name.clone());
        if set.is_none() {
            self.compute_parts(value);
        }
        for end in bounds.iter().flat_map(|bounds| [Some(&bounds.lo), bounds.hi.as_ref()]).flatten() {
            self.compute_parts(end);
        }
        let statics = Statics { declarations, constants: &self.values };
        let mut result = match set {
            Some(value) => Ok(value),
            None => statics.int(value, &[], self.findings),
        };
        if let (Ok(value), Some(bounds)) = (result, bounds) {
            let inside = in_bounds(name, global.span, value, set.is_some(), bounds, statics, self.findings);
            result = inside.map(|()| value);
        }
        self.open.remove(name);
        self.values.insert(name.clone(), result);
    }

    /// Computes what a static expression rests on.
    fn compute_parts(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.compute(&name.name, name.span),
            ExprKind::Not(inner) | ExprKind::Negate(inner) => self.compute_parts(inner),
            ExprKind::And(parts) | ExprKind::Or(parts) | ExprKind::Apply { args: parts, .. } => {
                parts.iter().for_each(|part| self.compute_parts(part))
            }
            ExprKind::Binary(_, left, right) => {
                self.compute_parts(left);
                self.compute_parts(right);
            }
            _ => {}
        }
    }
}

/// Whether the value of a parameter lies in its bounds; bounds with a mistake do not count.
fn in_bounds(
    name: &str,
    declared: Span,
    value: i64,
    set: bool,
    bounds: &ParamBounds,
    statics: Statics,
    findings: &mut Findings,
) -> Checked<()> {
    let lo = statics.int(&bounds.lo, &[], findings);
    let hi = bounds.hi.as_ref().map(|hi| statics.int(hi, &[], findings)).transpose();
    let (Ok(lo), Ok(hi)) = (lo, hi) else { return Ok(()) };
    if lo <= value && hi.is_none_or(|hi| value <= hi) {
        return Ok(());
    }
    let allowed = hi.map_or(format!("at least {lo}"), |hi| format!("in {lo}..{hi}"));
    let place = bounds.lo.span.to(bounds.hi.as_ref().map_or(bounds.lo.span, |hi| hi.span));
    let (verb, help) = match set {
        _ if hi.is_some_and(|hi| hi < lo) => ("is", "write the smaller bound first".to_string()),
        true => ("is set to", format!("for example: --set {name}={lo}")),
        false => ("is", "change its value or its bounds".to_string()),
    };
    Err(findings.add(
        Diagnostic::error("fp::param_range", format!("the parameter `{name}` must be {allowed}"))
            .label(declared, format!("it {verb} {value}"))
            .label(place, "its bounds")
            .help(help),
    ))
}

/// Too many definitions rest on each other, each on a later one.
pub(super) fn too_deep(place: Span) -> Diagnostic {
    let title = format!("more than {MAX_DEPTH} definitions depend on each other, each on a later one");
    Diagnostic::error("fp::too_deep", title)
        .label(place, "one level too deep")
        .help("put definitions before those that use them")
}

/// `--set` may only name parameters, and no file may give them a value: `given` has those that do get one.
pub(super) fn only_parameters_are_set(
    declarations: &Declarations,
    set: &BTreeMap<String, i64>,
    given: &BTreeSet<Rc<str>>,
    findings: &mut Findings,
) {
    let params = || {
        let params = declarations.globals.iter();
        params.filter(|(name, g)| matches!(g.kind, GlobalKind::Param { .. }) && !given.contains(*name))
    };
    for name in set.keys() {
        if params().any(|(param, _)| **param == **name) {
            continue;
        }
        let known = params().map(|(param, _)| &**param).collect::<Vec<_>>();
        let constant = declarations.globals.get(name.as_str());
        let constant =
            constant.filter(|global| matches!(global.kind, GlobalKind::Const(_) | GlobalKind::Param { .. }));
        let help = match (nearest(name, known.iter().copied()), known.is_empty()) {
            _ if given.contains(name.as_str()) => "change what the `use` gives it".to_string(),
            _ if constant.is_some() => format!("to set it, define it as `param {name} = …;`"),
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, true) => "the file has no parameters; `--set` and `--deepen` are for those".to_string(),
            (None, false) => format!("its parameters are: {}", known.join(", ")),
        };
        let title = format!("the file has no parameter `{name}` to set");
        let diagnostic = Diagnostic::error("fp::unknown_param", title).help(help);
        findings.add(match constant {
            Some(Global { span, kind: GlobalKind::Param { .. } }) => {
                diagnostic.label(*span, "the file that uses this one gives it a value")
            }
            Some(Global { span, .. }) => diagnostic.label(*span, "a constant, not a parameter"),
            None => diagnostic,
        });
    }
}
