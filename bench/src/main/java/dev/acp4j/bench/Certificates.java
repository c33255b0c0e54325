package dev.acp4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A key for a server at the loopback address, made anew, and who trusts it. */
final class Certificates {
    private static final String PASSWORD = "benchmark";

    private final Path file;

    Certificates(Path folder) throws IOException, InterruptedException {
        file = folder.resolve("server.p12");
        Files.deleteIfExists(file);
        int exit = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=127.0.0.1",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD,
                        "-storetype",
                        "PKCS12")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IOException("keytool ended with " + exit + ": see keytool.log in " + folder);
        }
    }

    /** Returns the arguments of a server: the file of keys and its password. */
    List<String> arguments() {
        return List.of(file.toString(), PASSWORD);
    }

    SSLContext trusting() throws IOException {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray()));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }
}
