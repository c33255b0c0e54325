package dev.acp4j;

import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentCapabilitiesV2;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionCapabilitiesV2;
import dev.acp4j.schema.SessionId;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * Sessions and turns of a client, in both versions of the protocol, each touched by two threads at the same moment on
 * real processors.
 */
public final class SessionStress {
    private static final SessionId ID = SessionId.of("s");
    private static final SessionSetup SETUP = SessionSetup.in(Path.of("/"));
    private static final ClientDialect.Opened OPENED =
            new ClientDialect.Opened(ID, null, null, List.of(), List.of(), Meta.EMPTY);

    private static final ClientDialect SECOND = new ClientDialectV2(InitializeResponse.builder(2)
            .info(Implementation.builder("agent", "1").build())
            .capabilities(AgentCapabilitiesV2.builder()
                    .session(SessionCapabilitiesV2.builder().build())
                    .build())
            .build());

    private static final Connection CONNECTION = Connection.builder(
                    MemoryTransport.pair().left(), new Handler() {
                        @Override
                        public Acceptance request(IncomingRequest request) {
                            throw RpcError.methodNotFound(request.method());
                        }

                        @Override
                        public @Nullable Delivery notification(Message message) {
                            return null;
                        }
                    })
            .start();

    private SessionStress() {}

    /** Returns an agent of either version: the next state has perhaps the other, so that both take no more time. */
    private static ConnectedAgent agent() {
        ConnectedAgent agent = new ConnectedAgent(Client.builder("stress", "1"), new Failures("the agent"));
        agent.joined(CONNECTION);
        agent.bind(ThreadLocalRandom.current().nextBoolean() ? SECOND : ClientDialectV1.UNKNOWN, null);
        return agent;
    }

    /** The session opens when its caller has just given up: nobody else knows of it, so it must not stay open. */
    @State
    @JCStressTest
    @Outcome(id = "false", expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "a session stays that nobody has")
    public static class OpeningMeetsGivingUp {
        private final ConnectedAgent agent = agent();
        private final NewSession session = new NewSession(agent, SETUP);

        @Actor
        public void lane() {
            Handler.Delivery left = session.opened(OPENED);
            if (left != null) {
                try {
                    left.deliver();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        @Actor
        public void caller() {
            session.giveUp();
        }

        @Arbiter
        public void known(Z_Result result) {
            result.r1 = agent.session(ID).isOpened();
        }
    }

    /** Two open a session under one id: one has it. */
    @State
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = Expect.ACCEPTABLE)
    @Outcome(expect = Expect.FORBIDDEN, desc = "both have it, or nobody")
    public static class OneClaims {
        private final ConnectedAgent agent = agent();

        @Actor
        public void one(ZZ_Result result) {
            result.r1 = agent.session(ID).claim(SETUP);
        }

        @Actor
        public void other(ZZ_Result result) {
            result.r2 = agent.session(ID).claim(SETUP);
        }
    }

    /** Whoever sends the prompt looks without a lock whether it was cancelled meanwhile. */
    @State
    @JCStressTest(Mode.Termination)
    @Outcome(id = "TERMINATED", expect = Expect.ACCEPTABLE)
    @Outcome(id = "STALE", expect = Expect.FORBIDDEN, desc = "the cancellation is never seen")
    public static class CancellationOfTurnIsSeen {
        private final Turn turn = new Turn(new Session(agent(), ID), List.of(ContentBlock.text("hello")), Meta.EMPTY);

        @Actor
        public void sender() {
            while (!turn.isCancelled()) {
                // looks
            }
        }

        @Signal
        public void user() {
            turn.cancel();
        }
    }
}
