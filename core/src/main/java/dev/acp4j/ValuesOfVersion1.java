package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.ElicitationPropertySchema;
import dev.acp4j.schema.ElicitationSchema;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.StringFormat;
import dev.acp4j.schema.StringPropertySchema;
import dev.acp4j.schema.StringValue;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolCallUpdateBuilder;
import dev.acp4j.schema.ToolKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Values as version 1 has them. It closes sets of strings that version 2 leaves open, and a client may refuse a message
 * with any other. So each becomes the value of version 1 that says most nearly the same; the original is in the
 * {@code _meta} of what is sent whole. In a change of a tool call it is not, because a client of version 1 takes the
 * {@code _meta} of a change for all of it.
 */
final class ValuesOfVersion1 {
    private static final String KIND = "dev.acp4j/kind";
    private static final String STATUS = "dev.acp4j/status";
    private static final String PRIORITY = "dev.acp4j/priority";
    private static final String STOP_REASON = "dev.acp4j/stopReason";

    private ValuesOfVersion1() {}

    // ---- tool calls

    static ToolCall plain(ToolCall call) {
        ToolCallStatus status = plain(call.status());
        ToolKind kind = plain(call.kind());
        if (status.equals(call.status()) && kind.equals(call.kind()) && !hasChanges(call.content())) {
            return call;
        }
        Meta meta = kept(call.meta(), KIND, call.kind(), kind);
        return call.toBuilder()
                .kind(kind)
                .status(status)
                .content(plainContent(call.content()))
                .meta(kept(meta, STATUS, call.status(), status))
                .build();
    }

    static ToolCallUpdate plain(ToolCallUpdate change) {
        List<ToolCallContent> content = change.content().applyTo(null);
        ToolCallStatus status = change.status().applyTo(null);
        ToolKind kind = change.kind().applyTo(null);
        boolean isOther = !change.capabilities().isKeep()
                || (status != null && !plain(status).equals(status))
                || (kind != null && !plain(kind).equals(kind))
                || (content != null && hasChanges(content));
        if (!isOther) {
            return change;
        }
        ToolCallUpdateBuilder plain = change.toBuilder().capabilities(Change.keep());
        if (status != null) {
            plain.status(plain(status));
        }
        if (kind != null) {
            plain.kind(plain(kind));
        }
        if (content != null) {
            plain.content(plainContent(content));
        }
        return plain.build();
    }

    /** A tool call of which it is not known that it has ended has not. */
    private static ToolCallStatus plain(ToolCallStatus status) {
        boolean isKnown = status.equals(ToolCallStatus.PENDING)
                || status.equals(ToolCallStatus.IN_PROGRESS)
                || status.equals(ToolCallStatus.COMPLETED)
                || status.equals(ToolCallStatus.FAILED);
        return isKnown
                ? status
                : status.equals(ToolCallStatus.CANCELLED) ? ToolCallStatus.FAILED : ToolCallStatus.IN_PROGRESS;
    }

    private static ToolKind plain(ToolKind kind) {
        return ToolKind.known().contains(kind) ? kind : ToolKind.OTHER;
    }

    private static List<ToolCallContent> plainContent(List<ToolCallContent> content) {
        List<ToolCallContent> shown = new ArrayList<>(content.size());
        for (ToolCallContent one : content) {
            if (one instanceof ToolCallContent.Changes changes) {
                shown.addAll(GitPatch.diffs(changes));
            } else {
                shown.add(one);
            }
        }
        return shown;
    }

    private static boolean hasChanges(List<ToolCallContent> content) {
        for (ToolCallContent one : content) {
            if (one instanceof ToolCallContent.Changes) {
                return true;
            }
        }
        return false;
    }

    // ---- plans

    /** Returns the same list when nothing is to be changed. */
    static List<PlanEntry> plain(List<PlanEntry> entries) {
        List<PlanEntry> plain = new ArrayList<>(entries.size());
        for (PlanEntry entry : entries) {
            plain.add(plain(entry));
        }
        return plain.equals(entries) ? entries : plain;
    }

    /** A cancelled task is done with, and says so. One of which it is not known that it has begun has not. */
    private static PlanEntry plain(PlanEntry entry) {
        boolean isCancelled = entry.status().equals(PlanEntryStatus.CANCELLED);
        PlanEntryStatus status = isCancelled
                ? PlanEntryStatus.COMPLETED
                : PlanEntryStatus.known().contains(entry.status()) ? entry.status() : PlanEntryStatus.PENDING;
        PlanEntryPriority priority =
                PlanEntryPriority.known().contains(entry.priority()) ? entry.priority() : PlanEntryPriority.MEDIUM;
        if (status.equals(entry.status()) && priority.equals(entry.priority())) {
            return entry;
        }
        Meta meta = kept(entry.meta(), STATUS, entry.status(), status);
        return new PlanEntry(
                        isCancelled ? entry.content() + " (cancelled)" : entry.content(),
                        priority,
                        status,
                        entry.rest())
                .withMeta(kept(meta, PRIORITY, entry.priority(), priority));
    }

    // ---- ends of turns

    /**
     * Returns why a turn has ended.
     *
     * @throws RpcError for an error of which no more is known: version 1 has errors as the answer
     */
    static StopReason plain(StopReason reason) {
        if (reason.equals(StopReason.ERROR)) {
            throw new RpcError(RpcError.INTERNAL_ERROR, "The turn has failed");
        }
        return StopReason.known().contains(reason) ? reason : StopReason.END_TURN;
    }

    /** Returns the extension data of the end of a turn. */
    static Meta meta(StopReason reason, Meta meta) {
        return kept(meta, STOP_REASON, reason, plain(reason));
    }

    // ---- questions

    /**
     * Returns the options of a question whose kinds version 1 has. Another kind may allow something or forbid it, and
     * whatever it became here, a client could choose it by itself, or on a key that means the opposite.
     *
     * @throws IllegalArgumentException when there is none
     */
    static List<PermissionOption> options(List<PermissionOption> options) {
        List<PermissionOption> known = new ArrayList<>(options.size());
        for (PermissionOption option : options) {
            if (PermissionOptionKind.known().contains(option.kind())) {
                known.add(option);
            }
        }
        if (known.isEmpty()) {
            throw new IllegalArgumentException("clients of version 1 know none of the options: " + options);
        }
        return known;
    }

    /** Returns a form without formats that version 1 does not have: they are hints. */
    static CreateElicitationRequest plain(CreateElicitationRequest asked) {
        if (!(asked instanceof CreateElicitationRequest.Form form)) {
            return asked;
        }
        ElicitationSchema schema = form.requestedSchema();
        Map<String, ElicitationPropertySchema> fields = new LinkedHashMap<>(schema.properties());
        fields.replaceAll((name, field) -> plain(field));
        return fields.equals(schema.properties())
                ? asked
                : form.toBuilder()
                        .requestedSchema(schema.toBuilder().properties(fields).build())
                        .build();
    }

    private static ElicitationPropertySchema plain(ElicitationPropertySchema field) {
        return field instanceof StringPropertySchema text
                        && text.format() != null
                        && !StringFormat.known().contains(text.format())
                ? text.toBuilder().format(null).build()
                : field;
    }

    private static Meta kept(Meta meta, String key, StringValue original, StringValue plain) {
        return original.equals(plain) ? meta : meta.with(key, RawJson.string(original.value()));
    }
}
