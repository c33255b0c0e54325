package dev.acp4j.it;

/** Our client drives an agent of the official Java SDK. */
class JavaSdkAgentTest extends SdkAgentContract {
    @Override
    String agent() {
        return "dev.acp4j.it.sdk.JavaSdkAgent";
    }
}
