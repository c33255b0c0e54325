/**
 * JSON-RPC 2.0 over any transport; it knows nothing of ACP. Most programs meet five of its types:
 *
 * <ul>
 *   <li>{@link dev.acp4j.rpc.RpcException}: what a call throws. {@link dev.acp4j.rpc.ConnectionClosedException} is the
 *       end of the connection, {@link dev.acp4j.rpc.RequestTimeoutException} a timeout.
 *   <li>{@link dev.acp4j.rpc.RpcError}: the error that answers a request. A handler throws it, and so does the call of
 *       the other side.
 *   <li>{@link dev.acp4j.rpc.Limits}: the largest message, the length of queues, the number of requests in flight,
 *       timeouts. A full queue applies back-pressure.
 *   <li>{@link dev.acp4j.rpc.Problem}: a fault that does not end the connection, such as a message that is not JSON.
 *   <li>{@link dev.acp4j.rpc.MemoryTransport}: two ends in one program, for tests.
 * </ul>
 *
 * <h2>Interceptors</h2>
 *
 * An {@link dev.acp4j.rpc.Interceptor} gets every {@link dev.acp4j.rpc.Message} of one direction, and passes it on,
 * changes it, answers it or drops it ({@code Interceptors} in {@code examples}):
 *
 * <pre>{@code
 * return (message, next) -> {
 *     System.out.println(direction + " " + message.kind() + " " + message.method());
 *     next.pass(message);
 * };
 * }</pre>
 *
 * <h2>Transports</h2>
 *
 * A {@link dev.acp4j.rpc.Transport} reads and writes messages. {@link dev.acp4j.rpc.StreamTransport} does so over two
 * streams, one message a line. A transport of your own implements a {@link dev.acp4j.rpc.Transport.Reader} and a
 * {@link dev.acp4j.rpc.Transport.Writer} ({@code SocketLines} in {@code examples}):
 *
 * <pre>{@code
 * String line = channel.isOpen() ? lines.readLine() : null;
 * return line == null ? null : Message.parse(line);
 * }</pre>
 *
 * <h2>Connections</h2>
 *
 * A {@link dev.acp4j.rpc.Connection} joins a transport and a {@link dev.acp4j.rpc.Handler}. Use it directly for a proxy
 * or for another protocol; {@link dev.acp4j.Peer#rpc()} returns the one under an agent or a client.
 *
 * <ul>
 *   <li><b>Ordering.</b> Messages of one session are handled in the order of the wire; sessions run beside each other.
 *       A caller gets its answer after everything before that answer in its session has been handled.
 *   <li><b>Cancellation.</b> Interrupting a thread that waits for an answer cancels the request at the peer, whose
 *       handler is interrupted.
 *   <li><b>Exactly one answer.</b> Every request that was received is answered once, also when its handler throws, is
 *       cancelled or still runs when the connection is closed, as long as the peer still reads.
 * </ul>
 */
@NullMarked
package dev.acp4j.rpc;

import org.jspecify.annotations.NullMarked;
