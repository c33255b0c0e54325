/**
 * Language servers for agents. {@link dev.acp4j.lsp.LanguageTools} is a proxy with four tools, {@code diagnostics},
 * {@code definition}, {@code references} and {@code symbols}, whose answers come from the
 * {@linkplain dev.acp4j.lsp.LanguageServer language servers} that a user has configured.
 *
 * @see <a href="https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/">Language
 *     Server Protocol</a>
 */
@NullMarked
package dev.acp4j.lsp;

import org.jspecify.annotations.NullMarked;
