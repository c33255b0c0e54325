package dev.acp4j.examples;

import dev.acp4j.Stdio;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.schema.ContentBlock;

/** The smallest proxy: adds a sentence to each prompt. */
final class BriefProxy {
    static final Proxy BRIEF = Proxy.builder("brief", "1.0")
            .onPrompt((prompt, hop) -> hop.forward(prompt.append(ContentBlock.text("Be brief."))))
            .build();

    public static void main(String[] args) throws InterruptedException {
        BRIEF.serve(Stdio.system());
    }
}
