//! Attaches comments to the tree. One at the end of a line belongs to the statement or declaration that ends
//! there; every other one to the next statement or procedure, and after the last to the end of the file.

use super::Parser;
use crate::ast::Remarks;

impl Parser<'_> {
    /// The comment on the line of the token taken last, split into comment and origin.
    pub(super) fn trailing_comment(&mut self) -> (Option<String>, Option<String>) {
        let comments = &self.lexer.comments;
        if comments.last().is_none_or(|comment| comment.before < self.at) {
            return (None, None);
        }
        self.comments_taken.resize(comments.len(), false);
        let first = comments.partition_point(|comment| comment.before < self.at);
        let mut here = comments[first..].iter().take_while(|comment| comment.before == self.at);
        let Some(index) = here.position(|comment| comment.ends_line).map(|i| first + i) else {
            return (None, None);
        };
        if std::mem::replace(&mut self.comments_taken[index], true) {
            return (None, None);
        }
        let text = comments[index].text.as_str();
        // The printer, too, lets no comment look like an origin.
        let some = |s: &str| Some(s.trim().replace("// @", "/ / @")).filter(|s| !s.is_empty());
        if let Some(origin) = text.strip_prefix('@') {
            return (None, Some(origin.trim().to_owned()).filter(|s| !s.is_empty()));
        }
        match text.rfind("// @") {
            Some(i) => (some(&text[..i]), some(&text[i + 4..])),
            None => (some(text), None),
        }
    }

    /// Gives the comment after the token taken last to the variable declared last.
    pub(super) fn remark(&mut self, vars: &[crate::Ident], remarks: &mut Remarks) {
        let Some(var) = vars.last() else { return };
        if remarks.last().is_some_and(|(known, _)| known.loc.0 == var.loc.0) {
            return;
        }
        let (comment, origin) = self.trailing_comment();
        if let Some(text) = comment.or(origin) {
            remarks.push((var.clone(), text));
        }
    }

    /// The comments before the next token that have no place yet.
    pub(super) fn comments_above(&mut self) -> Vec<String> {
        if self.comments_at == self.lexer.comments.len() {
            return vec![];
        }
        self.comments_taken.resize(self.lexer.comments.len(), false);
        let mut out = vec![];
        while let Some(comment) = self.lexer.comments.get(self.comments_at).filter(|c| c.before <= self.at) {
            if !std::mem::replace(&mut self.comments_taken[self.comments_at], true) {
                out.push(comment.text.clone());
            }
            self.comments_at += 1;
        }
        out
    }
}
