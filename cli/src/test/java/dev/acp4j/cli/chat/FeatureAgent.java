package dev.acp4j.cli.chat;

import dev.acp4j.Agent;
import dev.acp4j.AgentSession;
import dev.acp4j.AgentTurn;
import dev.acp4j.Feature;
import dev.acp4j.Stdio;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Annotations;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Cost;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ElicitationPropertySchema;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.IntegerPropertySchema;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.Role;
import dev.acp4j.schema.SessionConfigGroupId;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigSelectGroup;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigSelectOptions;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.StringPropertySchema;
import dev.acp4j.schema.UsageUpdate;
import java.io.IOException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * An agent for tests with what chats can do beyond the basics: options in groups and categories, usage, steering,
 * logins that expire. The first word of a prompt says what it does. With the argument {@code plain} it cannot be
 * steered.
 */
public final class FeatureAgent {
    private final Map<String, String> values =
            new LinkedHashMap<>(Map.of("engine", "large", "window", "200k", "depth", "low"));
    private static final ElicitationSchema NAMES = ElicitationSchema.builder()
            .properties(names())
            .required(List.of("name", "age"))
            .build();

    private final BlockingQueue<String> steered = new LinkedBlockingQueue<>();
    private boolean isLoggedIn;

    private FeatureAgent() {}

    /** Serves on standard input and output. */
    public static void main(String[] args) throws Exception {
        new FeatureAgent().agent(args.length > 0).serve(Stdio.system());
    }

    private Agent agent(boolean isPlain) {
        Agent.Builder agent = Agent.builder("feature", "1.0")
                .supports(Feature.PROMPT_RESOURCES)
                .onNewSession(session -> {
                    session.configOptions(options());
                    session.commands(List.of(AvailableCommand.of("compact", "Shorten the conversation")));
                })
                .onSetConfigOption((session, id, value) -> {
                    values.put(
                            id.value(),
                            ((SessionConfigOptionValue.Id) value).value().value());
                    return options();
                })
                .onAuthenticate(
                        List.of(
                                AuthMethod.Agent.builder(AuthMethodId.of("browser"), "Sign in with a browser")
                                        .build(),
                                AuthMethod.Terminal.builder(AuthMethodId.of("device"), "Type a code")
                                        .build()),
                        (client, id) -> isLoggedIn = confirms(client.elicit(
                                CreateElicitationRequest.form(client.requestScope(), "Who are you?", NAMES))))
                .onPrompt(this::prompt);
        if (!isPlain) {
            agent.meta(Meta.of("steering", RawJson.parse("{\"supported\":true}")))
                    .on("_session/steering", (client, request) -> steer(request));
        }
        return agent.build();
    }

    private RawJson steer(RawJson request) {
        JsonObject params = (JsonObject) request.value();
        String text = params.get("prompt").orElseThrow().toString();
        String outcome =
                text.contains("late") ? "startedNewTurn" : text.contains("never") ? "promptRequired" : "injected";
        if (outcome.equals("injected")) {
            steered.add(text);
        }
        return RawJson.parse("{\"outcome\":\"" + outcome + "\"}");
    }

    private void prompt(AgentTurn turn) throws Exception {
        String[] words = turn.text().strip().split("\\s+", -1);
        switch (words[0]) {
            case "usage" -> {
                turn.message("Counting ");
                turn.usage(UsageUpdate.builder(Long.parseLong(words[1]), 100)
                        .cost(Cost.of(Double.parseDouble(words[2]), "USD"))
                        .build());
                turn.message("tokens.");
            }
            case "work" -> {
                turn.message("Working.\n\n");
                turn.message("Steered by " + steered.take());
            }
            case "listen" -> {
                turn.message("Listening.\n\n");
                List<String> heard = new ArrayList<>();
                while (heard.size() < Integer.parseInt(words[1])) {
                    heard.add(steered.take().replaceAll("\\D", ""));
                }
                turn.message("Heard " + String.join(",", heard));
            }
            case "hidden" -> {
                turn.message("Seen. ");
                turn.message(ContentBlock.Text.builder("the raw log")
                        .annotations(Annotations.builder()
                                .audience(List.of(Role.ASSISTANT))
                                .build())
                        .build());
                turn.message("Seen again.");
            }
            case "later" -> {
                WatchService watch = turn.session().cwd().getFileSystem().newWatchService();
                turn.session().cwd().register(watch, StandardWatchEventKinds.ENTRY_CREATE);
                Thread.ofPlatform().daemon().start(() -> later(turn.session(), watch));
            }
            case "refuse" -> turn.stop(StopReason.REFUSAL);
            case "private" -> {
                if (!isLoggedIn) {
                    throw RpcError.authRequired();
                }
                turn.message("Welcome back.");
            }
            default -> turn.message("Got " + String.join(" ", shown(turn.prompt())));
        }
    }

    /** Asks when a file appears, in no turn. */
    private static void later(AgentSession session, WatchService watch) {
        try (watch) {
            watch.take();
            boolean isConfirmed = confirms(session.elicit(
                    CreateElicitationRequest.form(ElicitationScope.session(session.id()), "Who are you?", NAMES)));
            session.message("Confirmed: " + isConfirmed);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean confirms(CreateElicitationResponse answer) {
        return answer instanceof CreateElicitationResponse.Accept accept
                && accept.content()
                        .equals(Map.of(
                                "name", ElicitationContentValue.of("Ada"), "age", ElicitationContentValue.of(36)));
    }

    private static List<String> shown(List<ContentBlock> content) {
        List<String> shown = new ArrayList<>();
        for (ContentBlock block : content) {
            shown.add(
                    switch (block) {
                        case ContentBlock.Text text -> "text(" + text.text() + ")";
                        case ContentBlock.ResourceLink link -> "link(" + link.name() + ")";
                        case ContentBlock.Resource resource -> "resource(" + text(resource.resource()) + ")";
                        default -> "other";
                    });
        }
        return shown;
    }

    private static String text(ResourceContents contents) {
        return contents instanceof ResourceContents.Text text ? text.text().strip() : "?";
    }

    private List<SessionConfigOption> options() {
        return List.of(
                select(
                        "engine",
                        SessionConfigOptionCategory.MODEL,
                        SessionConfigSelectOptions.grouped(
                                List.of(group("Quick ones", "small", "tiny"), group("Thorough ones", "large")))),
                select("window", SessionConfigOptionCategory.MODEL_CONFIG, flat("200k", "1M")),
                select("depth", SessionConfigOptionCategory.THOUGHT_LEVEL, flat("low", "high")));
    }

    private SessionConfigOption select(
            String id, SessionConfigOptionCategory category, SessionConfigSelectOptions options) {
        return SessionConfigOption.Select.builder(
                        SessionConfigId.of(id),
                        "The " + id,
                        SessionConfigValueId.of(values.getOrDefault(id, "")),
                        options)
                .category(category)
                .build();
    }

    private static Map<String, ElicitationPropertySchema> names() {
        Map<String, ElicitationPropertySchema> names = new LinkedHashMap<>();
        names.put("name", StringPropertySchema.builder().build());
        names.put("age", IntegerPropertySchema.builder().build());
        return names;
    }

    private static SessionConfigSelectOptions flat(String... names) {
        return SessionConfigSelectOptions.of(values(names));
    }

    private static SessionConfigSelectGroup group(String name, String... names) {
        return SessionConfigSelectGroup.of(SessionConfigGroupId.of(name), name, values(names));
    }

    private static List<SessionConfigSelectOption> values(String... names) {
        List<SessionConfigSelectOption> values = new ArrayList<>();
        for (String name : names) {
            values.add(SessionConfigSelectOption.builder(SessionConfigValueId.of(name), "Model " + name)
                    .build());
        }
        return values;
    }
}
