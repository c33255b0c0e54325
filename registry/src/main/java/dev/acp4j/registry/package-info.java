/**
 * Agents by name, from the ACP registry or an index of one's own.
 *
 * <pre>{@code
 * try (var agent = Client.builder("ask", "1.0").connect(Agents.named("claude"))) { … }
 * }</pre>
 *
 * <ul>
 *   <li>{@link dev.acp4j.registry.Agents}: finds, installs and starts agents.
 *   <li>{@link dev.acp4j.registry.AgentEntry}: what an {@link dev.acp4j.registry.Index} says of one agent; its
 *       {@link dev.acp4j.registry.Distribution} says where the program is.
 *   <li>{@link dev.acp4j.registry.Pin}: the exact bytes that are wanted, in a {@link dev.acp4j.registry.LockFile}.
 *   <li>{@link dev.acp4j.registry.Installation}: what is on this machine.
 * </ul>
 *
 * <p>Nothing is installed or updated unless {@link dev.acp4j.registry.Agents#install} is called.
 */
@NullMarked
package dev.acp4j.registry;

import org.jspecify.annotations.NullMarked;
