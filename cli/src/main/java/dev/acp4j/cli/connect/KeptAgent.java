package dev.acp4j.cli.connect;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.io.IOException;

/**
 * An agent that goes on when the editor has gone: the requests that nobody waits for any more are not cancelled, and
 * the agent's own requests stay open for the next client, instead of an error in the name of the editor.
 */
final class KeptAgent implements Transport {
    private final Transport agent;
    private final Transport.Writer writer;

    KeptAgent(Transport agent, Editor editor) {
        this.agent = agent;
        this.writer = new Transport.Writer() {
            @Override
            public void write(Message message) throws IOException {
                boolean isCancellation = message.kind() == Message.Kind.NOTIFICATION
                        && message.method().equals("$/cancel_request");
                boolean isOfEditor = isCancellation || message.kind().isResponse();
                if (!isOfEditor || !editor.hasLeft()) {
                    agent.writer().write(message);
                }
            }

            @Override
            public void flush() throws IOException {
                agent.writer().flush();
            }

            @Override
            public void close() throws IOException {
                agent.writer().close();
            }
        };
    }

    @Override
    public Transport.Reader reader() {
        return agent.reader();
    }

    @Override
    public Transport.Writer writer() {
        return writer;
    }

    @Override
    public boolean holdsCarrier() {
        return agent.holdsCarrier();
    }

    @Override
    public IOException explain(IOException failure) {
        return agent.explain(failure);
    }

    @Override
    public void close() {
        agent.close();
    }
}
