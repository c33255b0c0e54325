package dev.acp4j.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.process.Launch;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the registry would say of an entry. */
@Timeout(60)
class EntryCheckTest {
    private static final String ICON =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"16\"><path fill=\"currentColor\" d=\"M0 0h1v1z\"/></svg>";
    private static final String ALL =
            "{\"binary\":{\"linux-x86_64\":{\"archive\":\"https://h/releases/download/v1.0.0/l.zip\",\"cmd\":\"./a\"},"
                    + "\"darwin-aarch64\":{\"archive\":\"https://h/releases/download/v1.0.0/d.zip\",\"cmd\":\"./a\"},"
                    + "\"windows-x86_64\":{\"archive\":\"https://h/releases/download/v1.0.0/w.zip\",\"cmd\":\"./a.exe\"}}}";

    @TempDir
    private Path folder;

    private Path entry(String json, String icon) throws Exception {
        Path entry = Files.createDirectories(
                Files.createTempDirectory(folder, "registry").resolve("mine"));
        Files.writeString(entry.resolve("agent.json"), json);
        if (!icon.isEmpty()) {
            Files.writeString(entry.resolve("icon.svg"), icon);
        }
        return entry;
    }

    private static String json(String distribution) {
        return Fixture.entryText("mine", "1.0.0", distribution);
    }

    private static String preview(String preview) {
        return json("{\"npx\":{\"package\":\"p@1.0.0\"}}")
                .replace("\"license\"", "\"preview\":" + preview + ",\"license\"");
    }

    @Test
    @Tag("REG-43")
    @Tag("REG-44")
    void goodEntriesAreGood() throws Exception {
        for (String json : List.of(
                json(ALL),
                json("{\"npx\":{\"package\":\"@s/p@1.0.0\",\"args\":[\"--acp\"],\"env\":{\"A\":\"b\"}}}"),
                json("{\"npx\":{\"package\":\"p\"}}"),
                json("{\"uvx\":{\"package\":\"p==1.0.0\"}}"),
                preview(
                        "{\"version\":\"1.1.0-preview.3\",\"distribution\":{\"npx\":{\"package\":\"p@1.1.0-preview.3\"}}}"),
                preview("{\"version\":\"1.1.0\",\"distribution\":{\"uvx\":{\"package\":\"p==1.1.0\"}}}"))) {
            assertThat(EntryCheck.files(entry(json, ICON))).as(json).isEmpty();
        }
        for (String icon : List.of(
                ICON.replace("width=\"16\" height=\"16\"", "viewBox=\"0 0 16 16\""),
                ICON.replace("fill=\"currentColor\"", "style=\"fill: currentColor; stroke: none\""),
                ICON.replace("<path", "<style>path { stroke: inherit }</style><path"))) {
            assertThat(EntryCheck.files(entry(json(ALL), icon))).as(icon).isEmpty();
        }
    }

    @Test
    @Tag("REG-43")
    void anIconThatIsNoTextIsAProblemOfTheIcon() throws Exception {
        Path entry = entry(json("{\"npx\":{\"package\":\"p@1.0.0\"}}"), ICON);
        Files.write(entry.resolve("icon.svg"), new byte[] {'<', (byte) 0xff});

        assertThat(EntryCheck.files(entry)).singleElement().satisfies(finding -> {
            assertThat(finding.rule()).isEqualTo("icon");
            assertThat(finding.text()).contains("icon.svg is not text in UTF-8");
        });
    }

    @Test
    @Tag("REG-43")
    void anAddressThatCannotBeReachedIsNamedWithItsReason() throws Exception {
        Path entry = entry(
                json(
                        "{\"binary\":{\"linux-x86_64\":{\"archive\":\"http://127.0.0.1:1/a-1.0.0.zip\",\"cmd\":\"./a\"}}}"),
                ICON);

        try (Agents agents = Agents.of(RegistrySettings.of(folder, folder), folder)) {
            assertThat(EntryCheck.addresses(entry, agents))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.text())
                            .contains(
                                    "http://127.0.0.1:1/a-1.0.0.zip",
                                    "127.0.0.1 cannot be reached: nothing listens there"));
        }
    }

    /** Entries with one mistake each, by the rule that it breaks and a part of the sentence about it. */
    private static Map<String, String[]> bad() {
        Map<String, String[]> all = new LinkedHashMap<>();
        String npx = "{\"npx\":{\"package\":\"p@1.0.0\"}}";
        all.put("no json", new String[] {"{", ICON, "schema", "agent.json"});
        all.put("no id", new String[] {json(npx).replace("\"id\":\"mine\",", ""), ICON, "schema", "id"});
        all.put("capitals", new String[] {json(npx).replace("\"mine\",\"name", "\"Mine\",\"name"), ICON, "schema", "id"
        });
        all.put(
                "other folder",
                new String[] {json(npx).replace("\"id\":\"mine\"", "\"id\":\"yours\""), ICON, "id", "folder"});
        all.put(
                "empty name",
                new String[] {json(npx).replace("\"name\":\"mine\"", "\"name\":\"\""), ICON, "schema", "name"});
        all.put("no version", new String[] {json(npx).replace("\"version\":\"1.0.0\",", ""), ICON, "schema", "version"
        });
        all.put("short version", new String[] {
            json(npx).replace("\"version\":\"1.0.0\"", "\"version\":\"1.0\""), ICON, "schema", "x.y.z"
        });
        all.put("early version", new String[] {
            json("{\"npx\":{\"package\":\"p\"}}").replace("\"1.0.0\"", "\"1.0.0-rc.1\""), ICON, "version", "x.y.z"
        });
        all.put("no description", new String[] {json(npx).replace("An agent.", ""), ICON, "schema", "description"});
        all.put("no distribution", new String[] {json("{}"), ICON, "schema", "distribution"});
        all.put("another kind", new String[] {json("{\"brew\":{}}"), ICON, "schema", "unknown kind"});
        all.put(
                "another platform",
                new String[] {json(ALL.replace("linux-x86_64", "linux-mips")), ICON, "schema", "unknown platform"});
        all.put("no program", new String[] {json(ALL.replace(",\"cmd\":\"./a\"}", "}")), ICON, "schema", "cmd"});
        all.put("more members", new String[] {
            json(ALL.replace("\"cmd\":\"./a\"", "\"cmd\":\"./a\",\"size\":1")), ICON, "schema", "size"
        });
        all.put("digest", new String[] {
            json(ALL.replace("\"cmd\":\"./a\"", "\"cmd\":\"./a\",\"sha256\":\"12\"")), ICON, "schema", "sha256"
        });
        all.put("args", new String[] {json("{\"npx\":{\"package\":\"p\",\"args\":\"--acp\"}}"), ICON, "schema", "args"
        });
        all.put("env", new String[] {json("{\"npx\":{\"package\":\"p\",\"env\":{\"A\":1}}}"), ICON, "schema", "env"});
        all.put("authors", new String[] {
            json(npx).replace("\"license\"", "\"authors\":\"me\",\"license\""), ICON, "schema", "authors"
        });
        all.put("license", new String[] {json(npx).replace("\"MIT\"", "7"), ICON, "schema", "license"});
        all.put(
                "latest in an address",
                new String[] {json(ALL.replace("download/v1.0.0/l", "latest/l")), ICON, "version", "/latest/"});
        all.put(
                "another version in an address",
                new String[] {json(ALL.replace("v1.0.0/l", "v1.0.1/l")), ICON, "version", "1.0.1"});
        all.put("another version in a tarball", new String[] {
            json(ALL.replace("releases/download/v1.0.0/l.zip", "p/-/p-1.2.0.tgz")), ICON, "version", "1.2.0"
        });
        all.put("latest package", new String[] {json("{\"npx\":{\"package\":\"p@latest\"}}"), ICON, "version", "@latest"
        });
        all.put(
                "another version of a package",
                new String[] {json("{\"npx\":{\"package\":\"@s/p@2.0.0\"}}"), ICON, "version", "2.0.0"});
        all.put(
                "another version of Python",
                new String[] {json("{\"uvx\":{\"package\":\"p==2.0.0\"}}"), ICON, "version", "2.0.0"});
        all.put("installer", new String[] {json(ALL.replace("d.zip", "d.dmg")), ICON, "url", "installers"});
        all.put("program of a package", new String[] {
            json("{\"npx\":{\"package\":\"p\",\"cmd\":\"p\"}}"), ICON, "schema", "npx.cmd: unknown member"
        });
        all.put("no icon", new String[] {json(npx), "", "icon", "no icon.svg"});
        all.put("no svg", new String[] {json(npx), "PNG", "icon", "not XML"});
        all.put("large icon", new String[] {json(npx), ICON.replace("\"16\"", "\"24\""), "icon", "24×24"});
        all.put("oblong icon", new String[] {json(npx), ICON.replace("height=\"16\"", "height=\"8\""), "icon", "16×8"});
        all.put(
                "icon without size",
                new String[] {json(npx), ICON.replace("width=\"16\" height=\"16\"", ""), "icon", "viewBox"});
        all.put("red icon", new String[] {json(npx), ICON.replace("<path ", "<path stroke='red' "), "icon", "red"});
        all.put(
                "red style",
                new String[] {json(npx), ICON.replace("<path ", "<path style=\"fill:#f00\" "), "icon", "#f00"});
        all.put(
                "red sheet",
                new String[] {json(npx), ICON.replace("<path", "<style>p{fill:#f00}</style><path"), "icon", "#f00"});
        all.put("black icon", new String[] {json(npx), ICON.replace("fill=\"currentColor\"", ""), "icon", "currentColor"
        });
        all.put("preview with more", new String[] {
            preview("{\"version\":\"1.1.0\",\"distribution\":{},\"id\":\"x\"}"), ICON, "preview", "exactly"
        });
        all.put("preview of another form", new String[] {
            preview("{\"version\":\"1.1.0-beta\",\"distribution\":{\"npx\":{\"package\":\"p@1.1.0-beta\"}}}"),
            ICON,
            "preview",
            "preview.N"
        });
        all.put("preview with binaries", new String[] {
            preview("{\"version\":\"1.1.0\",\"distribution\":" + ALL + "}"), ICON, "preview", "no binaries"
        });
        all.put("preview of another version", new String[] {
            preview("{\"version\":\"1.1.0\",\"distribution\":{\"npx\":{\"package\":\"p@1.0.0\"}}}"),
            ICON,
            "preview",
            "1.1.0"
        });
        return all;
    }

    private static String changed(String name, String value) {
        return Pattern.compile("\"" + name + "\":\"[^\"]*\"")
                .matcher(json("{\"npx\":{\"package\":\"p\"}}"))
                .replaceFirst(Matcher.quoteReplacement("\"" + name + "\":" + value));
    }

    private static String more(String members) {
        return json("{\"npx\":{\"package\":\"p\"}}").replace("\"license\"", members + ",\"license\"");
    }

    private static String target(String members) {
        return json("{\"binary\":{\"linux-x86_64\":{" + members + "}}}");
    }

    /** Entries by what the published schema says of them, or the script that reads them after it. */
    private static Map<String, Boolean> judged() {
        Map<String, Boolean> all = new LinkedHashMap<>();
        for (String name : List.of("id", "name", "version", "description")) {
            all.put(json("{\"npx\":{\"package\":\"p\"}}").replaceFirst("\"" + name + "\":\"[^\"]*\",", ""), false);
            all.put(changed(name, "7"), false);
            all.put(changed(name, "\"\""), false);
        }
        for (String id : List.of("Mine", "1mine", "-mine", "mi_ne", "mi.ne")) {
            all.put(changed("id", "\"" + id + "\""), false);
        }
        for (String version : List.of("1.2.3.4", "1.2.3.rc1", "10.20.30", "0.0.1")) {
            all.put(changed("version", "\"" + version + "\""), true);
        }
        for (String version : List.of("1", "1.2", "v1.2.3", "1.2.x", "1.2.3-rc.1", "1.2.3+4", "1.2.3rc1", "latest")) {
            all.put(changed("version", "\"" + version + "\""), false);
        }
        for (String name : List.of("repository", "website", "license_url", "icon")) {
            all.put(more("\"" + name + "\":7"), false);
            all.put(more("\"" + name + "\":null"), false);
        }
        all.put(
                more("\"repository\":\"https://h/mine\",\"website\":\"https://h\",\"license_url\":\"https://h/l\""),
                true);
        all.put(changed("license", "7"), false);
        all.put(changed("license", "\"\""), true);
        all.put(more("\"authors\":[\"me\"]"), true);
        all.put(more("\"authors\":[]"), true);
        all.put(more("\"authors\":[7]"), false);
        all.put(more("\"authors\":\"me\""), false);
        all.put(more("\"keywords\":[\"any\"]"), true);
        for (String distribution :
                List.of("{}", "[]", "\"npx\"", "{\"brew\":{}}", "{\"npx\":\"p\"}", "{\"binary\":{}}")) {
            all.put(json(distribution), false);
        }
        all.put(json("{\"npx\":{\"package\":\"p\"},\"uvx\":{\"package\":\"p\"}}"), true);
        for (String kind : List.of("npx", "uvx")) {
            String start = "{\"" + kind + "\":{";
            all.put(json(start + "}}"), false);
            all.put(json(start + "\"package\":\"\"}}"), false);
            all.put(json(start + "\"package\":7}}"), false);
            all.put(json(start + "\"package\":\"p\",\"args\":[\"a\"],\"env\":{\"A\":\"b\"}}}"), true);
            all.put(json(start + "\"package\":\"p\",\"args\":[7]}}"), false);
            all.put(json(start + "\"package\":\"p\",\"env\":[\"A\"]}}"), false);
            all.put(json(start + "\"package\":\"p\",\"cmd\":\"p\"}}"), false);
            all.put(json(start + "\"package\":\"p\",\"version\":\"1.0.0\"}}"), false);
        }
        String good = "\"archive\":\"https://h/a.zip\",\"cmd\":\"./a\"";
        all.put(target(good), true);
        all.put(target(good + ",\"args\":[\"a\"],\"env\":{\"A\":\"b\"}"), true);
        all.put(target(good + ",\"sha256\":\"" + "aF".repeat(32) + "\""), true);
        all.put(target(good + ",\"sha256\":\"" + "a".repeat(63) + "\""), false);
        all.put(target(good + ",\"sha256\":\"" + "g".repeat(64) + "\""), false);
        all.put(target(good + ",\"size\":1"), false);
        all.put(target(good + ",\"args\":\"a\""), false);
        all.put(target(good + ",\"env\":{\"A\":1}"), false);
        all.put(target("\"archive\":\"https://h/a.zip\""), false);
        all.put(target("\"cmd\":\"./a\""), false);
        all.put(target(good.replace("\"./a\"", "7")), false);
        all.put(target(good.replace("a.zip", "a.DMG")), false);
        all.put(target(good.replace("a.zip", "a.AppImage")), false);
        all.put(target(good.replace("a.zip", "a.msi?b")), true);
        all.put(target(good.replace("a.zip", "download/v1.0/a.zip")), true);
        all.put(target(good.replace("a.zip", "download/1.0.0.5/a.zip")), true);
        all.put(target(good.replace("a.zip", "releases/1.1/a.zip")), false);
        all.put(target(good).replace("linux-x86_64", "linux-arm64"), false);
        all.put(json("{\"npx\":{\"package\":\"@s/p\"}}"), true);
        all.put(json("{\"npx\":{\"package\":\"p@1.0.0@x\"}}"), true);
        all.put(json("{\"npx\":{\"package\":\"p@^1.0.0\"}}"), false);
        all.put(json("{\"npx\":{\"package\":\"p@Latest\"}}"), false);
        all.put(json("{\"uvx\":{\"package\":\"p>=1.0.0\"}}"), true);
        all.put(json("{\"uvx\":{\"package\":\"p@1.0.0\"}}"), true);
        all.put(json("{\"uvx\":{\"package\":\"p@latest\"}}"), false);
        return all;
    }

    @TestFactory
    @Tag("REG-42")
    @Tag("REG-43")
    Stream<DynamicTest> entriesAreJudgedAsTheSchemaAndTheScriptDo() {
        return judged().entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> {
                    List<EntryCheck.Finding> findings = EntryCheck.files(entry(each.getKey(), ICON));
                    assertThat(findings.stream().noneMatch(finding -> finding.severity() == EntryCheck.Severity.ERROR))
                            .as(findings.toString())
                            .isEqualTo(each.getValue());
                }));
    }

    @Test
    @Tag("REG-43")
    void aWordInPlaceOfAnAddressIsAWarning() throws Exception {
        assertThat(EntryCheck.files(entry(more("\"repository\":\"me/mine\""), ICON)))
                .containsExactly(
                        new EntryCheck.Finding(EntryCheck.Severity.WARNING, "url", "repository: expected an address"));
    }

    /** Icons by a part of what is said of them; empty for those that are good. */
    private static Map<String, String> icons() {
        Map<String, String> all = new LinkedHashMap<>();
        String size = "width=\"16\" height=\"16\"";
        all.put(ICON.replace(size, "width=\"16px\" height='1.6e1'"), "");
        all.put(ICON.replace(size, "width=\"100%\" height=\"100%\" viewBox=\"0 0 16 16\""), "100×100");
        all.put(ICON.replace(size, "width=\"auto\" height=\"16\" viewBox=\"0 0 16.0 16\""), "");
        all.put(ICON.replace(size, "width=\"16\" viewBox=\"0 0 24 24\""), "24×24");
        all.put(ICON.replace(size, "width=\"16.5\" height=\"16.5\""), "16.5×16.5");
        all.put(ICON.replace(size, "viewBox=\"0,0,16,16\""), "neither width and height nor a viewBox");
        all.put(ICON.replace(size, "") + " ", "neither width and height nor a viewBox");
        all.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + ICON, "");
        all.put("\uFEFF" + ICON, "");
        all.put(ICON.replace(" xmlns=\"http://www.w3.org/2000/svg\"", ""), "");
        all.put(ICON.replace("<svg xmlns=", "<s:svg xmlns:s=").replace("</svg>", "</s:svg>"), "");
        all.put(ICON.replace("<path", "<!-- drawn --><path"), "a comment");
        all.put("<!-- drawn -->" + ICON, "a comment");
        all.put(ICON.replace("</svg>", ""), "not XML");
        all.put(ICON + "<g/>", "not XML");
        all.put(ICON + "text", "not XML");
        all.put(ICON.replace("<path ", "<path fill=\"none\" "), "not XML");
        all.put(ICON.replace("<path ", "<path a:b=\"c\" "), "not XML");
        all.put(ICON.replace("<path", "&nbsp;<path"), "not XML");
        all.put(ICON.replace("\"currentColor\"", "currentColor"), "not XML");
        all.put("<html>" + ICON + "</html>", "the root of the icon is not svg but html");
        all.put(ICON.replace("svg", "SVG"), "the root of the icon is not svg but SVG");
        all.put(ICON.replace("fill=\"currentColor\"", "color=\"currentColor\""), "does not use currentColor");
        all.put(ICON.replace("fill=\"currentColor\"", "id=\"currentColor\""), "does not use currentColor");
        all.put(
                ICON.replace("/>", "><title>currentColor</title></path>").replace("fill=\"currentColor\"", ""),
                "does not use currentColor");
        all.put(ICON.replace("<path", "<path xmlns:i=\"i\" i:fill=\"red\""), "");
        all.put(
                ICON.replace("fill=\"currentColor\"", "xmlns:i=\"i\" i:fill=\"currentColor\""),
                "does not use currentColor");
        all.put(ICON.replace("fill=\"currentColor\"", "stroke=\" CurrentColor \" fill=\"NONE\""), "");
        all.put(ICON.replace("<path ", "<path stroke=\"\" "), "the colour  as stroke");
        all.put(ICON.replace("<path ", "<path style=\"stroke-width:2;stroke:#fff\" "), "#fff as stroke");
        all.put(ICON.replace("<path ", "<path style=\"color:red;stroke-width:2\" stop-color=\"red\" "), "");
        all.put(ICON.replace("<path", "<style>.a{fill:red;stroke:none}</style><path"), "red as fill");
        all.put(ICON.replace("<path", "<style><![CDATA[.a{stroke:blue}]]></style><path"), "blue as stroke");
        all.put(
                ICON.replace("fill=\"currentColor\"", "class=\"a\"")
                        .replace("<path", "<style>.a{fill:currentColor}</style><path"),
                "");
        all.put("<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://127.0.0.1:1/svg11.dtd\">" + ICON, "");
        return all;
    }

    @TestFactory
    @Tag("REG-43")
    Stream<DynamicTest> iconsAreReadAsXml() {
        return icons().entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> {
                    List<String> problems = IconCheck.problems(each.getKey());
                    if (each.getValue().isEmpty()) {
                        assertThat(problems).isEmpty();
                    } else {
                        assertThat(problems)
                                .anySatisfy(problem -> assertThat(problem).contains(each.getValue()));
                    }
                }));
    }

    @Test
    @Tag("REG-43")
    void anIconReadsNoOtherFile() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "fill:#abcdef");
        String icon = "<!DOCTYPE svg [<!ENTITY s SYSTEM \"" + secret.toUri() + "\">]>"
                + ICON.replace("<path", "<style>&s;</style><path");

        assertThat(IconCheck.problems(icon))
                .isNotEmpty()
                .noneSatisfy(problem -> assertThat(problem).contains("#abcdef"));
    }

    /** What the registry's script keeps from the environment of an agent. */
    @Test
    @Tag("REG-33")
    void whatTheRegistryDoesNotLetAnEntrySetIsRefused() {
        List<String> names = List.of(
                "CI",
                "COMSPEC",
                "HOME",
                "PATH",
                "PATHEXT",
                "REQUESTS_CA_BUNDLE",
                "SSL_CERT_DIR",
                "SSL_CERT_FILE",
                "SystemRoot",
                "TEMP",
                "TMP",
                "TMPDIR",
                "WINDIR",
                "PYTHONHOME",
                "PYTHONPATH");
        List<String> beginnings = List.of(
                "ACTIONS_",
                "AWS_",
                "AZURE_",
                "DYLD_",
                "GCLOUD_",
                "GITHUB_",
                "GOOGLE_",
                "LD_",
                "NODE_",
                "NPM_",
                "PIP_",
                "PYTHON_",
                "RUNNER_",
                "SSH_",
                "UV_",
                "XDG_");

        assertThat(names).noneMatch(Variables::mayBeSet);
        assertThat(beginnings).noneMatch(Variables::mayBeSet).noneMatch(name -> Variables.mayBeSet(name + "ANY"));
        assertThat(Variables.mayBeSet(" PATH ")).isFalse();
        assertThat(List.of("AGENT_MODE", "ANTHROPIC_API_KEY", "DEBUG", "PATHS")).allMatch(Variables::mayBeSet);
    }

    @TestFactory
    @Tag("REG-43")
    @Tag("REG-44")
    Stream<DynamicTest> badEntriesAreNamedByTheirRule() {
        Map<String, String[]> all = bad();
        assertThat(all).hasSizeGreaterThanOrEqualTo(40);
        return all.entrySet().stream()
                .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> {
                    String[] parts = each.getValue();
                    assertThat(EntryCheck.files(entry(parts[0], parts[1]))).anySatisfy(finding -> {
                        assertThat(finding.severity()).isEqualTo(EntryCheck.Severity.ERROR);
                        assertThat(finding.rule()).isEqualTo(parts[2]);
                        assertThat(finding.text()).contains(parts[3]);
                    });
                }));
    }

    @Test
    @Tag("REG-43")
    void aMissingSystemIsAWarning() throws Exception {
        String json = json("{\"binary\":{\"linux-x86_64\":{\"archive\":\"https://h/a.zip\",\"cmd\":\"./a\"}}}");

        assertThat(EntryCheck.files(entry(json, ICON)))
                .containsExactly(new EntryCheck.Finding(
                        EntryCheck.Severity.WARNING, "platforms", "there is no program for darwin, windows"));
    }

    @Test
    @Tag("REG-43")
    void addressesMustAnswer() throws Exception {
        try (Fixture fixture = new Fixture(folder);
                Agents agents = fixture.agents()) {
            fixture.host.file("/here.zip", "x");
            String json = json("{\"binary\":{\"linux-x86_64\":{\"archive\":\"" + fixture.host.url("/here.zip")
                    + "\",\"cmd\":\"a\"},\"darwin-x86_64\":{\"archive\":\"" + fixture.host.url("/gone.zip")
                    + "\",\"cmd\":\"a\"}}}");

            assertThat(EntryCheck.addresses(entry(json, ICON), agents))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.text()).contains("darwin-x86_64", "gone.zip", "404"));
            assertThat(fixture.host.requests()).containsExactlyInAnyOrder("HEAD /here.zip", "HEAD /gone.zip");
        }
    }

    private List<EntryCheck.Finding> asked(Fixture fixture, String distribution) throws Exception {
        fixture.settings = fixture.settings
                .mirror("https://registry.npmjs.org/", fixture.host.url("/npm/"))
                .mirror("https://pypi.org/", fixture.host.url("/python/"));
        try (Agents agents = fixture.agents()) {
            return EntryCheck.addresses(entry(json(distribution), ICON), agents);
        }
    }

    @Test
    @Tag("REG-43")
    void packagesMustExist() throws Exception {
        try (Fixture fixture = new Fixture(folder)) {
            fixture.host.file("/npm/p", "{}").file("/npm/@s/p", "{}").file("/python/pypi/p/json", "{}");

            assertThat(asked(fixture, "{\"npx\":{\"package\":\"p@1.0.0\"},\"uvx\":{\"package\":\"p>=1.0.0\"}}"))
                    .isEmpty();
            assertThat(asked(fixture, "{\"npx\":{\"package\":\"@s/p@1.0.0\"},\"uvx\":{\"package\":\"p@1.0.0\"}}"))
                    .isEmpty();
            assertThat(asked(fixture, "{\"npx\":{\"package\":\"@s/q\"},\"uvx\":{\"package\":\"p[x]==1.0.0\"}}"))
                    .extracting(EntryCheck.Finding::severity, EntryCheck.Finding::rule)
                    .containsOnly(org.assertj.core.groups.Tuple.tuple(EntryCheck.Severity.ERROR, "url"))
                    .hasSize(2);
            assertThat(fixture.host.requests())
                    .containsExactlyInAnyOrder(
                            "HEAD /npm/p",
                            "HEAD /python/pypi/p/json",
                            "HEAD /npm/@s/p",
                            "HEAD /python/pypi/p/json",
                            "HEAD /npm/@s/q",
                            "HEAD /python/pypi/p[x]/json");
        }
    }

    @Test
    @Tag("REG-43")
    void offlineNothingIsSaidOfAddresses() throws Exception {
        try (Fixture fixture = new Fixture(folder)) {
            fixture.settings = fixture.settings.offline(true);

            assertThat(asked(fixture, ALL)).isEmpty();
            assertThat(asked(fixture, "{\"npx\":{\"package\":\"q@1.0.0\"}}")).isEmpty();
            assertThat(fixture.host.requests()).isEmpty();
        }
    }

    @Test
    @Tag("REG-43")
    void onlyAHostThatDoesNotAllowHeadIsAskedWithGet() throws Exception {
        for (int status : new int[] {403, 405, 400, 404, 410, 501}) {
            try (Fixture fixture = new Fixture(Files.createTempDirectory(folder, "fixture"))) {
                fixture.host.file("/npm/p", "{}").refuseHead("/npm/p", status);
                boolean isAskedAgain = status == 403 || status == 405;

                assertThat(asked(fixture, "{\"npx\":{\"package\":\"p\"}}").isEmpty())
                        .as("%d", status)
                        .isEqualTo(isAskedAgain);
                assertThat(fixture.host.requests())
                        .isEqualTo(isAskedAgain ? List.of("HEAD /npm/p", "GET /npm/p") : List.of("HEAD /npm/p"));
            }
        }
    }

    @Test
    @Tag("REG-43")
    void aHostThatIsBusyIsAskedThreeTimes() throws Exception {
        try (Fixture fixture = new Fixture(folder)) {
            fixture.host.file("/npm/p", "{}").failNext(2);
            assertThat(asked(fixture, "{\"npx\":{\"package\":\"p\"}}")).isEmpty();

            fixture.host.failNext(3);
            assertThat(asked(fixture, "{\"npx\":{\"package\":\"p\"}}"))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.text()).contains("npx: the package p", "503"));
            assertThat(fixture.host.requests()).hasSize(6);
        }
    }

    @Test
    @Tag("REG-42")
    void aManifestIsAGoodEntryWithDigests() throws Exception {
        Path archive = Files.write(
                folder.resolve("a.zip"), Packed.of().program("a", Fixture.AGENT).zip());
        Path icon = Files.writeString(folder.resolve("icon.svg"), ICON);
        Manifest manifest = Manifest.of("mine", "Mine", "1.0.0", "An agent.")
                .text("license", "MIT")
                .text("repository", "https://h.example/mine")
                .authors(List.of("Me"))
                .icon(icon);
        for (Platform platform : Platform.values()) {
            manifest = manifest.binary(
                    platform,
                    URI.create("https://h/releases/download/v1.0.0/" + platform + ".zip"),
                    archive,
                    "./a",
                    List.of("--acp"));
        }

        Path entry = manifest.pack(Distribution.Kind.NPX, "p@1.0.0", List.of()).write(folder);

        assertThat(entry).isEqualTo(folder.resolve("mine"));
        assertThat(EntryCheck.files(entry)).isEmpty();
        assertThat(entry.resolve("agent.json")).content().contains(Digests.of(archive), "darwin-aarch64", "p@1.0.0");
    }

    private List<EntryCheck.Finding> login(String script, Duration time) throws Exception {
        Path program = Files.writeString(Files.createTempFile(folder, "agent", ".sh"), script);
        return LoginCheck.play(Launch.of("sh", program.toString()), time);
    }

    private static String answering(String methods) {
        return "read -r line\necho '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":1" + methods
                + "}}'\ncat >/dev/null\n";
    }

    @Test
    @Tag("REG-45")
    void theHandshakeIsPlayedInAnEmptyHome() throws Exception {
        Path seen = folder.resolve("seen");
        String script = "read -r line\necho \"$HOME $TERM $(ls -A \"$HOME\") $USER $line\" >" + seen
                + "\necho '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"authMethods\":[{\"id\":\"a\",\"name\":\"A\"}]}}'\ncat >/dev/null\n";

        assertThat(login(script, LoginCheck.TIME)).isEmpty();

        assertThat(Files.readString(seen))
                .contains("acp-check-", " dumb work  {", "\"terminal-auth\":true", "\"terminal\":true")
                .doesNotContain("\"auth\"")
                .doesNotStartWith(System.getProperty("user.home"));
        assertThat(Path.of(Files.readString(seen).split(" ", 2)[0])).doesNotExist();
    }

    @Test
    @Tag("REG-45")
    void whatTheRegistryRefusesIsRefused() throws Exception {
        assertThat(login(
                        answering(",\"authMethods\":[{\"id\":\"t\",\"name\":\"T\",\"type\":\"terminal\"}]"),
                        LoginCheck.TIME))
                .isEmpty();
        assertThat(login(
                        answering(",\"authMethods\":[{\"id\":\"t\",\"name\":\"T\",\"_meta\":{\"terminal-auth\":{}}}]"),
                        LoginCheck.TIME))
                .isEmpty();
        assertThat(login("echo starting\n" + answering(""), LoginCheck.TIME))
                .singleElement()
                .satisfies(finding -> assertThat(finding.text()).contains("starting", "standard error"));
        assertThat(login("echo no key >&2\nexit 3\n", LoginCheck.TIME))
                .singleElement()
                .satisfies(finding -> assertThat(finding.text()).contains("it ended", "no key"));
        assertThat(login(
                        "read -r line\necho '{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"no\"}}'\n",
                        LoginCheck.TIME))
                .singleElement()
                .satisfies(finding -> assertThat(finding.text()).contains("error"));
        assertThat(login("cat >/dev/null\n", Duration.ofMillis(300)))
                .singleElement()
                .satisfies(finding -> assertThat(finding.text()).contains("did not answer initialize within"));
    }

    @Test
    @Tag("REG-46")
    void anAgentThatWaitsForAuthTerminalIsToldThatNobodySaysIt() throws Exception {
        for (String methods : List.of(
                "", ",\"authMethods\":[]", ",\"authMethods\":[{\"id\":\"e\",\"name\":\"E\",\"type\":\"env_var\"}]")) {
            assertThat(login(answering(methods), LoginCheck.TIME))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.text()).contains("auth.terminal", "method of type agent"));
        }
    }
}
