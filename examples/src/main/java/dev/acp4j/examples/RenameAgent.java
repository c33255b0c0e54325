package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.nes.AgentNesSession;
import dev.acp4j.nes.DocumentEvent;
import dev.acp4j.nes.DocumentEvents;
import dev.acp4j.nes.NesAgent;
import dev.acp4j.nes.Position;
import dev.acp4j.nes.SuggestNesRequest;
import dev.acp4j.nes.Suggestion;
import dev.acp4j.nes.SuggestionId;
import dev.acp4j.nes.SyncKind;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An agent without chat sessions. When the user has changed a name in one place, it suggests to rename the symbol
 * everywhere.
 */
final class RenameAgent {
    /** A name that was changed, and where. */
    private record Changed(String before, Position at) {}

    private final ConcurrentHashMap<String, Changed> changes = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, String> before = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();

    // recipe: agent
    NesAgent.Builder suggestions() {
        return NesAgent.builder(this::suggest)
                .events(DocumentEvents.all(SyncKind.INCREMENTAL))
                .onEvent(this::remember);
    }

    /** Compares the words at the place of a change. */
    private void remember(AgentNesSession session, DocumentEvent event) {
        var document = session.document(event.uri()).orElse(null);
        if (document == null) {
            return;
        }
        var text = document.text();
        var old = before.put(event.uri(), text);
        if (event instanceof DocumentEvent.Changed changed && old != null) {
            var range = changed.contentChanges().getLast().range();
            if (range != null) {
                int at = document.index(range.start());
                var name = word(old, at);
                if (!name.isEmpty() && !name.equals(word(text, at)) && text.contains(name)) {
                    changes.put(event.uri(), new Changed(name, range.start()));
                }
            }
        }
    }

    private List<Suggestion> suggest(AgentNesSession session, SuggestNesRequest request) {
        var document = session.document(request.uri()).orElse(null);
        var changed = changes.remove(request.uri());
        if (document == null || changed == null) {
            return List.of();
        }
        var name = word(document.text(), document.index(changed.at()));
        var rest = document.position(document.text().indexOf(changed.before()));
        var id = SuggestionId.of("rename-" + ids.incrementAndGet());
        return List.of(Suggestion.Rename.of(id, request.uri(), rest, name));
    }
    // end

    /** Returns the name around a place. */
    private static String word(String text, int at) {
        int from = at;
        int to = at;
        while (from > 0 && Character.isJavaIdentifierPart(text.charAt(from - 1))) {
            from--;
        }
        while (to < text.length() && Character.isJavaIdentifierPart(text.charAt(to))) {
            to++;
        }
        return text.substring(from, to);
    }

    public static void main(String[] args) throws InterruptedException {
        new RenameAgent()
                .suggestions()
                .addTo(Agent.builder("rename", "1.0").title("Renames"))
                .serve(Stdio.system());
    }
}
