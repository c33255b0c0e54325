package dev.acp4j;

import static dev.acp4j.Joined.HERE;
import static dev.acp4j.Joined.agent;
import static dev.acp4j.Joined.client;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Interceptor;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which message the pieces belong to that an agent says without an id. */
@Timeout(60)
class MessageIdsTest {
    private static final ContentBlock PIECE = ContentBlock.text("piece ");

    @RegisterExtension
    final Joined joined = new Joined();

    private static List<Entry.Message> messages(Session session) {
        return session.view().timeline().entries(Entry.Message.class);
    }

    /** Returns the messages of one author, as {@code id: text}. */
    private static List<String> said(Session session, Entry.Message.Author author) {
        return messages(session).stream()
                .filter(message -> message.author() == author)
                .map(message -> message.id() + ": " + message.text())
                .toList();
    }

    @Test
    void piecesAreOneMessageUntilSomethingElseIsSaid() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    turn.thought("h");
                    turn.thought("m");
                    turn.message("a");
                    turn.title("A title is no step");
                    turn.usage(1, 2);
                    turn.update(SessionUpdate.AgentMessageChunk.of(ContentBlock.text("b"), null)
                            .withMeta(Meta.of(RawJson.parse("{\"k\":1}"))));
                    ToolCallHandle call = turn.toolCall("Read", ToolKind.READ);
                    turn.message("c");
                    call.complete();
                    turn.message("d");
                    turn.plan("a task");
                    turn.message("e");
                    call.requestPermission();
                    turn.message("f");
                }),
                client().onPermission(question -> question.cancelled()));

        Session session = agent.newSession(HERE);
        session.prompt("one").result();
        session.prompt("two").result();

        assertThat(said(session, Entry.Message.Author.THOUGHT)).containsExactly("msg-1: hm", "msg-6: hm");
        assertThat(said(session, Entry.Message.Author.AGENT))
                .containsExactly(
                        "msg-2: ab",
                        "msg-3: cd",
                        "msg-4: e",
                        "msg-5: f",
                        "msg-7: ab",
                        "msg-8: cd",
                        "msg-9: e",
                        "msg-10: f");
    }

    @Test
    void anIdOfTheAgentStaysAndEndsTheMessageWithoutOne() throws Exception {
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    turn.message("a");
                    turn.message(ContentBlock.text("b"), MessageId.of("mine"));
                    turn.message("c");
                    turn.update(SessionUpdate.AgentMessageChunk.of(ContentBlock.text("d"), MessageId.of("mine")));
                    turn.message("e");
                }),
                client());

        Session session = agent.newSession(HERE);
        session.prompt("go").result();

        assertThat(said(session, Entry.Message.Author.AGENT))
                .containsExactly("msg-1: a", "mine: bd", "msg-2: c", "msg-3: e");
    }

    /** One step of a random conversation. */
    private static void randomStep(AgentTurn turn, Random random) throws Exception {
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> turn.message(PIECE);
            case 3, 4 -> turn.thought("thought ");
            case 5 -> turn.userMessage(ContentBlock.text("the user "));
            case 6 -> turn.toolCall("call", ToolKind.OTHER).start().complete();
            case 7 -> turn.plan(List.of(PlanEntry.of("task", PlanEntryPriority.LOW, PlanEntryStatus.PENDING)));
            default -> {
                if (random.nextBoolean()) {
                    turn.usage(1, 2);
                } else {
                    boolean unused = turn.ask("Really?");
                }
            }
        }
    }

    @Test
    void aClientThatLooksAtTheIdsAndOneThatDoesNotSeeTheSameConversation() throws Exception {
        Agent.Builder agent = agent(turn -> {
            Random random = new Random(Long.parseLong(turn.text()));
            for (int i = 0; i < 60; i++) {
                randomStep(turn, random);
            }
        });
        Client.Builder client = client().onPermission(question -> question.allowOnce());
        Interceptor withoutIds = (message, next) -> {
            RawJson params = message.params();
            next.pass(
                    params == null || !message.method().equals("session/update")
                            ? message
                            : message.withParams(
                                    RawJson.parse(params.toString().replaceAll(",\"messageId\":\"[^\"]*\"", ""))));
        };
        ConnectedAgent looking = joined.join(agent, client);
        ConnectedAgent blind = joined.join(agent, client.interceptIncoming(withoutIds));

        Session seen = looking.newSession(HERE);
        Session unseen = blind.newSession(HERE);
        for (int seed = 1; seed <= 40; seed++) {
            seen.prompt(Integer.toString(seed)).result();
            unseen.prompt(Integer.toString(seed)).result();
        }

        assertThat(texts(seen)).isEqualTo(texts(unseen));
        assertThat(messages(unseen)).allMatch(message -> message.id() == null);
        assertThat(messages(seen)).filteredOn(message -> message.id() != null).hasSizeGreaterThan(500);
        assertThat(messages(seen).stream().filter(message -> message.id() == null))
                .as("what has no id is a prompt of the client itself")
                .hasSize(40);
    }

    private static List<String> texts(Session session) {
        List<String> texts = new ArrayList<>();
        for (Entry entry : session.view().timeline().entries()) {
            texts.add(
                    entry instanceof Entry.Message message
                            ? message.author() + " " + message.text()
                            : entry.getClass().getSimpleName());
        }
        return texts;
    }

    @Test
    void whatSeveralThreadsSayInATurnIsOneMessageAndWhatItsSessionSaysMeanwhileAnother() throws Exception {
        int threads = 4;
        int pieces = 500;
        ConnectedAgent agent = joined.join(
                agent(turn -> {
                    turn.session().message("In the background: ");
                    CountDownLatch begin = new CountDownLatch(1);
                    List<Thread> speaking = new ArrayList<>();
                    for (int i = 0; i < threads; i++) {
                        SessionWriter writer = i == 0 ? turn.session() : turn;
                        speaking.add(Thread.ofPlatform().start(() -> {
                            try {
                                begin.await();
                            } catch (InterruptedException e) {
                                return;
                            }
                            for (int piece = 0; piece < pieces; piece++) {
                                writer.message(writer == turn ? "t" : "s");
                            }
                        }));
                    }
                    begin.countDown();
                    for (Thread thread : speaking) {
                        thread.join();
                    }
                }),
                client());

        Session session = agent.newSession(HERE);
        session.prompt("go").result();

        assertThat(said(session, Entry.Message.Author.AGENT))
                .containsExactly(
                        "msg-1: In the background: " + "s".repeat(pieces),
                        "msg-2: " + "t".repeat((threads - 1) * pieces));
    }

    @Test
    void aLoadedSessionUsesNoIdOfItsFirstLife() throws Exception {
        SessionId id = SessionId.of("kept");
        Agent.Builder agent = agent(turn -> turn.message("an answer"))
                .sessionIds(() -> id)
                .onLoadSession(loaded -> {
                    // What an agent keeps of a conversation may have the ids of then.
                    loaded.userMessage(ContentBlock.text("be"), MessageId.of("msg-1"));
                    loaded.userMessage(ContentBlock.text("fore"), MessageId.of("msg-1"));
                    loaded.message("answered before");
                });
        Session first = joined.join(agent, client()).newSession(HERE);
        first.prompt("go").result();
        first.detach();

        Session second = joined.join(agent, client()).loadSession(id, HERE);
        second.prompt("again").result();

        assertThat(said(first, Entry.Message.Author.AGENT)).containsExactly("msg-1: an answer");
        assertThat(messages(second))
                .extracting(Entry.Message::text)
                .containsExactly("before", "answered before", "again", "an answer");
        Set<MessageId> ids = new HashSet<>();
        for (Entry.Message message : messages(second)) {
            MessageId given = message.id();
            if (given != null) {
                assertThat(given.value()).matches("msg-1|msg-[0-9a-z]+-[12]");
                assertThat(ids.add(given)).isTrue();
            }
        }
        assertThat(ids).hasSize(3);
    }

    @Test
    void aPromptThatOthersWatchIsOneMessageWithAnId() throws Exception {
        SessionId id = SessionId.of("shared");
        Agent agent = agent(turn -> turn.message("an answer"))
                .sessionIds(() -> id)
                .onResumeSession(session -> {})
                .build();
        MemoryTransport.Pair one = MemoryTransport.pair();
        MemoryTransport.Pair two = MemoryTransport.pair();
        try (ConnectedClient servedOne = agent.connect(one.left());
                ConnectedClient servedTwo = agent.connect(two.left());
                ConnectedAgent prompting = client().connect(one.right());
                ConnectedAgent watching = client().connect(two.right())) {
            assertThat(List.of(servedOne, servedTwo)).allMatch(ConnectedClient::isOpen);
            Session session = prompting.newSession(HERE);
            Session watched = watching.resumeSession(id, HERE);

            Turn turn = session.prompt(List.of(ContentBlock.text("two "), ContentBlock.text("blocks")));
            assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
            Timeline timeline = watched.view().timeline();
            for (long seen = timeline.revision(); timeline.entries().size() < 2; seen = timeline.revision()) {
                assertThat(timeline.awaitChange(seen, Duration.ofSeconds(30))).isTrue();
            }

            assertThat(said(watched, Entry.Message.Author.USER)).containsExactly("msg-1: two blocks");
            assertThat(said(watched, Entry.Message.Author.AGENT)).containsExactly("msg-2: an answer");
        }
    }
}
