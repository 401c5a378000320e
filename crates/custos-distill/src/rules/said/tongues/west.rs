//! The words that tell in German, French, Spanish, Portuguese, Italian and Dutch.

use super::{SILENT, Tongue};

// A table, to be read as a whole.
#[rustfmt::skip]
pub(super) static GERMAN: Tongue = Tongue {
    limits: &[
        "bleibt so", "bleibt wie es ist", "bleibt wie er ist", "bleibt wie sie ist", "bleiben wie sie sind", "bleibt unverändert", "bleiben unverändert", "lass … so wie", "lass … in ruhe", "fass … nicht an", "nicht anfassen", "darf nicht", "dürfen nicht", "darf kein", "darf keine", "dürfen keine", "muss … bleiben", "müssen … bleiben", "ist nicht ok", "ist nicht okay", "ist nicht erlaubt", "ist tabu", "ist verboten", "machen wir hier nicht", "machen wir nicht", "nutzen wir nicht", "verwenden wir nicht", "bei uns nicht", "ausschließlich", "^kein … in", "^keine … in", "^keinen … in", "^kein … im", "^keine … im", "soll … bleiben", "sollen … bleiben", "darf sich nicht", "lass … unverändert", "nur über", "wollen wir nicht",
    ],
    no: &["nein", "nee", "nö", "falsch", "das ist falsch", "nicht so", "quatsch", "stopp", "das stimmt nicht"],
    uses: &[
        "nimm", "nehmen wir", "nutze", "nutz", "benutze", "benutz", "verwende", "verwenden wir", "nutzen wir",
        "setz", "setze", "mach es mit", "mach das mit", "mach es in", "mach das in", "schreib es in", "leg es in",
        "nenn es", "nenne es", "bleib bei", "bleib beim", "wechsle zu", "wir nehmen", "wir verwenden", "wir nutzen",
        "wir benutzen", "lass uns", "du sollst", "es muss", "das muss", "es soll", "das soll", "bitte mit",
        "lieber", "mach",
    ],
    meant: &["ich meinte", "ich meine", "ich sagte", "ich wollte", "das gehört", "es gehört", "sondern", "nicht"],
    meant_by_itself: &["ich meinte", "ich hatte gesagt", "ich habe gesagt", "ich hab gesagt"],
    musts: &["muss", "müssen"],
    deliberate: &[
        "mit absicht", "absichtlich", "ist absicht", "ist gewollt", "sind gewollt", "so gewollt", "bewusst so",
    ],
    instead_of: &["statt", "anstatt", "anstelle von", "und nicht", "an stelle von"],
    swapped: &["sondern"],
    instead: &["stattdessen"],
    not: &[", nicht"],
    always: &["immer", "grundsätzlich", "stets", "jedes mal", "vor jedem", "vor jeder", "nach jedem", "nach jeder"],
    never: &["nie", "niemals", "auf keinen fall", "nie wieder", "nicht mehr verwenden", "keinesfalls"],
    from_now: &["ab jetzt", "ab sofort", "von jetzt an", "in zukunft", "zukünftig", "künftig", "von nun an", "merk dir", "merke dir", "bitte merken", "ohne zu fragen", "ohne rückfrage"],
    agreed: &[
        "wir haben uns geeinigt", "wir haben uns darauf geeinigt", "wir haben entschieden", "wir haben beschlossen",
        "wir haben vereinbart", "wir haben uns entschieden", "wir hatten vereinbart", "wir hatten uns geeinigt",
        "wir hatten beschlossen", "wie besprochen", "wie vereinbart", "wie abgemacht", "abgemacht", "vereinbart",
        "beschlossen", "entscheidung", "lass uns", "lasst uns", "wir nehmen", "wir bleiben bei", "wir bleiben beim",
        "wir verwenden", "wir nutzen", "wir benutzen", "ich habe entschieden", "ich hab entschieden",
        "ich habe mich entschieden", "wir machen das mit", "so machen wir das", "das ist bei uns so", "ist bei uns standard", "das ist unser", "das ist unsere", "wir bleiben auf",
    ],
    prefers: &[
        "ich bevorzuge", "ich hätte lieber", "ich hätte gern", "ich hätte gerne", "mir wäre lieber",
        "mir ist lieber", "lieber", "ich mag lieber", "ich möchte lieber",
    ],
    modals: &[
        "muss", "müssen", "soll", "sollen", "sollte", "sollten", "darf", "dürfen", "sollst", "musst", "darfst",
    ],
    symptoms: &[
        "schlägt", "schlagen", "gibt", "kommt", "kommen", "wirft", "ist", "sind", "wird", "werden", "bleibt",
        "hängt", "läuft", "stürzt", "liefert", "zeigt", "bricht", "war", "waren", "hat", "haben", "hatte",
        "funktioniert", "passiert", "steht", "bekomme", "kriege", "bekommt", "sehe", "noch", "geht", "fehlt",
        "warum", "wieso", "weiß", "wusste", "scheint", "immer noch", "ich", "wurde", "fehler", "rot", "kaputt",
        "wenn", "ob", "weil", "obwohl", "gesehen", "gehört",
    ],
    openers: &["bitte", "du", "wir", "ihr", "dann", "da", "hier", "für tests", "das"],
    idioms: &[
        "nein danke", "nein, danke", "kein problem", "wie immer", "wie auch immer", "schon immer", "fast immer",
        "nicht immer", "immer noch", "noch nie", "für immer", "keine ahnung", "macht nichts", "wo auch immer",
        "was auch immer", "immer wieder", "immer mehr",
    ],
    than: &["als"],
    determiners: &[
        "der", "die", "das", "den", "dem", "ein", "eine", "es", "er", "sie", "du", "ihr", "mein", "meine", "unser",
        "unsere", "dieser", "diese", "dieses", "man", "hier", "da", "jetzt",
    ],
    has_infinitive_last: true,
    asks: &[
        "wenn", "falls", "sollen wir", "sollten wir", "soll ich", "warum", "wieso", "weshalb", "was", "wie", "wo",
        "wer", "welche", "welcher", "welches", "vielleicht", "ist", "sind", "kann", "können wir", "könnte",
        "haben wir", "gibt es", "machen wir", "angenommen", "ob",
    ],
    stops: &[
        "statt", "anstatt", "für", "in", "im", "wenn", "weil", "da", "und", "als", "zu", "mit", "überall", "hier",
        "bitte", "aber", "auf", "bei", "beim", "nicht", "sondern", "stattdessen", "immer", "nie", "ab", "verwenden",
        "nehmen", "nutzen", "benutzen", "machen", "bleiben", "sobald", "bevor", "vor", "nach", "damit", "oder",
        "ist", "wie", "ein", "dafür", "von", "wir", "an", "dass",
    ],
    articles: &[
        "nicht ", "den ", "die ", "das ", "der ", "dem ", "einen ", "eine ", "ein ", "bei ", "beim ", "doch ",
        "bitte ", "einfach ", "lieber ", "auf ", "für ", "dass wir ", "immer ",
    ],
    ..SILENT
};

// A table, to be read as a whole.
#[rustfmt::skip]
pub(super) static FRENCH: Tongue = Tongue {
    limits: &[
        "ne touche pas", "touche pas à", "ne touchez pas", "ne modifie pas", "ne change pas", "ne renomme pas", "ne supprime pas", "laisse … tel quel", "laisse … telle quelle", "laisse … tels quels", "laisse … comme", "doit rester", "doivent rester", "ne doit pas", "ne doivent pas", "ne doit jamais", "reste tel quel", "restent tels quels", "restent telles quelles", "reste inchangé", "restent inchangés", "chez nous on", "n'est pas acceptable", "n'est pas autorisé", "n'est pas permis", "est interdit", "sont interdits", "il ne faut pas", "pas de … dans", "pas de … ici", "aucun … dans", "on n'utilise pas", "on ne fait pas", "on ne réécrit pas", "uniquement par", "uniquement via", "uniquement avec", "ne peut pas changer", "ne peuvent pas changer", "ne veut pas de", "ne voulons pas de",
    ],
    no: &["non", "pas comme ça", "faux", "c'est faux", "nan", "ce n'est pas ça", "pas ça"],
    uses: &[
        "utilise", "utilisez", "utilisons", "prends", "prenez", "prenons", "emploie", "passe à", "passez à",
        "reste sur", "restez sur", "mets", "mets-le dans", "fais-le en", "fais-le avec", "appelle-le", "garde",
        "gardons", "on utilise", "nous utilisons", "il faut", "il faut utiliser", "on prend",
    ],
    meant: &["je voulais dire", "je voulais", "je parlais", "j'ai dit", "ne", "n'"],
    meant_by_itself: &["je voulais dire", "j'ai dit"],
    musts: &["doit", "doivent", "il faut"],
    deliberate: &["exprès", "c'est la règle ici", "c'est la règle chez nous", "c'est voulu", "est voulu", "intentionnel", "volontairement"],
    instead_of: &["au lieu de", "au lieu d'", "à la place de", "plutôt que", "et pas", "et non"],
    instead: &["à la place", "plutôt"],
    not: &[", pas"],
    always: &["toujours", "systématiquement", "à chaque fois", "avant chaque", "après chaque"],
    never: &["jamais", "en aucun cas", "ne plus jamais", "sous aucun prétexte"],
    from_now: &["à partir de maintenant", "désormais", "dorénavant", "à l'avenir", "dès maintenant", "retiens que", "retiens :", "retiens:", "sans demander", "sans me demander"],
    agreed: &[
        "on a décidé", "nous avons décidé", "on a convenu", "nous avons convenu", "on s'est mis d'accord",
        "on était d'accord", "comme convenu", "comme discuté", "partons sur", "on part sur", "on va utiliser",
        "j'ai décidé", "décision", "on reste sur", "allons-y avec", "on utilise", "nous utilisons", "c'est notre", "c'est comme ça qu'on", "on reste en",
    ],
    prefers: &["je préfère", "je préférerais", "j'aimerais mieux", "je préfere", "préfère", "plutôt"],
    modals: &["doit", "doivent", "devons", "dois", "devez", "faut", "il faut"],
    symptoms: &[
        "échoue", "échouent", "plante", "renvoie", "retourne", "donne", "affiche", "reste", "est", "sont", "était",
        "a", "ont", "ai", "fait", "marche", "fonctionne", "pas", "erreur", "j'ai", "c'est", "pourquoi", "arrive",
        "vu", "toujours pas", "su", "eu",
    ],
    openers: &["tu", "vous", "on", "nous", "il faut", "tu dois", "ici"],
    idioms: &[
        "non merci", "non, merci", "pas de problème", "comme toujours", "toujours pas", "jamais vu", "pas de souci",
        "presque toujours", "presque jamais", "pas toujours", "on ne sait jamais", "plus que jamais", "si jamais",
    ],
    than: &["plutôt que"],
    determiners: &[
        "le", "la", "les", "l", "un", "une", "il", "elle", "ça", "cela", "ce", "cette", "tu", "vous", "mon", "ma",
        "notre", "je",
    ],
    asks: &[
        "si", "est-ce", "pourquoi", "comment", "que", "qu'est-ce", "quand", "où", "qui", "peut-être", "devrait-on",
        "faut-il", "doit-on", "faudrait-il",
    ],
    stops: &[
        "au lieu", "pour", "dans", "quand", "car", "parce", "et", "avec", "partout", "ici", "mais", "sur",
        "à la place", "plutôt", "pas", "s'il", "stp", "toujours", "jamais", "avant", "après", "en", "comme", "sauf",
        "désormais", "qui", "afin", "ou", "à partir", "à l'avenir",
    ],
    articles: &[
        "le ", "la ", "les ", "l'", "un ", "une ", "des ", "du ", "de ", "d'", "plutôt ", "toujours ", "utiliser ",
        "d'utiliser ", "qu'on ", "sur ",
    ],
    ..SILENT
};

// A table, to be read as a whole.
#[rustfmt::skip]
pub(super) static SPANISH: Tongue = Tongue {
    limits: &[
        "no toques", "no cambies", "no modifiques", "no renombres", "no borres", "deja … como está", "deja … como están", "tal como está", "tal como están", "no debe", "no deben", "debe seguir", "deben seguir", "debe quedar", "debe quedarse", "deben quedarse", "debe permanecer", "debe caber", "tiene que seguir", "tienen que seguir", "no está permitido", "no es aceptable", "está prohibido", "prohibido", "aquí no usamos", "aquí usamos", "no usamos", "se queda como", "se quedan como", "nada de … en", "solo se usa", "únicamente con", "no se toca", "no se tocan", "no puede cambiar", "no pueden cambiar", "no puede superar", "no puede romper", "^sin … en", "no queremos",
    ],
    no: &["no", "así no", "mal", "incorrecto", "está mal", "eso no", "eso está mal"],
    uses: &[
        "usa", "use", "usad", "usemos", "utiliza", "utilice", "utilicemos", "emplea", "pon", "ponlo en",
        "hazlo con", "hazlo en", "llámalo", "quédate con", "cambia a", "toma", "usamos", "vamos a usar",
        "debes usar", "tienes que usar", "mejor usa", "prefiero", "no uses", "deja",
    ],
    meant: &["quise decir", "quería decir", "me refería", "dije", "quería", "no"],
    meant_by_itself: &["quise decir", "quería decir", "me refería a", "te dije que"],
    musts: &["debe", "deben", "tiene que", "hay que"],
    deliberate: &["a propósito", "es intencional", "adrede"],
    instead_of: &["en vez de", "en lugar de", "y no"],
    swapped: &["sino"],
    instead: &["en su lugar", "mejor"],
    not: &[", no"],
    always: &["siempre", "cada vez que", "antes de cada", "después de cada"],
    never: &["nunca", "jamás", "bajo ningún concepto", "en ningún caso", "no uses", "no vuelvas a", "no usar"],
    from_now: &["a partir de ahora", "de ahora en adelante", "desde ahora", "en adelante", "en el futuro", "recuerda que", "recuerda:", "ten en cuenta que", "sin preguntar", "sin preguntarme"],
    agreed: &[
        "acordamos", "hemos acordado", "decidimos", "hemos decidido", "quedamos en", "habíamos quedado en",
        "como acordamos", "como hablamos", "vamos con", "vamos a usar", "nos quedamos con", "he decidido",
        "decisión", "usamos", "en este proyecto usamos", "es nuestro", "es nuestra", "así lo hacemos", "seguimos con",
    ],
    prefers: &["prefiero", "preferiría", "preferimos", "me gusta más"],
    modals: &["debe", "deben", "debes", "debemos", "tiene que", "tienen que", "hay que", "deberían", "debería"],
    symptoms: &[
        "falla", "fallan", "devuelve", "da", "sale", "es", "está", "están", "son", "era", "ha", "han", "he",
        "tiene", "funciona", "muestra", "se", "pasa", "error", "me", "aparece", "llega", "termina", "cuelga",
        "rompe", "queda", "visto",
    ],
    openers: &["tú", "nosotros", "aquí", "debes", "hay que", "tienes que"],
    idioms: &[
        "no gracias", "no, gracias", "no pasa nada", "no hay problema", "como siempre", "casi siempre",
        "casi nunca", "no siempre", "más vale tarde que nunca", "no sé", "no importa", "nunca he", "nunca ha",
        "nunca se",
    ],
    than: &["antes que"],
    determiners: &[
        "el", "la", "los", "las", "un", "una", "esto", "eso", "este", "esta", "tú", "ella", "él", "mi", "yo",
    ],
    asks: &[
        "si", "por qué", "porqué", "cómo", "qué", "cuándo", "dónde", "quién", "quizás", "quizá", "tal vez",
        "deberíamos", "es", "hay", "puede que", "crees",
    ],
    stops: &[
        "en vez", "en lugar", "para", "en", "cuando", "porque", "y", "con", "aquí", "pero", "por favor", "mejor",
        "siempre", "nunca", "antes", "después", "como", "no", "que", "a partir", "sino", "o", "salvo", "de ahora",
        "desde",
    ],
    articles: &["el ", "la ", "los ", "las ", "un ", "una ", "siempre ", "usar ", "que usaríamos ", "con ", "en "],
    ..SILENT
};

// A table, to be read as a whole.
#[rustfmt::skip]
pub(super) static PORTUGUESE: Tongue = Tongue {
    limits: &[
        "não mexa", "não mexe", "não toque", "não altere", "não mude", "não renomeie", "deixe … como está", "deixa … como está", "não deve", "não devem", "deve continuar", "devem continuar", "deve permanecer", "tem que continuar", "têm que continuar", "não é permitido", "não é aceitável", "é proibido", "proibido", "aqui não usamos", "aqui usamos", "não usamos", "fica como está", "ficam como estão", "nada de … em", "nada de … no", "nada de … na", "não pode mudar", "não podem mudar", "não pode passar", "não pode quebrar", "não queremos", "^sem … em", "tem que ficar", "tem de ficar",
    ],
    no: &["não", "nao", "errado", "está errado", "assim não", "isso está errado"],
    uses: &[
        "use", "usa", "usem", "usemos", "utilize", "utiliza", "coloque", "coloca", "ponha", "faça com", "faça em",
        "faz com", "chame de", "fique com", "mude para", "troque por", "usamos", "vamos usar", "deve usar",
        "mantenha", "não use",
    ],
    meant: &["eu quis dizer", "quis dizer", "eu disse", "eu queria", "não"],
    meant_by_itself: &["eu quis dizer", "quis dizer", "eu disse para"],
    musts: &["deve", "devem", "tem que"],
    deliberate: &["de propósito", "é intencional", "é proposital"],
    instead_of: &["em vez de", "ao invés de", "no lugar de", "em vez do", "em vez da", "ao invés do", "e não"],
    instead: &["em vez disso", "ao invés disso"],
    not: &[", não"],
    always: &["sempre", "toda vez que", "antes de cada", "depois de cada"],
    never: &["nunca", "jamais", "em hipótese alguma", "não use", "não usar"],
    from_now: &[
        "a partir de agora", "de agora em diante", "daqui pra frente", "daqui para frente", "daqui em diante", "lembre-se:", "lembra que", "lembre que",
        "sem perguntar", "sem me perguntar",
    ],
    agreed: &[
        "combinamos", "nós combinamos", "decidimos", "nós decidimos", "concordamos", "ficou decidido",
        "ficou combinado", "como combinado", "como combinamos", "vamos com", "vamos usar", "vamos de", "decidi",
        "decisão", "usamos", "neste projeto usamos", "é nosso", "é o nosso", "é a nossa", "é assim que", "ficamos com", "continuamos com",
    ],
    prefers: &["prefiro", "eu prefiro", "eu preferiria", "preferia", "gosto mais"],
    modals: &["deve", "devem", "devemos", "tem que", "têm que", "precisa", "é preciso", "deveria"],
    symptoms: &[
        "falha", "falham", "retorna", "dá", "é", "está", "são", "era", "foi", "tem", "funciona", "mostra",
        "aparece", "acontece", "erro", "volta", "fica", "quebra", "trava", "vi", "deu",
    ],
    openers: &["você", "nós", "aqui", "deve", "precisa"],
    idioms: &[
        "não obrigado", "não, obrigado", "não, obrigada", "sem problema", "sem problemas", "como sempre",
        "quase sempre", "quase nunca", "nem sempre", "não sei", "não importa", "nunca vi",
    ],
    determiners: &[
        "o", "a", "os", "as", "um", "uma", "isso", "isto", "este", "esta", "você", "ele", "ela", "meu", "eu",
    ],
    asks: &[
        "se", "por que", "porque", "por quê", "como", "o que", "quando", "onde", "quem", "talvez", "devemos",
        "será que", "deveríamos",
    ],
    stops: &[
        "em vez", "ao invés", "no lugar", "para", "em", "no", "na", "quando", "porque", "e", "com", "aqui", "mas",
        "por favor", "sempre", "nunca", "antes", "depois", "como", "não", "que", "a partir", "ou", "de agora",
        "pra",
    ],
    articles: &["o ", "a ", "os ", "as ", "um ", "uma ", "sempre ", "usar ", "de ", "com "],
    ..SILENT
};

// A table, to be read as a whole.
#[rustfmt::skip]
pub(super) static ITALIAN: Tongue = Tongue {
    limits: &[
        "non toccare", "non cambiare", "non rinominare", "lascia … com'è", "lascia … come sono", "lascia … così", "non deve", "non devono", "deve restare", "devono restare", "deve rimanere", "devono rimanere", "non è accettabile", "non è ammesso", "non è consentito", "non è permesso", "è vietato", "vietato", "qui usiamo", "qui non usiamo", "non usiamo", "resta com'è", "restano come sono", "niente … nei", "niente … nel", "niente … in", "non può cambiare", "non possono cambiare", "non può superare", "non vogliamo",
    ],
    no: &["no", "sbagliato", "è sbagliato", "non così", "così no"],
    uses: &[
        "usa", "usate", "usiamo", "utilizza", "utilizziamo", "adopera", "metti", "mettilo in", "fallo con",
        "fallo in", "chiamalo", "resta su", "passa a", "prendi", "prendiamo", "tieni", "bisogna usare",
        "devi usare", "non usare",
    ],
    meant: &["intendevo", "volevo dire", "ho detto", "volevo", "non"],
    meant_by_itself: &["intendevo", "volevo dire", "ti ho detto di"],
    musts: &["deve", "devono", "bisogna"],
    deliberate: &["apposta", "è voluto", "è intenzionale", "di proposito"],
    instead_of: &["invece di", "invece che", "al posto di", "anziché", "piuttosto che", "e non"],
    swapped: &["bensì"],
    instead: &["invece", "piuttosto"],
    not: &[", non"],
    always: &["sempre", "ogni volta che", "prima di ogni", "dopo ogni"],
    never: &["mai", "in nessun caso", "non usare più", "per nessun motivo", "non usare"],
    from_now: &["d'ora in poi", "da ora in poi", "da adesso in poi", "d'ora in avanti", "in futuro", "ricorda che", "ricordati che", "ricorda:", "tieni presente", "senza chiedere"],
    agreed: &[
        "abbiamo deciso", "abbiamo concordato", "eravamo d'accordo", "siamo d'accordo", "come concordato",
        "come deciso", "come d'accordo", "andiamo con", "restiamo su", "ho deciso", "decisione", "usiamo",
        "in questo progetto usiamo", "è il nostro", "è la nostra", "facciamo così", "continuiamo con",
    ],
    prefers: &["preferisco", "preferirei", "io preferisco", "mi piace di più"],
    modals: &["deve", "devono", "devi", "dobbiamo", "bisogna", "dovrebbe"],
    symptoms: &[
        "fallisce", "falliscono", "restituisce", "dà", "è", "sono", "era", "ha", "hanno", "ho", "funziona",
        "mostra", "esce", "succede", "errore", "torna", "rimane", "resta", "visto", "si",
    ],
    openers: &["tu", "noi", "qui", "devi", "bisogna"],
    idioms: &[
        "no grazie", "no, grazie", "nessun problema", "come sempre", "quasi sempre", "quasi mai", "non sempre",
        "meglio tardi che mai", "non importa", "non lo so", "come mai", "se mai", "caso mai",
    ],
    determiners: &[
        "il", "lo", "la", "i", "gli", "le", "un", "una", "questo", "questa", "tu", "lui", "lei", "mio", "io",
    ],
    asks: &[
        "se", "perché", "come", "cosa", "che cosa", "quando", "dove", "chi", "forse", "dovremmo", "magari", "è",
    ],
    stops: &[
        "invece", "al posto", "per", "in", "nei", "nel", "quando", "perché", "e", "con", "qui", "ma", "per favore",
        "sempre", "mai", "prima", "dopo", "come", "non", "che", "d'ora", "o", "anziché", "piuttosto", "da ora",
        "bensì",
    ],
    articles: &[
        "il ", "lo ", "la ", "i ", "gli ", "le ", "l'", "un ", "una ", "uno ", "sempre ", "di usare ", "con ",
        "su ",
    ],
    ..SILENT
};

// A table, to be read as a whole.
#[rustfmt::skip]
pub(super) static DUTCH: Tongue = Tongue {
    limits: &[
        "blijf af van", "niet aankomen", "laat … zoals het is", "laat … zoals ze zijn", "laat … met rust", "moet blijven", "moeten blijven", "moet … blijven", "mag niet", "mogen niet", "mag geen", "mogen geen", "is niet toegestaan", "is niet acceptabel", "is niet ok", "is verboden", "gebruiken we hier", "doen we hier niet", "doen we niet", "gebruiken we niet", "blijft zoals het is", "blijven zoals ze zijn", "uitsluitend", "^geen … in", "willen we niet",
    ],
    no: &["nee", "fout", "dat is fout", "niet zo", "dat klopt niet", "neen"],
    uses: &[
        "gebruik", "gebruiken we", "neem", "pak", "zet het in", "doe het met", "doe het in", "noem het",
        "blijf bij", "houd het bij", "schakel over naar", "we gebruiken", "laten we", "je moet",
    ],
    meant: &["ik bedoelde", "ik bedoel", "ik zei", "ik wilde", "niet", "geen"],
    meant_by_itself: &["ik bedoelde", "ik zei"],
    musts: &["moet", "moeten"],
    deliberate: &["met opzet", "is expres", "is bewust", "is de bedoeling"],
    instead_of: &["in plaats van", "i.p.v.", "ipv", "en niet"],
    swapped: &["maar wel"],
    instead: &["in plaats daarvan"],
    not: &[", niet", ", geen"],
    always: &["altijd", "elke keer", "voor elke", "na elke", "steeds"],
    never: &["nooit", "in geen geval", "nooit meer"],
    from_now: &["vanaf nu", "voortaan", "van nu af aan", "in het vervolg", "onthoud", "zonder te vragen"],
    agreed: &[
        "we hebben afgesproken", "we hebben besloten", "we hadden afgesproken", "zoals afgesproken",
        "zoals besproken", "afgesproken", "besloten", "laten we", "we gaan voor", "we gebruiken",
        "we houden het bij", "ik heb besloten", "beslissing", "zo doen we dat", "dat is onze", "we blijven bij", "we blijven op",
    ],
    prefers: &["ik heb liever", "ik geef de voorkeur aan", "liever", "ik wil liever", "bij voorkeur"],
    modals: &["moet", "moeten", "mag", "mogen", "dient", "zou moeten"],
    symptoms: &[
        "faalt", "falen", "geeft", "is", "zijn", "was", "wordt", "blijft", "hangt", "werkt", "gooit", "toont",
        "krijg", "heeft", "heb", "komt", "crasht", "fout", "gaat", "zie", "nog", "gebeurt", "gezien",
    ],
    openers: &["je", "we", "jullie", "hier"],
    idioms: &[
        "nee bedankt", "nee, bedankt", "nee dank je", "geen probleem", "zoals altijd", "bijna altijd",
        "bijna nooit", "niet altijd", "nog nooit", "nog altijd", "geen idee", "maakt niet uit",
        "beter laat dan nooit", "nog steeds",
    ],
    than: &["dan"],
    determiners: &["de", "het", "een", "dit", "dat", "hij", "zij", "je", "jij", "mijn", "ik"],
    has_infinitive_last: true,
    asks: &[
        "als", "waarom", "moeten we", "wat", "hoe", "waar", "wie", "wanneer", "welke", "misschien", "zullen we",
        "is", "zijn", "kan", "kunnen we", "stel",
    ],
    stops: &[
        "in plaats", "ipv", "voor", "in", "als", "omdat", "en", "met", "hier", "maar", "alsjeblieft", "altijd",
        "nooit", "vanaf", "voortaan", "niet", "op", "bij", "want", "of", "gebruiken", "nemen", "houden", "wanneer",
        "van", "geen",
    ],
    articles: &["de ", "het ", "een ", "altijd ", "liever ", "bij ", "om ", "voor ", "dat we "],
    ..SILENT
};
