package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** The certificates that are trusted beside those of the system, and the one that this side shows. */
final class Certificates {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----", Pattern.DOTALL);

    private Certificates() {}

    /**
     * Returns a context for TLS.
     *
     * @param authorities a PEM file of certificates to trust, too; null for none
     * @param own a PEM file with the certificate to show and its key; null for none
     */
    static SSLContext context(@Nullable Path authorities, @Nullable Path own) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    own == null ? null : keyManagers(own),
                    authorities == null ? null : new TrustManager[] {systemAnd(authorities)},
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
    }

    private static X509TrustManager systemAnd(Path file) throws GeneralSecurityException {
        KeyStore store = emptyStore();
        int number = 0;
        for (X509Certificate known : managerOf(null).getAcceptedIssuers()) {
            store.setCertificateEntry("system-" + number, known);
            number++;
        }
        for (Certificate certificate : certificates(file)) {
            store.setCertificateEntry("given-" + number, certificate);
            number++;
        }
        return managerOf(store);
    }

    private static KeyManager[] keyManagers(Path file) throws GeneralSecurityException {
        String name = SafeText.line(file.toString());
        Secret.OfFile.requirePrivate(file);
        Matcher key = KEY.matcher(text(file));
        if (!key.find()) {
            throw new UsageException("expected a certificate and its key as PKCS #8 without a password, which begins"
                    + " with -----BEGIN PRIVATE KEY-----, in " + name
                    + "; openssl pkcs8 -topk8 -nocrypt makes one");
        }
        KeyStore store = emptyStore();
        store.setKeyEntry(
                "own",
                privateKey(key.group(1), name),
                new char[0],
                certificates(file).toArray(new Certificate[0]));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return factory.getKeyManagers();
    }

    private static PrivateKey privateKey(String base64, String name) throws GeneralSecurityException {
        byte[] der = Base64.getMimeDecoder().decode(base64);
        for (String algorithm : List.of("EC", "RSA", "EdDSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (InvalidKeySpecException e) {
                // One of another algorithm.
            }
        }
        throw new UsageException("expected a key for RSA, EC or EdDSA in " + name);
    }

    private static Collection<? extends Certificate> certificates(Path file) {
        String name = SafeText.line(file.toString());
        // What stands between the certificates, such as a key, is none of them.
        String text = KEY.matcher(text(file)).replaceAll("");
        try {
            Collection<? extends Certificate> found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
            if (found.isEmpty()) {
                throw new UsageException("there is no certificate in " + name);
            }
            return found;
        } catch (GeneralSecurityException e) {
            throw new UsageException("these are no certificates in PEM form: " + name);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UsageException("the certificates cannot be read from " + SafeText.line(file.toString()) + ": "
                    + e.getClass().getSimpleName());
        }
    }

    private static KeyStore emptyStore() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try {
            store.load(null, null);
        } catch (IOException e) {
            throw new GeneralSecurityException(e);
        }
        return store;
    }

    private static X509TrustManager managerOf(@Nullable KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509TrustManager known) {
                return known;
            }
        }
        throw new GeneralSecurityException("no trust manager for X.509");
    }
}
