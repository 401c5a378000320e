//! Every number that decides what is recalled, in one record.
//!
//! A score is a sum, so a part of it can be told in the same unit as the whole: 1 is what the best match by words gets for its words.
//! Where nothing is known, a part is 0, so a memory loses nothing by what nobody noted.
//!
//! The numbers of the fusion were chosen on three sets of questions at once: turns of long conversations (recall among ten), sessions of a
//! chat (hit among five) and functions of code (recall among five). They lie in the middle of a plateau: moved together at random by up to
//! a fifth, all forty draws stayed within 73.0 to 75.0, 94.9, and 69.2 to 71.0 per cent. Held out in a nested cross-validation they gave
//! 73.9, 94.9 and 70.4. Each constant says what it is worth there. The boosts cannot be measured on such sets, which know neither files
//! nor importance; they are small against the spread of good matches (1 to 3), so that they decide between equals.
//!
//! Two groups of numbers are elsewhere, with their reasons. What a word weighs in a title, a text or a list of files is written down
//! when a text is indexed, and how BM25 counts is the index's own (`custos-index`, `document.rs` and `rank.rs`). How long a line may be is
//! part of the wording of a context (`context/wording.rs`), which a receipt has to write again byte by byte.

use crate::search::Found;

/// The weights and bounds of recall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// Counts the versions of these numbers, and of how contexts are worded; receipts name it.
    pub version: u32,
    /// What bounds the work of one question.
    pub reach: Reach,
    /// How words, meaning and neighbours become one measure.
    pub fusion: Fusion,
    /// What else counts.
    pub boosts: Boosts,
    /// From when on something counts as an answer, for whoever reads the list.
    pub relevant: Relevant,
    /// What a session begins with.
    pub start: Start,
    /// What a prompt brings back.
    pub prompt: AtPrompt,
    /// What is said at a tool.
    pub hints: AtTool,
    /// How much the files of the knowledge base matter.
    pub filed: Filed,
    /// How much of them a session begins with.
    pub told: ToldOfFiles,
}

/// What bounds the work of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// How many of the best by words are compared by meaning as well. 100 cost the set of functions two points, 500 gained nothing.
    pub by_words: usize,
    /// How many times as many of the nearest are looked at where a filter will leave out most of them: a type or a file is seldom more
    /// than a quarter of a project.
    pub narrow: usize,
    /// How many of the nearest pieces a server adds the texts of. Hooks do without, which costs the set of functions one point; 300
    /// instead of 64 changed no set by more than another sample does, and took three milliseconds.
    pub by_meaning: usize,
    /// As many in a hook, which finds the vectors and rows of each anew in files that it has just opened.
    pub by_words_in_hooks: usize,
    /// How many texts tell what is ordinary in the scope. Taking the candidates themselves for ordinary costs a point.
    pub sample: usize,
    /// Of how many of the best, neighbours are read that nothing else has found. To read none costs conversations three points.
    pub neighbours_read: usize,
    /// Of how many of the best, the neighbours are known at all.
    pub neighbours_known: usize,
    /// Of how many of the best the rows are read before the boosts decide, beyond those that are wanted.
    pub considered: usize,
    /// With fewer answers than this, what the viewer may not see is passed over, and more is looked for.
    pub handful: usize,
    /// How often that is done at most. Each time some five hundred are passed over.
    pub passed_over: usize,
    /// How many files of a session's latest calls are those that it is working on.
    pub files_at_hand: usize,
    /// How many tokens of a question are embedded. No embedder of sentences makes good use of a page.
    pub question_tokens: usize,
}

/// How words, meaning and neighbours become one measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fusion {
    /// What one standard deviation above the ordinary likeness is worth, with the best match by words at 1. By words alone, the three
    /// sets lose 4, 5 and 28 points; by meaning alone conversations lose 22.
    pub meaning: f64,
    /// The least standard deviation, so that texts which are all equally like the question do not become far apart by dividing.
    pub least_spread: f64,
    /// How many of the best by words tell how much meaning goes with words, for rows that have no vector yet: as many as a page shows.
    pub telling: usize,
    /// What the better one of the direct neighbours adds, as a share of its own measure. Neighbours are worth 8 points in conversations.
    pub neighbour: f64,
    /// What the better one of those two places away adds: 2 of the 8 points.
    pub second_neighbour: f64,
}

/// What else counts, each at most so much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boosts {
    /// All of its files are among those at hand; a share of them counts in proportion.
    pub files: f64,
    /// Is of this moment; half of it after `recency_days`, a quarter after twice as many.
    pub recency: f64,
    /// See `recency`.
    pub recency_days: f64,
    /// Matters as much as anything can; what matters as little as anything can loses as much, and the middle counts nothing.
    pub importance: f64,
    /// Is of the project of the present work, where several are searched.
    pub project: f64,
    /// Is of the branch of the present work.
    pub branch: f64,
    /// Was written by somebody in the same role.
    pub role: f64,
    /// Was pinned by a person.
    pub pinned: f64,
    /// What a memory loses that comes from an import or from a repo that nobody has looked at.
    pub untrusted: f64,
    /// The share that is lost by what repeats something that was corrected. Where the correction answers too, as much less than that one
    /// has: the old words may well be nearer to the question than the new ones.
    pub corrected: f64,
}

/// From when on something is an answer and not merely the least bad.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relevant {
    /// It has so much of what the best by words has.
    pub words: f64,
    /// Or, in a list by time, it is so many standard deviations more alike than the ordinary.
    pub deviations: f64,
    /// Or it is so much alike in itself. Something always stands out from the ordinary, two deviations and more among thirty texts, and
    /// among five nothing can; but what is about something else has 0.23 at most, and most answers have 0.26 and more.
    pub cosine: f32,
}

impl Relevant {
    /// Says whether something that was found is an answer. What has no vector yet is one by any word that it shares with the question.
    pub(crate) fn is_met(&self, found: &Found) -> bool {
        let is_alike = match found.relevance.cosine {
            Some(cosine) => cosine >= self.cosine,
            None => found.parts.words > 0.0,
        };
        is_alike || found.parts.words >= self.words
    }
}

/// What a session begins with. A score is the sum of what is known about an entry without a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Start {
    /// Matters as much as anything can.
    pub importance: f64,
    /// How much something matters of which nobody said so.
    pub importance_unknown: f64,
    /// Is of this moment; half of it after `recency_days`.
    pub recency: f64,
    /// See `recency`.
    pub recency_days: f64,
    /// From which importance on something does not age, and for how many of the weightiest that holds.
    pub lasting: f64,
    /// See `lasting`.
    pub lasting_most: usize,
    /// Is of the branch that is checked out.
    pub branch: f64,
    /// Concerns only files of the latest work.
    pub files: f64,
    /// Was pinned by a person.
    pub pinned: f64,
    /// The share that is lost by what nobody has reviewed.
    pub untrusted: f64,
    /// The share that is lost by a summary of what was corrected since.
    pub corrected: f64,
    /// How many of the weightiest and of the newest are looked at.
    pub considered: usize,
    /// How many of the newest lessons that the person keeps for all projects: they must not crowd out those of this one.
    pub own: usize,
    /// Up to how many memories each is told with what it says; of more, one line each.
    pub few: usize,
    /// The files of how many of the latest summaries are those of the latest work: about a day's.
    pub latest: usize,
    /// How many lines of what was learnt there are at most.
    pub lines: usize,
    /// How many lines of what sessions came to.
    pub summaries: usize,
    /// As many after a compaction, when the model has lost the most.
    pub summaries_after_compaction: usize,
    /// Which part of the room for lines those of sessions get before those of what was learnt, in per cent. They matter less one by one, so
    /// without it there would be next to none; together they tell what has been going on.
    pub summaries_percent: u64,
    /// The same after a compaction.
    pub summaries_percent_after_compaction: u64,
    /// From which part of the ceiling on only pinned ones are added, in per cent.
    pub usual_percent: u64,
}

/// What a prompt brings back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtPrompt {
    /// How many memories at most.
    pub most: usize,
    /// How many of the best are looked at.
    pub considered: usize,
    /// How many characters of a prompt are looked up: what somebody asks stands at the beginning, what they paste behind it.
    pub looked_up: usize,
    /// With fewer words that say something a prompt is not looked up.
    pub least_words: usize,
    /// What surely bears on a prompt: the share of the prompt's words that a memory has, and the cosine between the two, together. In a
    /// story of 108 prompts, what was wanted has 0.82 and more, and what is merely about the same things at most 0.76.
    pub sure: f64,
    /// And so much of its words at least.
    pub sure_least_words: f64,
    /// And so much of its meaning at least.
    pub sure_least_meaning: f64,
    /// Or so much of its meaning alone: among few texts the share of words says little, because what all of them have weighs nothing. In the
    /// same story, 0.40 is the most that did not fit.
    pub sure_by_meaning: f64,
    /// What has less than this part of the best one's share of words, and means less, is about something else of the same sort.
    pub lookalike: f64,
    /// The share of its words, where nothing is known about the meaning. In the same story, 0.46 is the most that did not fit.
    pub sure_by_words: f64,
}

/// What is said at a tool. A hint interrupts, so it has to be right nine times out of ten, or people switch it off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtTool {
    /// How much something must matter: by [its parts](custos_model::Importance) a fix that a run has proven does, one that nobody has run
    /// does not.
    pub important: f64,
    /// Of more files than this, none is the subject: what changes four files at once is about something else than one of them.
    pub subjects: usize,
    /// Of a call that names more files than this, nobody can tell which it is about.
    pub named: usize,
    /// After so many days a fix says more about what the code was. A decision does not age.
    pub fresh_days: i64,
    /// So many different cures for one error, and nobody knows which will help.
    pub cures: usize,
}

/// How much a file of the knowledge base matters, from 0 to 1, where it does not say so itself: what people settled more than what agents
/// noted, and what waits more than what is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Filed {
    /// A decision that must be followed: next to nothing matters more.
    pub required: f64,
    /// A decision that advises: as much as an observation that a run has proven.
    pub advisory: f64,
    /// A memory that somebody saved on purpose.
    pub remembered: f64,
    /// A task of high priority.
    pub urgent: f64,
    /// A task or a question that is open, a handoff: the middle, where importance neither lifts nor lowers.
    pub open: f64,
    /// What is done or answered: it is looked up rather than told.
    pub done: f64,
}

/// How much of the files a session begins with, in lines and characters. All of it together takes less than half of the usual ceiling, so
/// that something of what was learnt is told beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToldOfFiles {
    /// How many characters of one part of a handoff: two or three sentences.
    pub handoff_part: usize,
    /// How many of all of its parts.
    pub handoff: usize,
    /// With less room than this a further part of a handoff would say nothing.
    pub handoff_least: usize,
    /// How many rules that bind; the others are counted.
    pub rules: usize,
    /// How many open questions.
    pub questions: usize,
    /// How many characters of a rule or a question: a title.
    pub line: usize,
    /// How many rules of a repo that nobody has looked at: enough to see that there are some, too few to push out anything.
    pub unreviewed: usize,
    /// How many characters of each.
    pub unreviewed_line: usize,
}

impl Policy {
    /// The numbers that are in use where nobody chose others.
    pub const DEFAULT: Self = Self {
        version: 6,
        reach: Reach {
            by_words: 200,
            by_words_in_hooks: 128,
            by_meaning: 64,
            narrow: 4,
            sample: 64,
            neighbours_read: 20,
            neighbours_known: 40,
            considered: 32,
            handful: 5,
            passed_over: 4,
            files_at_hand: 20,
            question_tokens: 32,
        },
        fusion: Fusion {
            meaning: 0.35,
            least_spread: 0.02,
            telling: 10,
            neighbour: 0.4,
            second_neighbour: 0.2,
        },
        boosts: Boosts {
            files: 0.2,
            recency: 0.1,
            recency_days: 30.0,
            importance: 0.1,
            project: 0.1,
            branch: 0.05,
            role: 0.05,
            pinned: 0.2,
            untrusted: 0.25,
            corrected: 0.6,
        },
        relevant: Relevant { words: 0.25, deviations: 2.0, cosine: 0.25 },
        start: Start {
            importance: 0.55,
            importance_unknown: 0.5,
            recency: 0.35,
            recency_days: 14.0,
            lasting: 0.8,
            lasting_most: 5,
            branch: 0.1,
            files: 0.15,
            pinned: 1.0,
            untrusted: 0.4,
            corrected: 0.4,
            considered: 40,
            own: 6,
            few: 4,
            latest: 3,
            lines: 16,
            summaries: 10,
            summaries_after_compaction: 20,
            summaries_percent: 35,
            summaries_percent_after_compaction: 75,
            usual_percent: 70,
        },
        prompt: AtPrompt {
            most: 3,
            considered: 8,
            looked_up: 600,
            least_words: 2,
            sure: 0.79,
            sure_least_words: 0.2,
            sure_least_meaning: 0.25,
            sure_by_meaning: 0.6,
            lookalike: 0.8,
            sure_by_words: 0.6,
        },
        hints: AtTool { important: 0.6, subjects: 3, named: 3, fresh_days: 365, cures: 3 },
        filed: Filed { required: 0.9, advisory: 0.7, remembered: 0.7, urgent: 0.7, open: 0.5, done: 0.3 },
        told: ToldOfFiles {
            handoff_part: 260,
            handoff: 1_000,
            handoff_least: 40,
            rules: 12,
            questions: 5,
            line: 150,
            unreviewed: 3,
            unreviewed_line: 80,
        },
    };
}

impl Default for Policy {
    fn default() -> Self {
        Self::DEFAULT
    }
}
