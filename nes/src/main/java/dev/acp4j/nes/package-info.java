/**
 * Next edit suggestions, a draft of the protocol: an agent predicts what the user will change next, while the user
 * types. It is opt-in, and independent of chat sessions.
 *
 * <p>{@link dev.acp4j.nes.NesAgent} adds suggestions to an agent, which may have no chat sessions at all.
 * {@link dev.acp4j.nes.NesSession} is an editor's session with such an agent. {@link dev.acp4j.nes.Suggestion} is what
 * is suggested, {@link dev.acp4j.nes.DocumentEvent} what the editor reports, and {@link dev.acp4j.nes.TextDocument} a
 * document with positions in any encoding.
 *
 * <p>Everything here is {@link dev.acp4j.schema.Unstable}: the draft is in no schema of the protocol.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@NullMarked
@CodecsClass
package dev.acp4j.nes;

import dev.acp4j.schema.codec.CodecsClass;
import org.jspecify.annotations.NullMarked;
