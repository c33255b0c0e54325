package dev.acp4j.http;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.TransportContract;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The contract of every transport, for those over HTTP: the left end is that of an agent behind our server, the right
 * one that of our client. It is not that of a client that writes, whose writer never blocks: what a client sends waits
 * for as long as its server is away.
 */
@ExtendWith(HttpTransportContract.NotOverHttp.class)
abstract class HttpTransportContract extends TransportContract {
    private static final int MESSAGE_BYTES = 16 * 1024 * 1024;

    /** What is otherwise over HTTP, and why. */
    static final class NotOverHttp implements ExecutionCondition {
        private static final Map<String, String> REASONS = Map.of(
                "endingOneDirectionKeepsTheOther",
                "an agent that has ended its writer ends the connection of its client",
                "EventsTransportTest.aWriterThatIsStuckDoesNotHoldUpItsReader",
                "what is read ahead, one message more and the buffers of the network take 32 MiB",
                "EventsTransportTest.closingOneEndIsTheEndOfTheStreamForTheOtherAfterWhatWasWritten",
                "a stream that ends says nothing: that its connection has ended is a 404 behind what was written");

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            String method = context.getTestMethod().map(Method::getName).orElse("");
            String reason = REASONS.getOrDefault(
                    method, REASONS.get(context.getRequiredTestClass().getSimpleName() + "." + method));
            return reason == null
                    ? ConditionEvaluationResult.enabled("as everywhere")
                    : ConditionEvaluationResult.disabled(reason);
        }
    }

    private @Nullable HandServer server;

    abstract RemoteAgent.Over over();

    @Override
    protected int largestMessage() {
        return MESSAGE_BYTES - WrappedTransport.BYTES_BESIDE;
    }

    @Override
    protected Ends open() throws Exception {
        ServerLimits limits =
                ServerLimits.STANDARD.withMessageBytes(MESSAGE_BYTES).withQueuedBytes(4 * 1024 * 1024);
        HandServer started = new HandServer(Http.on(0).limits(limits));
        server = started;
        String token = started.server.token().orElseThrow();
        Transport client = Http.to(started.server.uri())
                .over(over())
                .bearer(() -> token)
                .messageBytes(MESSAGE_BYTES)
                .recovers(false)
                .open();
        client.writer().write(Message.parse(RawClient.INITIALIZE));
        Message unused = Objects.requireNonNull(client.reader().read());
        return new Ends(new WrappedTransport(started.agent()), new WrappedTransport(client));
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }
}
