package dev.acp4j.nes;

import dev.acp4j.schema.Method;
import dev.acp4j.schema.Unstable;

/**
 * The methods of next edit suggestions, all of which an agent handles. {@link NesSession} and {@link NesAgent} use
 * them; a program can call and handle them by itself, too.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Unstable
public final class NesMethods {
    /** Starts a session of suggestions. */
    public static final Method<StartNesRequest, StartNesResponse> START = Method.request(
            "nes/start", Method.Side.AGENT, version -> StartNesRequestCodec.INSTANCE, Codecs::startNesResponse);

    /** Asks for suggestions. */
    public static final Method<SuggestNesRequest, SuggestNesResponse> SUGGEST = Method.request(
            "nes/suggest", Method.Side.AGENT, SuggestNesRequestCodec.INSTANCE, SuggestNesResponseCodec.INSTANCE);

    /** Reports that a suggestion was accepted. */
    public static final Method<AcceptNesNotification, Void> ACCEPT =
            Method.notification("nes/accept", Method.Side.AGENT, AcceptNesNotificationCodec.INSTANCE);

    /** Reports that a suggestion was not accepted. */
    public static final Method<RejectNesNotification, Void> REJECT =
            Method.notification("nes/reject", Method.Side.AGENT, RejectNesNotificationCodec.INSTANCE);

    /** Closes a session of suggestions. */
    public static final Method<CloseNesRequest, CloseNesResponse> CLOSE = Method.request(
            "nes/close", Method.Side.AGENT, CloseNesRequestCodec.INSTANCE, EmptyObjectCodec.CLOSE_NES_RESPONSE);

    /** Reports that a document was opened. */
    public static final Method<DocumentEvent.Opened, Void> DID_OPEN =
            Method.notification("document/didOpen", Method.Side.AGENT, DocumentEventOpenedCodec.INSTANCE);

    /** Reports that a document was changed. */
    public static final Method<DocumentEvent.Changed, Void> DID_CHANGE =
            Method.notification("document/didChange", Method.Side.AGENT, DocumentEventChangedCodec.INSTANCE);

    /** Reports that a document was closed. */
    public static final Method<DocumentEvent.Closed, Void> DID_CLOSE =
            Method.notification("document/didClose", Method.Side.AGENT, DocumentEventClosedCodec.INSTANCE);

    /** Reports that a document was saved. */
    public static final Method<DocumentEvent.Saved, Void> DID_SAVE =
            Method.notification("document/didSave", Method.Side.AGENT, DocumentEventSavedCodec.INSTANCE);

    /** Reports that the user switched to a document. */
    public static final Method<DocumentEvent.Focused, Void> DID_FOCUS =
            Method.notification("document/didFocus", Method.Side.AGENT, DocumentEventFocusedCodec.INSTANCE);

    private NesMethods() {}
}
