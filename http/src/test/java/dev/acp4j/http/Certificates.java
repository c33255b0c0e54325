package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Certificates that sign themselves, for 127.0.0.1 and localhost unless they have other names. */
final class Certificates {
    private Certificates() {}

    /** Returns what trusts one certificate, and shows another one if asked for it. */
    static SSLContext trusting(KeyStore certificate, String name, @Nullable KeyStore own) throws Exception {
        return trusting(authority(certificate, name), own);
    }

    /** Returns what trusts the certificates of a store, and shows another one if asked for it. */
    static SSLContext trusting(KeyStore authorities, @Nullable KeyStore own) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(authorities);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, "secret".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), new SecureRandom());
        return context;
    }

    private static void run(Path folder, String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output;
        try (InputStream in = process.getInputStream()) {
            output = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Makes a key and a certificate that it signs itself, as PEM files and as a key store. */
    static KeyStore make(Path folder, String name) throws Exception {
        return make(folder, name, "IP:127.0.0.1,DNS:localhost");
    }

    /** Makes one with other names. */
    static KeyStore make(Path folder, String name, String names) throws Exception {
        run(
                folder,
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-keyout",
                name + "-key.pem",
                "-out",
                name + ".pem",
                "-days",
                "2",
                "-subj",
                "/CN=" + name,
                "-addext",
                "subjectAltName=" + names);
        run(
                folder,
                "openssl",
                "pkcs12",
                "-export",
                "-in",
                name + ".pem",
                "-inkey",
                name + "-key.pem",
                "-out",
                name + ".p12",
                "-passout",
                "pass:secret",
                "-name",
                name);
        return KeyStore.getInstance(folder.resolve(name + ".p12").toFile(), "secret".toCharArray());
    }

    static KeyStore authority(KeyStore of, String name) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry(name, of.getCertificate(name));
        return store;
    }
}
