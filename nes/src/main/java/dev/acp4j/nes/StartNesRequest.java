package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.OptionalMember;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Starts a session of next edit suggestions, which is independent of chat sessions. What it says of the workspace does
 * not change while the session lasts.
 *
 * @param workspaceUri the URI of the root folder, or null if unknown
 * @param workspaceFolders the folders of the workspace
 * @param repository the git repository, or null if it is none or unknown
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record StartNesRequest(
        @Nullable String workspaceUri,
        @OptionalMember List<WorkspaceFolder> workspaceFolders,
        @Nullable Repository repository,
        Rest rest)
        implements Extensible {
    public StartNesRequest {
        workspaceFolders = List.copyOf(workspaceFolders);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any member. */
    public static StartNesRequestBuilder builder() {
        return new StartNesRequestBuilder();
    }

    /** Returns a builder initialized from this record. */
    public StartNesRequestBuilder toBuilder() {
        return new StartNesRequestBuilder(this);
    }

    /**
     * A folder of the workspace.
     *
     * @param uri its URI
     * @param name its name for people
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record WorkspaceFolder(String uri, String name, Rest rest) implements Extensible {
        public WorkspaceFolder {
            Objects.requireNonNull(uri, "uri is null");
            Objects.requireNonNull(name, "name is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns the folder with this URI and name. */
        public static WorkspaceFolder of(String uri, String name) {
            return new WorkspaceFolder(uri, name, Rest.NONE);
        }
    }

    /**
     * The git repository of the workspace.
     *
     * @param name its name
     * @param owner who owns it, or null if unknown
     * @param remoteUrl where it comes from, or null if unknown
     * @param rest extension data and unknown members
     */
    @Codable
    @Unstable
    public record Repository(
            String name, @Nullable String owner, @Nullable String remoteUrl, Rest rest) implements Extensible {
        public Repository {
            Objects.requireNonNull(name, "name is null");
            Objects.requireNonNull(rest, "rest is null");
        }

        /** Returns a builder with the required name. */
        public static StartNesRequestRepositoryBuilder builder(String name) {
            return new StartNesRequestRepositoryBuilder(name);
        }

        /** Returns a builder initialized from this record. */
        public StartNesRequestRepositoryBuilder toBuilder() {
            return new StartNesRequestRepositoryBuilder(this);
        }
    }
}
