package dev.acp4j.cli.elicitation;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Feature;
import dev.acp4j.Stdio;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.BooleanPropertySchema;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CompleteElicitationNotification;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.ElicitationPropertySchema;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.EnumOption;
import dev.acp4j.schema.IntegerPropertySchema;
import dev.acp4j.schema.MultiSelectItems;
import dev.acp4j.schema.MultiSelectPropertySchema;
import dev.acp4j.schema.NumberPropertySchema;
import dev.acp4j.schema.StringFormat;
import dev.acp4j.schema.StringPropertySchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An agent for tests that asks the user; the first word of a prompt says what. It repeats the answer. */
public final class AskingAgent {
    private AskingAgent() {}

    /** Serves on standard input and output. */
    public static void main(String[] args) throws Exception {
        Agent.builder("asking", "1.0").onPrompt(AskingAgent::prompt).build().serve(Stdio.system());
    }

    private static void prompt(AgentTurn turn) throws Exception {
        String[] words = turn.text().strip().split("\\s+", 2);
        switch (words[0]) {
            case "offers" ->
                turn.message("forms " + turn.client().supports(Feature.FORMS) + ", pages "
                        + turn.client().supports(Feature.PAGES));
            case "form" -> turn.message(said(turn.elicit(form(turn, "About the release", release()))));
            case "one" -> turn.message(said(turn.elicit(form(turn, "Which Java?", Map.of("java", java())))));
            case "loop" -> {
                while (!turn.isCancelled()) {
                    CreateElicitationResponse unused = turn.elicit(form(turn, "Which Java?", Map.of("java", java())));
                }
            }
            case "secret" ->
                turn.message(said(turn.elicit(form(
                        turn,
                        "To push",
                        Map.of(
                                "token",
                                StringPropertySchema.builder()
                                        .title("GitHub token")
                                        .build())))));
            case "tokens" ->
                turn.message(said(turn.elicit(form(
                        turn,
                        "How long?",
                        Map.of("tokens", IntegerPropertySchema.builder().build())))));
            case "odd" ->
                turn.message(said(turn.elicit(form(
                        turn,
                        "Odd",
                        Map.of(
                                "colour",
                                new ElicitationPropertySchema.Unknown(
                                        "colour", RawJson.parse("{\"type\":\"colour\"}")))))));
            case "page" -> {
                ElicitationId id = ElicitationId.of("e1");
                CreateElicitationResponse answer = turn.elicit(CreateElicitationRequest.url(
                        ElicitationScope.session(turn.sessionId()), "Log in there, please", id, words[1]));
                turn.message(said(answer));
                turn.client().send(ClientMethods.COMPLETE_ELICITATION, CompleteElicitationNotification.of(id));
            }
            default -> turn.message("You said: " + turn.text());
        }
    }

    private static CreateElicitationRequest form(
            AgentTurn turn, String message, Map<String, ElicitationPropertySchema> fields) {
        return CreateElicitationRequest.form(
                ElicitationScope.session(turn.sessionId()),
                message,
                ElicitationSchema.builder()
                        .properties(fields)
                        .required(fields.keySet().stream()
                                .filter(name -> !name.equals("mail") && !name.equals("rate"))
                                .toList())
                        .build());
    }

    private static Map<String, ElicitationPropertySchema> release() {
        Map<String, ElicitationPropertySchema> fields = new LinkedHashMap<>();
        fields.put(
                "version",
                StringPropertySchema.builder()
                        .title("Version")
                        .description("The version to release")
                        .minLength(5L)
                        .maxLength(20L)
                        .build());
        fields.put(
                "strategy",
                StringPropertySchema.builder()
                        .title("Strategy")
                        .options(List.of(
                                EnumOption.builder("safe", "Conservative")
                                        .description("few changes")
                                        .build(),
                                EnumOption.of("mid", "Balanced"),
                                EnumOption.of("wild", "All of it")))
                        .defaultValue("mid")
                        .build());
        fields.put(
                "files",
                MultiSelectPropertySchema.builder(MultiSelectItems.Plain.of(List.of("a.txt", "b.txt", "c.txt")))
                        .minItems(1L)
                        .defaultValue(List.of("b.txt"))
                        .build());
        fields.put(
                "count",
                IntegerPropertySchema.builder()
                        .minimum(1L)
                        .maximum(9L)
                        .defaultValue(3L)
                        .build());
        fields.put("rate", NumberPropertySchema.builder().minimum(0.5).build());
        fields.put(
                "dry",
                BooleanPropertySchema.builder()
                        .title("Dry run")
                        .defaultValue(true)
                        .build());
        fields.put(
                "mail",
                StringPropertySchema.builder().format(StringFormat.EMAIL).build());
        return fields;
    }

    /** Its choices are called by numbers, of which one is also the place of another one. */
    private static ElicitationPropertySchema java() {
        return StringPropertySchema.builder().values(List.of("17", "21", "1")).build();
    }

    private static String said(CreateElicitationResponse answer) {
        return switch (answer) {
            case CreateElicitationResponse.Accept accept -> {
                StringBuilder text = new StringBuilder("answer: accept");
                accept.content()
                        .forEach((name, value) ->
                                text.append(' ').append(name).append('=').append(said(value)));
                yield text + " end";
            }
            case CreateElicitationResponse.Decline decline -> "answer: decline";
            case CreateElicitationResponse.Cancel cancel -> "answer: cancel";
            case CreateElicitationResponse.Unknown unknown -> "answer: " + unknown.action();
        };
    }

    private static String said(ElicitationContentValue value) {
        return switch (value) {
            case ElicitationContentValue.Text text -> text.value();
            case ElicitationContentValue.Whole whole -> Long.toString(whole.value());
            case ElicitationContentValue.Decimal decimal -> Double.toString(decimal.value());
            case ElicitationContentValue.Bool flag -> Boolean.toString(flag.value());
            case ElicitationContentValue.Choices choices -> String.join("+", choices.values());
            case ElicitationContentValue.Unknown unknown -> unknown.raw().toString();
        };
    }
}
