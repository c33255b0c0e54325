package dev.acp4j.cli.serve;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/**
 * A certificate that signs itself, and its key. It is made once, so that clients need not be configured anew: by the
 * {@code keytool} of the JDK, which has no interface that makes certificates.
 *
 * @param keys both, under {@link #PASSWORD}
 * @param pin the fingerprint by which clients know the certificate
 */
record SelfSigned(KeyStore keys, String pin) {
    /** A key store must have one. It protects nothing, the folder does. */
    static final String PASSWORD = "acp-serve";

    private static final String NAME = "server";

    /** Clients compare the fingerprint, not the time. */
    private static final String DAYS = "3650";

    /**
     * Returns the certificate in a folder.
     *
     * @param makes whether one is made if there is none yet; otherwise there are no keys then
     */
    static SelfSigned in(Path folder, boolean makes) throws IOException, InterruptedException {
        Path file = folder.resolve("self-signed.p12");
        try {
            if (!Files.exists(file) && !makes) {
                KeyStore none = KeyStore.getInstance("PKCS12");
                none.load(null, null);
                return new SelfSigned(none, "");
            }
            if (!Files.exists(file)) {
                make(folder, file);
            }
            KeyStore keys = KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
            byte[] certificate = keys.getCertificate(NAME).getEncoded();
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate);
            return new SelfSigned(keys, HexFormat.of().formatHex(digest));
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " has no certificate that can be used: " + e.getMessage(), e);
        }
    }

    private static void make(Path folder, Path file) throws IOException, InterruptedException {
        Path made = folder.resolve("self-signed-" + ProcessHandle.current().pid() + ".p12");
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process process = new ProcessBuilder(List.of(
                        keytool.toString(),
                        "-genkeypair",
                        "-alias",
                        NAME,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=acp serve",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1",
                        "-validity",
                        DAYS,
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        made.toString(),
                        "-storepass",
                        PASSWORD))
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said;
        try (InputStream out = process.getInputStream()) {
            said = new String(out.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (process.waitFor() != 0) {
            throw new IOException("keytool of the JDK has made no certificate: " + said.strip());
        }
        try {
            Files.move(made, file);
        } catch (FileAlreadyExistsException e) {
            // Another server was first.
            Files.delete(made);
        }
    }
}
