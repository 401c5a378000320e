//! The rows of tables, whose columns may say how is meant what stands in them.

use super::against::{self, Bearing, Condition, Mark};
use super::pieces::{Form, Piece};

/// The most columns of a table that is read: what is wider holds data.
const MOST_COLUMNS: usize = 32;

/// A column of a table.
pub(super) struct Column {
    head: String,
    /// How is meant what stands in it, if its head says so.
    bearing: Option<Bearing>,
}

impl Column {
    fn is_against(&self) -> bool {
        self.bearing.as_ref().is_some_and(Bearing::is_against)
    }

    /// The condition that its head sets.
    fn given(&self) -> Option<(&Bearing, Condition)> {
        match &self.bearing {
            Some(bearing @ Bearing::Given { condition, .. }) => Some((bearing, *condition)),
            _ => None,
        }
    }
}

/// Gives the columns that a row names: enough of them to see that there are too many.
pub(super) fn columns(bare: &str) -> Vec<Column> {
    let heads = cells(bare).into_iter().take(MOST_COLUMNS + 1);
    heads.map(|head| Column { bearing: against::of_column(&head), head }).collect()
}

/// Says whether a line is the one between the head of a table and its rows.
pub(super) fn is_table_rule(bare: &str) -> bool {
    bare.contains('|')
        && bare.contains('-')
        && bare.chars().all(|c| matches!(c, '|' | '-' | ':') || c.is_whitespace())
}

/// Makes a piece of a row that stands where this holds.
pub(super) fn row(bare: &str, columns: &[Column], above: Option<Bearing>) -> Piece {
    let cells = cells(bare);
    if cells.len().max(columns.len()) > MOST_COLUMNS {
        // Whether a column forbids what is in it was not looked at.
        return Piece { text: bare.to_owned(), form: Form::Row, is_unclear: true, ..Piece::default() };
    }
    let marks: Vec<Option<Mark>> = cells.iter().map(|cell| against::of_cell(cell)).collect();
    let filled: Vec<usize> = (0..cells.len()).filter(|at| !cells[*at].is_empty()).collect();
    let given = |at: usize| columns.get(at).and_then(Column::given);
    let is_given = |at: &usize| given(*at).is_some();
    let has_barred = columns.iter().any(Column::is_against);
    let has_sides = has_barred || filled.iter().any(|at| is_given(at) && marks[*at].is_none());
    let (is_for, is_barred) = (marks.contains(&Some(Mark::For)), marks.contains(&Some(Mark::Against)));
    // Nobody can tell what a cross below "Ask first" means, or a tick there beside what is said in other columns.
    let is_odd = |at: &usize| match (given(*at), marks[*at]) {
        (Some((_, Condition::Allowed)), Some(Mark::Against)) => has_sides,
        (Some(_), Some(mark)) => has_sides || mark == Mark::Against,
        _ => false,
    };
    let mut is_unclear = (!has_sides && is_for && is_barred) || filled.iter().any(is_odd);
    let mut said = Vec::new();
    for at in filled {
        let cell = &cells[at];
        match columns.get(at).filter(|_| has_sides) {
            // Each side says itself which it is.
            Some(Column { bearing: Some(Bearing::Against { words, .. }), .. }) => {
                is_unclear |= against::is_contrary(cell, Mark::Against);
                said.push(against::in_column(cell, words));
            }
            Some(Column { bearing: Some(Bearing::Given { words, .. }), .. }) => {
                is_unclear |= against::is_contrary(cell, Mark::For);
                said.push(against::in_column(cell, words));
            }
            Some(Column { head, bearing: Some(Bearing::For) }) => {
                is_unclear |= against::is_contrary(cell, Mark::For);
                said.push(against::in_column_for(cell, head));
            }
            _ if !has_sides && marks[at].is_some() => {}
            _ => said.push(cell.clone()),
        }
    }
    let ticked = || (0..marks.len()).find(|at| marks[*at] == Some(Mark::For)).and_then(given);
    let bearing = match above {
        // Beside "Ask first" other columns may describe what is done.
        _ if has_sides => {
            Some(Bearing::within(has_barred || columns.iter().all(|column| column.bearing.is_some())))
        }
        _ if is_barred => Some(Bearing::crossed()),
        above if is_for => {
            let above = above.filter(Bearing::is_given);
            ticked().map(|(bearing, _)| bearing.clone()).or(above).or(Some(Bearing::For))
        }
        above => above,
    };
    Piece { text: said.join(" – "), form: Form::Row, bearing, is_unclear, ..Piece::default() }
}

/// Gives the cells of a row, also those with nothing in them.
fn cells(bare: &str) -> Vec<String> {
    let hidden = bare.replace("\\|", "\u{1f}");
    let inner = hidden.strip_prefix('|').unwrap_or(&hidden);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.split('|').map(|cell| cell.trim().replace('\u{1f}', "|")).collect()
}
