package dev.acp4j.agent;

import dev.acp4j.mcp.McpServers;
import dev.acp4j.mcp.Prompt;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Role;
import dev.acp4j.schema.StopReason;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Determines the meaning of a prompt and runs it. */
final class Prompting {
    private final Work work;

    Prompting(Work work) {
        this.work = work;
    }

    void run(String text) throws InterruptedException {
        try {
            noteUnusable();
            perform(text.strip());
        } catch (UsageException e) {
            String why = String.valueOf(e.getMessage());
            work.say("That does not work: " + why + (why.endsWith("?") ? "" : ".") + "\n" + usage(text));
        } catch (RpcError e) {
            work.say("That did not work: " + e.message() + "\n");
        } catch (IOException e) {
            work.say("That did not work: " + e.getMessage() + "\n");
        } catch (WithdrawnException e) {
            work.cancelSteps();
            work.turn().stop(StopReason.CANCELLED);
        } catch (InterruptedException | CancellationException e) {
            work.cancelSteps();
            throw e;
        }
    }

    private void perform(String text) throws InterruptedException, IOException {
        if (isServerPrompt()) {
            return;
        }
        String name = commandName(text);
        if (name != null) {
            Command command = Commands.named(name);
            if (command == null) {
                work.say("There is no command " + Markdown.code("/" + name) + ".\n\n");
                new HelpCommand().run(work, "");
                return;
            }
            command.run(work, text.substring(name.length() + 1).strip());
            return;
        }
        Intent intent = work.attachments().isEmpty() ? Intent.of(text, work.workspace()) : null;
        if (intent == null) {
            new Answering(work).answer(text);
        } else {
            perform(intent);
        }
    }

    /** Shows a prompt of an MCP server that the user has called, and answers it as a question. */
    private boolean isServerPrompt() throws InterruptedException, IOException {
        List<Prompt.Message> messages =
                McpServers.of(work.turn()).command(work.turn()).orElse(null);
        if (messages == null) {
            return false;
        }
        StringBuilder asked = new StringBuilder();
        for (Prompt.Message message : messages) {
            if (message.content() instanceof ContentBlock.Text text) {
                work.say(Markdown.quote(text.text()));
                asked.append(message.role().equals(Role.USER) ? text.text() + "\n" : "");
            } else {
                work.say("The prompt has content that is no text, which I cannot use.\n\n");
            }
        }
        new Answering(work).answer(asked.toString().strip());
        return true;
    }

    private void perform(Intent intent) throws InterruptedException, IOException {
        Command command = Commands.named(intent.command());
        if (command != null) {
            command.run(work, intent.arguments());
        } else if (intent.command().equals(Intent.DECLINED)) {
            work.say(intent.arguments() + "\n");
        } else if (intent.command().equals("thanks")) {
            work.say("You are welcome.\n");
        } else {
            work.say("Hello! Ask me where something is in this workspace, or type `/help`.\n");
        }
    }

    /** The name after a slash at the beginning; null when the text is none of a command, such as a path. */
    private static @Nullable String commandName(String text) {
        if (!text.startsWith("/")) {
            return null;
        }
        int end = 1;
        while (end < text.length() && !Character.isWhitespace(text.charAt(end))) {
            end++;
        }
        String name = text.substring(1, end);
        boolean plain = !name.isEmpty() && name.chars().allMatch(c -> Character.isLetterOrDigit(c) || c == '-');
        return plain ? name : null;
    }

    private static String usage(String text) {
        String name = commandName(text.strip());
        Command command = name == null ? null : Commands.named(name);
        return command == null ? "" : "\n" + Markdown.code("/" + command.name() + " " + command.hint()) + "\n";
    }

    /** Reports unusable attachments first, so that the answer is not mistaken for one about them. */
    private void noteUnusable() throws InterruptedException {
        for (String address : work.attachments().unreachable()) {
            work.say("I cannot read " + Markdown.code(address) + ": it is not in this workspace.\n\n");
        }
        for (String kind : work.attachments().other()) {
            work.say("I can do nothing with " + kind + ".\n\n");
        }
    }
}
