package dev.acp4j.cli.editors;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * A file of our own with agents, in the language of an editor. It is written anew at each change; each agent is also a
 * comment of one line, from which it is read back.
 *
 * @param comment what begins a comment
 * @param code writes the file, with the comments that the agents are read from
 */
record GeneratedText(String comment, BiFunction<String, List<AgentEntry>, String> code) implements AgentsText {
    private static final String AGENT = " agent ";
    private static final String MARK = " Written by acp install-into; changes here are lost.";

    @Override
    public List<Listed> agents(String text) throws UnreadableTextException {
        List<Listed> all = new ArrayList<>();
        for (AgentEntry entry : entries(text)) {
            all.add(new Listed(entry.name(), entry, null, null, null, entry.json()));
        }
        return all;
    }

    private List<AgentEntry> entries(String text) throws UnreadableTextException {
        List<AgentEntry> entries = new ArrayList<>();
        if (text.isBlank()) {
            return entries;
        }
        if (!text.contains(comment + MARK)) {
            throw UnreadableTextException.at(text, 0, "this file was not written by acp");
        }
        int at = 0;
        for (String line : text.split("\n", -1)) {
            if (line.startsWith(comment + AGENT)) {
                AgentEntry entry = parsed(text, at, line.substring(comment.length() + AGENT.length()));
                entries.add(entry);
            }
            at += line.length() + 1;
        }
        return entries;
    }

    private static AgentEntry parsed(String text, int at, String json) throws UnreadableTextException {
        AgentEntry entry;
        try {
            entry = AgentEntry.parse(json);
        } catch (UnreadableTextException e) {
            entry = null;
        }
        if (entry == null) {
            throw UnreadableTextException.at(text, at, "this line was changed by hand");
        }
        return entry;
    }

    @Override
    public String with(String text, AgentEntry entry) throws UnreadableTextException {
        List<AgentEntry> entries = entries(text);
        int index = entries.stream().map(AgentEntry::name).toList().indexOf(entry.name());
        if (index < 0) {
            entries.add(entry);
        } else {
            entries.set(index, entry);
        }
        return pasted(entries);
    }

    @Override
    public String without(String text, String name) throws UnreadableTextException {
        List<AgentEntry> entries = entries(text);
        boolean isRemoved = entries.removeIf(entry -> entry.name().equals(name));
        return !isRemoved ? text : entries.isEmpty() ? "" : pasted(entries);
    }

    @Override
    public String restored(String text, String former, String name) throws UnreadableTextException {
        for (AgentEntry entry : entries(former)) {
            if (entry.name().equals(name)) {
                return with(text, entry);
            }
        }
        return without(text, name);
    }

    /** Returns the whole file. */
    @Override
    public String pasted(List<AgentEntry> entries) {
        StringBuilder head = new StringBuilder(comment + MARK + "\n");
        for (AgentEntry entry : entries) {
            head.append(comment).append(AGENT).append(entry.json()).append('\n');
        }
        return code.apply(head.toString(), entries);
    }

    /** Returns a text as a string of Lua or Emacs Lisp, which agree on these escapes. */
    static String quoted(String text, String controlFormat) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ' || c == 0x7f) {
                        out.append(controlFormat.formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        return out.append('"').toString();
    }
}
