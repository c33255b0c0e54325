package dev.acp4j.cli.serve;

import dev.acp4j.cli.command.StateFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;

/**
 * The token of a server without a file of tokens. It is made once, so that clients need not be configured anew.
 *
 * @param path where it is kept, for its user only
 * @param token the token
 */
record TokenFile(Path path, String token) {
    /**
     * Returns the token in a folder.
     *
     * @param makes whether one is kept there if there is none yet
     */
    static TokenFile in(Path folder, boolean makes) throws IOException {
        Path path = folder.resolve("token");
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        if (!makes && Files.notExists(path)) {
            return new TokenFile(path, token);
        }
        FileAttribute<?>[] attributes = StateFolder.ofUser(path);
        try (var out = Files.newByteChannel(
                path, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), attributes)) {
            int unused = out.write(StandardCharsets.US_ASCII.encode(token + "\n"));
        } catch (FileAlreadyExistsException e) {
            token = Files.readString(path).strip();
        }
        return new TokenFile(path, token);
    }
}
