//! At least one secret for each kind, each checked by the whole of what comes out.

use std::collections::BTreeSet;

use custos_redact::{kinds, redact};

use crate::synthetic::{ALNUM, HEX, LOWER, UPPER, tail, token};

/// Kinds with a shape of their own, each with secrets that are taken whole.
#[rustfmt::skip]
#[expect(clippy::too_many_lines, reason = "a table")]
fn shaped() -> Vec<(&'static str, Vec<String>)> {
    let uuid = "4f9c2b1e-7a3d-4c58-9e06-b1d2f3a4c5e6";
    let all = |prefixes: &[&str], alphabet: &str, length: usize| prefixes.iter().map(|p| token(p, alphabet, length)).collect::<Vec<_>>();
    let dotted = |parts: &[&str]| vec![parts.concat()];
    vec![
        ("aws-access-key-id", all(&["AKIA", "ASIA", "ABIA", "ACCA"], UPPER, 16)),
        ("aws-bedrock-key", all(&["ABSK"], ALNUM, 128)),
        ("gcp-api-key", all(&["AIza"], ALNUM, 35)),
        ("google-oauth-token", all(&["ya29.", "1//0"], ALNUM, 60)),
        ("google-oauth-secret", all(&["GOCSPX-"], ALNUM, 28)),
        ("alibaba-key-id", all(&["LTAI"], ALNUM, 20)),
        ("tencent-key-id", all(&["AKID"], ALNUM, 32)),
        ("yandex-key", all(&["AQVN"], ALNUM, 36)),
        ("digitalocean-token", all(&["dop_v1_", "doo_v1_", "dor_v1_"], HEX, 64)),
        ("heroku-key", all(&["HRKU-"], ALNUM, 60)),
        ("cloudflare-token", all(&["cfut_", "cfat_", "cfk_"], ALNUM, 48)),
        ("cloudflare-ca-key", dotted(&["v1.0-", &tail(HEX, 24), "-", &tail(HEX, 146)])),
        ("fly-token", all(&["fo1_", "fm1r_", "fm1a_", "fm2_"], ALNUM, 43)),
        ("vercel-token", all(&["vcp_", "vci_", "vca_", "vcr_", "vck_"], ALNUM, 56)),
        ("netlify-token", all(&["nfp_", "nfc_", "nfo_", "nfu_"], ALNUM, 36)),
        ("render-key", all(&["rnd_"], ALNUM, 32)),
        ("scalingo-token", all(&["tk-us-"], ALNUM, 48)),
        ("openshift-token", all(&["sha256~"], ALNUM, 43)),
        ("tailscale-key", all(&["tskey-auth-", "tskey-api-", "tskey-client-"], ALNUM, 30)),
        ("nebula-key", dotted(&["dnkey-", &tail(UPPER, 26), "-", &tail(UPPER, 52)])),
        ("github-token", all(&["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], ALNUM, 36)),
        ("github-fine-grained-token", dotted(&["github_pat_", &tail(ALNUM, 22), "_", &tail(ALNUM, 59)])),
        ("gitlab-token", all(&["glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-", "gloas-", "glffct-", "GR1348941"], ALNUM, 20)),
        ("gitlab-token", dotted(&["glpat-", &tail(ALNUM, 27), ".01.", &tail(LOWER, 9)])),
        ("bitbucket-token", all(&["ATBB", "BBDC-"], ALNUM, 44)),
        ("npm-token", all(&["npm_"], ALNUM, 36)),
        ("pypi-token", all(&["pypi-AgEIcHlwaS5vcmc"], ALNUM, 120)),
        ("rubygems-key", all(&["rubygems_"], HEX, 48)),
        ("crates-io-token", all(&["cio"], ALNUM, 32)),
        ("nuget-key", all(&["oy2"], LOWER, 43)),
        ("clojars-token", all(&["CLOJARS_"], HEX, 60)),
        ("docker-token", all(&["dckr_pat_", "dckr_oat_"], ALNUM, 32)),
        ("artifactory-key", all(&["AKCp", "cmVmdGtu"], ALNUM, 69)),
        ("circleci-token", all(&["CCIPAT_", "CCIPRJ_"], ALNUM, 62)),
        ("buildkite-token", all(&["bkua_", "bkaj_"], HEX, 40)),
        ("sourcegraph-token", all(&["sgp_"], HEX, 40)),
        ("sonar-token", all(&["squ_", "sqp_", "sqa_"], HEX, 40)),
        ("deno-token", all(&["ddp_", "ddo_"], ALNUM, 36)),
        ("pulumi-token", all(&["pul-"], HEX, 40)),
        ("terraform-token", dotted(&[&tail(ALNUM, 14), ".atlasv1.", &tail(ALNUM, 67)])),
        ("infracost-key", all(&["ico-"], ALNUM, 32)),
        ("prefect-key", all(&["pnu_", "pnb_"], ALNUM, 36)),
        ("octopus-key", all(&["API-"], UPPER, 26)),
        ("anthropic-key", all(&["sk-ant-api03-", "sk-ant-admin01-", "sk-ant-oat01-"], ALNUM, 93)),
        ("openrouter-key", all(&["sk-or-v1-"], HEX, 64)),
        ("langfuse-key", dotted(&["sk-lf-", uuid])),
        ("openai-key", all(&["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], ALNUM, 64)),
        ("sk-key", all(&["sk-"], ALNUM, 48)),
        ("huggingface-token", all(&["hf_", "api_org_"], ALNUM, 34)),
        ("replicate-token", all(&["r8_"], ALNUM, 37)),
        ("groq-key", all(&["gsk_"], ALNUM, 52)),
        ("xai-key", all(&["xai-"], ALNUM, 80)),
        ("perplexity-key", all(&["pplx-"], ALNUM, 48)),
        ("nvidia-key", all(&["nvapi-"], ALNUM, 64)),
        ("cerebras-key", all(&["csk-"], LOWER, 48)),
        ("together-key", all(&["tgp_v1_"], ALNUM, 43)),
        ("tavily-key", all(&["tvly-dev-"], ALNUM, 32)),
        ("jina-key", all(&["jina_"], ALNUM, 60)),
        ("langsmith-key", all(&["lsv2_pt_", "lsv2_sk_", "ls__"], HEX, 43)),
        ("e2b-key", all(&["e2b_"], HEX, 40)),
        ("firecrawl-key", all(&["fc-"], HEX, 32)),
        ("cursor-key", all(&["crsr_", "key_"], HEX, 64)),
        ("slack-token", all(&["xoxb-", "xoxp-", "xoxa-", "xoxo-", "xoxs-", "xoxr-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xoxp-", "xapp-1-"], ALNUM, 50)),
        ("discord-token", dotted(&["MTIzNDU2Nzg5MDEyMzQ1Njc4", ".", &tail(ALNUM, 6), ".", &tail(ALNUM, 38)])),
        ("telegram-token", dotted(&["1234567890", ":AA", &tail(ALNUM, 33)])),
        ("twilio-key", all(&["SK", "AC"], HEX, 32)),
        ("sendgrid-key", dotted(&["SG.", &tail(ALNUM, 22), ".", &tail(ALNUM, 43)])),
        ("mailgun-key", all(&["key-"], HEX, 32)),
        ("mailchimp-key", vec![format!("{}-us12", tail(HEX, 32))]),
        ("brevo-key", dotted(&["xkeysib-", &tail(HEX, 64), "-", &tail(ALNUM, 16)])),
        ("resend-key", dotted(&["re_", &tail(ALNUM, 8), "_", &tail(ALNUM, 24)])),
        ("twitch-token", all(&["oauth:"], LOWER, 30)),
        ("twitter-token", all(&["AAAAAAAAAAAAAAAAAAAAAA"], ALNUM, 90)),
        ("meta-token", all(&["EAAC", "EAAG"], ALNUM, 160)),
        ("stripe-key", all(&["sk_live_", "rk_live_", "sk_test_", "rk_test_"], ALNUM, 24)),
        ("webhook-secret", all(&["whsec_"], ALNUM, 32)),
        ("elevenlabs-key", all(&["sk_"], HEX, 48)),
        ("shopify-token", all(&["shpat_", "shpss_", "shpca_", "shppa_", "shpua_", "shptka_"], HEX, 32)),
        ("square-token", all(&["sq0atp-", "sq0csp-"], ALNUM, 43)),
        ("square-access-token", all(&["EAAA"], ALNUM, 60)),
        ("paypal-token", all(&["access_token$production$"], LOWER, 48)),
        ("plaid-token", dotted(&["access-sandbox-", uuid])),
        ("flutterwave-key", all(&["FLWSECK-", "FLWSECK_TEST-"], HEX, 34)),
        ("easypost-key", all(&["EZAK", "EZTK"], ALNUM, 54)),
        ("shippo-token", all(&["shippo_live_", "shippo_test_"], HEX, 40)),
        ("duffel-token", all(&["duffel_live_", "duffel_test_"], ALNUM, 43)),
        ("databricks-token", all(&["dapi", "dose"], HEX, 32)),
        ("supabase-key", all(&["sbp_", "sb_secret_"], HEX, 40)),
        ("planetscale-token", all(&["pscale_tkn_", "pscale_pw_", "pscale_oauth_", "pscale_otkn_"], ALNUM, 43)),
        ("neon-key", all(&["napi_"], LOWER, 64)),
        ("new-relic-key", all(&["NRAK-", "NRII-", "NRAA-"], UPPER, 27)),
        ("sentry-token", dotted(&["sntrys_", &tail(ALNUM, 90), "=_", &tail(ALNUM, 43)])),
        ("sentry-token", all(&["sntryu_", "sntrya_"], HEX, 64)),
        ("grafana-token", dotted(&["glsa_", &tail(ALNUM, 32), "_", &tail(HEX, 8)])),
        ("grafana-token", all(&["glc_"], ALNUM, 64)),
        ("grafana-key", all(&["eyJrIjoi"], ALNUM, 80)),
        ("dynatrace-token", dotted(&["dt0c01.", &tail(UPPER, 24), ".", &tail(UPPER, 64)])),
        ("posthog-key", all(&["phx_"], ALNUM, 43)),
        ("wandb-key", all(&["wandb_v1_"], ALNUM, 70)),
        ("mapbox-token", dotted(&["sk.eyJ", &tail(ALNUM, 70), ".", &tail(ALNUM, 22)])),
        ("airtable-token", dotted(&["pat", &tail(ALNUM, 14), ".", &tail(HEX, 64)])),
        ("atlassian-token", all(&["ATATT3", "ATCTT3"], ALNUM, 186)),
        ("trello-token", all(&["ATTA"], HEX, 72)),
        ("linear-key", all(&["lin_api_", "lin_oauth_", "lin_wh_"], ALNUM, 40)),
        ("notion-token", all(&["ntn_", "secret_"], ALNUM, 43)),
        ("figma-token", all(&["figd_", "figdr_", "figu_"], ALNUM, 40)),
        ("postman-key", dotted(&["PMAK-", &tail(HEX, 24), "-", &tail(HEX, 34)])),
        ("contentful-token", all(&["CFPAT-"], ALNUM, 43)),
        ("typeform-token", all(&["tfp_"], ALNUM, 59)),
        ("readme-key", all(&["rdme_"], LOWER, 70)),
        ("hubspot-token", dotted(&["pat-na1-", uuid])),
        ("dropbox-token", all(&["sl.u."], ALNUM, 130)),
        ("adobe-secret", all(&["p8e-"], ALNUM, 32)),
        ("zoho-token", dotted(&["1000.", &tail(HEX, 32), ".", &tail(HEX, 32)])),
        ("frameio-token", all(&["fio-u-"], ALNUM, 64)),
        ("wakatime-key", dotted(&["waka_", uuid])),
        ("vault-token", all(&["hvs.", "hvb.", "hvr."], ALNUM, 90)),
        ("doppler-token", all(&["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], ALNUM, 43)),
        ("onepassword-token", all(&["ops_eyJ"], ALNUM, 300)),
        ("onepassword-key", dotted(&["A3-", &tail(UPPER, 6), "-", &tail(UPPER, 6), "-", &tail(UPPER, 5), "-", &tail(UPPER, 5), "-", &tail(UPPER, 5), "-", &tail(UPPER, 5)])),
        ("age-key", all(&["AGE-SECRET-KEY-1"], UPPER, 58)),
        ("bitcoin-key", all(&["xprv"], ALNUM, 107)),
        ("private-key", all(&["LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt", "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ"], ALNUM, 200)),
        ("jwt", dotted(&["eyJhbGciOiJIUzI1NiJ9", ".", "eyJzdWIiOiIxMjM0NSJ9", ".", &tail(ALNUM, 43)])),
        ("jwt", dotted(&["eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0", "..", &tail(ALNUM, 16), ".", &tail(ALNUM, 40), ".", &tail(ALNUM, 22)])),
    ]
}

/// Kinds that take a part of what is written: the text and the whole of what comes out.
#[rustfmt::skip]
fn written() -> Vec<(&'static str, String, &'static str)> {
    let secret = tail(ALNUM, 40);
    let hex = tail(HEX, 32);
    vec![
        ("slack-webhook", format!("POST https://hooks.slack.com/services/T0{0}/B0{0}/{1}", tail(UPPER, 8), tail(ALNUM, 24)), "POST https://hooks.slack.com/services/[redacted:slack-webhook]"),
        ("discord-webhook", format!("https://discord.com/api/webhooks/123456789012345678/{}", tail(ALNUM, 68)), "https://discord.com/api/webhooks/[redacted:discord-webhook]"),
        ("zapier-webhook", format!("https://hooks.zapier.com/hooks/catch/1234567/{}/", tail(LOWER, 24)), "https://hooks.zapier.com/hooks/catch/[redacted:zapier-webhook]/"),
        ("bearer-token", format!("send Bearer {secret} with it"), "send Bearer [redacted:bearer-token] with it"),
        ("netrc-password", "machine example.com login me password hunter2x9\n".into(), "machine example.com login me password [redacted:netrc-password]\n"),
        ("netrc-password", "machine example.com\n  login me\n  password hunter2x9\n".into(), "machine example.com\n  login me\n  password [redacted:netrc-password]\n"),
        ("told-secret", "my password is hunter2".into(), "my password is [redacted:told-secret]"),
        ("command-password", "mysql -uroot -phunter db".into(), "mysql -uroot -p[redacted:command-password] db"),
        ("putty-key", format!("Private-Lines: 1\n{}\nPrivate-MAC: {hex}\n", tail(ALNUM, 64)), "[redacted:putty-key]\n"),
        ("private", "a <private>b</private> c".into(), "a [redacted:private] c"),
        ("password", "export DB_PASSWORD=\"hunter2x9\"".into(), "export DB_PASSWORD=\"[redacted:password]\""),
        ("secret", format!("client_secret: \"{secret}\""), "client_secret: \"[redacted:secret]\""),
        ("token", format!("access_token={secret}"), "access_token=[redacted:token]"),
        ("api-key", format!("X-Api-Key: {secret}"), "X-Api-Key: [redacted:api-key]"),
        ("credential", format!("\"auth\": \"{secret}\""), "\"auth\": \"[redacted:credential]\""),
        ("signature", format!("https://a.blob.core.windows.net/c?sv=2024-01-01&sig={secret}%3D&se=2026"), "https://a.blob.core.windows.net/c?sv=2024-01-01&sig=[redacted:signature]&se=2026"),
        ("authorization", "Authorization: Basic dXNlcjpwYXNz".into(), "Authorization: Basic [redacted:authorization]"),
        ("cookie", "Cookie: theme=dark; sessionid=a8f3k2m9; lang=en".into(), "Cookie: theme=dark; sessionid=[redacted:cookie]; lang=en"),
        ("url-password", "postgres://u:p@localhost/db".into(), "postgres://u:[redacted:url-password]@localhost/db"),
        ("curl-password", "curl -sS -u admin:hunter2x9 https://example.com".into(), "curl -sS -u admin:[redacted:curl-password] https://example.com"),
        ("pgpass-password", "localhost:5432:*:app:hunter2x9".into(), "localhost:5432:*:app:[redacted:pgpass-password]"),
        ("aws-secret", format!("aws_secret_access_key = {secret}"), "aws_secret_access_key = [redacted:aws-secret]"),
        ("azure-secret", format!("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}==;EndpointSuffix=core.windows.net", tail(ALNUM, 86)), "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=[redacted:azure-secret];EndpointSuffix=core.windows.net"),
        ("datadog-secret", format!("DD_API_KEY={hex}"), "DD_API_KEY=[redacted:datadog-secret]"),
        ("okta-secret", format!("OKTA_TOKEN=00{secret}"), "OKTA_TOKEN=[redacted:okta-secret]"),
        ("twilio-secret", format!("TWILIO_AUTH_TOKEN={hex}"), "TWILIO_AUTH_TOKEN=[redacted:twilio-secret]"),
        ("heroku-secret", "HEROKU_API_KEY=4f9c2b1e-7a3d-4c58-9e06-b1d2f3a4c5e6".into(), "HEROKU_API_KEY=[redacted:heroku-secret]"),
        ("cloudflare-secret", format!("CLOUDFLARE_API_TOKEN: {secret}"), "CLOUDFLARE_API_TOKEN: [redacted:cloudflare-secret]"),
        ("vercel-secret", format!("VERCEL_TOKEN={secret}"), "VERCEL_TOKEN=[redacted:vercel-secret]"),
        ("ngrok-secret", format!("ngrok_authtoken: {secret}_{}", tail(ALNUM, 20)), "ngrok_authtoken: [redacted:ngrok-secret]"),
    ]
}

#[test]
fn shaped_secrets_are_taken_whole() {
    for (kind, secrets) in shaped() {
        for secret in secrets {
            let marker = format!("[redacted:{kind}]");
            assert_eq!(redact(&secret), marker);
            for (left, right) in [
                ("a ", " b"),
                ("\"", "\""),
                ("\\n", "\\n"),
                ("(", ")."),
                ("https://x.example/", "?y"),
                ("'", "',"),
            ] {
                assert_eq!(
                    redact(&format!("{left}{secret}{right}")),
                    format!("{left}{marker}{right}"),
                    "{secret}"
                );
            }
        }
    }
}

#[test]
fn written_secrets_leave_the_rest_standing() {
    for (kind, text, expected) in written() {
        assert_eq!(redact(&text), expected, "{kind}");
    }
}

#[test]
fn every_kind_is_listed_once_and_tested() {
    let tested: BTreeSet<_> =
        shaped().iter().map(|row| row.0).chain(written().iter().map(|row| row.0)).collect();
    let listed: Vec<_> = kinds().map(|kind| kind.name).collect();
    assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), tested);
    assert_eq!(listed.len(), tested.len());
    assert!(listed.len() >= 80, "{} kinds", listed.len());
}

#[test]
fn every_kind_is_in_the_manual() {
    let manual = include_str!("../../../../docs/redaction.md");
    let missing: Vec<_> =
        kinds().map(|kind| kind.name).filter(|name| !manual.contains(&format!("`{name}`"))).collect();
    assert_eq!(missing, Vec::<&str>::new());
}
