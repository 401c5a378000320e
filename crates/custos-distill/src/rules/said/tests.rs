mod passing;

use super::Stance::{Agreement, Always, Correction, Limit, Never, Preference};
use super::*;

/// A sentence; what it states, about what, instead of what.
type Case = (&'static str, Stance, Option<&'static str>, Option<&'static str>);

fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (text, stance, subject, instead_of) in cases {
        let expected = vec![Statement {
            stance: *stance,
            text: (*text).to_owned(),
            subject: subject.map(str::to_owned),
            instead_of: instead_of.map(str::to_owned),
            core: None,
        }];
        let found = statements(text);
        if found != expected {
            wrong.push(format!("{text}\n  found:    {found:?}\n  expected: {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn english() {
    check(&[
        ("no, use zod", Correction, Some("zod"), None),
        ("no, use pnpm instead of npm", Correction, Some("pnpm"), Some("npm")),
        ("No - use `BTreeMap` instead", Correction, Some("BTreeMap"), None),
        ("nope, put it in src/lib/auth.ts", Correction, Some("src/lib/auth.ts"), None),
        ("no, use the repository layer, not raw SQL", Correction, Some("repository layer"), Some("raw SQL")),
        ("use axum instead of actix please", Correction, Some("axum"), Some("actix")),
        ("Please use fetch rather than axios.", Correction, Some("fetch"), Some("axios")),
        ("instead of moment use date-fns", Correction, Some("date-fns"), Some("moment")),
        ("that's wrong, it should be a LEFT JOIN", Correction, Some("LEFT JOIN"), None),
        ("I meant the staging database, not production", Correction, None, Some("production")),
        ("wrong, call it `user_id`", Correction, Some("user_id"), None),
        ("no, don't touch the migrations", Correction, None, None),
        ("no, the clock is fine, whole seconds are on purpose", Correction, None, None),
        ("the duplicate column is intentional, old clients read it", Agreement, None, None),
        ("no, dont build it in memory, stream it", Correction, None, None),
        ("thats bad, failed ones must be retried", Correction, None, None),
        ("should be 409 for an order that was paid already", Correction, Some("409"), None),
        ("never in production before the legal review is through", Never, None, None),
        ("remember to bump the changelog", Always, None, None),
        ("use exponential backoff not linear", Correction, Some("exponential backoff"), Some("linear")),
        ("no we use tabs here", Correction, Some("tabs"), None),
        ("always run the linter before you commit", Always, Some("linter"), None),
        ("Always use snake_case for column names.", Always, Some("snake_case"), None),
        ("please always add a test for a bug fix", Always, None, None),
        ("you should always check the exit code", Always, None, None),
        ("make sure to always close the connection", Always, None, None),
        ("and always write commit messages in English", Always, None, None),
        ("The API must always return JSON.", Always, Some("JSON"), None),
        ("we always squash before merging", Always, None, None),
        ("run clippy before every commit", Always, Some("clippy"), None),
        ("never commit directly to main", Never, None, None),
        ("Never edit the generated files by hand!", Never, None, None),
        ("you must never log request bodies", Never, None, None),
        ("ok but never use unwrap in library code", Never, None, None),
        ("don't use any in TypeScript", Never, None, None),
        ("do not use default exports", Never, None, None),
        ("stop adding comments to every line", Never, None, None),
        ("don't ever force-push", Never, None, None),
        ("Handlers should never touch the database directly.", Never, None, None),
        ("avoid mocking the database in integration tests", Never, None, None),
        ("from now on use conventional commits", Agreement, Some("conventional commits"), None),
        ("Going forward we target Node 20.", Agreement, None, None),
        ("we agreed to keep the old endpoint until March", Agreement, Some("old endpoint"), None),
        ("We decided on Postgres for the queue.", Agreement, Some("Postgres"), None),
        ("let's go with option B", Agreement, Some("option B"), None),
        ("ok let's use redis for that", Agreement, Some("redis"), None),
        ("lets stick with express", Agreement, Some("express"), None),
        ("we'll use feature flags for the rollout", Agreement, Some("feature flags"), None),
        ("As discussed, the cache lives in the worker.", Agreement, None, None),
        ("In this repo we keep tests next to the code.", Agreement, Some("tests"), None),
        ("we use pnpm here, not npm", Agreement, Some("pnpm"), Some("npm")),
        ("Decision: JWT with rotating keys.", Agreement, Some("JWT"), None),
        ("I prefer composition over inheritance", Preference, Some("composition"), Some("inheritance")),
        ("I'd rather keep this in one file", Preference, None, None),
        ("prefer async/await over raw promises", Preference, Some("async/await"), Some("raw promises")),
    ]);
}

/// Sentences that set a limit, and the part of them that does where it is not the whole.
#[test]
fn limits() {
    let cases = [
        ("btw constructor injection only, no @Autowired on fields", None),
        ("no @Autowired on fields", None),
        ("production is postgres 14, no downtime allowed", Some("no downtime allowed")),
        ("but not with unsafe, we don't do unsafe in this crate", None),
        ("No unsafe in this crate.", None),
        ("yes no more blind sed please", None),
        ("no new dependencies please", None),
        ("it must fit a 512 MB container", None),
        ("the backfill must NOT live in a migration, our deploys time out after 15 min", None),
        ("The public API has to stay backwards compatible.", None),
        ("all timestamps must be UTC", None),
        ("responses must be under 200 ms", None),
        ("ok leave history alone, token is rotated", None),
        ("we don't rewrite main", None),
        ("dont merge, we rebase here", Some("we rebase here")),
        (
            "tests: we mock with WireMock against the real client",
            Some("we mock with WireMock against the real client"),
        ),
        ("mocking our own classes with @MockBean is not ok here", None),
        ("2.2 gb is not ok, ingest runs in a 512 MB container", None),
        (
            "rename it everywhere, json fields stay as they are (account_id) because mobile clients depend on it",
            Some("json fields stay as they are (account_id) because mobile clients depend on it"),
        ),
        ("db columns also stay", None),
        ("stripe accounts are a different thing and stay Account", None),
        ("keep isolate false", None),
        ("keep the batch size at 500, the downstream API rejects more", None),
        ("keep the old endpoint, the mobile app still uses it", None),
        ("and please dont ever run apply against prod from a laptop", None),
        ("keep the v1 endpoint as is", None),
        ("don't touch the generated files", None),
        ("do not rename the columns, reporting reads them", None),
        ("we never deploy on fridays", None),
        ("direct pushes to main are not allowed", None),
        ("die Spaltennamen bleiben wie sie sind", None),
        ("der Export darf nicht länger als 5 Minuten dauern", None),
        ("fass die Migrationen nicht an", None),
        ("ne touche pas au schéma", None),
        ("les noms des colonnes doivent rester en anglais", None),
        ("no toques las migraciones", None),
        ("el contenedor debe caber en 512 MB", None),
        ("não mexa no schema", None),
        ("non toccare lo schema", None),
        ("de kolomnamen mogen niet veranderen", None),
        ("не трогай миграции", None),
        ("数据库字段保持不变", None),
        ("APIのレスポンス形式はそのままにしてください", None),
        ("스키마는 건드리지 말고", None),
    ];
    let mut wrong = Vec::new();
    for (text, core) in cases {
        let found = statements(&format!("ok\n{text}"));
        let is_found = matches!(found.as_slice(), [one] if matches!(one.stance, Limit | Never | Agreement | Correction) && one.text == text);
        let has_core = found
            .first()
            .is_some_and(|one| one.stance != Limit || core.is_none() || one.core.as_deref() == core);
        if !is_found || !has_core {
            wrong.push(format!("{text}\n  {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn german() {
    check(&[
        ("nein, nimm Postgres statt MySQL", Correction, Some("Postgres"), Some("MySQL")),
        ("Nein, verwende bitte pnpm", Correction, Some("pnpm"), None),
        ("nutze vitest statt jest", Correction, Some("vitest"), Some("jest")),
        ("falsch, nicht npm sondern pnpm", Correction, Some("pnpm"), Some("npm")),
        ("immer erst die Tests laufen lassen", Always, None, None),
        ("Commit-Nachrichten immer auf Englisch", Always, None, None),
        ("Bitte führe immer den Linter aus, bevor du committest.", Always, None, None),
        ("Migrationen nie von Hand ändern", Never, None, None),
        ("das rechnet mit Double, das geht gar nicht: Geldbeträge immer als BigDecimal", Always, None, None),
        ("die Tests immer mit -q laufen lassen", Always, None, None),
        ("lieber kleine Funktionen als große", Preference, Some("kleine Funktionen"), Some("große")),
        ("niemals direkt auf main pushen", Never, None, None),
        ("ab jetzt nur noch TypeScript", Agreement, None, None),
        ("Wir haben uns auf Kafka geeinigt, wir nehmen Kafka.", Agreement, Some("Kafka"), None),
        ("wir haben entschieden, dass die API versioniert wird", Agreement, None, None),
        ("ich bevorzuge kleine Commits", Preference, Some("kleine Commits"), None),
    ]);
}

#[test]
fn romance() {
    check(&[
        ("non, utilise pnpm au lieu de npm", Correction, Some("pnpm"), Some("npm")),
        ("Utilise toujours des requêtes préparées.", Always, Some("requêtes préparées"), None),
        ("ne modifie jamais les migrations existantes", Never, None, None),
        ("à partir de maintenant on écrit les tests d'abord", Agreement, None, None),
        ("on a décidé de garder Redis", Agreement, Some("garder Redis"), None),
        ("je préfère des fonctions courtes", Preference, Some("fonctions courtes"), None),
        ("no, usa pnpm en vez de npm", Correction, Some("pnpm"), Some("npm")),
        ("usa siempre comillas simples", Always, Some("comillas simples"), None),
        ("nunca hagas push a main", Never, None, None),
        ("de ahora en adelante los mensajes van en inglés", Agreement, None, None),
        ("decidimos usar Postgres", Agreement, Some("Postgres"), None),
        ("prefiero composición", Preference, Some("composición"), None),
        ("não, use o axios em vez de fetch", Correction, Some("axios"), Some("fetch")),
        ("sempre rode os testes antes do commit", Always, None, None),
        ("nunca altere o arquivo gerado", Never, None, None),
        ("a partir de agora as mensagens são em inglês", Agreement, None, None),
        ("no, usa vitest invece di jest", Correction, Some("vitest"), Some("jest")),
        ("esegui sempre i test prima del commit", Always, None, None),
        ("non modificare mai i file generati", Never, None, None),
        ("d'ora in poi usiamo TypeScript", Agreement, Some("TypeScript"), None),
        ("abbiamo deciso di tenere Redis", Agreement, Some("di tenere Redis"), None),
    ]);
}

#[test]
fn dutch_and_russian() {
    check(&[
        ("nee, gebruik pnpm in plaats van npm", Correction, Some("pnpm"), Some("npm")),
        ("draai altijd eerst de tests", Always, None, None),
        ("nooit direct naar main pushen", Never, None, None),
        ("vanaf nu schrijven we alles in TypeScript", Agreement, None, None),
        ("we hebben afgesproken dat de API stabiel blijft", Agreement, None, None),
        ("нет, используй pnpm вместо npm", Correction, Some("pnpm"), Some("npm")),
        ("всегда запускай тесты перед коммитом", Always, None, None),
        ("никогда не меняй сгенерированные файлы", Never, None, None),
        ("мы договорились хранить время в UTC", Agreement, Some("хранить время"), None),
        ("с этого момента пишем коммиты на английском", Agreement, None, None),
        ("я предпочитаю маленькие функции", Preference, Some("маленькие функции"), None),
    ]);
}

#[test]
fn east_asian() {
    check(&[
        ("不对，用 pnpm 而不是 npm", Correction, Some("pnpm"), Some("npm")),
        ("提交前务必运行测试", Always, None, None),
        ("永远不要直接推送到 main", Never, None, None),
        ("以后都用英文写提交信息", Agreement, Some("英文写提交信息"), None),
        ("我们决定用 Postgres", Agreement, Some("Postgres"), None),
        ("いや、npm ではなく pnpm を使って", Correction, Some("pnpm"), Some("npm")),
        ("コミットする前に必ずテストを実行してください", Always, None, None),
        ("生成されたファイルは絶対に編集しないでください", Never, None, None),
        ("今後はTypeScriptを使ってください", Agreement, Some("TypeScript"), None),
        ("グローバルストアには入れないで", Never, None, None),
        ("不要用 any", Never, None, None),
        ("エラー処理はこの方式でいきましょう", Agreement, Some("方式"), None),
        ("아니, npm 말고 pnpm을 써줘", Correction, Some("pnpm"), Some("npm")),
        ("커밋하기 전에 항상 테스트를 돌려줘", Always, None, None),
        ("절대 main에 직접 푸시하지 마", Never, None, None),
        ("앞으로는 영어로 커밋 메시지를 작성해", Agreement, None, None),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table, of one case after the other")]
fn leaves_everything_else_alone() {
    let cases = [
        "never mind",
        "nevermind, found it",
        "no problem",
        "no thanks",
        "no, thanks",
        "no idea why",
        "no need to rush",
        "the test always fails on CI",
        "it never returns",
        "it always returns null when I use the cache",
        "this always crashes",
        "always fails with a timeout",
        "never worked for me",
        "I always get a 500 from /orders",
        "we always get the same error",
        "why do you always rewrite the whole file?",
        "should we always validate the input?",
        "do we ever use redis?",
        "what if we always cached it",
        "if it never finishes, kill it",
        "as always, great work",
        "no, that didn't work",
        "no, still the same error",
        "no it's red again",
        "the function returns null instead of an empty list",
        "it uses the old client instead of the new one",
        "can you look at src/auth.rs",
        "fix the failing test",
        "add a button to the header",
        "the callback is never called",
        "I have never seen this before",
        "not always",
        "i want you to fix the login page",
        "use the flag only if the value is not set",
        "run over the list and print each name",
        "you always forget the tests",
        "no more tests are failing",
        "agreed",
        "let's keep going",
        "I don't use Windows",
        "we need a page where users can always find their invoices",
        "add a test for users that never logged in",
        "the docs never mention it",
        "die Seite lädt nie",
        "du vergisst immer die Tests",
        "la page ne charge jamais",
        "tu oublies toujours les tests",
        "la página nunca carga",
        "a página nunca carrega",
        "la pagina non si apre mai",
        "de pagina laadt nooit",
        "кнопка никогда не нажимается",
        "页面总是很慢",
        "ページがいつも遅い",
        "페이지가 항상 느려",
        "should be fine now",
        "it should be possible to upload several files",
        "心配しないで",
        "yes",
        "ok go on",
        "The docs say \"never use this in production\"",
        "> always use tabs",
        "```\n// never call this twice\n```",
        "    always_run = true",
        "2024-05-01 12:00:01 ERROR always use the primary",
        "ERROR: never do this",
        "at Object.never (src/a.js:1:2)",
        "<system-reminder>\nAlways use the tool.\n</system-reminder>",
        "nein danke",
        "kein Problem",
        "der Test schlägt immer fehl",
        "warum ist das immer so langsam",
        "das geht immer noch nicht",
        "noch nie gesehen",
        "sollen wir immer validieren?",
        "non merci",
        "le test échoue toujours",
        "ça ne marche toujours pas",
        "no gracias",
        "siempre falla en CI",
        "el test nunca termina",
        "não, obrigado",
        "o teste sempre falha",
        "no grazie",
        "il test fallisce sempre",
        "nee, bedankt",
        "de test faalt altijd",
        "нет, спасибо",
        "тест всегда падает",
        "没关系",
        "测试总是失败",
        "为什么总是报错？",
        "いつもありがとう",
        "テストがいつも失敗します",
        "괜찮아",
        "테스트가 항상 실패해",
        "we need to add a page for invoices",
        "we have to fix the login first",
        "only the first test fails",
        "keep going",
        "leave it for now",
        "leave it",
        "there must be a bug in the parser",
        "it must be the cache",
        "no output appears",
        "no errors in the log",
        "no button on mobile",
        "no tests yet",
        "no the other one",
        "no wait",
        "no rows in the table",
        "don't change anything, just explain",
        "don't commit yet",
        "don't worry about the tests",
        "we don't have a test for this",
        "we don't know why",
        "we see 500s here",
        "we are stuck here",
        "the page stays empty",
        "the header should stay visible while scrolling",
        "it only happens on ci",
        "it fails on safari only",
        "make the field read only",
        "the request is not allowed by cors",
        "the time format is fixed, parse it by hand",
        "orders.status is a string column with 14 million rows, we need a real enum: add status_code smallint, backfill, then make it not null",
        "try it, but I doubt it, that code is 2 years old",
        "you need to restart the server",
        "keep both",
        "das muss schneller werden",
        "wir müssen noch eine Seite bauen",
        "il faut ajouter une page",
        "tenemos que añadir una página",
    ];
    let wrong: Vec<_> =
        cases.iter().map(|text| (text, statements(text))).filter(|(_, found)| !found.is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn takes_several_and_knows_what_surrounds_them() {
    let prompt = "Thanks! The login works now.\n\nNo. Use argon2 instead of bcrypt. Also never store the pepper in the repo; can you check that?\n\n```rs\n// always true\n```\n- always zeroize the key";
    let found: Vec<_> = statements(prompt).into_iter().map(|found| (found.stance, found.text)).collect();
    let expected = [
        (Correction, "Use argon2 instead of bcrypt."),
        (Never, "Also never store the pepper in the repo;"),
        (Always, "always zeroize the key"),
    ];
    assert_eq!(found, expected.map(|(stance, text)| (stance, text.to_owned())));
}

#[test]
fn takes_at_most_five_and_none_out_of_a_pasted_page() {
    let many = (0..9).map(|n| format!("always do thing {n}\n")).collect::<String>();
    assert_eq!(statements(&many).len(), 5);
    let pasted = format!("{}\nalways run the linter", "2024-05-01 12:00:01 INFO never ready\n".repeat(200));
    let found: Vec<_> = statements(&pasted).into_iter().map(|found| found.text).collect();
    assert_eq!(found, ["always run the linter"]);
    let essay = format!("never {}", "x ".repeat(3000));
    assert_eq!(statements(&essay), []);
}

/// What texts are made of that are hard to read.
const PIECES: &[&str] = &[
    "no",
    ", ",
    "use ",
    "instead of ",
    "never ",
    "always ",
    ". ",
    "\n",
    "`x`",
    "“",
    "”",
    "’",
    "ではなく",
    "を使って",
    "不要用",
    "항상 ",
    "İ",
    "ẞ",
    "we agreed ",
    "Ä",
    "```\n",
    "<a>\n",
    "lieber ",
    "als ",
    " - ",
    ": ",
    "🦀",
];

proptest::proptest! {
    #[test]
    fn takes_any_text(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24), any in ".{0,40}") {
        let text = pieces.concat() + &any;
        for found in statements(&text) {
            proptest::prop_assert!(found.text.chars().count() <= 240);
        }
    }
}
