package dev.acp4j;

/** Does the work of one prompt turn on the agent's side. */
@FunctionalInterface
public interface PromptHandler {
    /**
     * Answers a prompt. Runs on a thread of its own; turns of one session run one after another, sessions beside each
     * other. When the client cancels the turn, the thread is interrupted; whatever the handler then throws, the turn
     * ends with stop reason {@code cancelled}.
     *
     * @param turn what was asked, and the way to answer; returning ends the turn with {@code end_turn}, unless
     *     {@link AgentTurn#stop} said otherwise
     * @throws Exception to fail the request: a {@link dev.acp4j.rpc.RpcError} reaches the client as it is, anything
     *     else as internal error
     */
    void prompt(AgentTurn turn) throws Exception;
}
