package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Turn;
import dev.acp4j.rpc.RpcError;
import org.junit.jupiter.api.Tag;

/** Our client drives an agent of the official Kotlin SDK. */
@Tag("TST-08")
class KotlinSdkAgentTest extends SdkAgentContract {
    @Override
    String agent() {
        return "dev.acp4j.it.sdk.KotlinSdkAgent";
    }

    /** The SDK cancels the coroutine of the prompt. If that is faster than the agent, the answer is an error. */
    @Override
    void assertCancelled(Turn turn) throws InterruptedException {
        try {
            super.assertCancelled(turn);
        } catch (RpcError e) {
            assertThat(e.code()).isEqualTo(RpcError.REQUEST_CANCELLED);
        }
    }
}
