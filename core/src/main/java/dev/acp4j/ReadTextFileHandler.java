package dev.acp4j;

import dev.acp4j.schema.ReadTextFileRequest;

/** Reads a text file for an agent. The path is the agent's word: check it. */
@FunctionalInterface
public interface ReadTextFileHandler {
    /**
     * Returns the text.
     *
     * @param session the session that asks
     * @param request the file, and perhaps which lines of it
     * @throws Exception to refuse: a {@link dev.acp4j.rpc.RpcError} reaches the agent as it is, anything else as
     *     internal error
     */
    String read(Session session, ReadTextFileRequest request) throws Exception;
}
