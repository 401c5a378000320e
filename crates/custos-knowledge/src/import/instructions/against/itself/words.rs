//! The words by which a text says itself that something is to be: in English, German, French and Spanish, and the commonest of others.

/// Words that a text begins with when it says itself that something is to be.
pub(super) const DEMANDING: &[&str] = &[
    "make sure",
    "ensure",
    "be sure",
    "prefer",
    "favor",
    "favour",
    "must",
    "bevorzuge",
    "bevorzugt",
    "achte darauf",
    "achten sie darauf",
    "stelle sicher",
    "stellen sie sicher",
    "il faut",
    "préfère",
    "préférez",
    "privilégie",
    "privilégiez",
    "assure- toi",
    "assurez- vous",
    "veille à",
    "veillez à",
    "prefiere",
    "prefiera",
    "asegúrate",
    "asegúrese",
    "hay que",
    "обязательно",
];

/// The same in scripts that put no blanks between words, or join them.
pub(super) const DEMANDING_WITHOUT_BLANKS: &[&str] =
    &["必须", "必須", "必ず", "务必", "務必", "确保", "確保", "반드시"];

/// Words that urge somebody, and that tell as well what somebody does too often.
pub(super) const URGING: &[&str] = &[
    "always",
    "please",
    "immer",
    "stets",
    "bitte",
    "toujours",
    "veuillez",
    "merci de",
    "siempre",
    "por favor",
    "sempre",
    "всегда",
    "пожалуйста",
];

/// The same in scripts that put no blanks between words, or join them.
pub(super) const URGING_WITHOUT_BLANKS: &[&str] = &["总是", "總是", "始终", "始終", "항상"];

/// Words that demand only before a verb: "Only happy paths" is what somebody found.
pub(super) const LIMITING: &[&str] =
    &["only", "nur", "ausschließlich", "seulement", "uniquement", "solo", "sólo", "solamente", "только"];

/// Words that may say so, that allow something, or tell what happens.
pub(super) const ALLOWING: &[&str] = &[
    "may",
    "can",
    "need",
    "needs",
    "require",
    "requires",
    "always",
    "darf",
    "dürfen",
    "kann",
    "können",
    "immer",
    "peut",
    "peuvent",
    "toujours",
    "puede",
    "pueden",
    "siempre",
    "может",
    "можно",
    "всегда",
];

/// Words that begin a part of a sentence in which somebody else does something.
pub(super) const PARTING: &[&str] =
    &["what", "whatever", "how", "why", "if", "when", "whenever", "because", "while", "until", "unless"];

/// Verbs by which somebody is to be asked.
pub(super) const ASKING: &[&str] = &[
    "ask",
    "check with",
    "confirm",
    "consult",
    "get approval",
    "request approval",
    "wait for approval",
    "frag",
    "frage",
    "fragen",
    "nachfragen",
    "demande",
    "demander",
    "demandez",
    "pregunta",
    "preguntar",
    "pregunte",
    "consulta",
    "спроси",
    "спросите",
    "спрашивай",
    "спрашивайте",
];

/// Words that say that it is to be done before anything else.
pub(super) const FIRST: &[&str] = &[
    "before",
    "beforehand",
    "first",
    "bevor",
    "vorher",
    "zuerst",
    "zunächst",
    "avant",
    "d'abord",
    "antes",
    "primero",
    "перед",
    "прежде",
    "сначала",
];

/// Words that stop somebody who is about to do what is forbidden: they say themselves what is to be done.
pub(super) const STOPPING: &[&str] = &[
    "stop and ask",
    "pause and ask",
    "stop and confirm",
    "ask first",
    "halte an und frage",
    "frag nach",
    "frage nach",
    "arrête- toi et demande",
    "arrêtez- vous et demandez",
    "para y pregunta",
    "detente y pregunta",
];

/// Words that name what is to be done in place of something else.
pub(super) const REPLACING: &[&str] = &["instead", "stattdessen", "plutôt", "en su lugar"];

/// Words that compare two things, of which either may be the one that is meant.
pub(super) const COMPARING: &[&str] = &[
    "instead of",
    "rather than",
    "anstatt",
    "statt",
    "plutôt que",
    "au lieu de",
    "en lugar de",
    "en vez de",
];

/// Words that begin a condition.
pub(super) const CONDITIONS: &[&str] = &[
    "if",
    "when",
    "whenever",
    "unless",
    "once",
    "before",
    "after",
    "until",
    "in case",
    "wenn",
    "falls",
    "sobald",
    "bevor",
    "si",
    "quand",
    "lorsque",
    "avant",
    "cuando",
    "antes",
    "если",
    "когда",
];

/// Words with which somebody explains behind a colon what stands before it: "Skip hooks: you should fix what they find".
pub(super) const EXPLAINING: &[&str] =
    &["you", "it", "they", "we", "du", "man", "es", "il", "elle", "vous", "usted"];

/// Words by which such an aside is about what stands before it.
pub(super) const REFERRING: &[&str] = &["it", "its", "them", "this", "these", "those"];

/// Verbs that say to do without something: what is to be done in its place goes with them.
pub(super) const RESTRAINING: &[&str] = &[
    "delete", "drop", "ignore", "keep", "leave", "limit", "migrate", "move", "remove", "replace", "skip",
    "stay", "stop", "swap", "switch",
];
