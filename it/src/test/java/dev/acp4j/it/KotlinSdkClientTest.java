package dev.acp4j.it;

import org.junit.jupiter.api.Tag;

/** A client of the official Kotlin SDK drives our agent. */
@Tag("TST-08")
class KotlinSdkClientTest extends SdkClientContract {
    @Override
    String client() {
        return "dev.acp4j.it.sdk.KotlinSdkClient";
    }
}
