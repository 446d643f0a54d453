"""Families that gitleaks lacks, or knows only beside a vendor's name."""

from __future__ import annotations

BASE64_OF_A_KEY = (
    r"LS0tLS1CRUdJTi(?:B[A-Za-z0-9+/]{0,12})?(?:BSSVZBVE|UFJJVkFUR|QUklWQVRF)"
    r"[A-Za-z0-9+/]{40,}={0,2}"
)
"""`-----BEGIN … PRIVATE`, at the three places where base64 may have cut it."""

# kind, a word without which it does not occur (lower case), what it looks like: its first group
# is the secret, else all of it is.
OWN: tuple[tuple[str, str, str], ...] = (
    ("jwt", "eyj", r"\beyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?"),
    ("private-key", "ls0tls1crudjti", BASE64_OF_A_KEY),
    ("openai-api-key", "sk-", r"\bsk-(?:proj|svcacct|admin|None|service)-[\w-]{20,}"),
    ("openai-api-key", "sk-", r"\bsk-[A-Za-z0-9]{32,}\b"),
    ("openrouter-api-key", "sk-or-", r"\bsk-or-v1-[0-9a-f]{48,}"),
    ("anthropic-api-key", "sk-ant-", r"\bsk-ant-[a-z0-9]+-[\w-]{32,}"),
    ("groq-api-key", "gsk_", r"\bgsk_[A-Za-z0-9]{40,}"),
    ("xai-api-key", "xai-", r"\bxai-[A-Za-z0-9]{40,}"),
    ("replicate-api-token", "r8_", r"\br8_[A-Za-z0-9]{30,}"),
    ("nvidia-api-key", "nvapi-", r"\bnvapi-[\w-]{40,}"),
    ("langsmith-api-key", "lsv2_", r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    ("huggingface-access-token", "hf_", r"\bhf_[A-Za-z0-9]{34,}"),
    ("google-oauth-secret", "gocspx-", r"\bGOCSPX-[\w-]{20,}"),
    ("google-oauth-token", "ya29.", r"\bya29\.[\w-]{30,}"),
    ("google-refresh-token", "1//0", r"(?<![\w/:])1//0[\w-]{40,}"),
    ("gcs-hmac-key", "goog", r"\bGOOG[A-Z0-9]{20,}"),
    ("firebase-server-key", "aaaa", r"\bAAAA[\w-]{7}:[\w-]{100,}"),
    ("aws-access-token", "akia", r"\bAKIA[A-Z0-9]{16}\b"),
    ("aws-access-token", "asia", r"\bASIA[A-Z0-9]{16}\b"),
    ("tavily-api-key", "tvly-", r"\btvly-[\w-]{20,}"),
    ("llamacloud-api-key", "llx-", r"\bllx-[\w-]{40,}"),
    ("github-token", "gh", r"\bgh[pousr]_[A-Za-z0-9]{30,}"),
    ("gitlab-token", "gl", r"\bgl[a-z]{2,5}-[\w.-]{20,}"),
    ("slack-token", "xox", r"\bxox[a-z]-[\w%+/=-]{20,}"),
    ("docker-token", "dckr_", r"\bdckr_[op]at_[\w-]{20,}"),
    ("docker-swarm-token", "swmtkn-", r"\bSWMTKN-1-[0-9a-z]{40,}-[0-9a-z]{20,}"),
    ("supabase-key", "sb", r"\b(?:sbp_(?:v0_)?[0-9a-f]{40}|sb_secret_[\w-]{20,})"),
    ("tailscale-key", "tskey-", r"\btskey-[a-z]+-\w{6,}-\w{16,}"),
    ("figma-token", "figd_", r"\bfigd_[\w-]{30,}"),
    ("posthog-key", "ph", r"\bph[sxra]_[A-Za-z0-9]{32,}"),
    ("stripe-webhook-secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/=]{24,}"),
    ("resend-api-key", "re_", r"\bre_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,}"),
    ("netlify-token", "nfp_", r"\bnfp_[A-Za-z0-9]{30,}"),
    ("vercel-token", "vc", r"\b(?:vc[a-z]_[A-Za-z0-9]{24,}|vercel_blob_rw_\w{20,})"),
    ("mailgun-private-api-token", "key-", r"\bkey-[0-9a-f]{32}\b"),
    ("mailchimp-api-key", "-us", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    ("bitbucket-app-password", "atbb", r"\bATBB[A-Za-z0-9]{24,}"),
    ("bitbucket-access-token", "bbdc-", r"\bBBDC-[A-Za-z0-9+/]{36,}"),
    ("atlassian-api-token", "at", r"\bAT(?:ATT|CTT)3x[\w=-]{60,}"),
    ("sonar-api-token", "sq", r"\bsq[apu]_[0-9a-f]{40}\b"),
    ("postman-token", "pmat-", r"\bPMAT-[A-Z0-9]{26}\b"),
    ("appsync-api-key", "da2-", r"\bda2-[a-z0-9]{26}\b"),
    ("contentful-token", "cfpat-", r"\bCFPAT-[\w-]{40,}"),
    ("doppler-api-token", "dp.", r"\bdp\.(?:st|ct|sa|scim|audit)\.[\w.-]{40,}"),
    ("notion-token", "secret_", r"\bsecret_[A-Za-z0-9]{43}\b"),
    ("airtable-token", "pat", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("circleci-token", "ccip", r"\bCCIP[A-Z]{2,3}_\w{16,}_[0-9a-f]{40}"),
    ("buildkite-token", "bk", r"\bbk[a-z]{1,3}_[0-9a-f]{40}\b"),
    ("nuget-api-key", "oy2", r"\boy2[a-z0-9]{43}\b"),
    ("crates-io-token", "cio", r"\bcio[A-Za-z0-9]{32}\b"),
    ("paypal-access-token", "access_token$", r"\baccess_token\$[a-z]+\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    ("square-token", "sq0", r"\bsq0[a-z]{3}-[\w-]{22,}"),
    ("launchdarkly-key", "-", r"\b(?:sdk|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"),
    ("azure-devops-token", "azdo", r"\b[A-Za-z0-9]{70,76}AZDO[A-Za-z0-9]{4}\b"),
    ("telegram-bot-token", ":aa", r"(?:\b|(?<=bot))\d{8,10}:AA[\w-]{32,34}"),
    ("discord-bot-token", ".", r"\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}\b"),
    ("discord-webhook", "/api/webhooks/", r"\.com/api/webhooks/\d{16,}/([\w-]{40,})"),
    ("slack-webhook", "hooks.slack.com", r"hooks\.slack\.com/[a-z]+/([A-Za-z0-9+/]{30,})"),
    ("signed-url", "sig", r"(?i)[?&](?:x-[a-z]+-)?sig(?:nature)?=([\w%+/=-]{24,})"),
    ("bip32-key", "prv", r"\b[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,}"),
)  # fmt: skip
"""Kinds that begin by the vendor's own prefix need no look at the words around them."""
