package dev.acp4j.cli.chat;

import dev.acp4j.Entry;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.NearestName;
import dev.acp4j.cli.session.BinaryContent;
import dev.acp4j.cli.session.ConfigOptions;
import dev.acp4j.cli.session.PlanText;
import dev.acp4j.cli.session.SessionRenderer;
import dev.acp4j.cli.session.ToolCallText;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.AvailableCommandInput;
import dev.acp4j.schema.Cost;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.UsageUpdate;
import dev.acp4j.workspace.PermissionScope;
import dev.acp4j.workspace.RememberedPermissions;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jline.utils.AttributedString;

/**
 * The chat's own commands. They begin with a colon, because names after a slash belong to the agent; a message that
 * begins with a colon is written with two.
 */
final class ChatCommands {
    private static final Map<String, String> NAMES = names();

    private final Session session;
    private final OptionCommands options;
    private final SessionRenderer renderer;
    private final ToolCallText toolCalls;
    private final Console console;
    private final RememberedPermissions permissions;
    private final BinaryContent binaries;

    /** @param options the options of the session, for the user to set */
    ChatCommands(
            Session session,
            ConfigOptions options,
            SessionRenderer renderer,
            ToolCallText toolCalls,
            Console console,
            RememberedPermissions permissions,
            BinaryContent binaries) {
        this.permissions = permissions;
        this.binaries = binaries;
        this.session = session;
        this.options = new OptionCommands(options, console);
        this.renderer = renderer;
        this.toolCalls = toolCalls;
        this.console = console;
    }

    private static Map<String, String> names() {
        Map<String, String> names = new LinkedHashMap<>();
        names.put(":help", "this list");
        names.put(":commands", "the agent's commands");
        names.put(":config", "the session's options; with a name, its values; with a value, too, set it");
        names.put(":mode", "the modes of the agent; with a name, switch to it");
        names.put(":model", "the models; with a name, switch to it");
        names.put(":effort", "how long the model may think; with a name, set it");
        names.put(Steering.NAME, "with a text: tell the agent something while it works");
        names.put(":plan", "the agent's plan");
        names.put(":show", "the last tool call in full; with a number, that one");
        names.put(":save", "with a number: an image or other content as a file; with a name, under it");
        names.put(":permissions", "what acp allows or rejects without asking; widen or forget it");
        names.put(":new", "a new session");
        names.put(":usage", "the usage of the context, and the cost");
        names.put(":quit", "leave");
        return names;
    }

    /** Returns the commands that the session has something for, with their descriptions. */
    static Map<String, String> names(Session session) {
        Map<String, String> names = new LinkedHashMap<>(NAMES);
        ConfigOptions options = new ConfigOptions(session);
        names.keySet().removeIf(name -> OptionCommands.isMissing(name, options));
        if (!session.agent().supports(Feature.STEERING)) {
            names.remove(Steering.NAME);
        }
        return names;
    }

    /** Returns a message without the first of two colons at its beginning. */
    static String unescaped(String text) {
        String stripped = text.stripLeading();
        return stripped.startsWith("::") ? stripped.substring(1) : text;
    }

    /** Runs a command of the chat; returns false if the text is a message for the agent. */
    boolean run(String text) throws InterruptedException {
        if (!text.startsWith(":") || text.startsWith("::")) {
            return false;
        }
        String[] words = text.split("\\s+", 3);
        String argument = words.length > 1 ? words[1] : "";
        String rest = text.substring(words[0].length()).strip();
        try {
            switch (words[0]) {
                case ":help" -> print(help());
                case ":commands" -> print(commands());
                case ":mode", ":model", ":effort" -> print(options.category(words[0], rest));
                case ":config" -> print(options.config(argument, words.length > 2 ? words[2] : ""));
                case Steering.NAME -> steer(rest);
                case ":plan" -> plan();
                case ":show" -> show(argument);
                case ":save" -> save(argument, words.length > 2 ? words[2].strip() : "");
                case ":permissions" -> permissions(argument, words.length > 2 ? words[2] : "");
                case ":usage" -> usage();
                default ->
                    say(words[0] + " is not a command of this chat." + NearestName.suggestion(words[0], NAMES.keySet())
                            + " :help lists them; a message that begins with a colon is written with two.");
            }
        } catch (RpcError e) {
            renderer.failed(Failure.of(e).about(session.agent()));
        }
        print(List.of(AttributedString.EMPTY));
        return true;
    }

    private List<AttributedString> help() {
        List<AttributedString> lines = table(names(session));
        lines.add(AttributedString.EMPTY);
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put(
                "/name",
                "a command of the agent; Tab completes it. If the agent has none of that name, /help, /new, "
                        + "/clear, /exit and /quit are the chat's.");
        keys.put("@path", "a file or folder, which is attached; @\"a path\" if it has blanks. Tab completes it");
        keys.put("Alt-Enter", "a new line in a message");
        keys.put("Ctrl-C", "cancel the turn; twice: quit");
        keys.put("Ctrl-D", "leave");
        keys.put("Ctrl-R", "search the input history");
        lines.addAll(table(keys));
        return lines;
    }

    private List<AttributedString> commands() {
        Map<String, String> rows = new LinkedHashMap<>();
        for (AvailableCommand command : session.view().commands()) {
            String hint = command.input() instanceof AvailableCommandInput.Unstructured input
                    ? " " + bracketed(SafeText.line(input.hint()))
                    : "";
            rows.put("/" + SafeText.line(command.name()), SafeText.line(command.description()) + hint);
        }
        return rows.isEmpty()
                ? List.of(Styles.of("The agent has offered no commands so far.", Styles.QUIET))
                : table(rows);
    }

    private static String bracketed(String hint) {
        return hint.startsWith("[") || hint.startsWith("<") ? hint : "[" + hint + "]";
    }

    /** Typed while nothing runs; see {@link Steering} for lines that are typed during a turn. */
    private void steer(String text) {
        boolean isBack = !text.isEmpty() && console.putBack(text);
        say("The agent is not working on anything. " + (isBack ? "Enter sends this as a message." : "Send a message."));
    }

    /** Lists, widens or forgets the choices that acp repeats without asking. */
    private void permissions(String what, String number) {
        List<Map.Entry<PermissionScope, PermissionOptionKind>> choices =
                List.copyOf(permissions.choices().entrySet());
        if (choices.isEmpty()) {
            say("acp asks for everything. A choice to allow or reject always is listed here; what the agent itself "
                    + "remembers is up to the agent.");
            return;
        }
        if (what.equals("forget") && number.equals("all")) {
            permissions.forget();
            say("acp asks for everything again.");
            return;
        }
        int index = number.matches("\\d{1,4}") ? Integer.parseInt(number) : 0;
        boolean isValid = index >= 1 && index <= choices.size();
        if (what.equals("forget") && isValid) {
            permissions.forget(choices.get(index - 1).getKey());
            say("Forgotten: " + choices.get(index - 1).getKey() + ". acp asks again; the agent may remember it, too.");
        } else if (what.equals("widen") && isValid) {
            say(
                    permissions.widen(choices.get(index - 1).getKey())
                            ? "This covers all commands of this session now."
                            : "Only a choice about one command can be widened, to all commands.");
        } else {
            Map<String, String> rows = new LinkedHashMap<>();
            int row = 1;
            for (Map.Entry<PermissionScope, PermissionOptionKind> choice : choices) {
                rows.put(
                        row++ + "  " + (choice.getValue().isAllow() ? "allow" : "reject"),
                        SafeText.line(choice.getKey().toString()));
            }
            print(table(rows));
            say(
                    ":permissions forget NUMBER or all; :permissions widen NUMBER lets one about a command cover all commands.");
        }
    }

    private void plan() {
        var plan = session.view().plan();
        print(
                plan.isEmpty()
                        ? List.of(Styles.of("The agent has no plan.", Styles.QUIET))
                        : PlanText.all(plan, console.display()));
    }

    private void show(String number) {
        List<Entry.ToolCall> calls = session.view().toolCalls();
        int index = calls.size();
        try {
            index = number.isEmpty() ? index : Integer.parseInt(number);
        } catch (NumberFormatException e) {
            index = 0;
        }
        if (index < 1 || index > calls.size()) {
            say(calls.isEmpty() ? "There are no tool calls." : "There are tool calls 1 to " + calls.size() + ".");
            return;
        }
        print(toolCalls.whole(calls.get(index - 1), console.display()));
    }

    /** Saves content that a terminal does not show, or lists it. */
    private void save(String number, String name) {
        List<String> kept = binaries.list();
        if (kept.isEmpty()) {
            say("The agent has sent no images, audio or other binary content so far.");
            return;
        }
        if (!number.matches("\\d{1,6}")) {
            kept.forEach(this::say);
            say(":save NUMBER [FILE] saves one of them, in the session's folder unless FILE says where.");
            return;
        }
        try {
            say("Saved as " + binaries.save(Integer.parseInt(number), name) + ".");
        } catch (IOException | InvalidPathException e) {
            say("Not saved: " + IoProblem.text(e) + ".");
        }
    }

    private void usage() {
        UsageUpdate usage = session.view().usage().orElse(null);
        if (usage == null) {
            say("The agent has not reported it.");
            return;
        }
        String text = String.format(Locale.ROOT, "%,d of %,d tokens", usage.used(), usage.size());
        Cost cost = usage.cost();
        say(
                cost == null
                        ? text
                        : text
                                + String.format(
                                        Locale.ROOT, ", %.4f %s", cost.amount(), SafeText.line(cost.currency())));
    }

    private List<AttributedString> table(Map<String, String> rows) {
        return Table.lines(rows, console.display());
    }

    private void print(List<AttributedString> lines) {
        renderer.print(lines);
    }

    private void say(String text) {
        print(Wrap.lines(Styles.plain(SafeText.line(text)), console.display().widthAfter(0)));
    }
}
