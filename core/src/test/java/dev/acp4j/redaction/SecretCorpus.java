package dev.acp4j.redaction;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Secrets of all kinds that are to be found. None is real; they are put together here, so that no scanner takes them
 * for one.
 */
final class SecretCorpus {
    /** What looks random, and begins with a letter. */
    static final String RANDOM = "Zq7Wm2Rk9Tx4Vb6Np1Ls8Dh3Jf5Gc0YaUe4Io";

    private static final String HEX = "3f9a1c5e7b2d4806".repeat(4);

    /** A name that tells of a secret. */
    static final List<String> NAMES = List.of(
            ("password passwd passphrase passcode userPassword db_password PGPASSWORD DB_PASS PGPASS MYSQL_PWD pwd "
                            + "SSH_PASSPHRASE secret clientSecret client_secret AWS_SECRET_ACCESS_KEY token accessToken access_token "
                            + "refresh_token idToken authToken GITHUB_TOKEN token2 apiKey api_key apikey api-key x-api-key "
                            + "X-Goog-Api-Key OPENAI_API_KEY apiKeyV2 privateKey private_key accessKey sessionKey signingKey "
                            + "encryption_key masterKey AccountKey SharedAccessKey Ocp-Apim-Subscription-Key GEMINI_KEY KEY "
                            + "GITHUB_PAT NPM_AUTH npm_config__auth auth SESSION_COOKIE cookie Cookie Set-Cookie SIGNING_JWT jwt "
                            + "bearer authorization Authorization Proxy-Authorization credential credentials AZURE_CREDENTIALS creds "
                            + "otp totp pin CARD_PIN signature X-Amz-Signature X-Amz-Security-Token csrfToken mnemonic connectionString")
                    .split(" "));

    private SecretCorpus() {}

    /** Keys that are known by how they look, by the service that they are of. */
    static Map<String, String> looks() {
        Map<String, String> looks = new TreeMap<>();
        for (String prefix : List.of(
                "sk-",
                "sk-proj-",
                "sk-ant-api03-",
                "sk-or-v1-",
                "csk-",
                "hf_",
                "gsk_",
                "xai-",
                "pplx-",
                "r8_",
                "tvly-",
                "nvapi-",
                "lsv2_pt_",
                "tgp_v1_",
                "ghp_",
                "gho_",
                "ghu_",
                "ghs_",
                "ghr_",
                "github_pat_",
                "glpat-",
                "gldt-",
                "glrt-",
                "npm_",
                "pypi-",
                "rubygems_",
                "dckr_pat_",
                "sbp_",
                "pscale_pw_",
                "lin_api_",
                "figd_",
                "PMAK-",
                "AIza",
                "ya29.",
                "GOCSPX-",
                "1//0",
                "dop_v1_",
                "tskey-auth-",
                "hvs.",
                "dp.pt.",
                "HRKU-",
                "sntrys_",
                "xoxb-",
                "xoxp-",
                "xoxa-",
                "xoxs-",
                "xoxe-",
                "xapp-1-",
                "sk_live_",
                "sk_test_",
                "rk_live_",
                "whsec_",
                "shpat_",
                "sq0csp-",
                "glsa_",
                "NRAK-",
                "ATATT3",
                "AccountKey=",
                "Bearer ",
                "bearer ")) {
            looks.put(prefix, prefix + RANDOM + (prefix.equals("AccountKey=") ? RANDOM + "==" : ""));
        }
        looks.put("SendGrid", "SG." + RANDOM.substring(0, 22) + "." + RANDOM);
        looks.put("AWS", "AKIA" + "IOSFODNN7EXAMPLE");
        looks.put("AWS for a time", "ASIA" + "IOSFODNN7EXAMPLE");
        looks.put("age", "AGE-SECRET-KEY-1" + RANDOM.toUpperCase(Locale.ROOT));
        looks.put("Telegram", "110201543" + ":" + RANDOM.substring(0, 35));
        looks.put("Databricks", "dapi" + HEX.substring(0, 32));
        looks.put("Mailgun", "key-" + HEX.substring(0, 32));
        looks.put("Slack hook", "hooks.slack.com/services/" + "T0000/B0000/" + RANDOM);
        looks.put("web token", "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0In0" + "." + RANDOM);
        looks.put(
                "Basic",
                "Basic " + Base64.getEncoder().encodeToString(("ada:" + RANDOM).getBytes(StandardCharsets.UTF_8)));
        looks.put("URL", "://ada:" + RANDOM + "@host/path");
        looks.put("URL, a token alone", "://" + RANDOM + "@host/path");
        looks.put("parameter", "://host/path?a=b&api_key=" + RANDOM + "&c=d");
        looks.put("parameter key", "://host/path?key=" + RANDOM);
        looks.put("fragment", "://host/#access_token=" + RANDOM);
        looks.put("private key", pem("RSA PRIVATE KEY"));
        looks.put("private key of SSH", pem("OPENSSH PRIVATE KEY"));
        looks.put("private key of PGP", pem("PGP PRIVATE KEY BLOCK"));
        return looks;
    }

    static String pem(String label) {
        return "-----BEGIN " + label + "-----\nProc-Type: 4,ENCRYPTED\n\n" + (RANDOM + RANDOM + "\n").repeat(3)
                + "aB3=\n-----END " + label + "-----";
    }

    /** Values of environment variables, which are known wherever they stand. */
    static Map<String, String> variables() {
        Map<String, String> variables = new TreeMap<>();
        List<String> names = NAMES.stream()
                .filter(name -> name.equals(name.toUpperCase(Locale.ROOT)))
                .toList();
        for (int i = 0; i < names.size(); i++) {
            variables.put(names.get(i), "geheim" + i + "wort");
        }
        variables.put("LINES_SECRET", "first line 1\nsecond line 2\r\nthird line 3\n");
        variables.put("PEM_KEY", pem("PRIVATE KEY"));
        variables.put("SLASH_API_KEY", "/9j4AAQSkZJRg/bATE5+w==");
        variables.put("QUOTED_TOKEN", "it\"s a 'quo\\ted' one/two");
        variables.put("UMLAUT_TOKEN", "g\u00e9h\u00e9im-\u20ac-\ud83d\ude00");
        variables.put("SEVEN_TOKEN", "hunter7");
        variables.put("SIX_TOKEN", "hunt6r");
        variables.put("DATABASE_URL", "postgres://ada:swordfish77@host/db");
        variables.put("blank_token", "  around it  ");
        return variables;
    }

    /** Returns the lines of a value that are secrets by themselves. */
    static List<String> lines(String value) {
        return value.lines()
                .map(String::strip)
                .filter(line -> line.length() >= 6 && !line.startsWith("-----"))
                .toList();
    }

    /** Returns what must not be seen of a secret: each of these. */
    static List<String> parts(String secret) {
        List<String> parts = new ArrayList<>();
        for (String line : secret.lines().toList()) {
            if (line.contains("-----") || line.startsWith("://")) {
                continue;
            }
            parts.add(line);
        }
        Stream.of(RANDOM, "swordfish77").filter(secret::contains).forEach(parts::add);
        parts.removeIf(part -> part.length() < 4);
        return parts;
    }
}
