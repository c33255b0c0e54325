package dev.acp4j.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.IVersionProvider;

/** The version of this command. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"acp " + text() + " (JDK " + Runtime.version() + ")"};
    }

    public static String text() {
        try (InputStream in = Version.class.getResourceAsStream("version.txt")) {
            return in == null ? "unknown" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
