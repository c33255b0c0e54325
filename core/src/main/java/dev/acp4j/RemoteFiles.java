package dev.acp4j;

import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.ReadTextFileRequest;
import dev.acp4j.schema.ReadTextFileRequestBuilder;
import dev.acp4j.schema.WriteTextFileRequest;
import java.nio.file.Path;

/**
 * The client's files: what the user sees in the editor, unsaved changes included. Those of a turn can be read and
 * written until it ends; later that throws {@link IllegalStateException}.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/file-system">File system</a>
 */
public final class RemoteFiles {
    private final SessionWriter writer;
    private final ConnectedClient client;
    private final Meta meta;

    RemoteFiles(SessionWriter writer, ConnectedClient client, Meta meta) {
        this.writer = writer;
        this.client = client;
        this.meta = meta;
    }

    /** Returns the same files, whose requests carry this {@code _meta}. */
    public RemoteFiles withMeta(Meta data) {
        return new RemoteFiles(writer, client, writer.traced(data));
    }

    /** Returns whether the client lets the agent read files. */
    public boolean canRead() {
        return client.supports(Feature.READ_FILES);
    }

    /** Returns whether the client lets the agent write files. */
    public boolean canWrite() {
        return client.supports(Feature.WRITE_FILES);
    }

    /**
     * Reads a text file.
     *
     * @param path the file, absolute
     * @throws UnsupportedException when the client does not offer reading
     * @throws InterruptedException when the turn is cancelled, or ends first
     * @throws dev.acp4j.rpc.RpcError when the client refuses, or there is no such file
     */
    public String readText(Path path) throws InterruptedException {
        return read(ReadTextFileRequest.builder(writer.sessionId(), absolute(path)));
    }

    /**
     * Reads some lines of a text file.
     *
     * @param path the file, absolute
     * @param line the first line, counted from 1
     * @param limit how many lines at most, not negative
     * @throws UnsupportedException when the client does not offer reading
     * @throws InterruptedException when the turn is cancelled, or ends first
     * @throws dev.acp4j.rpc.RpcError when the client refuses, or there is no such file
     */
    public String readText(Path path, int line, int limit) throws InterruptedException {
        if (line < 1 || limit < 0) {
            throw new IllegalArgumentException("no lines: " + limit + " from line " + line + ", counted from 1");
        }
        return read(ReadTextFileRequest.builder(writer.sessionId(), absolute(path))
                .line((long) line)
                .limit((long) limit));
    }

    private String read(ReadTextFileRequestBuilder request) throws InterruptedException {
        client.require(true, Feature.READ_FILES);
        return writer.await(() -> client.call(
                        ClientMethods.READ_TEXT_FILE, request.meta(meta).build()))
                .content();
    }

    /**
     * Writes a text file, creating it when it does not exist.
     *
     * @param path the file, absolute
     * @param content its whole new text
     * @throws UnsupportedException when the client does not offer writing
     * @throws InterruptedException when the turn is cancelled, or ends first
     * @throws dev.acp4j.rpc.RpcError when the client refuses
     */
    public void writeText(Path path, String content) throws InterruptedException {
        client.require(true, Feature.WRITE_FILES);
        WriteTextFileRequest request = WriteTextFileRequest.of(writer.sessionId(), absolute(path), content)
                .withMeta(meta);
        writer.await(() -> client.call(ClientMethods.WRITE_TEXT_FILE, request));
    }

    /** Refuses a relative path: the working directory of this program means nothing on the client's side. */
    static String absolute(Path path) {
        if (!path.isAbsolute()) {
            throw new IllegalArgumentException("expected an absolute path, got " + path);
        }
        return path.toString();
    }
}
