package dev.acp4j.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.util.HexFormat;
import java.util.List;

/**
 * A certificate that signs itself.
 *
 * @param certificate the PEM file of the certificate
 * @param key that of its key
 */
public record TestCertificate(Path certificate, Path key) {
    /** Makes one for names, such as {@code IP:127.0.0.1}, that is valid for some days from now on. */
    public static TestCertificate make(Path folder, String name, String names, int days) throws Exception {
        Path certificate = folder.resolve(name + ".pem");
        Path key = folder.resolve(name + "-key.pem");
        Process process = new ProcessBuilder(List.of(
                        "openssl",
                        "req",
                        "-x509",
                        "-newkey",
                        "ec",
                        "-pkeyopt",
                        "ec_paramgen_curve:P-256",
                        "-nodes",
                        "-keyout",
                        key.toString(),
                        "-out",
                        certificate.toString(),
                        "-days",
                        Integer.toString(days),
                        "-subj",
                        "/CN=" + name,
                        "-addext",
                        "subjectAltName=" + names))
                .redirectErrorStream(true)
                .start();
        try (InputStream in = process.getInputStream()) {
            String output = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
        }
        return new TestCertificate(certificate, key);
    }

    /** Returns the SHA-256 fingerprint as {@code openssl x509 -fingerprint} prints it. */
    public String fingerprint() throws Exception {
        try (InputStream in = Files.newInputStream(certificate)) {
            byte[] der = CertificateFactory.getInstance("X.509")
                    .generateCertificate(in)
                    .getEncoded();
            return HexFormat.ofDelimiter(":")
                    .withUpperCase()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(der));
        }
    }
}
