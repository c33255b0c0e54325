package dev.acp4j.mcp;

import dev.acp4j.Stdio;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server with a tool whose arguments may be absent, in a program that may run without the class of the annotation.
 */
final class OptionalArgumentsProgram {
    record Inner(long id, @Nullable String note) {}

    record Search(
            String words,
            @Nullable Integer most,
            List<@Nullable String> folders,
            @Nullable Inner inner) {}

    private OptionalArgumentsProgram() {}

    public static void main(String[] args) throws InterruptedException {
        boolean isThere = true;
        try {
            Class<?> unused = Class.forName("org.jspecify.annotations.Nullable");
        } catch (ClassNotFoundException e) {
            isThere = false;
        }
        ToolServer.builder("search", isThere ? "with" : "without")
                .tool(
                        "search",
                        "Searches",
                        Search.class,
                        (search, call) -> search.words() + " " + search.most() + " " + search.inner())
                .build()
                .serve(Stdio.system());
    }
}
