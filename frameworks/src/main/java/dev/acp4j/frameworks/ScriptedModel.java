package dev.acp4j.frameworks;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.chat.response.StreamingHandle;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A model without a network, as models of a provider behave: it answers on a thread of its own, word by word.
 *
 * <p>{@code write FILE TEXT} calls the tool of that name and answers its result; {@code think} says one thing and then
 * nothing until it is cancelled; {@code fail} fails; any other prompt is repeated.
 */
final class ScriptedModel implements StreamingChatModel {
    private volatile Thread answering = Thread.currentThread();

    /** Waits until the latest answer has ended. */
    void awaitEnd() throws InterruptedException {
        answering.join();
    }

    @Override
    public void doChat(ChatRequest request, StreamingChatResponseHandler handler) {
        ChatMessage last = request.messages().getLast();
        answering = Thread.ofPlatform().daemon().name("model").start(() -> {
            switch (last) {
                case UserMessage user -> answer(user.singleText(), handler);
                case ToolExecutionResultMessage result -> say(result.text(), handler);
                default -> handler.onError(new IllegalStateException("no answer to " + last.type()));
            }
        });
    }

    private void answer(String prompt, StreamingChatResponseHandler handler) {
        String[] words = prompt.split(" ", 3);
        switch (words[0]) {
            case "write" ->
                handler.onCompleteResponse(response(AiMessage.from(List.of(ToolExecutionRequest.builder()
                        .id("1")
                        .name("write")
                        .arguments("{\"file\": \"" + words[1] + "\", \"text\": \"" + words[2] + "\"}")
                        .build()))));
            case "think" -> think(handler);
            case "fail" -> handler.onError(new IllegalStateException("the key is wrong"));
            default -> say("You said: " + prompt, handler);
        }
    }

    private void say(String text, StreamingChatResponseHandler handler) {
        Stream stream = new Stream(handler);
        for (String word : text.splitWithDelimiters(" ", 0)) {
            stream.part(word);
        }
        if (!stream.isCancelled()) {
            handler.onCompleteResponse(response(AiMessage.from(text)));
        }
    }

    private void think(StreamingChatResponseHandler handler) {
        Stream stream = new Stream(handler);
        stream.part("Let me think.");
        stream.awaitCancelled();
    }

    private static ChatResponse response(AiMessage message) {
        return ChatResponse.builder().aiMessage(message).build();
    }

    /** One answer, until the agent cancels it. */
    private static final class Stream implements StreamingHandle {
        private final StreamingChatResponseHandler handler;
        private final CountDownLatch cancelled = new CountDownLatch(1);

        Stream(StreamingChatResponseHandler handler) {
            this.handler = handler;
        }

        /** Hands over a part. What the handler throws ends the answer, as in the models of LangChain4j. */
        void part(String text) {
            if (isCancelled()) {
                return;
            }
            try {
                handler.onPartialResponse(new PartialResponse(text), new PartialResponseContext(this));
            } catch (RuntimeException e) {
                cancel();
                handler.onError(e);
            }
        }

        void awaitCancelled() {
            try {
                cancelled.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void cancel() {
            cancelled.countDown();
        }

        @Override
        public boolean isCancelled() {
            return cancelled.getCount() == 0;
        }
    }
}
