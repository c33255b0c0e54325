package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.BooleanPropertySchema;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.CompleteElicitationNotification;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.IntegerPropertySchema;
import dev.acp4j.schema.MultiSelectItems;
import dev.acp4j.schema.MultiSelectPropertySchema;
import dev.acp4j.schema.NumberPropertySchema;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.StringPropertySchema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ElicitationTest {
    private static final ElicitationSchema FORM = ElicitationSchema.builder()
            .properties(Map.of(
                    "name",
                    StringPropertySchema.builder().minLength(2L).maxLength(4L).build(),
                    "size",
                    StringPropertySchema.builder().values(List.of("S", "L")).build(),
                    "count",
                    IntegerPropertySchema.builder().minimum(1L).maximum(9L).build(),
                    "rate",
                    NumberPropertySchema.builder().minimum(0.5).maximum(2.0).build(),
                    "sure",
                    BooleanPropertySchema.builder().build(),
                    "tags",
                    MultiSelectPropertySchema.builder(MultiSelectItems.Plain.of(List.of("a", "b", "c")))
                            .maxItems(2L)
                            .build()))
            .required(List.of("name"))
            .build();

    @RegisterExtension
    final Joined joined = new Joined();

    private static ElicitationContentValue text(String value) {
        return new ElicitationContentValue.Text(value);
    }

    private static CreateElicitationRequest form(SessionId session) {
        return CreateElicitationRequest.form(ElicitationScope.session(session), "Which?", FORM);
    }

    private static CreateElicitationRequest url(SessionId session) {
        return CreateElicitationRequest.url(
                ElicitationScope.session(session), "Look", ElicitationId.of("e1"), "https://example.com");
    }

    @Test
    @Tag("CBK-10")
    @Tag("CBK-13")
    void whatTheUserFilledInReachesTheAgentInTheMiddleOfItsTurn() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    CreateElicitationResponse answer = turn.elicit(form(turn.sessionId()));
                    turn.message(((CreateElicitationResponse.Accept) answer)
                            .content()
                            .toString());
                }),
                client().onElicitation(request -> request.accept(Map.of("name", text("Ada")))));

        assertThat(agent.newSession(HERE).prompt("go").text()).isEqualTo("{name=Text[value=Ada]}");
    }

    @Test
    @Tag("CBK-09")
    void aCompletionIsReportedOnceAndUnknownIdsAreIgnored() throws Exception {
        BlockingQueue<String> completed = new LinkedBlockingQueue<>();
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    assertThat(turn.elicit(url(turn.sessionId()))).isInstanceOf(CreateElicitationResponse.Accept.class);
                    assertThat(turn.elicit(page(turn.sessionId(), "declined")))
                            .isInstanceOf(CreateElicitationResponse.Decline.class);
                    assertThat(turn.elicit(page(turn.sessionId(), "last")))
                            .isInstanceOf(CreateElicitationResponse.Accept.class);
                    for (String id : List.of("unknown", "e1", "e1", "declined", "last")) {
                        turn.client()
                                .send(
                                        ClientMethods.COMPLETE_ELICITATION,
                                        CompleteElicitationNotification.of(ElicitationId.of(id)));
                    }
                }),
                client().onElicitation(new Client.ElicitationHandler() {
                    @Override
                    public CreateElicitationResponse elicit(ElicitationQuestion request) {
                        return request.request() instanceof CreateElicitationRequest.Url page
                                        && page.elicitationId().value().equals("declined")
                                ? request.decline()
                                : request.accept();
                    }

                    @Override
                    public void completed(ConnectedAgent from, ElicitationId elicitation) {
                        completed.add(elicitation.value());
                    }
                }));

        agent.newSession(HERE).prompt("go").result();

        assertThat(completed.poll(20, TimeUnit.SECONDS)).isEqualTo("e1");
        assertThat(completed.poll(20, TimeUnit.SECONDS)).isEqualTo("last");
    }

    private static CreateElicitationRequest page(SessionId session, String id) {
        return CreateElicitationRequest.url(
                ElicitationScope.session(session), "Look", ElicitationId.of(id), "https://example.com");
    }

    @ParameterizedTest
    @CsvSource({"form, FORMS, url", "url, PAGES, form"})
    @Tag("CBK-08")
    void aModeThatIsNotOfferedIsRefusedByBothSides(String offered, String name, String other) throws Exception {
        Feature mode = name.equals("FORMS") ? Feature.FORMS : Feature.PAGES;
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    SessionId id = turn.sessionId();
                    CreateElicitationRequest wrong = other.equals("url") ? url(id) : form(id);
                    try {
                        turn.elicit(wrong);
                    } catch (UnsupportedException e) {
                        turn.message(e.feature() + ", ");
                    }
                    for (RawJson asked : List.of(
                            RawJson.encode(wrong, Codecs.createElicitationRequest()),
                            RawJson.parse("{\"mode\":\"_odd\",\"message\":\"m\",\"sessionId\":\"" + id + "\"}"))) {
                        try {
                            turn.message("accepted " + turn.client().call("elicitation/create", asked));
                        } catch (RpcError e) {
                            turn.message(e.code() + " " + e.message() + ", ");
                        }
                    }
                    turn.message(turn.elicit(other.equals("url") ? form(id) : url(id))
                            .getClass()
                            .getSimpleName());
                }),
                client().onElicitation(
                                question -> {
                                    assertThat(question.request())
                                            .extracting("message")
                                            .isIn("Which?", "Look");
                                    return question.decline();
                                },
                                mode));

        assertThat(agent.newSession(HERE).prompt("go").text())
                .isEqualTo("elicitation by " + (other.equals("url") ? "URL" : "forms")
                        + ", -32602 params.mode: this client does not offer \"" + other
                        + "\", -32602 params.mode: this client does not offer \"_odd\", Decline");
    }

    @Test
    void onlyModesOfElicitationCanBeOffered() {
        assertThatThrownBy(() -> client().onElicitation(question -> question.decline(), Feature.TERMINALS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected FORMS, PAGES or both");
    }

    @Test
    void anAnswerThatDoesNotFitTheFormDoesNotReachTheAgent() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    try {
                        turn.message("got " + turn.elicit(form(turn.sessionId())));
                    } catch (MalformedMessageException e) {
                        turn.message(String.valueOf(e.getMessage()));
                    }
                }),
                client().onElicitation(question -> CreateElicitationResponse.accept(Map.of("name", text("A")))));

        assertThat(agent.newSession(HERE).prompt("go").text())
                .isEqualTo("elicitation/create: the client's answer does not fit the form: "
                        + "the field name must have at least 2 characters");
    }

    @Test
    void fieldsOfAnAnswerThatAreNullOrNotInTheFormDoNotCount() throws Exception {
        BlockingQueue<Problem> problems = new LinkedBlockingQueue<>();
        ElicitationContentValue nothing = new ElicitationContentValue.Unknown(RawJson.NULL);
        Map<String, ElicitationContentValue> answer =
                Map.of("name", text("Ada"), "size", nothing, "x", text("y"), "z", nothing);
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                            CreateElicitationResponse given = turn.elicit(form(turn.sessionId()));
                            turn.message(((CreateElicitationResponse.Accept) given)
                                    .content()
                                    .toString());
                            try {
                                turn.message(" " + turn.elicit(form(turn.sessionId())));
                            } catch (MalformedMessageException e) {
                                turn.message(" " + e.getMessage());
                            }
                        })
                        .onProblem(problems::add),
                client().onElicitation(new Client.ElicitationHandler() {
                    private boolean hasAnswered;

                    @Override
                    public CreateElicitationResponse elicit(ElicitationQuestion question) {
                        Map<String, ElicitationContentValue> content = hasAnswered ? Map.of("name", nothing) : answer;
                        hasAnswered = true;
                        return CreateElicitationResponse.accept(content);
                    }
                }));

        assertThat(agent.newSession(HERE).prompt("go").text())
                .isEqualTo("{name=Text[value=Ada]} elicitation/create: the client's answer does not fit the form: "
                        + "the field name must be filled in");
        assertThat(problems)
                .singleElement()
                .satisfies(problem -> assertThat(problem.detail())
                        .isEqualTo("elicitation/create: left out 1 of the client's fields, which are not in the form"));
    }

    @Test
    void nullIsNotFilledInForTheClientEither() throws Exception {
        ElicitationContentValue nothing = new ElicitationContentValue.Unknown(RawJson.NULL);
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message(turn.client()
                        .call(
                                "elicitation/create",
                                RawJson.encode(form(turn.sessionId()), Codecs.createElicitationRequest()))
                        .toString())),
                client().onElicitation(question -> {
                    assertThatThrownBy(() -> question.accept(Map.of("name", nothing)))
                            .hasMessage("the field name must be filled in");
                    return question.accept(Map.of("name", text("Ada"), "count", nothing));
                }));

        assertThat(agent.newSession(HERE).prompt("go").text())
                .isEqualTo("{\"action\":\"accept\",\"content\":{\"name\":\"Ada\"}}");
    }

    @Test
    @Tag("CBK-07")
    void aRequestThatBelongsToNoSessionMayAskTheUser() throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        AuthMethodId web = AuthMethodId.of("web");
        ConnectedAgent agent = joined.join(
                agent(turn -> {})
                        .onAuthenticate(
                                List.of(AuthMethod.Agent.builder(web, "Web").build()), (client, method) -> {
                                    CreateElicitationResponse answer = client.elicit(
                                            CreateElicitationRequest.form(client.requestScope(), "Which?", FORM));
                                    seen.add(String.valueOf(((CreateElicitationResponse.Accept) answer)
                                            .content()
                                            .get("name")));
                                }),
                client().onElicitation(question -> {
                    seen.add("session " + (question.session() != null) + ", request "
                            + (((CreateElicitationRequest.Form) question.request()).requestId() != null));
                    return question.accept(Map.of("name", text("Ada")));
                }));

        agent.authenticate(web);

        assertThat(seen).containsExactly("session false, request true", "Text[value=Ada]");
    }

    @Test
    void outsideOfARequestThereIsNoScope() throws Exception {
        BlockingQueue<ConnectedClient> clients = new LinkedBlockingQueue<>();
        ConnectedAgent unused =
                joined.join(agent(turn -> {}).onNewSession(session -> clients.add(session.client())), client());
        unused.newSession(HERE);

        ConnectedClient client = clients.take();

        assertThatThrownBy(client::requestScope)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("this thread handles no request of the client");
    }

    @Test
    @Tag("CBK-08")
    @Tag("CBK-20")
    void whatTheClientDoesNotOfferIsRefusedBeforeItIsAsked() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    try {
                        turn.elicit(form(turn.sessionId()));
                    } catch (IllegalStateException e) {
                        turn.message(String.valueOf(e.getMessage()));
                    }
                }),
                client());

        assertThat(agent.newSession(HERE).prompt("go").text())
                .isEqualTo("the client does not offer elicitation by forms");
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(Map.of("count", new ElicitationContentValue.Whole(1)), "the field name must be filled in"),
                Arguments.of(Map.of("name", text("Ada"), "x", text("y")), "the field x is not in the form"),
                Arguments.of(Map.of("name", text("A")), "the field name must have at least 2 characters"),
                Arguments.of(Map.of("name", text("😀😀😀😀😀")), "the field name must have at most 4 characters"),
                Arguments.of(Map.of("name", new ElicitationContentValue.Bool(true)), "the field name must be a text"),
                Arguments.of(Map.of("name", text("Ada"), "size", text("XL")), "the field size must be one of [S, L]"),
                Arguments.of(
                        Map.of("name", text("Ada"), "count", new ElicitationContentValue.Whole(10)),
                        "the field count must be at most 9"),
                Arguments.of(
                        Map.of("name", text("Ada"), "count", new ElicitationContentValue.Decimal(1.5)),
                        "the field count must be an integer"),
                Arguments.of(
                        Map.of("name", text("Ada"), "rate", new ElicitationContentValue.Decimal(0.1)),
                        "the field rate must be at least 0.5"),
                Arguments.of(Map.of("name", text("Ada"), "sure", text("yes")), "the field sure must be true or false"),
                Arguments.of(
                        Map.of("name", text("Ada"), "tags", new ElicitationContentValue.Choices(List.of("a", "z"))),
                        "the field tags must have only choices of [a, b, c]"),
                Arguments.of(
                        Map.of(
                                "name",
                                text("Ada"),
                                "tags",
                                new ElicitationContentValue.Choices(List.of("a", "b", "c"))),
                        "the field tags must have at most 2 choices"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    @Tag("CBK-12")
    void anAnswerThatDoesNotFitTheFormIsNotSent(Map<String, ElicitationContentValue> content, String problem)
            throws Exception {
        List<Throwable> refused = Collections.synchronizedList(new ArrayList<>());
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message(
                        turn.elicit(form(turn.sessionId())).getClass().getSimpleName())),
                client().onElicitation(request -> {
                    try {
                        return request.accept(content);
                    } catch (IllegalArgumentException e) {
                        refused.add(e);
                        return request.accept(
                                Map.of("name", text("😀😀😀😀"), "rate", new ElicitationContentValue.Whole(1)));
                    }
                }));

        assertThat(agent.newSession(HERE).prompt("go").text()).isEqualTo("Accept");
        assertThat(refused).singleElement().satisfies(e -> assertThat(e).hasMessage(problem));
    }

    @Test
    void aHandlerThatFailsCancels() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message(
                        turn.elicit(form(turn.sessionId())).getClass().getSimpleName())),
                client().onProblem(problem -> {}).onElicitation(request -> {
                    throw new IllegalStateException("no dialog");
                }));

        assertThat(agent.newSession(HERE).prompt("go").text()).isEqualTo("Cancel");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "file:///etc/passwd",
                "javascript:alert(1)",
                "vscode://extension/run",
                "https:",
                "example.com/login",
                "http://not a url"
            })
    @Tag("SEC-06")
    void anAddressThatIsNoWebPageIsNotShownToAnybody(String address) throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    var question = CreateElicitationRequest.url(
                            ElicitationScope.session(turn.sessionId()), "Look", ElicitationId.of("e1"), address);
                    try {
                        turn.elicit(question);
                    } catch (RpcError e) {
                        turn.message(e.message());
                    }
                }),
                client().onElicitation(request -> {
                    throw new AssertionError("was shown " + request);
                }));

        assertThat(agent.newSession(HERE).prompt("go").text())
                .isEqualTo("params.url: expected the address of a web page, http or https");
    }

    @Test
    @Tag("SEC-04")
    void aPatternOfAnAgentIsNotMatchedSoItCannotTakeForEver() throws Exception {
        ElicitationSchema evil = ElicitationSchema.builder()
                .properties(Map.of(
                        "name",
                        StringPropertySchema.builder()
                                .pattern("(a+)+(b+)+(c|a)*$")
                                .build()))
                .build();
        ConnectedAgent agent = joined.join(
                agent(turn -> turn.message(turn.elicit(CreateElicitationRequest.form(
                                ElicitationScope.session(turn.sessionId()), "Which?", evil))
                        .getClass()
                        .getSimpleName())),
                client().onElicitation(request -> request.accept(Map.of("name", text("a".repeat(100_000) + "!")))));

        assertThat(agent.newSession(HERE).prompt("go").text()).isEqualTo("Accept");
    }
}
