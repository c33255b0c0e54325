package dev.acp4j;

import dev.acp4j.schema.WriteTextFileRequest;

/** Writes a text file for an agent. The path is the agent's word: check it. */
@FunctionalInterface
public interface WriteTextFileHandler {
    /**
     * Writes the text.
     *
     * @param session the session that asks
     * @param request the file and its whole new text
     * @throws Exception to refuse: a {@link dev.acp4j.rpc.RpcError} reaches the agent as it is, anything else as
     *     internal error
     */
    void write(Session session, WriteTextFileRequest request) throws Exception;
}
