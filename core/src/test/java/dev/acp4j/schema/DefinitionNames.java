package dev.acp4j.schema;

import static java.util.Map.entry;

import dev.acp4j.rpc.RequestId;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Which definition of the schema is which type, where the two are not called the same. */
final class DefinitionNames {
    private static final String ENVELOPE = "JSON-RPC is read and written by dev.acp4j.rpc";
    private static final String EXTENSION = "any JSON: a RawJson, or a type of who extends the protocol";
    private static final String MERGED = "its members stand in each of the objects that include it";

    /** Definitions that no codec of their own stands for, and why. */
    static final Map<String, String> ELSEWHERE = Map.ofEntries(
            entry("AgentRequest", ENVELOPE),
            entry("AgentResponse", ENVELOPE),
            entry("AgentNotification", ENVELOPE),
            entry("ClientRequest", ENVELOPE),
            entry("ClientResponse", ENVELOPE),
            entry("ClientNotification", ENVELOPE),
            entry("Error", ENVELOPE),
            entry("ErrorCode", "a number in an error of JSON-RPC; its constants are compared below"),
            entry("ExtRequest", EXTENSION),
            entry("ExtResponse", EXTENSION),
            entry("ExtNotification", EXTENSION),
            entry("ProtocolVersion", "an int in the two messages that have it"),
            entry("ElicitationSessionScope", MERGED),
            entry("ElicitationRequestScope", MERGED),
            entry("ElicitationFormMode", MERGED),
            entry("ElicitationUrlMode", MERGED),
            entry("ElicitationAcceptAction", MERGED),
            entry("SessionConfigSelect", MERGED),
            entry("SessionConfigBoolean", MERGED));

    /** Definitions that are variants, and so are nested in their unions, and others that go by another name. */
    private static final Map<String, String> RENAMED = Map.ofEntries(
            entry("TextContent", "ContentBlock$Text"),
            entry("ImageContent", "ContentBlock$Image"),
            entry("AudioContent", "ContentBlock$Audio"),
            entry("ResourceLink", "ContentBlock$ResourceLink"),
            entry("EmbeddedResource", "ContentBlock$Resource"),
            entry("EmbeddedResourceResource", "ResourceContents"),
            entry("TextResourceContents", "ResourceContents$Text"),
            entry("BlobResourceContents", "ResourceContents$Blob"),
            entry("Content", "ToolCallContent$Content"),
            entry("Diff", "ToolCallContent$Diff"),
            entry("Terminal", "ToolCallContent$Terminal"),
            entry("StringMultiSelectItems", "MultiSelectItems$Plain"),
            entry("TitledMultiSelectItems", "MultiSelectItems$Titled"),
            entry("AuthMethodTerminal", "AuthMethod$Terminal"),
            entry("AuthMethodAgent", "AuthMethod$Agent"),
            entry("ContentChunk", "SessionUpdate$AgentMessageChunk"),
            entry("Plan", "SessionUpdate$Plan"),
            entry("AvailableCommandsUpdate", "SessionUpdate$AvailableCommandsUpdate"),
            entry("CurrentModeUpdate", "SessionUpdate$CurrentModeUpdate"),
            entry("ConfigOptionUpdate", "SessionUpdate$ConfigOptionUpdate"),
            entry("SessionInfoUpdate", "SessionUpdate$SessionInfoUpdate"),
            entry("UnstructuredCommandInput", "AvailableCommandInput$Unstructured"),
            entry("McpServerHttp", "McpServer$Http"),
            entry("McpServerSse", "McpServer$Sse"),
            entry("McpServerStdio", "McpServer$Stdio"),
            entry("SelectedPermissionOutcome", "RequestPermissionOutcome$Selected"));

    /** Records with a codec that are part of another's, which the schema has no name for. */
    static final Set<String> HAS_NO_DEFINITION = Set.of("SessionConfigOptionHead", "SetSessionConfigOptionMembers");

    private DefinitionNames() {}

    static boolean isElsewhere(String definition) {
        return ELSEWHERE.containsKey(definition);
    }

    /** Returns all definitions named here. */
    static Set<String> listed() {
        Set<String> names = new TreeSet<>(ELSEWHERE.keySet());
        names.addAll(RENAMED.keySet());
        return names;
    }

    static Class<?> type(String definition) {
        return definition.equals("RequestId")
                ? RequestId.class
                : ProtocolTypes.load(RENAMED.getOrDefault(definition, definition));
    }
}
