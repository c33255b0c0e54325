package dev.acp4j.cli.connect;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** The authorities of the system, and those in a file. */
final class Authorities {
    private Authorities() {}

    static SSLContext and(Path file) {
        String name = SafeText.line(file.toString());
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (certificates.isEmpty()) {
                throw new UsageException("there is no certificate in " + name);
            }
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (X509Certificate known : managerOf(null).getAcceptedIssuers()) {
                store.setCertificateEntry("system-" + number, known);
                number++;
            }
            for (Certificate certificate : certificates) {
                store.setCertificateEntry("given-" + number, certificate);
                number++;
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {managerOf(store)}, null);
            return context;
        } catch (IOException e) {
            throw new UsageException("the certificates cannot be read from " + name + ": "
                    + e.getClass().getSimpleName());
        } catch (GeneralSecurityException e) {
            throw new UsageException("these are no certificates in PEM form: " + name);
        }
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
