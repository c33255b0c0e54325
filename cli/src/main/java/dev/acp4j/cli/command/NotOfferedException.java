package dev.acp4j.cli.command;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;

/** The agent does not offer what the command line asks for; the message gives the problem in one line. */
public final class NotOfferedException extends UsageException {
    private static final long serialVersionUID = 1L;

    public NotOfferedException(String message) {
        super(message);
    }

    /** Requires a feature of an agent. */
    public static void require(ConnectedAgent agent, Feature feature) {
        if (!agent.supports(feature)) {
            throw new NotOfferedException(message(feature));
        }
    }

    /** Returns the message for a missing feature: it names the feature and the capability. */
    static String message(Feature feature) {
        String capability = switch (feature) {
            case LOAD_SESSION -> "loadSession";
            case RESUME_SESSION -> "sessionCapabilities.resume";
            case LIST_SESSIONS -> "sessionCapabilities.list";
            case CLOSE_SESSION -> "sessionCapabilities.close";
            case DELETE_SESSION -> "sessionCapabilities.delete";
            case ADDITIONAL_DIRECTORIES -> "sessionCapabilities.additionalDirectories";
            case LOGOUT -> "auth.logout";
            default -> "";
        };
        return "the agent does not offer " + feature
                + (capability.isEmpty() ? "" : " (the capability " + capability + ")");
    }
}
