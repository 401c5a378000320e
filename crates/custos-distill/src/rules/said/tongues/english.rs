//! The words that tell in English.

use super::{SILENT, Tongue};

// A table, to be read as a whole.
#[rustfmt::skip]
pub(in super::super) static ENGLISH: Tongue = Tongue {
    no: &[
        "no", "nope", "nah", "not that", "not like that", "wrong", "that's wrong", "thats wrong", "that is wrong",
        "that's not right", "that's not what i", "incorrect", "not quite", "don't do that", "undo that",
        "revert that", "stop", "that's bad", "thats bad", "that's not ok", "that's not okay", "not good", "not ok",
    ],
    uses: &[
        "use", "let's use", "lets use", "go with", "take", "switch to", "stick with", "stick to", "keep",
        "do it with", "do it in", "write it in", "put it in", "put it into", "put them in", "put that in",
        "put this in", "call it", "name it", "make it", "make them", "return", "we use", "we're using",
        "we are using", "you should use", "you have to use", "it should be", "it must be", "that should be",
        "should be", "it's called", "it is called", "pick", "choose", "rename it to", "move it to", "leave", "run",
        "only use", "just use", "do", "don't use", "do not use", "dont use", "the right one is",
        "the correct one is", "add it to", "don't add", "do not add", "don't create", "i want", "we want",
        "replace it with",
    ],
    meant: &[
        "i meant", "i mean", "i said", "i asked for", "i wanted", "it's in", "it is in", "it belongs",
        "that belongs", "don't", "do not", "dont", "we don't", "we do not", "we dont", "we never", "we always",
    ],
    musts: &["must", "has to", "have to", "needs to"],
    should_be: &[
        "should be", "it should be", "that should be", "this should be", "must be",
    ],
    vague: &[
        "possible", "able", "easy", "fine", "ok", "okay", "good", "enough", "done", "working", "there", "simple",
        "straightforward", "ready", "fixed", "something", "a", "an", "in", "on", "no", "quick", "safe", "clear",
    ],
    deliberate: &[
        "on purpose", "is intentional", "are intentional", "intentionally", "is deliberate", "are deliberate",
        "deliberately", "by design",
    ],
    meant_by_itself: &[
        "i meant", "i said", "that's not what i asked", "i told you to", "i asked you to use", "i asked for",
    ],
    instead_of: &["instead of", "rather than", "in place of", "and not", "as opposed to"],
    than: &["over", "to"],
    instead: &["instead"],
    not: &[", not", "not"],
    always: &["always", "remember to"],
    habits: &[
        "before every", "before each", "before committing", "before pushing", "before you commit", "before you push", "after every", "after each", "every time you",
        "each time you", "whenever you", "with every commit", "with each commit", "in every commit", "in every pr",
    ],
    never: &[
        "never", "don't ever", "dont ever", "do not ever", "never ever", "under no circumstances", "don't use", "do not use",
        "dont use", "stop using", "stop adding", "stop writing", "stop creating", "stop putting", "avoid",
    ],
    from_now: &[
        "from now on", "from here on", "going forward", "henceforth", "for future reference", "from today on",
        "in the future please", "in future please", "as a rule", "next time please", "next time you",
        "remember:", "please remember", "remember this", "keep in mind:", "note for later", "make a note", "without asking me", "without asking first", "without asking us",
        "without my ok", "ask me before", "ask me first before",
    ],
    agreed: &[
        "we agreed", "we've agreed", "we decided", "we've decided", "i decided", "i've decided", "we settled on",
        "we chose", "we have chosen", "we'll use", "we will use", "we'll go with", "we're going with",
        "we are going with", "let's go with", "lets go with", "let's use", "lets use", "let's stick with",
        "lets stick with", "let's stick to", "let's switch to", "lets switch to", "let's keep", "lets keep",
        "let's stay with", "go with", "going with", "decision:", "decided:", "as agreed", "as discussed",
        "as decided", "agreed:", "in this repo we", "in this project we", "in this codebase we",
        "our convention is", "the convention is", "convention:", "the rule is", "our rule is", "team decision",
        "we standardized on", "we standardised on", "remember that we", "keep in mind that we", "we use",
        "we don't use", "we do not use", "we stay on", "we stay with", "we're staying on", "we are staying on",
        "we stick with", "we stick to", "we keep using", "that's our", "thats our", "it's our", "this is our",
        "that's how we", "thats how we", "this is how we", "our style is", "our standard is", "our policy is",
        "house style", "house rule", "company policy", "team policy",
    ],
    prefers: &[
        "i prefer", "i'd prefer", "i would prefer", "i'd rather", "i would rather", "prefer", "we prefer",
        "i like it better", "my preference is", "i don't like", "i do not like",
    ],
    modals: &["must", "should", "shall", "has to", "have to", "needs to", "need to", "may", "ought to"],
    symptoms: &[
        "fails", "fail", "failing", "returns", "returning", "crashes", "crashing", "throws", "throwing", "gives",
        "gets", "get", "got", "hangs", "breaks", "shows", "happens", "ends", "end", "was", "were", "is", "isn't",
        "are", "been", "be", "null", "true", "false", "empty", "wrong", "works", "seems", "says", "times", "had",
        "has", "have", "loads", "prints", "goes", "comes", "resolves", "errors", "logs", "the", "a", "an", "0",
        "zero", "undefined", "seen", "see", "saw", "heard", "finishes", "completes", "did", "does", "made", "ran",
        "runs", "went", "came", "worked", "mind", "called", "there", "sure", "know", "knew", "been", "starts",
        "stops", "exits", "reaches", "receives", "sends", "fires", "triggers", "renders", "updates", "connects",
        "responds", "matches", "good", "possible", "welcome", "thought", "said", "felt", "it", "i", "we", "this",
        "that", "some", "broken", "set",
    ],
    openers: &[
        "you should", "you must", "you have to", "you need to", "we", "we should", "we must", "we have to", "i",
        "i want you to", "i'd like you to", "make sure to", "make sure you", "make sure that you", "make sure we",
        "be sure to", "remember to", "ensure", "ensure you", "try to", "must", "should", "can you", "could you",
        "can we", "would you", "will you", "let's", "lets", "let us", "i think we should", "i think you should",
        "you can", "for tests", "for this repo", "in this repo", "in this project", "in general", "in tests",
        "for commits", "here", "there", "in here", "next time", "when in doubt", "we can", "we'll", "we will",
    ],
    idioms: &[
        "never mind", "nevermind", "no problem", "no worries", "no thanks", "no, thanks", "no thank you",
        "no, thank you", "no idea", "no need", "no rush", "no matter", "no big deal", "no wonder", "as always",
        "like always", "better late than never", "now or never", "almost always", "nearly always", "almost never",
        "not always", "no doubt", "no pressure", "no clue", "never say never", "why do you always",
        "why do you never", "no luck", "no change", "as usual", "i always wonder", "i never know", "i don't use",
        "i do not use", "keep going", "keep it up", "let's go on", "never again",
    ],
    asks: &[
        "if", "what if", "should we", "should i", "shall we", "do we", "do you", "does", "did", "is it", "is there",
        "are we", "are there", "why", "what", "how", "when does", "where", "who", "which", "maybe", "perhaps",
        "suppose", "supposing", "i wonder", "would it", "could it", "can it", "not sure", "i'm not sure",
        "wouldn't it", "shouldn't we", "have we", "has", "it seems", "seems like", "it looks like", "looks like",
        "unless", "apparently",
    ],
    stops: &[
        "instead", "for", "in", "when", "because", "since", "so", "and", "as", "to", "with", "if", "everywhere",
        "here", "please", "but", "on", "from", "at", "like", "not", "whenever", "wherever", "before", "after",
        "unless", "until", "there", "it's", "that's", "which", "is", "everytime", "now", "again", "rather", "by",
        "over", "than", "or", "then", "where", "while", "through", "inside", "pls", "ok", "only", "next", "don't",
        "do not", "always", "never", "you", "we", "i", "this time",
    ],
    articles: &[
        "the ", "a ", "an ", "our ", "my ", "to use ", "use ", "using ", "to ", "on ", "that we ", ": ", "with ",
        "for ", "just ",
    ],
    is_loose: false,
    ..SILENT
};
