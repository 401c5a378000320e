//! What people state in passing, by how it is built, and what only looks like it.

use super::super::statements;

#[test]
fn a_rule_is_found_by_its_build() {
    let rules = [
        "mariadb only",
        "please no polling",
        "pls, no redis",
        "remember: logs go to stderr, answers to stdout",
        "dont pull in any gems without asking me",
        "tags have to start with a v",
        "the staging host is only for demos",
        "merk dir: Beträge sind immer in Cent",
        "n'ajoute pas de paquet sans me demander",
        "recuerda que los ids son texto",
        "ricorda che le date sono in UTC",
        "запомни: ветки называем по задаче",
        "记住:金额用分",
        "覚えておいて、日付はUTCで",
        "ULIDs only please",
        "releases go through the train only",
        "our gateway rejects chunked bodies",
        "the wire format can't change",
        "we don't want sleeps anywhere under spec/",
        "we stay on Rails 7.1 until the gems follow",
        "two-space indents please, that's our style",
        "src/gen/client.ts is generated, change the schema instead",
        "run the smoke tests before every release",
        "the worker must stay below 300 MB",
        "kein jQuery in den neuen Seiten",
        "die Antwort muss unter 200 ms liegen",
        "vor jedem Release das Changelog prüfen",
        "Branches mit fix/ davor, das ist bei uns so",
        "api/types.py wird generiert, nicht von Hand ändern",
        "le format ne peut pas changer",
        "lance les tests avant chaque push",
        "el contrato no puede cambiar",
        "ejecuta el linter antes de cada commit",
        "o layout não pode mudar",
        "rode o lint antes de cada push",
        "il formato non può cambiare",
        "esegui i test prima di ogni rilascio",
        "geen lodash in de kern",
        "перед каждым релизом прогоняй тесты",
        "内存不能超过 256 MB",
        "メモリは256MB以内に収めるべき",
        "응답은 300ms 이하로 되어야 합니다",
    ];
    let missed: Vec<&str> =
        rules.into_iter().filter(|text| statements(&format!("ok\n{text}")).is_empty()).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_is_over_when_it_is_done_is_none() {
    let others = [
        "docs only",
        "do you remember the other page?",
        "the jobs have to start again, they crashed",
        "this is only for today",
        "it ran without asking for the password",
        "run the unit tests only",
        "it happens on staging only",
        "the crash occurs on windows only",
        "use the second file",
        "only run the tests in src/api",
        "dont commit yet",
        "leave it for now",
        "we need a new page for that",
        "it must be the cache",
        "only the header is wrong",
        "add tests for every endpoint",
        "update the changelog before merging this",
        "do the same for the other service",
        "mach das bitte noch für die andere Seite",
        "fais pareil pour l'autre page",
        "haz lo mismo en el otro archivo",
        "faz o mesmo no outro serviço",
        "the page needs a title",
        "our page needs a new footer",
        "the invoice is generated twice",
        "i can't change the password",
        "it reloads after every click",
        "the response comes in under 200 ms now",
        "ich sehe kein Log in der Konsole",
        "es braucht 200 ms",
        "la page change avant que je clique",
        "no puede conectar con la base",
        "不知道为什么要 256 MB",
    ];
    let wrong: Vec<_> = others
        .into_iter()
        .filter(|text| !statements(&format!("ok\n{text}")).is_empty())
        .map(|text| (text, statements(text)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_to_use_instead_belongs_to_the_no_before_it() {
    let texts = |prompt: &str| -> Vec<String> {
        statements(prompt).into_iter().map(|statement| statement.text).collect()
    };
    let whole = "no, dont saturate. use checked_mul and return the error";
    assert_eq!(texts(whole), [whole]);
    assert_eq!(texts("nein, nicht runden. nimm Decimal dafür"), ["nein, nicht runden. nimm Decimal dafür"]);
    assert_eq!(
        texts("no, dont saturate. use checked_mul. never panic here"),
        ["no, dont saturate. use checked_mul.", "never panic here"]
    );
    assert_eq!(texts("no, dont saturate. did you use checked_mul?"), ["no, dont saturate."]);
    assert_eq!(texts("no, dont saturate.\n\nuse checked_mul"), ["no, dont saturate."], "another thought");
}
