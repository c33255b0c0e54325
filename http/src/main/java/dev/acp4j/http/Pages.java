package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * What a server answers beside its endpoint. Host and Origin were checked before; every answer gets headers that let a
 * page load and send nothing elsewhere.
 */
@Unstable
@FunctionalInterface
public interface Pages {
    /** A request for a page. What it shows of who sends it is not checked yet. */
    interface Request extends Credentials {
        /** Returns the method, such as {@code GET}. */
        String method();

        /** Returns the path. */
        String path();

        /** Returns the query; empty when there is none. */
        String query();

        /**
         * Returns who asks. Without a valid credential the request ends here, and is answered 401 or 403.
         *
         * @throws InterruptedException when interrupted while the credential is checked
         */
        Principal principal() throws InterruptedException;

        /**
         * Returns the body; larger ones are answered 413.
         *
         * @param limit the most bytes
         * @throws IOException when the client has left
         * @throws InterruptedException when interrupted while the credential is checked
         */
        default byte[] body(int limit) throws IOException, InterruptedException {
            return body(limit, principal());
        }

        /**
         * Returns the body of a request that the page has let in by something else than a credential of the server,
         * such as the secret of a link; larger ones are answered 413.
         *
         * @param limit the most bytes
         * @param owner whose share of the memory for bodies it uses
         * @throws IOException when the client has left
         * @throws InterruptedException when interrupted while it is read
         */
        byte[] body(int limit, Principal owner) throws IOException, InterruptedException;
    }

    /**
     * An answer.
     *
     * @param status the status
     * @param type the type of the content
     * @param headers further headers
     * @param content the content, sent as UTF-8
     */
    record Page(int status, String type, Map<String, String> headers, String content) {
        public Page {
            headers = Map.copyOf(headers);
        }

        /** Returns a page without further headers. */
        public static Page of(int status, String type, String text) {
            return new Page(status, type, Map.of(), text);
        }
    }

    /**
     * Answers a request, or not: then it is 404. May block, on a virtual thread.
     *
     * @throws IOException when the client has left
     */
    Optional<Page> answer(Request request) throws IOException, InterruptedException;
}
