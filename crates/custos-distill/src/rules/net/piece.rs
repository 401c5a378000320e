//! One place in a file, before and after, and how edits of the same place become one.

/// One place in a file, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) before: String,
    pub(crate) after: String,
}

/// Folds an edit into those before it, where it changes what they wrote; gives what it took back wholly.
pub(super) fn fold(pieces: &mut Vec<Piece>, before: &str, after: &str) -> Option<Piece> {
    if before == after {
        return None;
    }
    if !before.is_empty() {
        if let Some(at) = pieces.iter().rposition(|piece| piece.after.contains(before)) {
            let known = pieces[at].clone();
            pieces[at].after = pieces[at].after.replacen(before, after, 1);
            if same(&pieces[at].before, &pieces[at].after) {
                pieces.remove(at);
                return Some(known);
            }
            return None;
        }
        let within = |piece: &Piece| !piece.after.is_empty() && before.contains(piece.after.as_str());
        if let Some(at) = pieces.iter().rposition(within) {
            let known = pieces.remove(at);
            let old = before.replacen(known.after.as_str(), &known.before, 1);
            if same(&old, after) {
                return Some(known);
            }
            // An edit that took in an earlier one.
            pieces.push(Piece { before: old, after: after.to_owned() });
            return None;
        }
    }
    pieces.push(Piece { before: before.to_owned(), after: after.to_owned() });
    None
}

/// Gives the first line that an edit put in and that says something.
pub(super) fn tried(piece: &Piece) -> Option<String> {
    let old: Vec<&str> = piece.before.lines().map(str::trim).collect();
    let is_telling = |line: &&str| {
        line.chars().filter(|c| c.is_alphanumeric()).count() > 5
            && !["#", "*", "//"].iter().any(|mark| line.starts_with(mark))
            && !old.contains(line)
    };
    piece.after.lines().map(str::trim).find(is_telling).map(str::to_owned)
}

/// Names the definitions that an edit touched.
pub(super) fn names_of(path: &str, piece: &Piece) -> Vec<String> {
    if custos_syntax::language(path).is_none() {
        return Vec::new();
    }
    let touched = custos_syntax::compare(path, &piece.before, &piece.after);
    touched.into_iter().map(|touched| touched.name).collect()
}

/// Compares two texts without regard to white space.
pub(super) fn same(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}
