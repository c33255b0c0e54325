package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.Durations;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Checks the way to a server, below HTTP. */
final class NetworkSteps {
    private static final Duration SHORT = Duration.ofSeconds(10);
    private static final Duration SOON = Duration.ofDays(21);

    private NetworkSteps() {}

    /** The name of the server, or of the proxy before it, has an address. */
    static Finding name(ExaminedServer server) {
        URI proxy = server.way.proxy();
        String host = proxy == null ? server.host() : proxy.getHost();
        int port = proxy == null ? server.port() : proxy.getPort() < 0 ? 80 : proxy.getPort();
        try {
            InetAddress[] found = InetAddress.getAllByName(host);
            server.first = new InetSocketAddress(found[0], port);
            List<String> addresses = new ArrayList<>();
            for (InetAddress one : found) {
                addresses.add(one.getHostAddress());
            }
            String of = proxy == null ? "" : "the proxy ";
            return Finding.ok(addresses.contains(host) ? of + host : of + host + " is " + String.join(", ", addresses));
        } catch (UnknownHostException e) {
            return Finding.problem("there is no host " + host)
                    .because("The name is misspelled, or this network does not know it.")
                    .next(
                            proxy == null
                                    ? "Check the URL; names of a company often need its VPN."
                                    : "Check HTTPS_PROXY, ALL_PROXY, and the proxy of the server.");
        }
    }

    /** Something listens there. */
    static Finding tcp(ExaminedServer server) {
        InetSocketAddress first = Objects.requireNonNull(server.first);
        String place = first.getAddress().getHostAddress() + " port " + first.getPort();
        long begin = System.nanoTime();
        try (Socket socket = connected(server)) {
            server.isReached = socket.isConnected();
            return Finding.ok("connected to " + place + " after " + (System.nanoTime() - begin) / 1_000_000 + " ms");
        } catch (ConnectException e) {
            return Finding.problem("nothing listens at " + place)
                    .because("The server does not run, or listens at another port or address.")
                    .next("Start it, or check the port in the URL; a server for this machine only must be told to"
                            + " listen elsewhere.");
        } catch (SocketTimeoutException e) {
            return Finding.problem(place + " does not answer within " + Durations.text(limit(server)))
                    .because("A firewall swallows the packets, or the machine is off.")
                    .next("Ask who runs the network, or use the proxy of the network: HTTPS_PROXY.");
        } catch (IOException e) {
            return Finding.problem(place + " cannot be reached: " + e.getMessage())
                    .because("There is no route to it from this network.")
                    .next("Check the network, or its VPN.");
        }
    }

    private static Duration limit(ExaminedServer server) {
        return server.patience.compareTo(SHORT) < 0 ? server.patience : SHORT;
    }

    private static Socket connected(ExaminedServer server) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(server.first, (int) limit(server).toMillis());
            socket.setSoTimeout((int) limit(server).toMillis());
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** The proxy lets connections to the server through. */
    static Finding proxy(ExaminedServer server) {
        URI proxy = server.way.proxy();
        if (proxy == null) {
            return Finding.ok("none");
        }
        String place = proxy.getHost() + (proxy.getPort() < 0 ? "" : ":" + proxy.getPort());
        server.isReached = false;
        try (Socket socket = connected(server)) {
            int status = tunnel(socket, server, proxy);
            if (status == 200) {
                server.isReached = true;
                return Finding.ok(place + " leads to " + server.place());
            }
            Finding finding = Finding.problem(
                    "the proxy " + place + " answers " + status + " to the request for " + server.place());
            return switch (status) {
                case 407 ->
                    finding.because(
                                    proxy.getRawUserInfo() == null
                                            ? "It asks for a user and a password."
                                            : "It refuses the user or the password.")
                            .next("Put them into the address: HTTPS_PROXY=http://USER:PASSWORD@" + place);
                case 403, 405 ->
                    finding.because("It does not let connections to this host and port through.")
                            .next("Ask who runs it, or name the host in NO_PROXY if it is reached directly.");
                default ->
                    finding.because("It cannot reach the server, or is no HTTP proxy.")
                            .next("Check HTTPS_PROXY; a server inside the network may have to be in NO_PROXY.");
            };
        } catch (IOException e) {
            return Finding.problem("the proxy " + place + " failed: " + e.getMessage())
                    .because("What listens there may be no HTTP proxy.")
                    .next("Check HTTPS_PROXY and ALL_PROXY.");
        }
    }

    private static int tunnel(Socket socket, ExaminedServer server, URI proxy) throws IOException {
        StringBuilder request = new StringBuilder("CONNECT " + server.place() + " HTTP/1.1\r\nHost: ")
                .append(server.place())
                .append("\r\n");
        if (proxy.getRawUserInfo() != null) {
            String user = URLDecoder.decode(proxy.getRawUserInfo().replace("+", "%2B"), StandardCharsets.UTF_8);
            request.append("Proxy-Authorization: Basic ")
                    .append(Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8)))
                    .append("\r\n");
        }
        socket.getOutputStream().write(request.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        // Nothing of the server comes before this side has begun TLS, so reading ahead loses nothing.
        BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
        String line = in.readLine();
        String[] words = line == null ? new String[0] : line.split(" ", 3);
        if (words.length < 2 || !words[0].startsWith("HTTP/") || !words[1].matches("\\d{3}")) {
            throw new IOException(line == null ? "it ended the connection" : "it does not answer in HTTP");
        }
        for (String header = line; header != null && !header.isEmpty(); ) {
            header = in.readLine();
        }
        return Integer.parseInt(words[1]);
    }

    // ---- TLS

    /** What a server has shown, whatever it is worth. */
    private static final class Shown extends X509ExtendedTrustManager {
        private List<X509Certificate> chain = List.of();
        private String protocol = "";
        private String application = "";

        @Override
        public void checkServerTrusted(X509Certificate[] shown, String type, Socket socket) {
            chain = List.of(shown);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] shown, String type, SSLEngine engine) {
            chain = List.of(shown);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] shown, String type) {
            chain = List.of(shown);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] shown, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] shown, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] shown, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** The server has a certificate that is trusted here, and for some time to come. */
    static Finding tls(ExaminedServer server) throws InterruptedException {
        if (!server.isTls()) {
            server.isSecured = true;
            return Finding.ok("none: http on this machine");
        }
        Shown shown = new Shown();
        IOException handshake = look(server, shown);
        if (handshake != null && shown.chain.isEmpty()) {
            return withoutTls(server, handshake);
        }
        IOException refused = handshake;
        // The judgement is that of the client which acp connect uses. This request has no credential.
        try {
            int unused = server.anonymous(limit(server));
            server.isSecured = true;
        } catch (IOException e) {
            refused = e;
            server.isSecured = !isOfTls(e) && handshake == null;
        }
        if (!server.isSecured) {
            return untrusted(server, shown, Objects.requireNonNull(refused));
        }
        return shown.chain.isEmpty() ? Finding.ok("trusted") : trusted(shown);
    }

    /** Looks at the certificate, and sends nothing. Returns why TLS failed; null when it did not. */
    private static @Nullable IOException look(ExaminedServer server, Shown shown) {
        try (Socket socket = connected(server)) {
            URI proxy = server.way.proxy();
            if (proxy != null) {
                int unused = tunnel(socket, server, proxy);
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {shown}, null);
            try (SSLSocket tls =
                    (SSLSocket) context.getSocketFactory().createSocket(socket, server.host(), server.port(), true)) {
                SSLParameters parameters = tls.getSSLParameters();
                parameters.setApplicationProtocols(new String[] {"h2", "http/1.1"});
                tls.setSSLParameters(parameters);
                tls.startHandshake();
                shown.protocol = tls.getSession().getProtocol();
                shown.application = tls.getApplicationProtocol();
            }
            return null;
        } catch (IOException e) {
            return e;
        } catch (GeneralSecurityException e) {
            return new IOException(e);
        }
    }

    private static boolean isOfTls(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof SSLException) {
                return true;
            }
        }
        return false;
    }

    private static Finding trusted(Shown shown) {
        X509Certificate certificate = shown.chain.getFirst();
        String text = shown.protocol
                + (shown.application.isEmpty() ? "" : " with " + shown.application)
                + "; certificate valid until " + day(certificate.getNotAfter().toInstant());
        Duration left =
                Duration.between(Instant.now(), certificate.getNotAfter().toInstant());
        if (left.compareTo(SOON) < 0 && !left.isNegative()) {
            return Finding.warning(text + ", that is " + Finding.count(left.toDays(), "day"))
                    .because("When it has expired, no client connects any more.")
                    .next("Renew it, or see that it is renewed by itself.");
        }
        return Finding.ok(text);
    }

    private static String day(Instant time) {
        return time.atOffset(ZoneOffset.UTC).toLocalDate().toString();
    }

    /** The server has not even shown a certificate. What waits for a request in clear text says nothing at all. */
    private static Finding withoutTls(ExaminedServer server, IOException handshake) {
        String why = deepest(handshake);
        boolean isCleartext = handshake instanceof SocketTimeoutException
                || why.contains("Unsupported or unrecognized SSL message")
                || why.contains("plaintext");
        return isCleartext
                ? Finding.problem("what listens at " + server.place() + " speaks no TLS")
                        .because("The URL begins with https, and the server has no certificate.")
                        .next("Give the server a certificate, or put a proxy with TLS before it. Only on this machine"
                                + " http:// will do.")
                : Finding.problem("TLS failed: " + why)
                        .because("The server offers no version of TLS that is secure, or something else listens there.")
                        .next("Try: openssl s_client -connect " + server.place());
    }

    private static Finding untrusted(ExaminedServer server, Shown shown, IOException refused) {
        String why = deepest(refused);
        X509Certificate certificate = shown.chain.getFirst();
        return verdict(server, certificate, why).shown("the certificate of the server:", described(certificate), 10);
    }

    private static Finding verdict(ExaminedServer server, X509Certificate certificate, String why) {
        Instant now = Instant.now();
        if (why.contains("the pin is of another certificate")) {
            return Finding.problem("the pin is of another certificate")
                    .because("The certificate was renewed, or somebody else answers in the place of the server.")
                    .next("Ask who runs the server for the fingerprint. Only if it is the one below, pin it.");
        }
        if (now.isAfter(certificate.getNotAfter().toInstant())) {
            return Finding.problem("the certificate has expired on "
                            + day(certificate.getNotAfter().toInstant()))
                    .next("It must be renewed at the server.");
        }
        if (now.isBefore(certificate.getNotBefore().toInstant())) {
            return Finding.problem("the certificate is valid from "
                            + day(certificate.getNotBefore().toInstant()) + " on")
                    .because("The clock of this machine is wrong, or that of the one that made the certificate.")
                    .next("Check the clock.");
        }
        if (why.contains("No subject alternative") || why.contains("No name matching")) {
            return Finding.problem("the certificate is not for " + server.host())
                    .because("The server has other names, or something else answers at this address.")
                    .next("Use a name of the certificate in the URL, or give the server one for this name.");
        }
        if (why.contains("certification path") || why.contains("PKIX")) {
            boolean isOwn = certificate.getIssuerX500Principal().equals(certificate.getSubjectX500Principal());
            return Finding.problem("the certificate is not trusted here")
                    .because(
                            isOwn
                                    ? "The server has signed it itself."
                                    : "Its authority is unknown here, or the server does not send the certificates in"
                                            + " between.")
                    .next("Trust the authority with --ca FILE; or compare the fingerprint with who runs the server, and"
                            + " trust this certificate alone: --pin SHA256");
        }
        if (why.contains("certificate_required") || why.contains("bad_certificate")) {
            return Finding.problem("the server refuses this side: " + why)
                    .because("It asks clients for a certificate.")
                    .next("Show one with --client-certificate FILE.");
        }
        return Finding.problem("TLS failed: " + why).next("Try: openssl s_client -connect " + server.place());
    }

    private static String deepest(Throwable failure) {
        String text = String.valueOf(failure.getMessage());
        for (Throwable at = failure; at != null; at = at.getCause()) {
            text = at.getMessage() == null ? text : at.getMessage();
        }
        return text;
    }

    private static List<String> described(X509Certificate certificate) {
        List<String> lines = new ArrayList<>();
        lines.add("of " + certificate.getSubjectX500Principal().getName());
        lines.add("by " + certificate.getIssuerX500Principal().getName());
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            if (names != null) {
                lines.add("for "
                        + String.join(
                                ", ",
                                names.stream()
                                        .map(name -> String.valueOf(name.get(1)))
                                        .toList()));
            }
            lines.add("SHA-256 "
                    + HexFormat.ofDelimiter(":")
                            .withUpperCase()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded())));
        } catch (CertificateParsingException e) {
            lines.add("with names that cannot be read");
        } catch (GeneralSecurityException e) {
            lines.add("that cannot be read: " + e.getMessage());
        }
        return lines;
    }
}
