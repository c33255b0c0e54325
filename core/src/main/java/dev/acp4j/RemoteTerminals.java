package dev.acp4j;

import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.Meta;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The client's terminals: commands run there are seen by the user as they go. Those of a turn can be used until it
 * ends; later that throws {@link IllegalStateException}.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals">Terminals</a>
 */
public final class RemoteTerminals {
    private final SessionWriter writer;
    private final ConnectedClient client;
    private final Meta meta;

    RemoteTerminals(SessionWriter writer, ConnectedClient client, Meta meta) {
        this.writer = writer;
        this.client = client;
        this.meta = meta;
    }

    /** Returns the same terminals, whose requests carry this {@code _meta}; also those of terminals started by it. */
    public RemoteTerminals withMeta(Meta data) {
        return new RemoteTerminals(writer, client, writer.traced(data));
    }

    /** Returns whether the client offers terminals. */
    public boolean isOffered() {
        return client.supports(Feature.TERMINALS);
    }

    /**
     * Starts a command.
     *
     * @param cwd the folder to run in, absolute
     * @param command the program; no shell is involved
     * @param args its arguments
     * @return the terminal; close it to free it
     * @throws UnsupportedException when the client does not offer terminals
     * @throws InterruptedException when the turn is cancelled, or ends first
     * @throws dev.acp4j.rpc.RpcError when the client refuses
     */
    public RemoteTerminal start(Path cwd, String command, List<String> args) throws InterruptedException {
        return start(CreateTerminalRequest.builder(writer.sessionId(), command)
                .args(args)
                .cwd(RemoteFiles.absolute(cwd))
                .meta(meta)
                .build());
    }

    /**
     * Starts a command.
     *
     * @param request the command, with its own {@code _meta}
     * @return the terminal; close it to free it
     * @throws UnsupportedException when the client does not offer terminals
     * @throws InterruptedException when the turn is cancelled, or ends first; if the client starts the command all the
     *     same, its terminal is released
     * @throws dev.acp4j.rpc.RpcError when the client refuses
     */
    public RemoteTerminal start(CreateTerminalRequest request) throws InterruptedException {
        client.require(true, Feature.TERMINALS);
        CreateTerminalRequest sent =
                request.toBuilder().meta(writer.traced(request.meta())).build();
        return writer.await(() -> create(sent));
    }

    private RemoteTerminal create(CreateTerminalRequest request) throws InterruptedException {
        // Set by the first of two: the answer, and a caller that stops waiting. The second one releases the terminal.
        AtomicBoolean settled = new AtomicBoolean();
        Call call = client.rpc()
                .start(
                        ClientMethods.CREATE_TERMINAL.name(),
                        request,
                        ClientMethods.CREATE_TERMINAL.params(),
                        answered -> () -> releaseUnless(settled.compareAndSet(false, true), answered));
        try {
            call.await();
        } catch (InterruptedException | RequestTimeoutException e) {
            releaseUnless(settled.compareAndSet(false, true), call);
            throw e;
        }
        return created(call);
    }

    private RemoteTerminal created(Call call) {
        return new RemoteTerminal(
                writer,
                client,
                call.result(ClientMethods.CREATE_TERMINAL.result()).terminalId(),
                meta);
    }

    private void releaseUnless(boolean first, Call answered) {
        if (first) {
            return;
        }
        try {
            created(answered).close();
        } catch (RpcException e) {
            // The client started nothing.
        }
    }
}
