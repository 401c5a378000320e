//! The table of shapes, and the kinds that have none.
//!
//! Rows follow the formats as they are commonly known; issuers change them without notice. Lengths are lower bounds
//! where the alphabet has separators: tokens grow, and a longer run behind a known prefix is still a token.
//! Publishable keys (`pk_live_…`, `phc_…`) are left out on purpose.

use crate::charset::Set::{self, Alnum, Base64, Dotted, Hex, Lower, Upper, Url, Word};
use crate::shapes::{Kind, Shape, Tail};
use crate::{commands, pem, structured, told};

const ANY: usize = usize::MAX;

/// A prefix and a run of at least and at most so many bytes.
const fn row(name: &'static str, what: &'static str, prefixes: &'static [&'static str], tail: Tail) -> Shape {
    Shape {
        kind: Kind { name, what },
        prefixes,
        tail,
        keeps_prefix: false,
        stands_alone: false,
        faint: false,
    }
}

const fn run(set: Set, least: usize, most: usize) -> Tail {
    Tail::Run { set, least, most }
}

const fn exactly(set: Set, length: usize) -> Tail {
    Tail::Run { set, least: length, most: length }
}

impl Shape {
    const fn keeping_prefix(mut self) -> Self {
        self.keeps_prefix = true;
        self
    }

    const fn faint(mut self) -> Self {
        self.faint = true;
        self
    }

    const fn standing_alone(mut self) -> Self {
        self.stands_alone = true;
        self
    }
}

/// Secrets that give themselves away. Within one first letter, the more special prefix comes first.
#[rustfmt::skip]
pub(crate) static SHAPES: &[Shape] = &[
    // Clouds
    row("aws-access-key-id", "AWS access key id", &["AKIA", "ASIA", "ABIA", "ACCA"], exactly(Upper, 16)),
    row("aws-bedrock-key", "Amazon Bedrock API key", &["ABSK", "bedrock-api-key-"], run(Base64, 100, ANY)).faint(),
    row("gcp-api-key", "Google API key", &["AIza"], run(Url, 35, ANY)),
    row("google-oauth-token", "Google OAuth access or refresh token", &["ya29.", "1//0"], run(Url, 24, ANY)),
    row("google-oauth-secret", "Google OAuth client secret", &["GOCSPX-"], run(Url, 28, ANY)),
    row("alibaba-key-id", "Alibaba Cloud access key id", &["LTAI"], run(Alnum, 16, 24)).faint(),
    row("tencent-key-id", "Tencent Cloud secret id", &["AKID"], exactly(Alnum, 32)).faint(),
    row("yandex-key", "Yandex Cloud API key", &["AQVN"], run(Url, 35, ANY)).faint(),
    row("digitalocean-token", "DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], exactly(Hex, 64)),
    row("heroku-key", "Heroku API key", &["HRKU-"], run(Url, 36, ANY)),
    row("cloudflare-token", "Cloudflare token", &["cfut_", "cfat_", "cfk_"], run(Url, 40, ANY)),
    row("cloudflare-ca-key", "Cloudflare origin CA key", &["v1.0-"], Tail::Parts(structured::cloudflare_ca)),
    row("fly-token", "Fly.io token", &["fo1_", "fm1r_", "fm1a_", "fm2_"], run(Base64, 40, ANY)),
    row("vercel-token", "Vercel token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], run(Alnum, 24, ANY)),
    row("netlify-token", "Netlify token", &["nfp_", "nfc_", "nfo_", "nfu_"], run(Alnum, 36, ANY)),
    row("render-key", "Render API key", &["rnd_"], run(Alnum, 28, ANY)),
    row("scalingo-token", "Scalingo token", &["tk-us-"], run(Url, 48, ANY)).faint(),
    row("openshift-token", "OpenShift user token", &["sha256~"], run(Url, 43, ANY)),
    row("tailscale-key", "Tailscale key", &["tskey-"], run(Url, 20, ANY)),
    row("nebula-key", "Defined Networking key", &["dnkey-"], Tail::Parts(structured::nebula)),
    // Code hosts, registries and builds
    row("github-token", "GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], run(Word, 36, ANY)),
    row("github-fine-grained-token", "GitHub fine-grained personal access token", &["github_pat_"], run(Word, 36, ANY)),
    row("gitlab-token", "GitLab token", &["glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-", "gloas-", "glffct-", "GR1348941"], run(Dotted, 20, ANY)),
    row("bitbucket-token", "Bitbucket app password or token", &["ATBB", "BBDC-"], run(Alnum, 32, ANY)).faint(),
    row("npm-token", "npm token", &["npm_"], exactly(Alnum, 36)),
    row("pypi-token", "PyPI token", &["pypi-AgE"], run(Url, 50, ANY)),
    row("rubygems-key", "RubyGems API key", &["rubygems_"], exactly(Hex, 48)),
    row("crates-io-token", "crates.io token", &["cio"], exactly(Alnum, 32)).faint(),
    row("nuget-key", "NuGet API key", &["oy2"], exactly(Lower, 43)).faint(),
    row("clojars-token", "Clojars token", &["CLOJARS_"], exactly(Hex, 60)),
    row("docker-token", "Docker Hub token", &["dckr_pat_", "dckr_oat_"], run(Url, 27, ANY)),
    row("artifactory-key", "JFrog Artifactory key or reference token", &["AKCp", "cmVmdGtu"], run(Alnum, 56, ANY)).faint(),
    row("circleci-token", "CircleCI token", &["CCIPAT_", "CCIPRJ_"], run(Word, 40, ANY)),
    row("buildkite-token", "Buildkite token", &["bkua_", "bkaj_"], run(Alnum, 40, ANY)),
    row("sourcegraph-token", "Sourcegraph token", &["sgp_"], run(Word, 40, ANY)).faint(),
    row("sonar-token", "SonarQube token", &["squ_", "sqp_", "sqa_"], exactly(Hex, 40)),
    row("deno-token", "Deno Deploy token", &["ddp_", "ddo_"], run(Alnum, 36, ANY)),
    row("pulumi-token", "Pulumi token", &["pul-"], exactly(Hex, 40)),
    row("terraform-token", "Terraform Cloud token", &["atlasv1."], Tail::Parts(structured::terraform)),
    row("infracost-key", "Infracost API key", &["ico-"], exactly(Alnum, 32)).faint(),
    row("prefect-key", "Prefect API key", &["pnu_", "pnb_"], exactly(Alnum, 36)),
    row("octopus-key", "Octopus Deploy API key", &["API-"], exactly(Upper, 26)).standing_alone().faint(),
    // Language models
    row("anthropic-key", "Anthropic key or token", &["sk-ant-"], run(Url, 20, ANY)),
    row("openrouter-key", "OpenRouter key", &["sk-or-v1-"], exactly(Hex, 64)),
    row("langfuse-key", "Langfuse secret key", &["sk-lf-"], Tail::Parts(structured::uuid)),
    row("openai-key", "OpenAI key, or another vendor's of the same form", &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"], run(Url, 20, ANY)),
    row("sk-key", "Key of the form sk-… (OpenAI, DeepSeek, Moonshot and others)", &["sk-"], run(Alnum, 32, ANY)).faint(),
    row("huggingface-token", "Hugging Face token", &["hf_", "api_org_"], exactly(Alnum, 34)),
    row("replicate-token", "Replicate token", &["r8_"], exactly(Alnum, 37)),
    row("groq-key", "Groq key", &["gsk_"], run(Alnum, 40, ANY)),
    row("xai-key", "xAI key", &["xai-"], run(Alnum, 60, ANY)),
    row("perplexity-key", "Perplexity key", &["pplx-"], run(Alnum, 40, ANY)),
    row("nvidia-key", "NVIDIA key", &["nvapi-"], run(Url, 48, ANY)),
    row("cerebras-key", "Cerebras key", &["csk-"], run(Alnum, 40, ANY)),
    row("together-key", "Together key", &["tgp_v1_"], run(Url, 40, ANY)),
    row("tavily-key", "Tavily key", &["tvly-"], run(Url, 28, ANY)),
    row("jina-key", "Jina key", &["jina_"], run(Url, 48, ANY)).faint(),
    row("langsmith-key", "LangSmith key", &["lsv2_pt_", "lsv2_sk_", "ls__"], run(Word, 32, ANY)).faint(),
    row("e2b-key", "E2B key", &["e2b_"], exactly(Hex, 40)),
    row("firecrawl-key", "Firecrawl key", &["fc-"], exactly(Hex, 32)).standing_alone().faint(),
    row("cursor-key", "Cursor key", &["crsr_", "key_"], exactly(Hex, 64)).faint(),
    // Messages
    row("slack-token", "Slack token", &["xoxb-", "xoxp-", "xoxa-", "xoxo-", "xoxs-", "xoxr-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xoxp-", "xoxe.xoxb-", "xapp-1-"], run(Url, 20, ANY)),
    row("slack-webhook", "Slack webhook address", &["hooks.slack.com/services/", "hooks.slack.com\\/services\\/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"], Tail::Parts(structured::hook_path)).keeping_prefix(),
    row("discord-webhook", "Discord webhook address", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], Tail::Parts(structured::hook_path)).keeping_prefix(),
    row("discord-token", "Discord bot token", &["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT", "Oj", "Oz"], Tail::Parts(structured::discord)),
    row("zapier-webhook", "Zapier webhook address", &["hooks.zapier.com/hooks/catch/"], Tail::Parts(structured::hook_path)).keeping_prefix(),
    row("telegram-token", "Telegram bot token", &["AA"], Tail::Parts(structured::telegram)),
    row("twilio-key", "Twilio API key or account id", &["SK", "AC"], exactly(Hex, 32)).faint(),
    row("sendgrid-key", "SendGrid key", &["SG."], Tail::Parts(structured::sendgrid)),
    row("mailgun-key", "Mailgun key", &["key-"], exactly(Hex, 32)).standing_alone().faint(),
    row("mailchimp-key", "Mailchimp key", &["us1", "us2", "us3", "us4", "us5", "us6", "us7", "us8", "us9"], Tail::Parts(structured::mailchimp)),
    row("brevo-key", "Brevo key", &["xkeysib-", "xsmtpsib-"], Tail::Parts(structured::brevo)),
    row("resend-key", "Resend key", &["re_"], Tail::Parts(structured::resend)),
    row("twitch-token", "Twitch chat token", &["oauth:"], exactly(Lower, 30)),
    row("twitter-token", "Twitter bearer token", &["AAAAAAAAAAAAAAAAAAAAA"], run(Url, 60, ANY)).faint(),
    row("meta-token", "Facebook access token", &["EAAC", "EAAG", "EAAB", "EAAE"], run(Alnum, 90, ANY)).standing_alone().faint(),
    // Payments and shops
    row("stripe-key", "Stripe secret or restricted key", &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_org_"], run(Alnum, 16, ANY)),
    row("webhook-secret", "Webhook signing secret (Stripe, Svix)", &["whsec_"], run(Base64, 24, ANY)),
    row("elevenlabs-key", "ElevenLabs key", &["sk_"], exactly(Hex, 48)).faint(),
    row("shopify-token", "Shopify token or secret", &["shpat_", "shpss_", "shpca_", "shppa_", "shpua_", "shptka_"], exactly(Hex, 32)),
    row("square-token", "Square token or secret", &["sq0atp-", "sq0csp-"], run(Url, 22, ANY)),
    row("square-access-token", "Square access token", &["EAAA"], run(Url, 56, 64)).standing_alone().faint(),
    row("paypal-token", "PayPal Braintree access token", &["access_token$production$", "access_token$sandbox$"], run(Dotted, 32, ANY)),
    row("plaid-token", "Plaid access token", &["access-sandbox-", "access-development-", "access-production-"], Tail::Parts(structured::uuid)),
    row("flutterwave-key", "Flutterwave secret key", &["FLWSECK_TEST-", "FLWSECK-"], run(Url, 24, ANY)),
    row("easypost-key", "EasyPost key", &["EZAK", "EZTK"], exactly(Alnum, 54)).faint(),
    row("shippo-token", "Shippo token", &["shippo_live_", "shippo_test_"], exactly(Hex, 40)),
    row("duffel-token", "Duffel token", &["duffel_live_", "duffel_test_"], run(Url, 43, ANY)),
    // Data and monitoring
    row("databricks-token", "Databricks token", &["dapi", "dose"], exactly(Hex, 32)),
    row("supabase-key", "Supabase token or secret key", &["sbp_", "sb_secret_"], run(Word, 28, ANY)).faint(),
    row("planetscale-token", "PlanetScale token or password", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_", "pscale_otkn_"], run(Dotted, 32, ANY)),
    row("neon-key", "Neon key", &["napi_"], run(Alnum, 40, ANY)),
    row("new-relic-key", "New Relic key", &["NRAK-", "NRII-", "NRAA-"], run(Url, 27, ANY)),
    row("sentry-token", "Sentry token", &["sntrys_", "sntryu_", "sntrya_"], Tail::Parts(structured::sentry)),
    row("grafana-token", "Grafana token", &["glsa_", "glc_"], run(Word, 32, ANY)).faint(),
    row("grafana-key", "Grafana API key", &["eyJrIjoi"], run(Base64, 60, ANY)),
    row("dynatrace-token", "Dynatrace token", &["dt0c01."], Tail::Parts(structured::dynatrace)),
    row("posthog-key", "PostHog personal key", &["phx_"], run(Alnum, 40, ANY)),
    row("wandb-key", "Weights & Biases key", &["wandb_v1_"], run(Word, 40, ANY)),
    row("mapbox-token", "Mapbox secret token", &["sk.eyJ", "tk.eyJ"], run(Dotted, 60, ANY)),
    row("airtable-token", "Airtable token", &["pat"], Tail::Parts(structured::airtable)),
    // Work
    row("atlassian-token", "Atlassian token", &["ATATT3", "ATCTT3", "ATSTT3"], run(Url, 60, ANY)),
    row("trello-token", "Trello token", &["ATTA"], exactly(Hex, 72)).faint(),
    row("linear-key", "Linear key", &["lin_api_", "lin_oauth_", "lin_wh_"], run(Alnum, 32, ANY)),
    row("notion-token", "Notion token", &["ntn_", "secret_"], run(Alnum, 43, 50)).faint(),
    row("figma-token", "Figma token", &["figd_", "figdr_", "figu_"], run(Url, 36, ANY)),
    row("postman-key", "Postman key", &["PMAK-"], Tail::Parts(structured::postman)),
    row("contentful-token", "Contentful token", &["CFPAT-"], run(Url, 43, ANY)),
    row("typeform-token", "Typeform token", &["tfp_"], run(Dotted, 40, ANY)),
    row("readme-key", "ReadMe key", &["rdme_"], run(Lower, 60, ANY)),
    row("hubspot-token", "HubSpot token", &["pat-na1-", "pat-na2-", "pat-eu1-"], Tail::Parts(structured::uuid)),
    row("dropbox-token", "Dropbox token", &["sl."], run(Dotted, 100, ANY)).faint(),
    row("adobe-secret", "Adobe client secret", &["p8e-"], exactly(Alnum, 32)),
    row("zoho-token", "Zoho token", &["1000."], Tail::Parts(structured::zoho)),
    row("frameio-token", "Frame.io token", &["fio-u-"], run(Url, 60, ANY)),
    row("wakatime-key", "WakaTime key", &["waka_"], Tail::Parts(structured::uuid)),
    // Vaults and keys
    row("vault-token", "HashiCorp Vault token", &["hvs.", "hvb.", "hvr."], run(Url, 24, ANY)),
    row("doppler-token", "Doppler token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], run(Dotted, 40, ANY)),
    row("onepassword-token", "1Password service account token", &["ops_eyJ"], run(Base64, 100, ANY)),
    row("onepassword-key", "1Password secret key", &["A3-"], Tail::Parts(structured::onepassword)),
    row("age-key", "age secret key", &["AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"], run(Upper, 58, ANY)),
    row("bitcoin-key", "Extended private key of a wallet", &["xprv"], run(Alnum, 100, 112)).faint(),
    row("private-key", "Private key: PEM of any sort, base64 of PEM, PuTTY", &["LS0tLS1CRUdJTiBSU0EgUFJJVkFURSB", "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFW", "LS0tLS1CRUdJTiBQUklWQVRFIEtFW", "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUg", "LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSB"], run(Base64, 40, ANY)),
    row("putty-key", "The private lines of a PuTTY key", &["Private-Lines: "], Tail::Parts(pem::putty)),
    row("jwt", "JSON Web Token", &["eyJ"], Tail::Parts(structured::jwt)),
    row("bearer-token", "Bearer token without its header", &["Bearer", "bearer", "BEARER"], Tail::Parts(structured::bearer)),
    row("told-secret", "Secret that a sentence tells: my password is …", told::OPENINGS, Tail::Parts(told::value)),
    row("command-password", "Password of mysql -p, sshpass -p, redis-cli -a, openssl -k, docker login -p, htpasswd -b", commands::COMMANDS, Tail::Parts(commands::password)),
    row("netrc-password", "Password in a .netrc line", &["machine "], Tail::Parts(structured::netrc)),
];

/// Secrets that only their surroundings give away.
#[rustfmt::skip]
pub(crate) const BESIDE_A_NAME: &[Kind] = &[
    Kind { name: "private", what: "Text between <private> tags" },
    Kind { name: "password", what: "Value of a name such as password, passwd, pwd, passphrase; --password; an XML element" },
    Kind { name: "secret", what: "Value of a name such as client_secret, SECRET_KEY_BASE" },
    Kind { name: "token", what: "Value of a name such as access_token, _authToken" },
    Kind { name: "api-key", what: "Value of a name such as api_key, X-Api-Key, private_key, AccountKey" },
    Kind { name: "credential", what: "Value of a name such as auth, credentials" },
    Kind { name: "signature", what: "Signature in an address that grants access: sig=, X-Amz-Signature=" },
    Kind { name: "authorization", what: "Credentials of an Authorization header, whatever the scheme" },
    Kind { name: "cookie", what: "Session value in a Cookie or Set-Cookie header" },
    Kind { name: "url-password", what: "Password, or token in its place, in an address: scheme://user:password@host" },
    Kind { name: "curl-password", what: "Password of curl -u user:password" },
    Kind { name: "pgpass-password", what: "Password in a .pgpass line" },
    Kind { name: "aws-secret", what: "AWS secret key or session token, by name" },
    Kind { name: "azure-secret", what: "Azure key or secret, by name: AccountKey, SharedAccessKey" },
    Kind { name: "datadog-secret", what: "Datadog key, by name" },
    Kind { name: "okta-secret", what: "Okta token, by name" },
    Kind { name: "twilio-secret", what: "Twilio auth token, by name" },
    Kind { name: "heroku-secret", what: "Heroku key, by name" },
    Kind { name: "cloudflare-secret", what: "Cloudflare key, by name" },
    Kind { name: "vercel-secret", what: "Vercel token, by name" },
    Kind { name: "ngrok-secret", what: "ngrok authtoken, by name" },
];
