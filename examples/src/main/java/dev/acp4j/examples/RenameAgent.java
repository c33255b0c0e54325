package dev.acp4j.examples;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.nes.AgentNesSession;
import dev.acp4j.nes.DocumentEvent;
import dev.acp4j.nes.DocumentEvents;
import dev.acp4j.nes.NesAgent;
import dev.acp4j.nes.SuggestNesRequest;
import dev.acp4j.nes.Suggestion;
import dev.acp4j.nes.SuggestionId;
import dev.acp4j.nes.SyncKind;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An agent without chat sessions. When a name was changed in one place, it suggests to rename the symbol everywhere.
 */
final class RenameAgent {
    /** The text of each document when it was opened, by session and URI. */
    private final ConcurrentHashMap<List<?>, String> originals = new ConcurrentHashMap<>();

    private final AtomicInteger ids = new AtomicInteger();

    // recipe: agent
    NesAgent.Builder suggestions() {
        return NesAgent.builder(this::suggest)
                .events(DocumentEvents.all(SyncKind.INCREMENTAL))
                .onEvent(this::remember);
    }

    private void remember(AgentNesSession session, DocumentEvent event) {
        var document = List.of(session.id(), event.uri());
        if (event instanceof DocumentEvent.Opened opened) {
            originals.put(document, opened.text());
        } else if (event instanceof DocumentEvent.Closed) {
            originals.remove(document);
        }
    }

    /** Compares the name at the cursor with the one that was there, and looks for places that still have that. */
    private List<Suggestion> suggest(AgentNesSession session, SuggestNesRequest request) {
        var document = session.document(request.uri()).orElseThrow();
        var original = originals.getOrDefault(List.of(session.id(), request.uri()), "");
        var text = document.text();
        int at = beginOfName(text, document.index(request.position()));
        var newName = name(text, at);
        var oldName = name(original, at);
        int rest = text.indexOf(oldName);
        if (oldName.isEmpty() || newName.isEmpty() || newName.equals(oldName) || rest < 0) {
            return List.of();
        }
        var id = SuggestionId.of("rename-" + ids.incrementAndGet());
        return List.of(Suggestion.Rename.of(id, request.uri(), document.position(rest), newName));
    }
    // end

    private static int beginOfName(String text, int at) {
        int begin = at;
        while (begin > 0 && Character.isJavaIdentifierPart(text.charAt(begin - 1))) {
            begin--;
        }
        return begin;
    }

    private static String name(String text, int begin) {
        int end = begin;
        while (end < text.length() && Character.isJavaIdentifierPart(text.charAt(end))) {
            end++;
        }
        return begin > text.length() ? "" : text.substring(begin, end);
    }

    public static void main(String[] args) throws InterruptedException {
        new RenameAgent()
                .suggestions()
                .addTo(Agent.builder("rename", "1.0").title("Renames"))
                .serve(Stdio.system());
    }
}
