package dev.acp4j.examples;

import dev.acp4j.Client;
import dev.acp4j.nes.ContentChange;
import dev.acp4j.nes.NesSession;
import dev.acp4j.nes.PositionEncoding;
import dev.acp4j.nes.RejectReason;
import dev.acp4j.nes.Suggestion;
import dev.acp4j.nes.SuggestionKinds;
import dev.acp4j.nes.TextDocument;
import dev.acp4j.nes.TriggerKind;
import dev.acp4j.process.Launch;
import java.util.List;

/** An editor in which somebody changes a name, and accepts the suggestion to rename the rest. */
final class EditingSession {
    private static final String URI = "file:///project/Total.java";
    private static final String TEXT = """
            int sum(int a, int b) {
                return a + b;
            }

            int six = sum(2, 4);
            """;

    // recipe: editor
    static void edit(NesSession session) throws InterruptedException {
        var document = session.didOpen(URI, "java", 1, TEXT);
        int name = TEXT.indexOf("sum");
        var typed = ContentChange.of(document.range(name, name + 3), "total");
        document = session.didChange(URI, 2, List.of(typed));

        for (var suggestion : session.suggest(URI, document.position(name + 5), TriggerKind.AUTOMATIC)) {
            if (suggestion instanceof Suggestion.Rename rename) {
                document = renamed(session, document, rename);
                session.accept(rename.id());
            } else if (suggestion instanceof Suggestion.Edit edit) {
                session.reject(edit.id(), RejectReason.IGNORED);
            }
        }
        System.out.print(document.text());
        session.didSave(URI);
        session.didClose(URI);
    }

    /** Renames what has the old name, in this document only: an editor asks its language server. */
    private static TextDocument renamed(NesSession session, TextDocument document, Suggestion.Rename rename)
            throws InterruptedException {
        System.out.println("rename to " + rename.newName());
        int at = document.index(rename.position());
        var rest = ContentChange.of(document.range(at, at + 3), rename.newName());
        return session.didChange(URI, document.version() + 1, List.of(rest));
    }
    // end

    public static void main(String[] args) throws InterruptedException {
        var process = Launch.of(args[0], List.of(args).subList(1, args.length));
        // recipe: client
        var client = Client.builder("editing-session", "1.0");
        NesSession.advertise(client, SuggestionKinds.ALL, PositionEncoding.UTF_8, PositionEncoding.UTF_16);
        try (var agent = client.connect(process);
                var session = NesSession.start(agent)) {
            edit(session);
        }
        // end
    }
}
