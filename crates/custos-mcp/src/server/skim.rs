//! Who waits for the answer to a line that cannot be read.
//!
//! A line may be longer than anybody keeps, or break off. Whoever sent it waits all the same, so it is looked through for the id that stands
//! in it, byte by byte: braces, brackets and quotes are counted, so that an `"id"` among the arguments or in a text is not taken for the
//! request's own, and of the whole line no more is kept than one name and one value. Clients write the id first or last, before the
//! arguments or behind them; so the end is looked at as well as the beginning.

use rmcp::model::RequestId;

/// The longest name or value that is kept, in bytes. An id is a number, or a name that a program made.
const LONGEST_VALUE: usize = 256;

/// What was seen of a message so far.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four things that a message may be and have in any combination"
)]
pub(super) struct Skim {
    /// How many braces and brackets are open.
    depth: usize,
    /// Whether the message is an object. Of a list nobody knows whose id would be meant.
    is_object: bool,
    text: Text,
    /// What was read of the message's own name or value at hand.
    value: Vec<u8>,
    /// The name before it.
    name: Vec<u8>,
    id: Option<RequestId>,
    has_id: bool,
    has_method: bool,
    is_answer: bool,
}

/// Whether a byte is one of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Inside,
    /// Right behind a backslash.
    Escaped,
}

impl Skim {
    /// Looks through some bytes.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut skim = Self::default();
        skim.read(bytes);
        skim
    }

    /// Goes on with the next bytes of the line.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// Gives the id under which somebody waits; not that of an answer, for nobody waits for what is made of one.
    pub(super) fn id(&self) -> Option<RequestId> {
        self.id.clone().filter(|_| !self.is_answer)
    }

    /// Says whether nobody waits, now that the whole line was seen: it is a notification, or an answer.
    pub(super) fn is_unasked(&self) -> bool {
        if self.has_method { !self.has_id } else { self.is_answer }
    }

    fn step(&mut self, byte: u8) {
        if self.text != Text::Outside {
            self.keep(byte);
            self.text = match byte {
                b'\\' if self.text == Text::Inside => Text::Escaped,
                b'"' if self.text == Text::Inside => Text::Outside,
                _ => Text::Inside,
            };
            return;
        }
        match byte {
            b'"' => {
                self.text = Text::Inside;
                self.keep(byte);
            }
            b'{' | b'[' => {
                if self.depth == 0 {
                    self.is_object = byte == b'{';
                }
                self.keep(byte);
                self.depth += 1;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_of_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.depth == 1 => self.end_of_value(),
            b':' if self.depth == 1 => {
                self.name = std::mem::take(&mut self.value);
                self.has_id |= self.name == b"\"id\"";
                self.has_method |= self.name == b"\"method\"";
                self.is_answer |= self.name == b"\"result\"" || self.name == b"\"error\"";
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    /// Keeps a byte of the message's own names and values. What is longer than an id is cut, and then is none.
    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.value.len() <= LONGEST_VALUE {
            self.value.push(byte);
        }
    }

    fn end_of_value(&mut self) {
        if self.is_object && self.name == b"\"id\"" {
            self.id = serde_json::from_slice(&self.value).ok();
        }
        self.name.clear();
        self.value.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn number(id: i64) -> RequestId {
        RequestId::Number(id)
    }

    #[rstest]
    #[case::first(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, Some(number(1)))]
    #[case::last(
        r#"{"method":"tools/call","params":{"id":5,"a":[{"id":6}]},"jsonrpc":"2.0","id":7}"#,
        Some(number(7))
    )]
    #[case::spaced(" { \"id\" : 3 , \"method\" : \"a\" } ", Some(number(3)))]
    #[case::a_name(r#"{"id":"a\"b","method":"x"}"#, Some(RequestId::String("a\"b".into())))]
    #[case::among_the_arguments(r#"{"method":"x","params":{"id":5}}"#, None)]
    #[case::in_a_text(r#"{"method":"x","params":"\",\"id\":5,\"","y":"id"}"#, None)]
    #[case::in_a_text_that_ends_with_a_backslash(r#"{"method":"\\","id":5}"#, Some(number(5)))]
    #[case::a_value(r#"{"method":"id","a":"id"}"#, None)]
    #[case::of_a_list(r#"[{"id":5,"method":"x"}]"#, None)]
    #[case::in_a_list(r#"["id",5]"#, None)]
    #[case::an_object(r#"{"id":{"id":5},"method":"x"}"#, None)]
    #[case::nothing(r#"{"id":null,"method":"x"}"#, None)]
    #[case::not_at_its_end(r#"{"method":"x","id":12"#, None)]
    #[case::an_answer(r#"{"id":5,"result":{}}"#, None)]
    fn the_id_is_that_of_the_message(#[case] line: &str, #[case] id: Option<RequestId>) {
        assert_eq!(Skim::of(line.as_bytes()).id(), id);
    }

    #[test]
    fn a_long_id_is_none_and_takes_no_room() {
        let skim = Skim::of(format!(r#"{{"method":"x","id":"{}"}}"#, "x".repeat(1 << 20)).as_bytes());
        assert_eq!((skim.id(), skim.has_id), (None, true));
        assert!(skim.value.capacity() + skim.name.capacity() < 4 * LONGEST_VALUE);
    }

    #[rstest]
    #[case::a_question(r#"{"id":1,"method":"x"}"#, false)]
    #[case::a_notification(r#"{"method":"x","params":{"id":1}}"#, true)]
    #[case::an_answer(r#"{"id":1,"error":{}}"#, true)]
    #[case::neither("{}", false)]
    fn nobody_waits_for_notifications_and_answers(#[case] line: &str, #[case] is_unasked: bool) {
        assert_eq!(Skim::of(line.as_bytes()).is_unasked(), is_unasked);
    }

    proptest! {
        #[test]
        fn portions_do_not_matter(line in prop::collection::vec(any::<u8>(), 0..80), at in 0..80_usize) {
            let (head, tail) = line.split_at(at.min(line.len()));
            let mut skim = Skim::of(head);
            skim.read(tail);
            prop_assert_eq!(format!("{skim:?}"), format!("{:?}", Skim::of(&line)));
        }
    }
}
