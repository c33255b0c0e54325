package dev.acp4j;

import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.TerminalOutputChunk;
import dev.acp4j.schema.TerminalUpdate;
import dev.acp4j.schema.TerminalUpdateBuilder;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which terminals clients of version 2 know of those that a program speaks of as agents of version 1 do, in the
 * {@code _meta} of tool calls. Not for several threads at once.
 */
final class SentInVersion2 {
    private static final int MOST_TERMINALS = 10_000;

    private final LinkedHashSet<TerminalId> known = new LinkedHashSet<>();

    /** Returns what clients of version 2 get of a tool call, or a change of one, that speaks of a terminal. */
    List<SessionUpdate> send(SessionUpdate update, VendorDialect.TerminalChange change) {
        List<SessionUpdate> sent = new ArrayList<>(4);
        TerminalId id = change.id();
        boolean isNew = known.add(id);
        if (known.size() > MOST_TERMINALS) {
            known.removeFirst();
        }
        if (isNew || change.cwd() != null) {
            TerminalUpdateBuilder begins = TerminalUpdate.builder(id);
            if (change.cwd() != null) {
                begins.cwd(change.cwd());
            }
            sent.add(begins.build());
        }
        ToolCallId call;
        List<ToolCallContent> content;
        if (update instanceof ToolCall announced) {
            call = announced.toolCallId();
            content = announced.content();
            sent.add(announced.toBuilder()
                    .meta(VendorDialect.withoutTerminal(announced.meta()))
                    .build());
        } else {
            ToolCallUpdate plain = plain((ToolCallUpdate) update);
            call = plain.toolCallId();
            content = plain.content().applyTo(null);
            if (!plain.equals(ToolCallUpdate.builder(call).build())) {
                sent.add(plain);
            }
        }
        if (isNew && !shows(content, id)) {
            // Some agents of version 1 name the terminal of a command nowhere else.
            sent.add(SessionUpdate.ToolCallContentChunk.of(call, ToolCallContent.terminal(id)));
        }
        if (!change.output().isEmpty()) {
            sent.add(TerminalOutputChunk.of(id, change.output().getBytes(StandardCharsets.UTF_8)));
        }
        if (change.exitStatus() != null) {
            sent.add(TerminalUpdate.builder(id).exitStatus(change.exitStatus()).build());
        }
        return sent;
    }

    private static ToolCallUpdate plain(ToolCallUpdate change) {
        Meta meta = VendorDialect.withoutTerminal(change.meta());
        return change.toBuilder().meta(meta).build();
    }

    private static boolean shows(@Nullable List<ToolCallContent> content, TerminalId id) {
        return content != null && content.contains(ToolCallContent.terminal(id));
    }
}
