package dev.acp4j.frameworks;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Stdio;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ToolKind;
import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.memory.ChatMemory;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.response.StreamingHandle;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.TokenStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/** An agent that answers with a LangChain4j model: streams its text, shows its tools, and cancels it with the turn. */
final class ModelAgent {
    // recipe: agent
    interface Assistant {
        TokenStream chat(String prompt);
    }

    static Agent create(StreamingChatModel model) {
        return Agent.builder("model", "1.0")
                .onNewSession(session -> session.attach(MessageWindowChatMemory.withMaxMessages(100)))
                .onPrompt(turn -> answer(turn, model))
                .build();
    }

    static void answer(AgentTurn turn, StreamingChatModel model) throws InterruptedException {
        var assistant = AiServices.builder(Assistant.class)
                .streamingChatModel(model)
                .chatMemory(turn.session().attachment(ChatMemory.class))
                .tools(new Tools(turn))
                .build();
        var stream = new AtomicReference<StreamingHandle>();
        turn.onCancel(() -> Optional.ofNullable(stream.get()).ifPresent(StreamingHandle::cancel));
        var done = new CompletableFuture<Void>();
        assistant
                .chat(turn.text())
                .onPartialResponseWithContext((part, context) -> {
                    stream.set(context.streamingHandle());
                    if (turn.isCancelled()) {
                        context.streamingHandle().cancel();
                    } else {
                        turn.message(part.text());
                    }
                })
                .onCompleteResponse(response -> done.complete(null))
                .onError(done::completeExceptionally)
                .start();
        try {
            done.get();
        } catch (ExecutionException e) {
            throw new RpcError(RpcError.INTERNAL_ERROR, "The model failed: " + e.getCause());
        }
    }
    // end

    // recipe: tool
    static final class Tools {
        private final AgentTurn turn;

        Tools(AgentTurn turn) {
            this.turn = turn;
        }

        @Tool("Writes a text file in the user's folder")
        String write(
                @P(name = "file", description = "path relative to the folder") String file,
                @P(name = "text", description = "the whole new text") String text)
                throws InterruptedException {
            Path path = turn.session().cwd().resolve(file);
            try (var call =
                    turn.toolCall("Write " + file, ToolKind.EDIT).location(path).diff(path, null, text)) {
                if (!call.requestPermission().isAllowed()) {
                    return "The user does not allow this.";
                }
                turn.files().writeText(path, text);
                call.complete();
                return "Written.";
            }
        }
    }
    // end

    public static void main(String[] args) throws InterruptedException {
        create(new ScriptedModel()).serve(Stdio.system());
    }
}
