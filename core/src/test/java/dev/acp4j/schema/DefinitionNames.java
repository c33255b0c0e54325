package dev.acp4j.schema;

import static java.util.Map.entry;

import dev.acp4j.rpc.RequestId;
import java.util.Map;
import java.util.Optional;
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
            entry("ProxyRequest", ENVELOPE),
            entry("ProxyResponse", ENVELOPE),
            entry("ProxyNotification", ENVELOPE),
            entry("ProxySuccessorResponse", "any JSON: the result of the message that was carried"),
            entry("ErrorStopReason", MERGED),
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
            entry("SelectedPermissionOutcome", "RequestPermissionOutcome$Selected"),
            entry("PlanUpdate", "SessionUpdate$PlanUpdate"),
            entry("PlanRemoved", "SessionUpdate$PlanRemoved"),
            entry("PlanItems", "PlanUpdateContent$Items"),
            entry("PlanFile", "PlanUpdateContent$File"),
            entry("PlanMarkdown", "PlanUpdateContent$Markdown"),
            entry("RunningStateUpdate", "StateUpdate$Running"),
            entry("IdleStateUpdate", "StateUpdate$Idle"),
            entry("RequiresActionStateUpdate", "StateUpdate$RequiresAction"),
            entry("UnknownStateUpdate", "StateUpdate$Undetermined"),
            entry("McpServerAcp", "McpServer$Acp"),
            entry("InitializeProxyRequest", "InitializeRequest"),
            entry("InitializeProxyResponse", "InitializeResponse"));

    /** Definitions of version 2 that no codec of their own stands for, and why. */
    private static final Map<String, String> ELSEWHERE_IN_V2 = Map.ofEntries(
            entry("AbsolutePath", "a string of a narrower kind"),
            entry("MediaType", "a string of a narrower kind"),
            entry("SessionListCursor", "a string of a narrower kind"),
            entry("ErrorData", "any JSON; the code of the error says which of the types below it is"),
            entry("Command", MERGED),
            entry("DiffPathChange", MERGED),
            entry("DiffPathPairChange", MERGED));

    /** Definitions of version 2 whose types are named otherwise than in version 1, or than the definition. */
    private static final Map<String, String> RENAMED_IN_V2 = Map.ofEntries(
            entry("UpdateSessionNotification", "SessionNotification"),
            entry("CancelSessionNotification", "CancelNotification"),
            entry("LoginAuthRequest", "AuthenticateRequest"),
            entry("LoginAuthResponse", "AuthenticateResponse"),
            entry("LogoutAuthRequest", "LogoutRequest"),
            entry("LogoutAuthResponse", "LogoutResponse"),
            entry("ReplayFromStart", "ReplayFrom$Start"),
            entry("ClientCapabilities", "ClientCapabilitiesV2"),
            entry("AgentCapabilities", "AgentCapabilitiesV2"),
            entry("SessionCapabilities", "SessionCapabilitiesV2"),
            entry("PromptCapabilities", "PromptCapabilitiesV2"),
            entry("McpCapabilities", "McpCapabilitiesV2"),
            entry("PromptResponse", "PromptResponseV2"),
            entry("RequestPermissionRequest", "RequestPermissionRequestV2"),
            entry("ToolCallPermissionSubject", "RequestPermissionSubject$ToolCall"),
            entry("CommandPermissionSubject", "RequestPermissionSubject$Command"),
            entry("CancelledPermissionOutcome", "RequestPermissionOutcome$Cancelled"),
            entry("Diff", "ToolCallContent$Changes"),
            entry("UserMessage", "SessionUpdate$UserMessage"),
            entry("AgentMessage", "SessionUpdate$AgentMessage"),
            entry("AgentThought", "SessionUpdate$AgentThought"),
            entry("ToolCallContentChunk", "SessionUpdate$ToolCallContentChunk"),
            entry("BackgroundSubagent", "BackgroundWork$Subagent"),
            entry("BackgroundTerminal", "BackgroundWork$Terminal"),
            entry("BackgroundToolCall", "BackgroundWork$ToolCall"),
            entry("TextCommandInput", "AvailableCommandInput$Unstructured"));

    /** Objects with the members of both versions, whose codec cannot insist on those of version 2. */
    static final Set<String> TOGETHER = Set.of("InitializeRequest", "InitializeProxyRequest");

    /** Unions of version 2 that are told apart by a string, and have one record here. */
    static final Set<String> OPEN = Set.of("AvailableCommand", "IdleStateUpdate", "SetSessionConfigOptionRequest");

    /**
     * Types with a codec that the schema has no name for: a part of another, a list, a string, an error in an object.
     */
    static final Set<String> HAS_NO_DEFINITION = Set.of(
            "SessionConfigOptionHead", "SetSessionConfigOptionMembers", "BackgroundList", "CommandType", "AgentError");

    private DefinitionNames() {}

    static boolean isElsewhere(String definition, Version version) {
        return reason(definition, version).isPresent();
    }

    /** Returns all definitions named here, which the schema of a version with its drafts must have. */
    static Set<String> listed(Version version) {
        if (version == Version.V2) {
            Set<String> names = new TreeSet<>(ELSEWHERE_IN_V2.keySet());
            names.addAll(RENAMED_IN_V2.keySet());
            return names;
        }
        Set<String> names = new TreeSet<>(ELSEWHERE.keySet());
        names.addAll(RENAMED.keySet());
        return names;
    }

    /** Returns why a definition has no type; empty when it has one, or is not listed. */
    static Optional<String> reason(String definition, Version version) {
        String reason = ELSEWHERE.get(definition);
        return Optional.ofNullable(reason == null && version == Version.V2 ? ELSEWHERE_IN_V2.get(definition) : reason);
    }

    /** Returns the name of the type of a definition, within its package; empty when it has none. */
    static Optional<String> name(String definition, Version version) {
        if (isElsewhere(definition, version)) {
            return Optional.empty();
        }
        String first = RENAMED.getOrDefault(definition, definition);
        String name = version == Version.V2 ? RENAMED_IN_V2.getOrDefault(definition, first) : first;
        return ProtocolTypes.exists(name) ? Optional.of(name) : Optional.empty();
    }

    static Class<?> type(String definition, Version version) {
        if (definition.equals("RequestId")) {
            return RequestId.class;
        }
        return ProtocolTypes.load(name(definition, version).orElse(definition));
    }
}
