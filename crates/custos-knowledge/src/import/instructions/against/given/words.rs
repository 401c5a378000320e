//! The words of conditions and permissions: in English, and the commonest in German, French and Spanish.

/// What somebody must have from another before doing something.
pub(super) const LEAVE: &[&str] = &[
    "approval",
    "approved",
    "authorisation",
    "authorization",
    "confirmation",
    "consent",
    "go- ahead",
    "permission",
    "sign- off",
    "signoff",
    "einverständnis",
    "erlaubnis",
    "freigabe",
    "genehmigung",
    "rücksprache",
    "zustimmung",
    "accord",
    "approbation",
    "autorisation",
    "aprobación",
    "autorización",
    "confirmación",
    "permiso",
];

/// Words that say that it is called for.
pub(super) const CALLING: &[&str] = &[
    "after",
    "await",
    "explicit",
    "first",
    "get",
    "human",
    "must",
    "my",
    "need",
    "needed",
    "needing",
    "needs",
    "only",
    "our",
    "prior",
    "request",
    "require",
    "required",
    "requires",
    "requiring",
    "subject to",
    "wait",
    "with",
    "your",
    "benötigt",
    "braucht",
    "brauchen",
    "erforderlich",
    "mit",
    "nach",
    "nötig",
    "notwendig",
    "nur",
    "vorherige",
    "après",
    "avec",
    "nécessaire",
    "préalable",
    "requis",
    "requise",
    "con",
    "necesaria",
    "necesario",
    "necesita",
    "previa",
    "previo",
    "requiere",
    "requieren",
    "tras",
];

/// Words that say that it is not.
pub(super) const WITHOUT: &[&str] = &["without", "ohne", "sans", "sin"];

/// Words that begin a condition if they go on to what somebody needs.
pub(super) const WITH: &[&str] = &["with", "without", "mit", "ohne", "avec", "sans", "con", "sin"];

/// Words of which each says that somebody is to be asked, or was.
pub(super) const ASKED: &[&str] = &[
    "ask me",
    "ask us",
    "ask the user",
    "asked for",
    "asked to",
    "check with me",
    "check with us",
    "if asked",
    "on request",
    "only when told",
    "unless asked",
    "unless told",
    "upon request",
    "when asked",
    "when told",
    "auf anfrage",
    "erst fragen",
    "rückfrage nötig",
    "sur demande",
    "a petición",
];

/// Words by which something is allowed.
pub(super) const ALLOWING: &[&str] = &[
    "agents may",
    "allowed",
    "can be done",
    "feel free",
    "fine to",
    "free to",
    "may be done",
    "may do",
    "ok to",
    "okay to",
    "permitted",
    "pre- approved",
    "safe to",
    "without asking",
    "you can always",
    "you can do",
    "you can freely",
    "you can safely",
    "you may",
    "erlaubt",
    "gestattet",
    "ohne nachfrage",
    "ohne nachzufragen",
    "ohne rückfrage",
    "ohne zu fragen",
    "zulässig",
    "autorisé",
    "autorisée",
    "autorisées",
    "autorisés",
    "permis",
    "sans demander",
    "autorizado",
    "permitida",
    "permitidas",
    "permitido",
    "permitidos",
    "sin preguntar",
];

/// The same where they say nothing else.
pub(super) const ALONE: &[&str] =
    &["agents can", "can", "may", "you can", "du darfst", "vous pouvez", "puedes"];

/// Words by which something is left to somebody, and by which an exception is named.
pub(super) const OPTIONAL: &[&str] = &[
    "except",
    "exception",
    "exceptions",
    "optional",
    "optionally",
    "ausnahme",
    "ausnahmen",
    "excepción",
    "excepciones",
    "facultatif",
    "opcional",
    "sauf",
];

/// Words that say when something holds, beside those that begin a condition anyway.
pub(super) const TIMES: &[&str] =
    &["during", "while", "während", "bei", "pendant", "durante", "en cas de", "en caso de"];

/// What is not usual.
pub(super) const EMERGENCIES: &[&str] = &[
    "emergency",
    "emergencies",
    "notfall",
    "notfälle",
    "notfällen",
    "urgence",
    "urgences",
    "urgencia",
    "emergencia",
    "emergencias",
];
