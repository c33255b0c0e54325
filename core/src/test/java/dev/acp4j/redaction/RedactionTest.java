package dev.acp4j.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Time;
import dev.acp4j.trace.TraceEvent;
import dev.acp4j.trace.Tracer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
    /** A secret that only its place gives away, and that no look finds. */
    private static final String VALUE = "Geheim-4711";

    private static String quoted(String text) {
        return RawJson.string(text).toString();
    }

    private static String escaped(String text) {
        String inner = quoted(text);
        return inner.substring(1, inner.length() - 1);
    }

    /** As other programs write JSON: without a character beyond ASCII, and with escaped slashes. */
    private static String ascii(String text) {
        StringBuilder ascii = new StringBuilder();
        for (char c : escaped(text).toCharArray()) {
            ascii.append(c > 126 ? '\\' + "u%04X".formatted((int) c) : c == '/' ? "\\/" : String.valueOf(c));
        }
        return ascii.toString();
    }

    /** Sends a text through every place where a program may write it; returns all that leaves. */
    private static List<String> sent(Launch launch, String text) {
        List<String> seen = new ArrayList<>();
        Tracer tracer = new Tracer(
                event -> seen.add(event.body() == null ? "" : event.toString()), launch.redaction(), Time.SYSTEM);
        String json = quoted(text);
        for (String error : List.of(
                "{\"code\":1,\"message\":" + json + "}",
                "{\"code\":1,\"message\":\"m\",\"data\":" + json + "}",
                "{\"code\":1,\"message\":\"m\",\"data\":{\"details\":" + json + "}}",
                "{\"code\":1,\"message\":\"m\",\"data\":{\"a\":1,\"body\":" + quoted("{\"x\":" + json + "}") + "}}")) {
            tracer.line("agent", "client", RawJson.parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":" + error + "}"));
        }
        tracer.line("client", "agent", RawJson.parse("""
                {"jsonrpc":"2.0","id":2,"method":"terminal/create","params":{"command":%1$s,"args":[%1$s,"x"]}}\
                """.formatted(json)));
        for (String line : text.lines().toList()) {
            tracer.stderr("agent", line);
            tracer.noise("agent", "client", "! " + line);
        }
        UnaryOperator<String> lines = launch.redaction().lines();
        text.lines().map(lines).forEach(seen::add);
        seen.add(launch.withoutSecrets(text));
        seen.add(launch.withoutSecrets("x\n" + text + "\ny"));
        seen.add(Launch.of("agent", text).commandLine());
        seen.add(String.valueOf(RpcError.ofPeer("m", 1, text, null).getMessage()));
        seen.add(
                String.valueOf(RpcError.ofPeer("m", 1, "m", RawJson.parse(json)).getMessage()));
        seen.add(String.valueOf(RpcError.ofPeer("m", 1, "m", RawJson.parse("{\"a\":[" + json + "]}"))
                .getMessage()));
        return seen;
    }

    private static void assertHidden(List<String> seen, String secret) {
        SoftAssertions.assertSoftly(all -> {
            for (String part : SecretCorpus.parts(secret)) {
                all.assertThat(seen).allSatisfy(text -> assertThat(text).doesNotContain(part, escaped(part)));
            }
        });
    }

    static Stream<Map.Entry<String, String>> looks() {
        return SecretCorpus.looks().entrySet().stream();
    }

    @ParameterizedTest
    @Tag("TRC-06")
    @MethodSource("looks")
    void whatLooksLikeASecretIsHiddenEverywhere(Map.Entry<String, String> look) {
        String secret = look.getValue();

        List<String> seen =
                sent(Launch.of("agent").inheritOnly(), "see https" + (secret.startsWith(":") ? "" : " ") + secret);

        assertThat(seen).isNotEmpty();
        assertHidden(seen, secret);
    }

    @ParameterizedTest
    @Tag("RMP-15")
    @MethodSource("looks")
    void whatLooksLikeASecretIsHiddenInWhatPeopleSay(Map.Entry<String, String> look) {
        String secret = look.getValue();
        RawJson params = RawJson.parse("{\"content\":{\"type\":\"text\",\"text\":%s}}"
                .formatted(quoted("use https" + (secret.startsWith(":") ? "" : " ") + secret + "\nplease")));

        String shown = Redaction.SECRETS.redact(params).toString();

        assertHidden(List.of(shown), secret);
        assertThat(shown).contains("use https", "please");
        String text = "use https" + (secret.startsWith(":") ? "" : " ") + secret + "\nplease";
        assertHidden(List.of(Redaction.SECRETS.replace(text, found -> "{{1}}")), secret);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'name':'apiKey','value':'Geheim-4711'}",
                "{'value':'Geheim-4711','name':'apiKey'}",
                "{'value':'Geheim-4711','type':'text','key':'apiKey'}",
                "{'type':'text','value':'Geheim-4711','name':'apiKey','more':{'name':'x'}}"
            })
    void aValueIsHiddenWhereverItsNameStands(String json) {
        String shown =
                Redaction.SECRETS.redact(RawJson.parse(json.replace('\'', '"'))).toString();

        assertThat(shown).doesNotContain(VALUE).contains("apiKey");
    }

    @Test
    void aKnownValueThatBeginsWithTwoSlashesIsNoPath() {
        Redaction redaction = Redaction.SECRETS.and(Map.of("MASTER_KEY", "//8Rk2mQvT5/Lw"));

        assertThat(redaction.redact("it is //8Rk2mQvT5/Lw here")).isEqualTo("it is *** here");
    }

    static List<String> names() {
        return SecretCorpus.NAMES;
    }

    @ParameterizedTest
    @Tag("TRC-06")
    @MethodSource("names")
    void whatIsNamedLikeASecretIsHiddenEverywhere(String name) {
        Launch launch = Launch.of("agent").inheritOnly();

        for (String text : List.of(
                "%s=%s",
                "%s: %s",
                "%s = '%s'",
                "{\"%s\":\"%s\"}",
                "{ \"%s\" : \"%s\", \"x\": 1 }",
                "{'%s': '%s'}",
                "{\\\"%s\\\":\\\"%s\\\"}",
                "%s => %s",
                "%s := %s",
                "export %s=%s",
                "curl -H '%s: %s' x",
                "at 12:00 %s=%s",
                "http://host/x?%s=%s&a=b",
                "--%s=%s",
                "--%s %s",
                "[\"--%s\", \"%s\"]",
                "first\\n%s=%s")) {
            List<String> seen = sent(launch, text.formatted(name, VALUE));

            assertThat(seen).as(text).allSatisfy(shown -> assertThat(shown).doesNotContain(VALUE));
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void membersThatAreNamedLikeASecretAreHiddenInMessages(String name) {
        for (String params : List.of(
                "{\"%s\":\"%s\"}",
                "{\"a\":[{\"%s\":[\"%s\"]}]}",
                "{\"name\":\"%s\",\"value\":\"%s\"}",
                "{\"args\":[\"--%s\",\"%s\"]}",
                "{\"args\":[\"--%s=%s\"]}",
                "{\"args\":[\"-e\",\"%s=%s\"]}",
                "{\"command\":\"x --%s=%s\"}",
                "{\"url\":\"https://host/?%s=%s\"}",
                "{\"headers\":[{\"name\":\"%s\",\"value\":\"%s\"}]}",
                "{\"env\":{\"%s\":\"%s\"}}",
                "{\"env\":[\"%s=%s\"]}")) {
            RawJson json = RawJson.parse(params.formatted(name, VALUE));

            assertThat(Redaction.SECRETS.redact(json).toString())
                    .as(params)
                    .contains("***")
                    .doesNotContain(VALUE);
            assertThat(Redaction.SECRETS.redactError(json).toString())
                    .as(params)
                    .doesNotContain(VALUE);
            assertThat(RpcError.ofPeer("m", 1, "m", json)).as(params).hasMessageNotContaining(VALUE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"password", "passphrase", "DB_PASS", "token", "pin", "otp", "secret", "apiKey"})
    void numbersOfSecretNamesAreHidden(String name) {
        RawJson json = RawJson.parse("{\"%1$s\":8346291,\"a\":{\"%1$s\":[8346291,-2.5e7]},\"b\":true}".formatted(name));

        assertThat(Redaction.SECRETS.redact(json))
                .hasToString("{\"%1$s\":\"***\",\"a\":{\"%1$s\":[\"***\",\"***\"]},\"b\":true}".formatted(name));
        assertThat(Redaction.SECRETS.redact("{\"a\": {\"%s\": 8346291}, \"b\":true}".formatted(name)))
                .isEqualTo("{\"a\": {\"%s\": ***}, \"b\":true}".formatted(name));
        assertThat(RpcError.ofPeer("m", 1, "m", json)).hasMessageNotContaining("8346291");
    }

    static Stream<Map.Entry<String, String>> variables() {
        return SecretCorpus.variables().entrySet().stream();
    }

    @ParameterizedTest
    @Tag("TRC-06")
    @MethodSource("variables")
    void aSecretOfTheEnvironmentIsHiddenHoweverItIsWritten(Map.Entry<String, String> variable) {
        Launch launch = Launch.of("agent").inheritOnly().env(variable.getKey(), variable.getValue());
        String value = variable.getKey().equals("DATABASE_URL")
                ? "swordfish77"
                : variable.getValue().strip();

        List<String> seen = new ArrayList<>();
        for (String text :
                List.of(value, escaped(value), ascii(value), escaped(escaped(value)), quoted(ascii(value)))) {
            seen.addAll(sentKnown(launch, "refused (" + text + ") today"));
        }

        List<String> parts = new ArrayList<>(SecretCorpus.lines(value));
        parts.addAll(parts.stream().map(RedactionTest::ascii).toList());
        parts.addAll(parts.stream().map(RedactionTest::escaped).toList());
        assertThat(seen).allSatisfy(shown -> assertThat(shown).doesNotContain(parts));
        assertThat(seen).anySatisfy(shown -> assertThat(shown).contains("refused (***) today"));
    }

    private static List<String> sentKnown(Launch launch, String text) {
        List<String> seen = new ArrayList<>(List.of(launch.withoutSecrets(text)));
        Tracer tracer = new Tracer(event -> seen.add(event.toString()), launch.redaction(), Time.SYSTEM);
        text.lines().forEach(line -> tracer.stderr("agent", line));
        tracer.line(
                "agent",
                "client",
                RawJson.parse("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"text\":" + quoted(text)
                        + "}}"));
        tracer.line(
                "agent",
                "client",
                RawJson.parse(
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":" + quoted(text) + "}}"));
        text.lines().map(launch.redaction().lines()).forEach(seen::add);
        return seen;
    }

    @Test
    void aKnownNumberIsHidden() {
        Redaction redaction = Redaction.SECRETS.and(Map.of("CARD_TOKEN", "83462917"));

        assertThat(redaction.redact(RawJson.parse("{\"x\":[83462917,1]}"))).hasToString("{\"x\":[\"***\",1]}");
    }

    @ParameterizedTest
    @CsvSource({
        "KEY_FILE, /no/such/key",
        "GOOGLE_APPLICATION_CREDENTIALS, /etc/no-such-file.json",
        "MY_TOKEN, /etc/passwd",
        "SSH_AUTH_SOCK, /run/user/0/agent",
        "PWD, /home/ada/project",
        "PASSWORD, password",
        "API_KEY, undefined",
        "SOME_TOKEN, short",
        "TOKENIZERS_PARALLELISM, disabled0",
        "KEYBOARD, german-layout",
        "PUBLIC_KEY, ssh-ed25519",
        "MAX_TOKENS, 100000000",
        "AUTHOR, Ada Lovelace",
        "SECRET_NAME, my-database",
        "HOMEPAGE, https://host/index.html"
    })
    void aVariableThatIsNoSecretStays(String name, String value) {
        Launch launch = Launch.of("agent").inheritOnly().env(name, value);

        assertThat(launch.withoutSecrets("cannot read " + value + ".")).isEqualTo("cannot read " + value + ".");
    }

    @Test
    void aShortSecretIsHiddenAsAWordOnly() {
        Redaction redaction = Redaction.SECRETS.and(Map.of("MY_TOKEN", "hunter7"));

        assertThat(redaction.redact("hunter7, (hunter7) but hunter77 and ahunter7"))
                .isEqualTo("***, (***) but hunter77 and ahunter7");
    }

    @Test
    @Tag("TRC-06")
    void aPrivateKeyIsHiddenInAllItsLines() {
        List<TraceEvent> events = new ArrayList<>();
        Tracer tracer = Tracer.of(events::add);

        ("before\n" + SecretCorpus.pem("EC PRIVATE KEY") + "\nafter").lines().forEach(line -> {
            tracer.stderr("agent", line);
            tracer.noise("agent", "client", "between: " + line.length());
        });

        List<String> shown = events.stream()
                .filter(e -> e.type() == TraceEvent.Type.STDERR)
                .map(e -> String.valueOf(e.body()))
                .toList();
        assertThat(shown).hasSize(10).startsWith("\"before\"").endsWith("\"after\"");
        assertThat(shown.subList(1, 9)).containsOnly("\"***\"");
        assertThat(events)
                .filteredOn(e -> e.type() == TraceEvent.Type.NOISE)
                .allSatisfy(e -> assertThat(e.body()).asString().contains("between"));
    }

    @Test
    void theEndOfAPrivateKeyAloneIsHiddenToo() {
        String tail = SecretCorpus.pem("PRIVATE KEY").lines().skip(3).reduce("", (all, line) -> all + line + "\n");

        assertThat(Redaction.SECRETS.redact("all is well\n" + tail + "after")).isEqualTo("all is well\n***\nafter");
    }

    @Test
    void aKeyThatOnlyBeginsDoesNotSilenceAStreamForEver() {
        UnaryOperator<String> lines = Redaction.SECRETS.lines();
        String begin = lines.apply("-----BEGIN PRIVATE KEY-----");

        List<String> shown =
                Stream.generate(() -> "hello").limit(1_000).map(lines).toList();

        assertThat(begin).isEqualTo("***");
        assertThat(shown).startsWith("***").endsWith("hello");
    }

    @ParameterizedTest
    @Tag("RMP-15")
    @Tag("TRC-06")
    @ValueSource(
            strings = {
                "tokens: 123",
                "input_tokens=5, output_tokens=7",
                "maxTokens: 4096",
                "max_tokens=4096",
                "total tokens: 1,234",
                "tokens: 12k",
                "token count: 5",
                "tokenCount=3",
                "token_type: bearer",
                "tokenLimit: 200000",
                "stopReason: end_turn",
                "sessionId: a8-f7l-1",
                "keyboard: us",
                "primaryKey: id",
                "primary key: id",
                "public_key: ssh-ed25519",
                "key: value",
                "author: Ada Lovelace",
                "authMethods: oauth-personal",
                "authenticate: failed",
                "auth: failed",
                "signature: invalid",
                "pinned: true",
                "spinner=3",
                "unexpected token: }",
                "Unexpected token: x",
                "token: null",
                "apiKey: undefined",
                "password=false",
                "password: required",
                "TokenError: bad thing",
                "InvalidTokenException: the thing",
                "at Token.java:12",
                "at x (/a/token.js:12:5)",
                "/home/ada/.secrets/token: No such file or directory",
                "PWD=/home/ada",
                "cwd: /home/ada",
                "pass: 12, fail: 3",
                "the --token is required",
                "use --api-key to log in",
                "keep your password safe",
                "Bearer of bad news",
                "basic understanding",
                "https://host:8080/path?a=b&page=2",
                "ssh://git@github.com/ada/x.git",
                "npm_config_registry=https://registry.host/",
                "npm_lifecycle_event",
                "hf_hub_download",
                "sk-learn",
                "if (token == other) return",
                "token != null",
                "compass: north",
                "bypass: yes",
                "cookie policy: strict",
                "secretName: db",
                "tokenizer: cl100k",
                "2026-01-01T12:00:00 started in 5s",
                "Pass it on: --env GH_TOKEN",
                "Set GEMINI_API_KEY, or log in",
                "AKIA",
                "SG.",
                "eyJ",
                "rate limit: 5",
                "Content-Type: text/plain",
                "-----BEGIN CERTIFICATE-----",
                "1 secret, 2 tokens",
                "cannot open C:\\keys\\a: denied"
            })
    void textWithoutSecretsStays(String text) {
        assertThat(Redaction.SECRETS.redact(text)).isEqualTo(text);
        assertThat(Redaction.SECRETS.redactTalk(text)).isEqualTo(text);
        assertThat(Redaction.SECRETS.replace(text, found -> "{{1}}")).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"usage\":{\"tokens\":123,\"inputTokens\":5,\"outputTokens\":7,\"maxTokens\":9,\"totalTokens\":21,\"tokens_used\":3}}",
                "{\"stopReason\":\"end_turn\",\"sessionId\":\"s1\",\"protocolVersion\":1,\"cwd\":\"/home/ada\"}",
                "{\"authMethods\":[{\"id\":\"login\",\"name\":\"Log in\",\"description\":\"with a browser\"}],\"methodId\":\"login\"}",
                "{\"agentCapabilities\":{\"auth\":{\"logout\":{}},\"mcpCapabilities\":{\"http\":true}},\"author\":\"Ada\"}",
                "{\"primaryKey\":\"id\",\"publicKey\":\"ssh\",\"key\":\"F1\",\"keyboard\":\"us\",\"keys\":[\"a\"],\"pinned\":true,\"spin\":1}",
                "{\"_meta\":{\"progressToken\":12,\"tokenType\":\"x\",\"apiKeyName\":\"mine\",\"tokenUri\":\"https://x/y\"}}",
                "{\"content\":{\"type\":\"text\",\"text\":\"my password: hunter2, token=abc, --token xyz1\"}}",
                "{\"content\":\"const token = next();\\nString password = null;\\nAuthorization: none\"}",
                "{\"password\":true,\"token\":null,\"pass\":12,\"fail\":3,\"compass\":\"north\",\"auth\":\"none\",\"signature\":\"foo(int a)\"}",
                "{\"name\":\"files\",\"command\":\"/bin/files\",\"args\":[\"--stdio\",\"--root\",\"/x\"],\"value\":\"x\"}"
            })
    void messagesWithoutSecretsStay(String json) {
        assertThat(Redaction.SECRETS.redact(RawJson.parse(json))).hasToString(json);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Invalid API key: abc-123. Give another | Invalid API key: *** Give another",
                "Unexpected token: x, token: y | Unexpected token: x, token: ***",
                "level=error token=\"ab cd\" user=ada | level=error token=\"***\" user=ada",
                "Server=db;User Id=sa;Password=Pa$$w0rd;Encrypt=true | Server=db;User Id=sa;Password=***;Encrypt=true",
                "curl -H \"X-Api-Key: abc\" -H \"Accept: x\" y | curl -H \"X-Api-Key: ***\" -H \"Accept: x\" y",
                "{\"password\": [\"a\", \"]b\"], \"ok\": true} | {\"password\": ***, \"ok\": true}",
                "DB_PASS=correct horse; x=y | DB_PASS=***; x=y",
                "//registry/:_authToken=abc | //registry/:_authToken=***",
                "redis://:pw@host/0 and ssh://git@host | redis://***@host/0 and ssh://git@host"
            })
    void theRestOfALineStays(String line, String shown) {
        assertThat(Redaction.SECRETS.redact(line)).isEqualTo(shown);
    }

    @Test
    void whatIsHiddenStaysHidden() {
        Stream<String> named =
                SecretCorpus.NAMES.stream().flatMap(name -> Stream.of(name + "=" + VALUE, "{\"" + name + "\":\"x\"}"));

        assertThat(Stream.concat(named, SecretCorpus.looks().values().stream()).map(Redaction.SECRETS::redact))
                .allSatisfy(once -> assertThat(Redaction.SECRETS.redact(once)).isEqualTo(once));
    }

    @Test
    void nothingIsHiddenIfThatIsWanted() {
        RawJson json = RawJson.parse("{\"password\":\"x\"}");

        assertThat(Redaction.NONE.redact(json)).isEqualTo(json);
        assertThat(Redaction.NONE.redact("password=x")).isEqualTo("password=x");
        assertThat(Redaction.NONE.redact(List.of("--token", "x"))).containsExactly("--token", "x");
        assertThat(Redaction.NONE.lines().apply("password=x")).isEqualTo("password=x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token=",
                "auth=",
                "auth=/",
                "pwd=c:\\",
                "password: ",
                "\"token\":[",
                "auth=\"",
                "token \t",
                "= ",
                ":",
                "?key=",
                "://a@",
                "://:",
                "-----BEGIN ",
                "-----BEGIN PRIVATE KEY-----",
                "-----END PRIVATE KEY-----\n",
                "--token ",
                "-",
                "eyJ-",
                "eyJaaaaaaaaaaaaaaaaa.",
                "Bearer ",
                "Basic ",
                "12345678:",
                "\\",
                "\\\"",
                "\\" + "u00e9",
                "sk-",
                "a ",
                "a: ",
                "tokens: 1",
                "[\"--token\",\""
            })
    void hostileTextTakesLinearTime(String part) {
        String hostile = part.repeat(1_000_000 / part.length());
        Redaction redaction = Redaction.SECRETS.and(SecretCorpus.variables());

        long began = System.nanoTime();
        String shown = redaction.redact(hostile);
        RawJson json = redaction.redactError(RawJson.string(hostile));
        Duration took = Duration.ofNanos(System.nanoTime() - began);

        assertThat(shown).isNotNull();
        assertThat(json).isNotNull();
        // Quadratic would be minutes.
        assertThat(took).isLessThan(Duration.ofSeconds(20));
    }
}
