package dev.acp4j;

import dev.acp4j.schema.Meta;
import dev.acp4j.schema.StopReason;

/**
 * How a turn ended.
 *
 * @param stopReason why the agent stopped
 * @param meta the agent's extension data
 */
public record TurnResult(StopReason stopReason, Meta meta) {}
