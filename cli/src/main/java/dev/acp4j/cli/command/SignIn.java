package dev.acp4j.cli.command;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.schema.AuthMethod;

/** The ways to sign in that an agent offers. */
public final class SignIn {
    private SignIn() {}

    public static String id(AuthMethod method) {
        return SafeText.line(
                switch (method) {
                    case AuthMethod.Agent agent -> agent.id().value();
                    case AuthMethod.Terminal terminal -> terminal.id().value();
                    case AuthMethod.Unknown unknown -> unknown.type();
                });
    }

    public static String name(AuthMethod method) {
        return SafeText.line(
                switch (method) {
                    case AuthMethod.Agent agent -> agent.name();
                    case AuthMethod.Terminal terminal -> terminal.name() + " (in a terminal, which acp cannot do)";
                    case AuthMethod.Unknown unknown -> "a method unknown to acp";
                });
    }
}
