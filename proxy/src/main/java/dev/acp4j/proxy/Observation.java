package dev.acp4j.proxy;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.Unstable;
import org.jspecify.annotations.Nullable;

/**
 * A message as it passes a proxy: a request, a notification or an answer.
 *
 * @param to the side to which it goes; never {@link Method.Side#BOTH}
 * @param method its method; of an answer, that of its request
 * @param request the id of the request, or of that which is answered, as its sender has chosen it; null for a
 *     notification
 * @param message the message, as it is where the observer stands; ids in it may be those of another hop
 * @param dropped how many messages before it the observer did not get, because its queue was full
 */
@Unstable
public record Observation(
        Method.Side to, String method, @Nullable RequestId request, Message message, long dropped) {}
