package dev.acp4j.cli.command;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Describes a problem with a file. */
public final class IoProblem {
    private IoProblem() {}

    /** Returns the problem with the name of the file. Java's messages for files are often the name alone. */
    public static String text(Throwable e) {
        return switch (e) {
            case NoSuchFileException missing -> "there is no " + missing.getFile();
            case AccessDeniedException denied -> "no access to " + denied.getFile();
            case NotDirectoryException file -> "not a folder: " + file.getFile();
            case FileAlreadyExistsException there -> "something else is in the place of " + there.getFile();
            case FileSystemException other -> other.getFile() + ": " + reason(other);
            case OutOfMemoryError full -> "out of memory";
            default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        };
    }

    private static String reason(FileSystemException e) {
        return e.getReason() == null ? "cannot be used" : e.getReason();
    }
}
