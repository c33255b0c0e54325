package dev.acp4j.cli.editors;

import java.util.ArrayList;
import java.util.List;

/** Texts for editors whose settings are no files for others to write. */
final class ManualTexts {
    private ManualTexts() {}

    /** A command line: Toad takes the command of the agent as one word, which a shell splits. */
    static String toad(Desktop desktop, AgentEntry entry, AgentEntry acp) {
        List<String> words = new ArrayList<>();
        if (!entry.env().isEmpty()) {
            words.add("/usr/bin/env");
            entry.env().forEach((name, value) -> words.add(name + "=" + value));
        }
        words.addAll(entry.words());
        String command = desktop.shellLine(words);
        return "toad acp " + desktop.shellWord(command) + " . -t " + desktop.shellWord(entry.name());
    }

    /** The fields of a form. */
    static String qtCreator(Desktop desktop, AgentEntry entry, AgentEntry acp) {
        StringBuilder text = new StringBuilder("Preferences > AI > ACP Servers > Add, template Custom:\n");
        text.append("  Name:        ").append(entry.name()).append('\n');
        text.append("  Executable:  ").append(entry.command()).append('\n');
        text.append("  Arguments:   ").append(desktop.shellLine(entry.args()));
        entry.env()
                .forEach((name, value) -> text.append("\n  Environment: ")
                        .append(name)
                        .append('=')
                        .append(value));
        return text.toString();
    }

    /** A command line: browsers start no programs, so acp serves the agent on this machine. */
    static String browser(Desktop desktop, AgentEntry entry, AgentEntry acp) {
        List<String> words = new ArrayList<>(acp.words());
        words.addAll(List.of("serve", "--origin", "http://localhost:2718"));
        entry.env().forEach((name, value) -> words.addAll(List.of("--env", name + "=" + value)));
        words.add("--");
        words.addAll(entry.words());
        return desktop.shellLine(words);
    }
}
