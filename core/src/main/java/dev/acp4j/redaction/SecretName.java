package dev.acp4j.redaction;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Classifies a value by its name. One table serves environment variables, JSON members, headers, options and query
 * parameters. A name is compared word by word, regardless of how the words are joined, so {@code accessToken},
 * {@code ACCESS_TOKEN} and {@code x-access-token} are alike, and {@code keyboard}, {@code author} and {@code maxTokens}
 * are not secrets.
 *
 * <p>Ordered by strength: if several words of a name match, the last constant of these wins.
 */
enum SecretName {
    /** The value is no secret. */
    ORDINARY,
    /** Such as {@code auth} and {@code signature}: a secret if it looks random. */
    OPAQUE,
    /** {@code pwd}: a secret, or the working folder. */
    FOLDER,
    /** Such as {@code tokens} and {@code pass}: a secret unless it is a number. */
    COUNTABLE,
    /** The value is a secret; in text, it ends at the next blank. */
    SECRET,
    /** Such as {@code password}: may consist of several words, like a passphrase. */
    PHRASE,
    /** Such as {@code Cookie}: has many parts; in text, it is the rest of the line. */
    LINE;

    /** Words that mark a name as secret at any position. */
    private static final Map<String, SecretName> WORDS = table(
            LINE, "authorization cookie",
            PHRASE, "passphrase passcode pgpassword",
            SECRET,
                    "token secret credential credentials creds bearer jwt apikey apitoken mnemonic seedphrase "
                            + "privatekey secretkey accesskey sessionkey signingkey encryptionkey masterkey sharedkey "
                            + "sharedaccesskey accountkey authkey sshkey gpgkey licensekey servicekey deploykey "
                            + "subscriptionkey functionskey clientkey cookiekey hmackey aeskey connectionstring",
            COUNTABLE, "tokens secrets cookies");

    /** Words that mark a name as secret at its end only. */
    private static final Map<String, SecretName> LAST_WORDS = table(
            PHRASE, "pwd pgpass dbpass sshpass mysqlpass userpass rootpass",
            SECRET, "cred",
            COUNTABLE, "pass",
            OPAQUE, "auth pat otp totp pin signature sig");

    /** Endings that mark a name as secret when several words are joined: {@code accesstoken}. */
    private static final List<String> STEMS = List.of("token", "secret", "credential", "credentials", "apikey");

    /** A name that ends in one of these describes a secret and does not contain it. */
    private static final Set<String> TAILS = words(
            "count counts limit limits usage type types kind name names label description hint placeholder length len "
                    + "size budget max min total used remaining left cost price rate window index position offset start "
                    + "end path paths file files filename dir directory folder sock socket url uri urls endpoint host "
                    + "port server servers issuer audience expires expired expiry expiration ttl timeout age lifetime in "
                    + "at valid validity required optional enabled disabled supported present exists source provider "
                    + "method methods mode format policy policies status state error errors exception found algorithm alg scheme "
                    + "env environment var variable header param parameter field version manager store storage helper "
                    + "prompt second minute");

    /** Words that mark the following word as not secret. */
    private static final Set<String> QUALIFIERS =
            words("public primary foreign sort partition cache progress done result unexpected");

    private static final Set<String> FOLDERS = words("pwd oldpwd");

    /** Placeholders for a missing secret. */
    private static final Set<String> NOTHING = words(
            "true false null nil none undefined nan missing required optional empty invalid expired unset unknown set yes "
                    + "no on off enabled disabled");

    private static final int LONGEST = 100;
    private static final int MOST_REMEMBERED = 2_000;

    /** Cache of names: a protocol uses few names, and uses them often. Bounded, because the peer chooses the names. */
    private static final Map<String, SecretName> RECENT = new ConcurrentHashMap<>();

    /** Returns the classification of a name. Names in upper case are treated as names of variables. */
    static SecretName of(String name) {
        if (name.length() > LONGEST) {
            return ORDINARY;
        }
        SecretName known = RECENT.get(name);
        if (known == null) {
            known = judge(name, isUpperCase(name));
            if (RECENT.size() < MOST_REMEMBERED) {
                RECENT.put(name, known);
            }
        }
        return known;
    }

    /** Returns the classification of the name of an environment variable, where any "key" is a secret. */
    static SecretName ofVariable(String name) {
        return judge(name, true);
    }

    /** Returns whether an argument is an option whose value is the next argument. */
    static boolean isOption(String argument) {
        return argument.length() > 2
                && argument.charAt(0) == '-'
                && argument.indexOf('=') < 0
                && argument.indexOf(' ') < 0
                && of(argument).isSecret();
    }

    boolean isSecret() {
        return this != ORDINARY;
    }

    /** Returns whether this value is a secret under such a name. */
    boolean hides(String value) {
        return switch (this) {
            case ORDINARY -> false;
            case OPAQUE -> isOpaque(value);
            case FOLDER -> !value.isEmpty() && value.charAt(0) != '/' && !value.startsWith(":\\", 1);
            case COUNTABLE -> !isNumber(value);
            case SECRET, PHRASE, LINE -> true;
        };
    }

    /** Returns whether all values in a list or an object of such a name are secrets. */
    boolean holdsSecrets() {
        return compareTo(COUNTABLE) >= 0;
    }

    /** Returns whether a number under such a name is a secret. */
    boolean hidesNumbers() {
        return isSecret() && this != COUNTABLE;
    }

    /** Returns whether a value without quotation marks is a placeholder for a missing one. */
    static boolean isNothing(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (Character.isLetterOrDigit(value.charAt(i))) {
                return value.length() < 12 && NOTHING.contains(value.toLowerCase(Locale.ROOT));
            }
        }
        return true;
    }

    /** Returns whether a value is a single word that looks random. */
    static boolean isOpaque(String value) {
        boolean lower = false;
        boolean other = value.length() >= 16;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c <= ' ' || c == '(' || c == '<' || (i == 0 && (c == '/' || c == '[' || c == '{'))) {
                return false;
            }
            other |= (c >= '0' && c <= '9') || (lower && c >= 'A' && c <= 'Z');
            lower |= c >= 'a' && c <= 'z';
        }
        return other;
    }

    private static boolean isNumber(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean isUnit = i > 0 && i == value.length() - 1 && "kKmM%".indexOf(c) >= 0;
            if ((c < '0' || c > '9') && ".,_/".indexOf(c) < 0 && !isUnit) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUpperCase(String name) {
        boolean hasLetter = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isLowerCase(c)) {
                return false;
            }
            hasLetter |= Character.isUpperCase(c);
        }
        return hasLetter;
    }

    private static SecretName judge(String name, boolean isVariable) {
        SecretName found = ORDINARY;
        SecretName atEnd = ORDINARY;
        String before = "";
        String last = "";
        int words = 0;
        int at = wordStart(name, 0);
        while (at < name.length()) {
            int end = wordEnd(name, at);
            String word = name.substring(at, end).toLowerCase(Locale.ROOT);
            at = wordStart(name, end);
            SecretName judged = QUALIFIERS.contains(before) ? ORDINARY : judge(before, word, isVariable);
            found = stronger(found, judged);
            atEnd = QUALIFIERS.contains(before) ? ORDINARY : LAST_WORDS.getOrDefault(word, ORDINARY);
            before = word;
            last = word;
            words++;
        }
        if (TAILS.contains(last)) {
            return ORDINARY;
        }
        if (words == 1 && FOLDERS.contains(last)) {
            return FOLDER;
        }
        // DB_PASS is a password; PASS may be the number of passed tests.
        boolean isPassword = isVariable && last.endsWith("pass") && (words > 1 || last.length() > 4);
        return stronger(found, isPassword ? PHRASE : atEnd);
    }

    private static SecretName judge(String before, String word, boolean isVariable) {
        SecretName judged = stronger(
                WORDS.getOrDefault(word, ORDINARY),
                before.isEmpty() ? ORDINARY : WORDS.getOrDefault(before + word, ORDINARY));
        if (word.startsWith("passw") || word.endsWith("password") || word.endsWith("passwd")) {
            return stronger(judged, PHRASE);
        }
        boolean isKey = isVariable && (word.endsWith("key") || word.equals("keys"));
        return isKey || endsInStem(word) ? stronger(judged, SECRET) : judged;
    }

    private static boolean endsInStem(String word) {
        for (String stem : STEMS) {
            if (word.endsWith(stem)) {
                return true;
            }
        }
        return false;
    }

    private static SecretName stronger(SecretName one, SecretName other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** Digits separate words and are not words: {@code token2} is a token. */
    private static int wordStart(String name, int from) {
        int at = from;
        while (at < name.length() && !Character.isLetter(name.charAt(at))) {
            at++;
        }
        return at;
    }

    /** A word ends before a capital, except within {@code API} in {@code APIKey}. */
    private static int wordEnd(String name, int from) {
        int at = from + 1;
        while (at < name.length() && Character.isLetter(name.charAt(at))) {
            boolean isCapital = Character.isUpperCase(name.charAt(at));
            boolean afterCapital = Character.isUpperCase(name.charAt(at - 1));
            boolean beforeSmall = at + 1 < name.length() && Character.isLowerCase(name.charAt(at + 1));
            if (isCapital && (!afterCapital || beforeSmall)) {
                return at;
            }
            at++;
        }
        return at;
    }

    private static Set<String> words(String all) {
        return new HashSet<>(List.of(all.split(" ")));
    }

    private static Map<String, SecretName> table(Object... rows) {
        Map<String, SecretName> table = new HashMap<>();
        for (int i = 0; i < rows.length; i += 2) {
            for (String word : words(String.valueOf(rows[i + 1]))) {
                table.put(word, (SecretName) rows[i]);
            }
        }
        return table;
    }
}
