//! The words that tell, language by language.
//!
//! English is spelled out, since most prompts are in it; the others have what is plain. In most of them the word for “always” may stand
//! anywhere in an instruction (`is_loose`), so that words of a symptom anywhere in the sentence speak against it.

use super::tongues_east::{CHINESE, JAPANESE, KOREAN, RUSSIAN};

/// The words of one language, in small letters with plain apostrophes.
#[derive(Debug)]
pub(super) struct Tongue {
    /// A no that begins a correction.
    pub(super) no: &'static [&'static str],
    /// Verbs of an instruction that take what is to be used.
    pub(super) uses: &'static [&'static str],
    /// What makes a correction of a no without a verb: “I meant”.
    pub(super) meant: &'static [&'static str],
    /// The same without a no.
    pub(super) meant_by_itself: &'static [&'static str],
    /// What makes a correction of a no, anywhere: “must”.
    pub(super) musts: &'static [&'static str],
    /// How a sentence begins that says what something should be.
    pub(super) should_be: &'static [&'static str],
    /// Words behind it that say nothing.
    pub(super) vague: &'static [&'static str],
    /// Says that something is as it is on purpose, anywhere.
    pub(super) deliberate: &'static [&'static str],
    /// Between the new and the old.
    pub(super) instead_of: &'static [&'static str],
    /// Between the old and the new.
    pub(super) swapped: &'static [&'static str],
    /// Says that something is replaced, without saying what.
    pub(super) instead: &'static [&'static str],
    /// Before the old, behind a comma.
    pub(super) not: &'static [&'static str],
    /// Always.
    pub(super) always: &'static [&'static str],
    /// How often, behind an instruction: “before every commit”.
    pub(super) habits: &'static [&'static str],
    /// Never.
    pub(super) never: &'static [&'static str],
    /// From now on: anywhere in a sentence.
    pub(super) from_now: &'static [&'static str],
    /// We agreed: at the start of a clause.
    pub(super) agreed: &'static [&'static str],
    /// I prefer: at the start of a clause.
    pub(super) prefers: &'static [&'static str],
    /// Must, should: what makes a rule of any sentence.
    pub(super) modals: &'static [&'static str],
    /// Words of what happens by itself.
    pub(super) symptoms: &'static [&'static str],
    /// Who may stand before “always” or a verb.
    pub(super) openers: &'static [&'static str],
    /// Sayings that have the words and mean nothing.
    pub(super) idioms: &'static [&'static str],
    /// How questions and suppositions begin.
    pub(super) asks: &'static [&'static str],
    /// Where the name of a thing ends.
    pub(super) stops: &'static [&'static str],
    /// What stands before a name.
    pub(super) articles: &'static [&'static str],
    /// What stands behind a name.
    pub(super) particles: &'static [&'static str],
    /// Whether “always” may stand anywhere.
    pub(super) is_loose: bool,
    /// Whether words are written without spaces.
    pub(super) is_dense: bool,
    /// Whether a verb comes behind what it is about.
    pub(super) is_verb_last: bool,
}

/// Nothing, for what a language does not need.
pub(super) const SILENT: Tongue = Tongue {
    no: &[],
    uses: &[],
    meant: &[],
    meant_by_itself: &[],
    musts: &[],
    should_be: &[],
    vague: &[],
    deliberate: &[],
    instead_of: &[],
    swapped: &[],
    instead: &[],
    not: &[],
    always: &[],
    habits: &[],
    never: &[],
    from_now: &[],
    agreed: &[],
    prefers: &[],
    modals: &[],
    symptoms: &[],
    openers: &[],
    idioms: &[],
    asks: &[],
    stops: &[],
    articles: &[],
    particles: &[],
    is_loose: true,
    is_dense: false,
    is_verb_last: false,
};

/// What leads in, in any language.
pub(super) const FILLERS: &[&str] = &[
    "ok", "okay", "k", "hey", "hi", "well", "so", "and", "also", "but", "then", "please", "pls", "plz", "ah", "oh", "hm", "hmm", "uh", "um", "actually",
    "btw", "by the way", "note", "important", "remember", "reminder", "yes", "yeah", "yep", "right", "sure", "great", "good", "nice", "thanks", "thx",
    "just", "fyi", "ps", "one more thing", "again", "rule", "sorry", "wait", "stop", "cool", "perfect", "now", "still", "todo", "nb", "listen", "look",
    "bitte", "und", "aber", "also", "ja", "gut", "achtung", "wichtig", "danke", "ach", "nochmal", "dann", "merke", "hinweis", "übrigens", "stopp", "halt",
    "s'il te plaît", "stp", "svp", "et", "mais", "oui", "bon", "alors", "attention", "au fait", "merci", "bien", "donc", "d'accord",
    "por favor", "y", "pero", "sí", "vale", "bueno", "ojo", "oye", "gracias", "entonces", "e", "mas", "sim", "então", "beleza", "obrigado",
    "per favore", "ma", "sì", "allora", "bene", "grazie", "attenzione", "en", "maar", "graag", "alsjeblieft", "prima", "let op", "dus", "oké",
    "пожалуйста", "и", "но", "да", "так", "ладно", "хорошо", "важно", "кстати",
];

/// All languages, the most frequent first.
pub(super) fn all() -> &'static [&'static Tongue] {
    const ALL: [&Tongue; 11] =
        [&ENGLISH, &GERMAN, &FRENCH, &SPANISH, &PORTUGUESE, &ITALIAN, &DUTCH, &RUSSIAN, &CHINESE, &JAPANESE, &KOREAN];
    &ALL
}

static ENGLISH: Tongue = Tongue {
    no: &[
        "no", "nope", "nah", "not that", "not like that", "wrong", "that's wrong", "thats wrong", "that is wrong", "that's not right", "that's not what i",
        "incorrect", "not quite", "don't do that", "undo that", "revert that", "stop", "that's bad", "thats bad", "that's not ok", "that's not okay", "not good", "not ok",
    ],
    uses: &[
        "use", "let's use", "lets use", "go with", "take", "switch to", "stick with", "stick to", "keep", "do it with", "do it in", "write it in", "put it in", "put it into",
        "put them in", "put that in", "put this in", "call it", "name it", "make it", "make them", "return", "we use", "we're using", "we are using", "you should use", "you have to use",
        "it should be", "it must be", "that should be", "should be", "it's called", "it is called", "pick", "choose", "rename it to", "move it to", "leave", "run", "only use", "just use", "do",
        "don't use", "do not use", "dont use", "the right one is", "the correct one is", "add it to", "don't add", "do not add", "don't create", "i want", "we want", "replace it with",
    ],
    meant: &["i meant", "i mean", "i said", "i asked for", "i wanted", "it's in", "it is in", "it belongs", "that belongs", "don't", "do not", "dont", "we don't", "we do not", "we dont", "we never", "we always"],
    musts: &["must", "has to", "have to", "needs to"],
    should_be: &["should be", "it should be", "that should be", "this should be", "must be", "it must be", "that must be"],
    vague: &["possible", "able", "easy", "fine", "ok", "okay", "good", "enough", "done", "working", "there", "simple", "straightforward", "ready", "fixed", "something", "a", "an", "in", "on", "no", "quick", "safe", "clear"],
    deliberate: &["on purpose", "is intentional", "are intentional", "intentionally", "is deliberate", "are deliberate", "deliberately", "by design"],
    meant_by_itself: &["i meant", "i said", "that's not what i asked", "i told you to", "i asked you to use", "i asked for"],
    instead_of: &["instead of", "rather than", "in place of", "and not", "over", "as opposed to"],
    instead: &["instead"],
    not: &[", not", "not"],
    always: &["always"],
    habits: &["before every commit", "before each commit", "before every push", "before each push", "before committing", "before pushing", "before you commit", "before you push", "after every change", "after each change", "after every edit", "every time you", "each time you", "whenever you"],
    never: &["never", "don't ever", "do not ever", "never ever", "under no circumstances", "no more", "don't use", "do not use", "dont use", "stop using", "stop adding", "stop writing", "stop creating", "stop putting", "avoid"],
    from_now: &["from now on", "from here on", "going forward", "henceforth", "for future reference", "from today on", "in the future please", "in future please", "as a rule"],
    agreed: &[
        "we agreed", "we've agreed", "we decided", "we've decided", "i decided", "i've decided", "we settled on", "we chose", "we have chosen", "we'll use", "we will use", "we'll go with",
        "we're going with", "we are going with", "let's go with", "lets go with", "let's use", "lets use", "let's stick with", "lets stick with", "let's stick to", "let's switch to", "lets switch to",
        "let's keep", "lets keep", "let's stay with", "go with", "going with", "decision", "decided", "as agreed", "as discussed", "as decided", "agreed", "in this repo we", "in this project we", "in this codebase we",
        "our convention is", "the convention is", "convention", "the rule is", "our rule is", "team decision", "we standardized on", "we standardised on", "remember that we", "keep in mind that we", "we use", "we don't use", "we do not use",
    ],
    prefers: &["i prefer", "i'd prefer", "i would prefer", "i'd rather", "i would rather", "prefer", "we prefer", "i like it better", "my preference is", "i don't like", "i do not like", "i want you to"],
    modals: &["must", "should", "shall", "has to", "have to", "needs to", "need to", "may", "ought to"],
    symptoms: &[
        "fails", "fail", "failing", "returns", "returning", "crashes", "crashing", "throws", "throwing", "gives", "gets", "get", "got", "hangs", "breaks", "shows", "happens", "ends", "end", "was", "were",
        "is", "isn't", "are", "been", "be", "null", "true", "false", "empty", "wrong", "works", "seems", "says", "times", "had", "has", "have", "loads", "prints", "goes", "comes", "resolves", "errors", "logs", "the", "a", "an",
        "0", "zero", "undefined", "seen", "see", "saw", "heard", "finishes", "completes", "did", "does", "made", "ran", "runs", "went", "came", "worked", "mind", "called", "there", "sure", "know", "knew", "been",
        "starts", "stops", "exits", "reaches", "receives", "sends", "fires", "triggers", "renders", "updates", "connects", "responds", "matches", "good", "possible", "welcome", "thought", "said", "felt", "it", "i", "we", "this", "that", "some", "broken", "set",
    ],
    openers: &[
        "you", "you should", "you must", "you have to", "you need to", "we", "we should", "we must", "we have to", "i", "i want you to", "i'd like you to", "make sure to", "make sure you", "make sure that you",
        "make sure we", "be sure to", "remember to", "ensure", "ensure you", "try to", "must", "should", "can you", "could you", "can we", "would you", "will you", "let's", "lets", "let us", "i think we should", "i think you should", "you can",
        "for tests", "for this repo", "in this repo", "in this project", "in general", "in tests", "for commits", "here", "there", "in here", "next time", "when in doubt", "we can", "we'll", "we will",
    ],
    idioms: &[
        "never mind", "nevermind", "no problem", "no worries", "no thanks", "no, thanks", "no thank you", "no, thank you", "no idea", "no need", "no rush", "no matter", "no big deal", "no wonder", "as always", "like always",
        "better late than never", "now or never", "almost always", "nearly always", "almost never", "not always", "no doubt", "no pressure", "no clue", "never say never", "why do you always", "why do you never", "no luck", "no change", "as usual", "i always wonder", "i never know", "no more errors", "no more failures", "no more warnings",
    ],
    asks: &[
        "if", "what if", "should we", "should i", "shall we", "do we", "do you", "does", "did", "is it", "is there", "are we", "are there", "why", "what", "how", "when does", "where", "who", "which", "maybe", "perhaps", "suppose", "supposing", "i wonder",
        "would it", "could it", "can it", "not sure", "i'm not sure", "wouldn't it", "shouldn't we", "have we", "has", "it seems", "seems like", "it looks like", "looks like", "unless", "apparently",
    ],
    stops: &[
        "instead", "for", "in", "when", "because", "since", "so", "and", "as", "to", "with", "if", "everywhere", "here", "please", "but", "on", "from", "at", "like", "not", "whenever", "wherever", "before", "after", "unless", "until", "there", "it's", "that's", "which", "is",
        "everytime", "now", "again", "rather", "by", "over", "than", "or", "then", "where", "while", "through", "inside", "pls", "ok", "only", "next", "don't", "do not", "always", "never", "you", "we", "i", "this time",
    ],
    articles: &["the ", "a ", "an ", "our ", "my ", "to use ", "use ", "using ", "to ", "on ", "that we ", ": ", "with ", "for ", "just "],
    is_loose: false,
    ..SILENT
};

static GERMAN: Tongue = Tongue {
    no: &["nein", "nee", "nö", "falsch", "das ist falsch", "nicht so", "quatsch", "stopp", "das stimmt nicht"],
    uses: &[
        "nimm", "nehmen wir", "nutze", "nutz", "benutze", "benutz", "verwende", "verwenden wir", "nutzen wir", "setz", "setze", "mach es mit", "mach das mit", "mach es in", "mach das in", "schreib es in", "leg es in", "nenn es", "nenne es", "bleib bei", "bleib beim", "wechsle zu", "wir nehmen", "wir verwenden", "wir nutzen", "wir benutzen", "lass uns", "du sollst", "es muss", "das muss", "es soll", "das soll", "bitte mit", "lieber", "mach",
    ],
    meant: &["ich meinte", "ich meine", "ich sagte", "ich wollte", "das gehört", "es gehört", "sondern", "nicht"],
    meant_by_itself: &["ich meinte", "ich hatte gesagt", "ich habe gesagt", "ich hab gesagt"],
    musts: &["muss", "müssen"],
    deliberate: &["mit absicht", "absichtlich", "ist absicht", "ist gewollt", "sind gewollt", "so gewollt", "bewusst so"],
    instead_of: &["statt", "anstatt", "anstelle von", "und nicht", "an stelle von"],
    swapped: &["sondern"],
    instead: &["stattdessen"],
    not: &[", nicht"],
    always: &["immer", "grundsätzlich", "stets", "jedes mal", "vor jedem commit"],
    never: &["nie", "niemals", "auf keinen fall", "nie wieder", "nicht mehr verwenden", "keinesfalls"],
    from_now: &["ab jetzt", "ab sofort", "von jetzt an", "in zukunft", "zukünftig", "künftig", "von nun an"],
    agreed: &[
        "wir haben uns geeinigt", "wir haben uns darauf geeinigt", "wir haben entschieden", "wir haben beschlossen", "wir haben vereinbart", "wir haben uns entschieden", "wir hatten vereinbart", "wir hatten uns geeinigt", "wir hatten beschlossen", "wie besprochen", "wie vereinbart", "wie abgemacht", "abgemacht", "vereinbart", "beschlossen", "entscheidung", "lass uns",
        "lasst uns", "wir nehmen", "wir bleiben bei", "wir bleiben beim", "wir verwenden", "wir nutzen", "wir benutzen", "ich habe entschieden", "ich hab entschieden", "ich habe mich entschieden", "wir machen das mit",
    ],
    prefers: &["ich bevorzuge", "ich hätte lieber", "ich hätte gern", "ich hätte gerne", "mir wäre lieber", "mir ist lieber", "lieber", "ich mag lieber", "ich möchte lieber"],
    modals: &["muss", "müssen", "soll", "sollen", "sollte", "sollten", "darf", "dürfen", "sollst", "musst", "darfst"],
    symptoms: &[
        "schlägt", "schlagen", "gibt", "kommt", "kommen", "wirft", "ist", "sind", "wird", "werden", "bleibt", "hängt", "läuft", "stürzt", "liefert", "zeigt", "bricht", "war", "waren", "hat", "haben", "hatte", "funktioniert", "passiert", "steht", "bekomme", "kriege", "bekommt", "sehe", "noch", "geht", "fehlt", "warum", "wieso", "weiß", "wusste", "scheint", "immer noch", "ich", "wurde", "fehler",
        "rot", "kaputt", "wenn", "ob", "weil", "obwohl", "gesehen", "gehört",
    ],
    openers: &["bitte", "du", "wir", "ihr", "dann", "da", "hier", "für tests", "das"],
    idioms: &["nein danke", "nein, danke", "kein problem", "wie immer", "wie auch immer", "schon immer", "fast immer", "nicht immer", "immer noch", "noch nie", "für immer", "keine ahnung", "macht nichts", "wo auch immer", "was auch immer", "immer wieder", "immer mehr"],
    asks: &["wenn", "falls", "sollen wir", "sollten wir", "soll ich", "warum", "wieso", "weshalb", "was", "wie", "wo", "wer", "welche", "welcher", "welches", "vielleicht", "ist", "sind", "kann", "können wir", "könnte", "haben wir", "gibt es", "machen wir", "angenommen", "ob"],
    stops: &["statt", "anstatt", "für", "in", "im", "wenn", "weil", "da", "und", "als", "zu", "mit", "überall", "hier", "bitte", "aber", "auf", "bei", "beim", "nicht", "sondern", "stattdessen", "immer", "nie", "ab", "verwenden", "nehmen", "nutzen", "benutzen", "machen", "bleiben", "sobald", "bevor", "vor", "nach", "damit", "oder", "ist", "wie", "ein", "dafür", "von", "wir", "an", "dass"],
    articles: &["nicht ", "den ", "die ", "das ", "der ", "dem ", "einen ", "eine ", "ein ", "bei ", "beim ", "doch ", "bitte ", "einfach ", "lieber ", "auf ", "für ", "dass wir ", "immer "],
    ..SILENT
};

static FRENCH: Tongue = Tongue {
    no: &["non", "pas comme ça", "faux", "c'est faux", "nan", "ce n'est pas ça", "pas ça"],
    uses: &["utilise", "utilisez", "utilisons", "prends", "prenez", "prenons", "emploie", "passe à", "passez à", "reste sur", "restez sur", "mets", "mets-le dans", "fais-le en", "fais-le avec", "appelle-le", "garde", "gardons", "on utilise", "nous utilisons", "il faut", "il faut utiliser", "on prend"],
    meant: &["je voulais dire", "je voulais", "je parlais", "j'ai dit", "ne", "n'"],
    meant_by_itself: &["je voulais dire", "j'ai dit"],
    musts: &["doit", "doivent", "il faut"],
    deliberate: &["exprès", "c'est voulu", "est voulu", "intentionnel", "volontairement"],
    instead_of: &["au lieu de", "au lieu d'", "à la place de", "plutôt que", "et pas", "et non"],
    instead: &["à la place", "plutôt"],
    not: &[", pas"],
    always: &["toujours", "systématiquement", "à chaque fois", "avant chaque commit"],
    never: &["jamais", "en aucun cas", "ne plus jamais", "sous aucun prétexte"],
    from_now: &["à partir de maintenant", "désormais", "dorénavant", "à l'avenir", "dès maintenant"],
    agreed: &["on a décidé", "nous avons décidé", "on a convenu", "nous avons convenu", "on s'est mis d'accord", "on était d'accord", "comme convenu", "comme discuté", "partons sur", "on part sur", "on va utiliser", "j'ai décidé", "décision", "on reste sur", "allons-y avec", "on utilise", "nous utilisons"],
    prefers: &["je préfère", "je préférerais", "j'aimerais mieux", "je préfere", "préfère", "plutôt"],
    modals: &["doit", "doivent", "devons", "dois", "devez", "faut", "il faut"],
    symptoms: &["échoue", "échouent", "plante", "renvoie", "retourne", "donne", "affiche", "reste", "est", "sont", "était", "a", "ont", "ai", "fait", "marche", "fonctionne", "pas", "erreur", "j'ai", "c'est", "pourquoi", "arrive", "vu", "toujours pas", "su", "eu"],
    openers: &["tu", "vous", "on", "nous", "il faut", "tu dois", "ici"],
    idioms: &["non merci", "non, merci", "pas de problème", "comme toujours", "toujours pas", "jamais vu", "pas de souci", "presque toujours", "presque jamais", "pas toujours", "on ne sait jamais", "plus que jamais", "si jamais"],
    asks: &["si", "est-ce", "pourquoi", "comment", "que", "qu'est-ce", "quand", "où", "qui", "peut-être", "devrait-on", "faut-il", "doit-on", "faudrait-il"],
    stops: &["au lieu", "pour", "dans", "quand", "car", "parce", "et", "avec", "partout", "ici", "mais", "sur", "à la place", "plutôt", "pas", "s'il", "stp", "toujours", "jamais", "avant", "après", "en", "comme", "sauf", "désormais", "qui", "afin", "ou", "à partir", "à l'avenir"],
    articles: &["le ", "la ", "les ", "l'", "un ", "une ", "des ", "du ", "de ", "d'", "plutôt ", "toujours ", "utiliser ", "d'utiliser ", "qu'on ", "sur "],
    ..SILENT
};

static SPANISH: Tongue = Tongue {
    no: &["no", "así no", "mal", "incorrecto", "está mal", "eso no", "eso está mal"],
    uses: &["usa", "use", "usad", "usemos", "utiliza", "utilice", "utilicemos", "emplea", "pon", "ponlo en", "hazlo con", "hazlo en", "llámalo", "quédate con", "cambia a", "toma", "usamos", "vamos a usar", "debes usar", "tienes que usar", "mejor usa", "prefiero", "no uses", "deja"],
    meant: &["quise decir", "quería decir", "me refería", "dije", "quería", "no"],
    meant_by_itself: &["quise decir", "quería decir", "me refería a", "te dije que"],
    musts: &["debe", "deben", "tiene que", "hay que"],
    deliberate: &["a propósito", "es intencional", "adrede"],
    instead_of: &["en vez de", "en lugar de", "y no"],
    swapped: &["sino"],
    instead: &["en su lugar", "mejor"],
    not: &[", no"],
    always: &["siempre", "cada vez que", "antes de cada commit"],
    never: &["nunca", "jamás", "bajo ningún concepto", "en ningún caso", "no uses", "no vuelvas a", "no usar"],
    from_now: &["a partir de ahora", "de ahora en adelante", "desde ahora", "en adelante", "en el futuro"],
    agreed: &["acordamos", "hemos acordado", "decidimos", "hemos decidido", "quedamos en", "habíamos quedado en", "como acordamos", "como hablamos", "vamos con", "vamos a usar", "nos quedamos con", "he decidido", "decisión", "usamos", "en este proyecto usamos"],
    prefers: &["prefiero", "preferiría", "preferimos", "me gusta más"],
    modals: &["debe", "deben", "debes", "debemos", "tiene que", "tienen que", "hay que", "deberían", "debería"],
    symptoms: &["falla", "fallan", "devuelve", "da", "sale", "es", "está", "están", "son", "era", "ha", "han", "he", "tiene", "funciona", "muestra", "se", "pasa", "error", "me", "aparece", "llega", "termina", "cuelga", "rompe", "queda", "visto"],
    openers: &["tú", "nosotros", "aquí", "debes", "hay que", "tienes que"],
    idioms: &["no gracias", "no, gracias", "no pasa nada", "no hay problema", "como siempre", "casi siempre", "casi nunca", "no siempre", "más vale tarde que nunca", "no sé", "no importa", "nunca he", "nunca ha", "nunca se"],
    asks: &["si", "por qué", "porqué", "cómo", "qué", "cuándo", "dónde", "quién", "quizás", "quizá", "tal vez", "deberíamos", "es", "hay", "puede que", "crees"],
    stops: &["en vez", "en lugar", "para", "en", "cuando", "porque", "y", "con", "aquí", "pero", "por favor", "mejor", "siempre", "nunca", "antes", "después", "como", "no", "que", "a partir", "sino", "o", "salvo", "de ahora", "desde"],
    articles: &["el ", "la ", "los ", "las ", "un ", "una ", "siempre ", "usar ", "que usaríamos ", "con ", "en "],
    ..SILENT
};

static PORTUGUESE: Tongue = Tongue {
    no: &["não", "nao", "errado", "está errado", "assim não", "isso está errado"],
    uses: &["use", "usa", "usem", "usemos", "utilize", "utiliza", "coloque", "coloca", "ponha", "faça com", "faça em", "faz com", "chame de", "fique com", "mude para", "troque por", "usamos", "vamos usar", "deve usar", "mantenha", "não use"],
    meant: &["eu quis dizer", "quis dizer", "eu disse", "eu queria", "não"],
    meant_by_itself: &["eu quis dizer", "quis dizer", "eu disse para"],
    musts: &["deve", "devem", "tem que"],
    deliberate: &["de propósito", "é intencional", "é proposital"],
    instead_of: &["em vez de", "ao invés de", "no lugar de", "em vez do", "em vez da", "ao invés do", "e não"],
    instead: &["em vez disso", "ao invés disso"],
    not: &[", não"],
    always: &["sempre", "toda vez que", "antes de cada commit"],
    never: &["nunca", "jamais", "em hipótese alguma", "não use", "não usar"],
    from_now: &["a partir de agora", "de agora em diante", "daqui pra frente", "daqui para frente", "daqui em diante"],
    agreed: &["combinamos", "nós combinamos", "decidimos", "nós decidimos", "concordamos", "ficou decidido", "ficou combinado", "como combinado", "como combinamos", "vamos com", "vamos usar", "vamos de", "decidi", "decisão", "usamos", "neste projeto usamos"],
    prefers: &["prefiro", "eu prefiro", "eu preferiria", "preferia", "gosto mais"],
    modals: &["deve", "devem", "devemos", "tem que", "têm que", "precisa", "é preciso", "deveria"],
    symptoms: &["falha", "falham", "retorna", "dá", "é", "está", "são", "era", "foi", "tem", "funciona", "mostra", "aparece", "acontece", "erro", "volta", "fica", "quebra", "trava", "vi", "deu"],
    openers: &["você", "nós", "aqui", "deve", "precisa"],
    idioms: &["não obrigado", "não, obrigado", "não, obrigada", "sem problema", "sem problemas", "como sempre", "quase sempre", "quase nunca", "nem sempre", "não sei", "não importa", "nunca vi"],
    asks: &["se", "por que", "porque", "por quê", "como", "o que", "quando", "onde", "quem", "talvez", "devemos", "será que", "deveríamos"],
    stops: &["em vez", "ao invés", "no lugar", "para", "em", "no", "na", "quando", "porque", "e", "com", "aqui", "mas", "por favor", "sempre", "nunca", "antes", "depois", "como", "não", "que", "a partir", "ou", "de agora", "pra"],
    articles: &["o ", "a ", "os ", "as ", "um ", "uma ", "sempre ", "usar ", "de ", "com "],
    ..SILENT
};

static ITALIAN: Tongue = Tongue {
    no: &["no", "sbagliato", "è sbagliato", "non così", "così no"],
    uses: &["usa", "usate", "usiamo", "utilizza", "utilizziamo", "adopera", "metti", "mettilo in", "fallo con", "fallo in", "chiamalo", "resta su", "passa a", "prendi", "prendiamo", "tieni", "bisogna usare", "devi usare", "non usare"],
    meant: &["intendevo", "volevo dire", "ho detto", "volevo", "non"],
    meant_by_itself: &["intendevo", "volevo dire", "ti ho detto di"],
    musts: &["deve", "devono", "bisogna"],
    deliberate: &["apposta", "è voluto", "è intenzionale", "di proposito"],
    instead_of: &["invece di", "invece che", "al posto di", "anziché", "piuttosto che", "e non"],
    swapped: &["bensì"],
    instead: &["invece", "piuttosto"],
    not: &[", non"],
    always: &["sempre", "ogni volta che", "prima di ogni commit"],
    never: &["mai", "in nessun caso", "non usare più", "per nessun motivo", "non usare"],
    from_now: &["d'ora in poi", "da ora in poi", "da adesso in poi", "d'ora in avanti", "in futuro"],
    agreed: &["abbiamo deciso", "abbiamo concordato", "eravamo d'accordo", "siamo d'accordo", "come concordato", "come deciso", "come d'accordo", "andiamo con", "restiamo su", "ho deciso", "decisione", "usiamo", "in questo progetto usiamo"],
    prefers: &["preferisco", "preferirei", "io preferisco", "mi piace di più"],
    modals: &["deve", "devono", "devi", "dobbiamo", "bisogna", "dovrebbe"],
    symptoms: &["fallisce", "falliscono", "restituisce", "dà", "è", "sono", "era", "ha", "hanno", "ho", "funziona", "mostra", "esce", "succede", "errore", "torna", "rimane", "resta", "visto", "si"],
    openers: &["tu", "noi", "qui", "devi", "bisogna"],
    idioms: &["no grazie", "no, grazie", "nessun problema", "come sempre", "quasi sempre", "quasi mai", "non sempre", "meglio tardi che mai", "non importa", "non lo so", "come mai", "se mai", "caso mai"],
    asks: &["se", "perché", "come", "cosa", "che cosa", "quando", "dove", "chi", "forse", "dovremmo", "magari", "è"],
    stops: &["invece", "al posto", "per", "in", "nei", "nel", "quando", "perché", "e", "con", "qui", "ma", "per favore", "sempre", "mai", "prima", "dopo", "come", "non", "che", "d'ora", "o", "anziché", "piuttosto", "da ora", "bensì"],
    articles: &["il ", "lo ", "la ", "i ", "gli ", "le ", "l'", "un ", "una ", "uno ", "sempre ", "di usare ", "con ", "su "],
    ..SILENT
};

static DUTCH: Tongue = Tongue {
    no: &["nee", "fout", "dat is fout", "niet zo", "dat klopt niet", "neen"],
    uses: &["gebruik", "gebruiken we", "neem", "pak", "zet het in", "doe het met", "doe het in", "noem het", "blijf bij", "houd het bij", "schakel over naar", "we gebruiken", "laten we", "je moet"],
    meant: &["ik bedoelde", "ik bedoel", "ik zei", "ik wilde", "niet", "geen"],
    meant_by_itself: &["ik bedoelde", "ik zei"],
    musts: &["moet", "moeten"],
    deliberate: &["met opzet", "is expres", "is bewust", "is de bedoeling"],
    instead_of: &["in plaats van", "i.p.v.", "ipv", "en niet"],
    swapped: &["maar wel"],
    instead: &["in plaats daarvan"],
    not: &[", niet", ", geen"],
    always: &["altijd", "elke keer", "voor elke commit", "steeds"],
    never: &["nooit", "in geen geval", "nooit meer"],
    from_now: &["vanaf nu", "voortaan", "van nu af aan", "in het vervolg"],
    agreed: &["we hebben afgesproken", "we hebben besloten", "we hadden afgesproken", "zoals afgesproken", "zoals besproken", "afgesproken", "besloten", "laten we", "we gaan voor", "we gebruiken", "we houden het bij", "ik heb besloten", "beslissing"],
    prefers: &["ik heb liever", "ik geef de voorkeur aan", "liever", "ik wil liever", "bij voorkeur"],
    modals: &["moet", "moeten", "mag", "mogen", "dient", "zou moeten"],
    symptoms: &["faalt", "falen", "geeft", "is", "zijn", "was", "wordt", "blijft", "hangt", "werkt", "gooit", "toont", "krijg", "heeft", "heb", "komt", "crasht", "fout", "gaat", "zie", "nog", "gebeurt", "gezien"],
    openers: &["je", "we", "jullie", "hier"],
    idioms: &["nee bedankt", "nee, bedankt", "nee dank je", "geen probleem", "zoals altijd", "bijna altijd", "bijna nooit", "niet altijd", "nog nooit", "nog altijd", "geen idee", "maakt niet uit", "beter laat dan nooit", "nog steeds"],
    asks: &["als", "waarom", "moeten we", "wat", "hoe", "waar", "wie", "wanneer", "welke", "misschien", "zullen we", "is", "zijn", "kan", "kunnen we", "stel"],
    stops: &["in plaats", "ipv", "voor", "in", "als", "omdat", "en", "met", "hier", "maar", "alsjeblieft", "altijd", "nooit", "vanaf", "voortaan", "niet", "op", "bij", "want", "of", "gebruiken", "nemen", "houden", "wanneer", "van", "geen"],
    articles: &["de ", "het ", "een ", "altijd ", "liever ", "bij ", "om ", "voor ", "dat we "],
    ..SILENT
};
