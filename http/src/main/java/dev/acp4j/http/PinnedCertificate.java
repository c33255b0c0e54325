package dev.acp4j.http;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts the certificate with one fingerprint. It extends the class that checks names itself, since the fingerprint is
 * a better identity than a name.
 */
final class PinnedCertificate extends X509ExtendedTrustManager {
    private final byte[] fingerprint;

    private PinnedCertificate(byte[] fingerprint) {
        this.fingerprint = fingerprint;
    }

    static SSLContext trusting(String fingerprint) {
        byte[] digest;
        try {
            digest = HexFormat.of().parseHex(fingerprint.replace(":", "").toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw notAPin(fingerprint);
        }
        if (digest.length != 32) {
            throw notAPin(fingerprint);
        }
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new PinnedCertificate(digest)}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
    }

    private static IllegalArgumentException notAPin(String fingerprint) {
        return new IllegalArgumentException(
                "a pin is the SHA-256 fingerprint of a certificate, 64 hexadecimal digits, not " + fingerprint);
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        try {
            byte[] shown = MessageDigest.getInstance("SHA-256").digest(chain[0].getEncoded());
            if (!MessageDigest.isEqual(shown, fingerprint)) {
                throw new CertificateException("the pin is of another certificate; the server has the one with SHA-256 "
                        + HexFormat.ofDelimiter(":").withUpperCase().formatHex(shown));
            }
        } catch (GeneralSecurityException e) {
            throw e instanceof CertificateException known ? known : new CertificateException(e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        throw new CertificateException("no clients are expected here");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        throw new CertificateException("no clients are expected here");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        throw new CertificateException("no clients are expected here");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
