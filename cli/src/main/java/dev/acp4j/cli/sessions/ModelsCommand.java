package dev.acp4j.cli.sessions;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentConnector;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.NotOfferedException;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.SessionOptions;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.session.SessionOpener;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigSelectGroup;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigSelectOptions;
import java.util.List;
import java.util.concurrent.Callable;
import org.jline.utils.AttributedString;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code acp models}: the models of an agent. */
@Command(
        name = "models",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "acp models [OPTIONS] {NAME | -- COMMAND [ARGUMENT...]}",
        description = {
            "Lists the models of an agent; the current one is marked.",
            "",
            "Agents tell their models in a session only, so a session is opened and then closed, or deleted if the agent "
                    + "offers that."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp models claude",
            "  acp models -- claude-agent-acp",
            "  acp chat --model opus -- claude-agent-acp",
            "",
            "Exit codes:",
            "    0  done",
            "    1  the agent could not be started, died, did not respond, or responded with an error",
            "    2  wrong command line",
            "    6  standard output could not be written",
            "    8  the agent offers no models",
            "  130  interrupted",
            "  141  standard output was closed by its reader"
        })
public final class ModelsCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Mixin
    private final SessionOptions options = new SessionOptions();

    @Option(names = "--json", description = "Print one JSON object per model.")
    private boolean json;

    public ModelsCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        try (Recording recording = new Recording(options.trace, streams)) {
            AgentConnector connector = new AgentConnector(options, agent, options.folder(), recording);
            try (ConnectedAgent connected = connector.connect(streams.err()::println, client -> {})) {
                connector.logIn(connected);
                Session session = connected.newSession(connector.cwd());
                try {
                    print(models(session));
                } finally {
                    SessionOpener.discard(session);
                }
            }
        }
        return ExitCode.END_OF_TURN.number();
    }

    private static SessionConfigOption.Select models(Session session) {
        if (session.view().configOption(SessionConfigOptionCategory.MODEL).orElse(null)
                instanceof SessionConfigOption.Select models) {
            return models;
        }
        throw new NotOfferedException("this agent offers no models");
    }

    private void print(SessionConfigOption.Select models) {
        switch (models.options()) {
            case SessionConfigSelectOptions.Ungrouped all -> print(models, null, all.options());
            case SessionConfigSelectOptions.Grouped groups -> {
                for (SessionConfigSelectGroup group : groups.groups()) {
                    if (!json) {
                        streams.out().print(Styles.of(SafeText.line(group.name()), Styles.STRONG));
                    }
                    print(models, group.name(), group.options());
                }
            }
        }
    }

    private void print(
            SessionConfigOption.Select models, @Nullable String group, List<SessionConfigSelectOption> values) {
        int widest = 0;
        for (SessionConfigSelectOption value : values) {
            widest = Math.max(widest, SafeText.line(value.value().value()).length());
        }
        for (SessionConfigSelectOption value : values) {
            boolean isCurrent = value.value().equals(models.currentValue());
            if (json) {
                streams.out().json(json(value, group, isCurrent));
            } else {
                String id = SafeText.line(value.value().value());
                String pad = " ".repeat(widest - id.length() + 2);
                String description = value.description();
                String about = SafeText.line(description == null ? value.name() : value.name() + ": " + description);
                AttributedString mark =
                        Styles.join(Styles.of(isCurrent ? "* " : "  ", Styles.GOOD), Styles.plain(id + pad));
                Wrap.lines(
                                Styles.of(about, Styles.QUIET),
                                streams.outDisplay().widthAfter(0),
                                mark,
                                Styles.plain(" ".repeat(widest + 4)))
                        .forEach(streams.out()::print);
            }
        }
    }

    private static String json(SessionConfigSelectOption value, @Nullable String group, boolean isCurrent) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("value");
        out.string(value.value().value());
        out.name("name");
        out.string(value.name());
        if (value.description() != null) {
            out.name("description");
            out.string(value.description());
        }
        if (group != null) {
            out.name("group");
            out.string(group);
        }
        out.name("current");
        out.bool(isCurrent);
        out.endObject();
        return out.toRawJson().toString();
    }
}
