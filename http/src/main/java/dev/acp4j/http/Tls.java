package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The certificate and the key of a server, and which certificates of clients it asks for. Immutable. */
@Unstable
public final class Tls {
    /** Whether clients show a certificate. */
    enum ClientCertificates {
        NONE,
        OPTIONAL,
        REQUIRED
    }

    private static final String KEY_BEGINS = "-----BEGIN PRIVATE KEY-----";
    private static final String KEY_ENDS = "-----END PRIVATE KEY-----";

    private final KeyStore keys;
    private final String password;
    private final @Nullable KeyStore authorities;
    private final ClientCertificates clients;

    /** Where certificate and key were read; null when they do not come from files. */
    private final @Nullable Source source;

    /** Files, and when they had been changed. */
    private record Source(Path certificate, Path key, FileTime certificateTime, FileTime keyTime) {
        static Source of(Path certificate, Path key) throws IOException {
            return new Source(certificate, key, Files.getLastModifiedTime(certificate), Files.getLastModifiedTime(key));
        }
    }

    private Tls(
            KeyStore keys,
            String password,
            @Nullable KeyStore authorities,
            ClientCertificates clients,
            @Nullable Source source) {
        this.keys = keys;
        this.password = password;
        this.authorities = authorities;
        this.clients = clients;
        this.source = source;
    }

    /**
     * Takes the certificate and key of a key store.
     *
     * @param password opens the key
     */
    public static Tls of(KeyStore keys, String password) {
        return new Tls(keys, password, null, ClientCertificates.NONE, null);
    }

    /**
     * Reads PEM files. A server reads them again when they have changed, and goes on with what it has until both are
     * good; connections that are open stay.
     *
     * @param certificate the certificate, followed by those of its issuers
     * @param key the key, as PKCS #8 without a password: {@code BEGIN PRIVATE KEY}
     * @throws IOException when a file cannot be read or is not of that form; the message names it
     */
    public static Tls pem(Path certificate, Path key) throws IOException {
        try {
            Source source = Source.of(certificate, key);
            KeyStore store = emptyStore();
            Certificate[] chain = certificates(certificate).toArray(new Certificate[0]);
            PrivateKey secret = privateKey(key);
            requireKeyOf(chain[0], secret);
            store.setKeyEntry("server", secret, new char[0], chain);
            return new Tls(store, "", null, ClientCertificates.NONE, source);
        } catch (GeneralSecurityException e) {
            throw new IOException(certificate + " and " + key + " do not belong together: " + e.getMessage(), e);
        }
    }

    /**
     * Returns a copy that asks clients for a certificate of these authorities. An {@link Authenticator} finds it in
     * {@link Credentials#certificates()}.
     *
     * @param authorities a PEM file of certificates
     * @param required whether a client without one is refused while it connects
     * @throws IOException when the file cannot be read or has no certificate
     */
    public Tls clientCertificates(Path authorities, boolean required) throws IOException {
        try {
            KeyStore store = emptyStore();
            int number = 0;
            for (Certificate authority : certificates(authorities)) {
                store.setCertificateEntry("authority-" + number++, authority);
            }
            return new Tls(
                    keys,
                    password,
                    store,
                    required ? ClientCertificates.REQUIRED : ClientCertificates.OPTIONAL,
                    source);
        } catch (GeneralSecurityException e) {
            throw new IOException(authorities + ": " + e.getMessage(), e);
        }
    }

    private static void requireKeyOf(Certificate certificate, PrivateKey key) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> "EdDSA";
        };
        byte[] text = {1, 2, 3};
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(text);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(text);
        if (!signature.verify(signed)) {
            throw new SignatureException("the key is of another certificate");
        }
    }

    /**
     * Returns what the files hold now; null when they have not changed.
     *
     * @throws IOException when they cannot be used
     */
    @Nullable
    Tls renewed() throws IOException {
        if (source == null || source.equals(Source.of(source.certificate, source.key))) {
            return null;
        }
        Tls read = pem(source.certificate, source.key);
        return new Tls(read.keys, read.password, authorities, clients, read.source);
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException {
        try {
            var found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
            if (found.isEmpty()) {
                throw new IOException(file + ": expected certificates as PEM, got none");
            }
            return found;
        } catch (CertificateException e) {
            throw new IOException(file + ": expected certificates as PEM: " + e.getMessage(), e);
        }
    }

    private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
        String text = Files.readString(file, StandardCharsets.US_ASCII);
        int from = text.indexOf(KEY_BEGINS);
        int to = text.indexOf(KEY_ENDS);
        if (from < 0 || to < from) {
            throw new IOException(file + ": expected a key as PKCS #8 without a password, that is " + KEY_BEGINS
                    + "; openssl pkcs8 -topk8 -nocrypt makes one");
        }
        byte[] der = Base64.getMimeDecoder().decode(text.substring(from + KEY_BEGINS.length(), to));
        for (String algorithm : new String[] {"RSA", "EC", "EdDSA"}) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (InvalidKeySpecException e) {
                // One of another algorithm.
            }
        }
        throw new IOException(file + ": expected a key for RSA, EC or EdDSA");
    }

    KeyStore keys() {
        return keys;
    }

    String password() {
        return password;
    }

    @Nullable
    KeyStore authorities() {
        return authorities;
    }

    ClientCertificates clients() {
        return clients;
    }
}
