package dev.acp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.terminal.Streams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The options of all commands in the manual, compared with those that there are. */
class OptionsInManualTest {
    private static final Path DOCS = Path.of("../docs");
    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z0-9-]*");

    /** Sections of cli.md about several commands, or a command whose options are on a page of its own. */
    private static final Map<String, List<String>> SECTIONS = Map.of(
            "chat", List.of("Options of chat and prompt", "acp chat", "acp connect"),
            "prompt", List.of("Options of chat and prompt", "acp prompt", "acp connect"),
            "sessions", List.of("Options of chat and prompt", "acp sessions", "acp connect"),
            "models", List.of("Options of chat and prompt", "acp models", "acp connect"),
            "login", List.of("Options of chat and prompt", "acp login and acp logout", "acp connect"),
            "logout", List.of("Options of chat and prompt", "acp login and acp logout", "acp connect"),
            "doctor", List.of("Options of chat and prompt", "acp doctor", "acp connect"),
            "install-into", List.of("acp install-into and acp uninstall-from"),
            "uninstall-from", List.of("acp install-into and acp uninstall-from"));

    private static final Map<String, String> PAGES =
            Map.of("trace", "trace.md", "agents", "agents.md", "run", "agents.md");

    /** Returns the options of each command by their longest names, with those of the commands below it. */
    private static Map<String, Map<String, OptionSpec>> options() {
        CommandLine acp = CommandLines.commandLine(Streams.system(), new AgentChoice(List.of(), false), List.of());
        Map<String, Map<String, OptionSpec>> all = new TreeMap<>();
        acp.getSubcommands().forEach((name, command) -> add(command, all.computeIfAbsent(name, n -> new TreeMap<>())));
        return all;
    }

    private static void add(CommandLine command, Map<String, OptionSpec> to) {
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.usageHelp() && !option.versionHelp() && !option.hidden()) {
                to.put(option.longestName(), option);
            }
        }
        command.getSubcommands().values().forEach(below -> add(below, to));
    }

    private static String section(String page, String heading) {
        int begin = page.indexOf("\n## " + heading + "\n");
        assertThat(begin).as(heading).isNotNegative();
        int end = page.indexOf("\n## ", begin + 1);
        return page.substring(begin, end < 0 ? page.length() : end);
    }

    private static List<String> sections(String command) {
        return SECTIONS.getOrDefault(command, List.of("acp " + command));
    }

    private static Set<String> named(String text) {
        return new TreeSet<>(
                OPTION.matcher(text).results().map(found -> found.group()).toList());
    }

    @Test
    void eachOptionOfEachCommandIsInTheManual() throws IOException {
        String cli = Files.readString(DOCS.resolve("cli.md"));
        List<String> missing = new ArrayList<>();
        for (Map.Entry<String, Map<String, OptionSpec>> command : options().entrySet()) {
            StringBuilder text = new StringBuilder();
            for (String heading : sections(command.getKey())) {
                text.append(section(cli, heading));
            }
            String page = PAGES.get(command.getKey());
            if (page != null) {
                text.append(Files.readString(DOCS.resolve(page)));
            }
            Set<String> named = named(text.toString());
            // What names an agent is in one place, for all commands.
            named.add("--agent");
            for (String option : command.getValue().keySet()) {
                boolean isThere = option.startsWith("--") ? named.contains(option) : text.indexOf("`" + option) >= 0;
                if (!isThere) {
                    missing.add(command.getKey() + " " + option);
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void noTableOfTheManualHasAnOptionThatThereIsNot() throws IOException {
        String cli = Files.readString(DOCS.resolve("cli.md"));
        Map<String, Set<String>> known = new TreeMap<>();
        options()
                .forEach((command, options) -> sections(command)
                        .forEach(heading -> known.computeIfAbsent(heading, h -> new TreeSet<>())
                                .addAll(options.keySet())));
        List<String> wrong = new ArrayList<>();
        known.forEach((heading, options) -> section(cli, heading)
                .lines()
                .filter(line -> line.startsWith("| `-"))
                .forEach(line -> named(line.split("(?<!\\\\)\\|", -1)[1]).stream()
                        .filter(option -> !options.contains(option))
                        .forEach(option -> wrong.add(heading + ": " + option))));
        assertThat(wrong).isEmpty();
    }

    @Test
    void theTableOfAcpServeHasTheDefaultsOfItsOptions() throws IOException {
        Map<String, OptionSpec> options = options().getOrDefault("serve", Map.of());
        Map<String, String> documented = new TreeMap<>();
        for (String line : section(Files.readString(DOCS.resolve("cli.md")), "acp serve")
                .lines()
                .filter(row -> row.startsWith("| `--"))
                .toList()) {
            String[] cells = line.split("(?<!\\\\)\\|", -1);
            named(cells[1])
                    .forEach(option -> documented.put(option, cells[3].strip().replace("`", "")));
        }
        assertThat(documented.keySet()).isEqualTo(options.keySet());
        options.forEach((name, option) -> {
            String value = option.defaultValue();
            if (value != null && !value.isEmpty() && !option.type().equals(boolean.class)) {
                assertThat(documented.get(name)).as(name).matches(Pattern.quote(value) + "(:.*)?");
            }
        });
    }
}
