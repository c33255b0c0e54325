package dev.acp4j;

import dev.acp4j.schema.AuthCapabilities;
import dev.acp4j.schema.BooleanConfigOptionCapabilities;
import dev.acp4j.schema.ClientAuthCapabilities;
import dev.acp4j.schema.ClientCapabilities;
import dev.acp4j.schema.ClientCapabilitiesBuilder;
import dev.acp4j.schema.ClientCapabilitiesV2;
import dev.acp4j.schema.ClientCapabilitiesV2Builder;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ClientSessionCapabilities;
import dev.acp4j.schema.CompactionCapabilities;
import dev.acp4j.schema.ElicitationCapabilities;
import dev.acp4j.schema.ElicitationFormCapabilities;
import dev.acp4j.schema.ElicitationUrlCapabilities;
import dev.acp4j.schema.FileSystemCapabilities;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.NoticeCapabilities;
import dev.acp4j.schema.PlanCapabilities;
import dev.acp4j.schema.SessionConfigOptionsCapabilities;
import dev.acp4j.schema.SubagentCapabilities;
import dev.acp4j.schema.TerminalAuthCapabilities;

/** What a client advertises: what it has handlers for, and what every session's view takes up. */
final class ClientCapabilitiesOf {
    private ClientCapabilitiesOf() {}

    static ClientCapabilities capabilities(Client.Builder client) {
        ClientCapabilitiesBuilder capabilities = ClientCapabilities.builder()
                .fs(FileSystemCapabilities.builder()
                        .readTextFile(client.handles(client.onReadTextFile, ClientMethods.READ_TEXT_FILE))
                        .writeTextFile(client.handles(client.onWriteTextFile, ClientMethods.WRITE_TEXT_FILE))
                        .build())
                .terminal(client.handles(client.terminals, ClientMethods.CREATE_TERMINAL))
                .session(ofView())
                .auth(AuthCapabilities.builder()
                        .terminal(client.terminalAuthentication)
                        .build());
        if (client.handles(client.onElicitation, ClientMethods.CREATE_ELICITATION)) {
            capabilities.elicitation(elicitation(client));
        }
        if (client.supported.contains(Feature.PLANS)) {
            capabilities.plan(PlanCapabilities.of());
        }
        if (client.supported.contains(Feature.SUBAGENTS)) {
            capabilities.subagents(SubagentCapabilities.of());
        }
        Meta meta = client.capabilitiesMeta;
        if (client.agentTerminals) {
            meta = VendorDialect.showingTerminals(meta);
        }
        if (client.sessionFailures) {
            meta = VendorDialect.takingFailures(meta);
        }
        return capabilities.rest(client.capabilities.withMeta(meta)).build();
    }

    /** Version 2 has no files and no terminals, and a session's view takes up the rest without being asked. */
    static ClientCapabilitiesV2 capabilitiesV2(Client.Builder client) {
        ClientCapabilitiesV2Builder capabilities =
                ClientCapabilitiesV2.builder().rest(client.capabilities.withMeta(client.capabilitiesMeta));
        if (client.terminalAuthentication) {
            capabilities.auth(ClientAuthCapabilities.builder()
                    .terminal(TerminalAuthCapabilities.of())
                    .build());
        }
        if (client.handles(client.onElicitation, ClientMethods.CREATE_ELICITATION)) {
            capabilities.elicitation(elicitation(client));
        }
        return capabilities.build();
    }

    private static ElicitationCapabilities elicitation(Client.Builder client) {
        return ElicitationCapabilities.builder()
                .form(client.elicitationModes.contains(Feature.FORMS) ? ElicitationFormCapabilities.of() : null)
                .url(client.elicitationModes.contains(Feature.PAGES) ? ElicitationUrlCapabilities.of() : null)
                .build();
    }

    /** Returns what a client of version 2 offers, as version 1 says it; it has neither files nor terminals. */
    static ClientCapabilities inVersion1(ClientCapabilitiesV2 offered) {
        ClientAuthCapabilities auth = offered.auth();
        return ClientCapabilities.builder()
                .auth(AuthCapabilities.builder()
                        .terminal(auth != null && auth.terminal() != null)
                        .build())
                .elicitation(offered.elicitation())
                .session(ofView())
                .meta(offered.meta())
                .build();
    }

    private static ClientSessionCapabilities ofView() {
        return ClientSessionCapabilities.builder()
                .compaction(CompactionCapabilities.of())
                .configOptions(SessionConfigOptionsCapabilities.builder()
                        .toggle(BooleanConfigOptionCapabilities.of())
                        .build())
                .notices(NoticeCapabilities.of())
                .build();
    }
}
