package dev.acp4j.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * The header, of version 1 or 2, with which a proxy that passes bytes on says who the client is. From trusted proxies
 * each connection begins with it; it is nothing but bytes from others.
 *
 * @see <a href="https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt">The PROXY protocol</a>
 */
final class ProxyProtocol extends ProxyConnectionFactory {
    private final Set<InetAddress> proxies;
    private final ConnectionFactory next;

    private ProxyProtocol(Set<InetAddress> proxies, ConnectionFactory next) {
        super(next.getProtocol());
        this.proxies = proxies;
        this.next = next;
    }

    /** Returns protocols with this before them. */
    static ConnectionFactory[] before(ConnectionFactory[] protocols, Set<InetAddress> proxies) {
        List<ConnectionFactory> all = new ArrayList<>();
        all.add(new ProxyProtocol(proxies, protocols[0]));
        all.addAll(List.of(protocols));
        return all.toArray(ConnectionFactory[]::new);
    }

    /** Returns from where a connection comes, whatever anybody says of the client; null when that is not known. */
    static @Nullable InetAddress peer(EndPoint endPoint) {
        return unwrapped(endPoint).getRemoteSocketAddress() instanceof InetSocketAddress address
                ? address.getAddress()
                : null;
    }

    /** Returns the end of the connection itself, without TLS and what a proxy says. */
    static EndPoint unwrapped(EndPoint endPoint) {
        EndPoint real = endPoint;
        while (real instanceof EndPoint.Wrapper wrapper) {
            real = wrapper.unwrap();
        }
        return real;
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
        InetAddress peer = peer(endPoint);
        return peer != null && proxies.contains(peer)
                ? super.newConnection(connector, endPoint)
                : next.newConnection(connector, endPoint);
    }

    /** There is no header. Were that taken, a client behind a proxy that sends none could send one. */
    @Override
    protected void nextProtocol(Connector connector, EndPoint endPoint, ByteBuffer read) {
        endPoint.close();
    }
}
