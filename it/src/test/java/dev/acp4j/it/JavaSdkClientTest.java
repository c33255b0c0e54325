package dev.acp4j.it;

/** A client of the official Java SDK drives our agent. */
class JavaSdkClientTest extends SdkClientContract {
    @Override
    String client() {
        return "dev.acp4j.it.sdk.JavaSdkClient";
    }
}
