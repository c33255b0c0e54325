package dev.acp4j.redaction;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * The form of keys and tokens of well-known services: their prefix, alphabet and minimum length. They are found at the
 * beginning of a word, in any context.
 */
final class SecretLook {
    private static final int LETTERS = 1;
    private static final int DIGITS = 2;
    private static final int DASH = 4;
    private static final int UNDERSCORE = 8;
    private static final int BASE64 = 16;
    private static final int DOT = 32;
    private static final int SLASH = 64;
    private static final int ALNUM = LETTERS | DIGITS;
    private static final int WORD = ALNUM | DASH | UNDERSCORE;
    private static final int ANY_BASE64 = WORD | BASE64 | DOT | SLASH;

    /** The kind of each character. */
    private static final byte[] KINDS = kinds();

    private static final List<List<SecretLook>> ALL = List.of(
            // Model providers
            look(WORD, 16, "sk-", "csk-"),
            look(ALNUM, 30, "sk_", "key-"),
            look(ALNUM, 16, "hf_", "gsk_", "pplx-", "r8_", "xai-", "tvly-", "pcsk_", "jina_", "phx_"),
            look(WORD, 20, "nvapi-", "lsv2_pt_", "lsv2_sk_", "tgp_v1_"),
            // Code and package hosting
            look(ALNUM, 20, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
            look(ALNUM | UNDERSCORE, 20, "github_pat_"),
            look(
                    WORD | DOT,
                    16,
                    "glpat-",
                    "gldt-",
                    "glrt-",
                    "glcbt-",
                    "glptt-",
                    "glft-",
                    "glsoat-",
                    "glimt-",
                    "glagent-"),
            look(ALNUM, 24, "npm_"),
            look(WORD, 32, "pypi-"),
            look(ALNUM, 24, "rubygems_", "dckr_pat_", "sbp_", "pscale_tkn_", "pscale_pw_", "lin_api_", "ntn_"),
            look(WORD | DOT | BASE64, 20, "ATATT3", "ATCTT3", "figd_", "PMAK-"),
            // Clouds
            look(ALNUM, 16, "AKIA", "ASIA", "ABIA", "ACCA"),
            look(WORD, 30, "AIza"),
            look(WORD | DOT, 16, "ya29."),
            look(WORD, 20, "GOCSPX-", "1//0"),
            look(ALNUM | BASE64 | SLASH, 40, "AccountKey=", "SharedAccessKey=", "accountkey=", "sharedaccesskey="),
            look(ALNUM, 16, "dop_v1_", "doo_v1_", "dor_v1_", "LTAI"),
            look(WORD, 20, "tskey-", "hvs.", "hvb.", "dp.pt.", "dp.st.", "HRKU-", "ops_eyJ", "sntrys_", "sntryu_"),
            look(ALNUM, 32, "dapi", "cio"),
            look(WORD | BASE64 | SLASH, 30, "fm1_", "fm2_", "fo1_"),
            // Messaging, payments, monitoring
            look(ALNUM | DASH, 10, "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"),
            look(ALNUM | DASH, 10, "xapp-", "xwfp-", "xoxe."),
            look(ALNUM | SLASH, 24, "hooks.slack.com/services/"),
            look(ALNUM, 10, "sk_live_", "sk_test_", "rk_live_", "rk_test_"),
            look(ALNUM | BASE64 | SLASH, 16, "whsec_"),
            look(ALNUM, 20, "shpat_", "shpss_", "shpca_", "shppa_"),
            look(WORD, 20, "sq0csp-", "sq0atp-"),
            look(WORD | DOT, 30, "SG."),
            look(WORD, 20, "glsa_", "NRAK-", "dt0c01."),
            look(WORD | BASE64, 20, "glc_"),
            look(ALNUM, 20, "AGE-SECRET-KEY-1"));

    /** Keyed by first character. */
    private static final SecretLook[][] BY_FIRST = byFirst();

    private static final String OTHER_FIRSTS = "eBb0123456789";
    private static final boolean[] FIRSTS = firsts();

    private final String prefix;
    private final int kinds;
    private final int least;

    private SecretLook(String prefix, int kinds, int least) {
        this.prefix = prefix;
        this.kinds = kinds;
        this.least = least;
    }

    /** Returns a row of the table. */
    private static List<SecretLook> look(int kinds, int least, String... prefixes) {
        List<SecretLook> looks = new ArrayList<>();
        for (String prefix : prefixes) {
            looks.add(new SecretLook(prefix, kinds, least));
        }
        return looks;
    }

    /** Returns whether a known form begins with this character. */
    static boolean mayBegin(char c) {
        return c < FIRSTS.length && FIRSTS[c];
    }

    /** Returns the end of the secret that begins here, or {@code at} if there is none. */
    static int end(String text, int at) {
        char first = text.charAt(at);
        for (SecretLook look : BY_FIRST[first]) {
            int end = look.endOf(text, at);
            if (end > at) {
                return end;
            }
        }
        return switch (first) {
            case 'e' -> webToken(text, at);
            case 'B', 'b' -> authorization(text, at);
            default -> first <= '9' ? botToken(text, at) : at;
        };
    }

    static boolean isWord(char c) {
        return is(WORD, c);
    }

    static boolean isBase64(char c) {
        return is(ANY_BASE64, c);
    }

    private static boolean is(int kinds, char c) {
        return c < KINDS.length && (KINDS[c] & kinds) != 0;
    }

    private int endOf(String text, int at) {
        if (!text.startsWith(prefix, at)) {
            return at;
        }
        int end = run(kinds, text, at + prefix.length());
        return end - at - prefix.length() >= least ? end : at;
    }

    private static int run(int kinds, String text, int from) {
        int at = from;
        while (at < text.length() && is(kinds, text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** A JWT: three parts separated by dots, of which the first two are objects: {@code eyJ} is <code>{"</code>. */
    private static int webToken(String text, int at) {
        if (!text.startsWith("eyJ", at)) {
            return at;
        }
        int first = run(WORD, text, at);
        if (first - at < 13 || first == text.length() || text.charAt(first) != '.') {
            return at;
        }
        int second = run(WORD, text, first + 1);
        if (second - first <= 10 || second == text.length() || text.charAt(second) != '.') {
            return at;
        }
        return run(WORD, text, second + 1);
    }

    /** The value of a header: {@code Bearer} with any long word, {@code Basic} with a name and a password. */
    private static int authorization(String text, int at) {
        if (text.regionMatches(true, at, "bearer ", 0, 7)) {
            int end = run(ANY_BASE64, text, at + 7);
            return end - at - 7 >= 16 ? end : at;
        }
        if (!text.regionMatches(true, at, "basic ", 0, 6)) {
            return at;
        }
        int end = run(ALNUM | BASE64 | SLASH, text, at + 6);
        return namesUser(text.substring(at + 6, end)) ? end : at;
    }

    private static boolean namesUser(String base64) {
        if (base64.length() < 8 || base64.length() > 1000) {
            return false;
        }
        try {
            for (byte b : Base64.getDecoder().decode(base64)) {
                if (b == ':') {
                    return true;
                }
            }
            return false;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The token of a Telegram bot: its number, a colon and 35 characters. */
    private static int botToken(String text, int at) {
        int colon = run(DIGITS, text, at);
        if (colon - at < 8 || colon - at > 12 || colon == text.length() || text.charAt(colon) != ':') {
            return at;
        }
        int end = run(WORD, text, colon + 1);
        return end - colon == 36 ? end : at;
    }

    private static SecretLook[][] byFirst() {
        List<List<SecretLook>> lists = new ArrayList<>();
        for (int c = 0; c < 128; c++) {
            lists.add(new ArrayList<>());
        }
        for (List<SecretLook> row : ALL) {
            for (SecretLook look : row) {
                lists.get(look.prefix.charAt(0)).add(look);
            }
        }
        SecretLook[][] table = new SecretLook[128][];
        for (int c = 0; c < table.length; c++) {
            table[c] = lists.get(c).toArray(new SecretLook[0]);
        }
        return table;
    }

    private static boolean[] firsts() {
        boolean[] firsts = new boolean[BY_FIRST.length];
        for (char c = 0; c < firsts.length; c++) {
            firsts[c] = BY_FIRST[c].length > 0 || OTHER_FIRSTS.indexOf(c) >= 0;
        }
        return firsts;
    }

    private static byte[] kinds() {
        byte[] kinds = new byte[128];
        for (char c = 0; c < kinds.length; c++) {
            boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            kinds[c] = (byte) (isLetter ? LETTERS : c >= '0' && c <= '9' ? DIGITS : 0);
        }
        kinds['-'] = DASH;
        kinds['_'] = UNDERSCORE;
        kinds['.'] = DOT;
        kinds['/'] = SLASH;
        kinds['+'] = BASE64;
        kinds['='] = BASE64;
        kinds['~'] = BASE64;
        return kinds;
    }
}
