/**
 * Ready-made proxies, each a static factory or a builder that returns a {@link dev.acp4j.proxy.Proxy}: a
 * {@link dev.acp4j.proxies.MessageLog}, {@link dev.acp4j.proxies.SystemInstructions},
 * {@link dev.acp4j.proxies.ContextFiles}, a {@link dev.acp4j.proxies.ToolFilter},
 * {@link dev.acp4j.proxies.PermissionRules}, {@link dev.acp4j.proxies.AddedMcpServers}, a
 * {@link dev.acp4j.proxies.PathMapper}, {@link dev.acp4j.proxies.SecretPlaceholders}, {@link dev.acp4j.proxies.Budget},
 * {@link dev.acp4j.proxies.RecordedSessions}, a {@link dev.acp4j.proxies.Watchdog}, a
 * {@link dev.acp4j.proxies.PromptQueue}, {@link dev.acp4j.proxies.CommandFiles}, {@link dev.acp4j.proxies.SkillFiles}
 * and {@link dev.acp4j.proxies.Hooks}. They run in any of the places of a proxy, with both versions of the protocol,
 * and {@code acp proxy} serves them as programs.
 */
@NullMarked
package dev.acp4j.proxies;

import org.jspecify.annotations.NullMarked;
