package dev.acp4j.http;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.HostPort;
import org.jspecify.annotations.Nullable;

/**
 * Leaves, of the clients that {@code X-Forwarded-For} or {@code Forwarded} names, the last one that is no trusted
 * proxy: a proxy appends the client that it sees, and what stands before it may be the client's own. Of the two headers
 * {@code X-Forwarded-For} counts, since nearly all proxies set that one, and the other one may be the client's, too;
 * only the {@code proto} of its last element counts where no {@code X-Forwarded-Proto} is.
 */
final class ForwardedChain implements HttpConfiguration.Customizer {
    private static final Pattern FOR =
            Pattern.compile("(?:^|;)\\s*for\\s*=\\s*(\"[^\"]*\"|[^;]*)", Pattern.CASE_INSENSITIVE);

    private static final Pattern PROTO =
            Pattern.compile("(?:^|;)\\s*proto\\s*=\\s*\"?([^;\"\\s]+)", Pattern.CASE_INSENSITIVE);

    private final Set<InetAddress> proxies;

    ForwardedChain(Set<InetAddress> proxies) {
        this.proxies = proxies;
    }

    @Override
    public Request customize(Request request, HttpFields.Mutable response) {
        HttpFields.Mutable headers = HttpFields.build(request.getHeaders());
        List<String> clients = headers.getCSV(HttpHeader.X_FORWARDED_FOR, false);
        List<String> elements = headers.getCSV(HttpHeader.FORWARDED, true);
        if (!clients.isEmpty()) {
            headers.put(HttpHeader.X_FORWARDED_FOR, last(clients));
            Matcher proto = PROTO.matcher(elements.isEmpty() ? "" : elements.getLast());
            if (!headers.contains(HttpHeader.X_FORWARDED_PROTO) && proto.find()) {
                headers.put(HttpHeader.X_FORWARDED_PROTO, proto.group(1));
            }
            headers.remove(HttpHeader.FORWARDED);
        } else if (!elements.isEmpty()) {
            headers.put(HttpHeader.FORWARDED, last(elements));
        }
        HttpFields kept = headers.asImmutable();
        return new Request.Wrapper(request) {
            @Override
            public HttpFields getHeaders() {
                return kept;
            }
        };
    }

    /** Returns the last one that is not of a trusted proxy; the first one if all are. */
    private String last(List<String> elements) {
        int i = elements.size() - 1;
        for (InetAddress named = address(elements.get(i));
                i > 0 && named != null && proxies.contains(named);
                named = address(elements.get(i))) {
            i--;
        }
        return elements.get(i);
    }

    private static @Nullable InetAddress address(String element) {
        Matcher named = FOR.matcher(element);
        String text = (named.find() ? named.group(1) : element).replace("\"", "");
        try {
            return Network.parse(new HostPort(text).getHost());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
