package dev.acp4j.cli;

import dev.acp4j.schema.AuthMethod;

/** The ways to sign in that an agent offers. */
final class SignIn {
    private SignIn() {}

    static String id(AuthMethod method) {
        return Visible.line(
                switch (method) {
                    case AuthMethod.Agent agent -> agent.id().value();
                    case AuthMethod.Terminal terminal -> terminal.id().value();
                    case AuthMethod.Unknown unknown -> unknown.type();
                });
    }

    static String name(AuthMethod method) {
        return Visible.line(
                switch (method) {
                    case AuthMethod.Agent agent -> agent.name();
                    case AuthMethod.Terminal terminal -> terminal.name() + " (in a terminal, which acp cannot do)";
                    case AuthMethod.Unknown unknown -> "a way that acp does not know";
                });
    }
}
