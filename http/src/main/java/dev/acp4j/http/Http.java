package dev.acp4j.http;

import dev.acp4j.schema.Unstable;

/** ACP over HTTP: where a server listens, and where a client connects. */
@Unstable
public final class Http {
    private Http() {}
}
