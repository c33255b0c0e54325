package dev.acp4j.cli.elicitation;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ElicitationQuestion;
import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.cli.session.SessionRenderer;
import dev.acp4j.cli.terminal.Console;
import dev.acp4j.cli.terminal.Display;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.ToolCallId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;

/**
 * Asks the user what an agent wants to know: with a form, or by a page that the user visits. Nothing is sent, and no
 * page is opened, before the user has seen all of it and agreed.
 *
 * <p>Ctrl-C and the end of input answer <em>cancel</em>: the user decided nothing. The turn goes on; but the second
 * time it is cancelled, too, and further questions are not shown before the user's next message: an agent cannot ask
 * for ever.
 */
public final class ElicitationDialog implements Client.ElicitationHandler {
    private final Console console;
    private final SessionRenderer renderer;
    private final WebBrowser browser;

    /** How many questions after the user's last message were cancelled, one after another. */
    private volatile int cancelled;

    /** The hosts of pages that the user agreed to visit, until the agent reports that the user is done there. */
    private final Map<ElicitationId, String> visited = new ConcurrentHashMap<>();

    public ElicitationDialog(Console console, SessionRenderer renderer) {
        this.console = console;
        this.renderer = renderer;
        this.browser = WebBrowser.ofSystem();
    }

    /** The user has sent a message, or wants to log in: questions are shown from now on. */
    public void turnBegins() {
        cancelled = 0;
    }

    @Override
    public CreateElicitationResponse elicit(ElicitationQuestion question) throws InterruptedException {
        if (!(question.request() instanceof CreateElicitationRequest.Scoped request)) {
            // Nobody may be shown a question of an unknown mode.
            return question.cancel();
        }
        return renderer.paused(screen -> {
            if (cancelled > 1) {
                return question.cancel();
            }
            long number = question.session() == null
                    ? 0
                    : renderer.asks(Entry.Question.Kind.ELICITATION, request.message(), request.toolCallId());
            screen.print(heading(question, request, screen.display()));
            CreateElicitationResponse answer = switch (request) {
                case CreateElicitationRequest.Form form -> new FormDialog(console, screen, question, form).ask();
                case CreateElicitationRequest.Url page -> visit(question, page, screen);
            };
            screen.print(answered(request, answer, screen.display()));
            renderer.answered(number);
            cancelled = answer instanceof CreateElicitationResponse.Cancel ? cancelled + 1 : 0;
            if (cancelled > 1 && question.session() != null) {
                question.session().cancel();
            }
            return answer;
        });
    }

    @Override
    public void completed(ConnectedAgent agent, ElicitationId elicitation) {
        String host = visited.remove(elicitation);
        if (host != null) {
            renderer.note("Done at " + host + ", the agent reports.", Styles.GOOD);
        }
    }

    private CreateElicitationResponse visit(
            ElicitationQuestion question, CreateElicitationRequest.Url page, Screen screen)
            throws InterruptedException {
        PageAddress address = PageAddress.of(page.url());
        CreateElicitationResponse answer = new PageDialog(console, screen, browser).ask(question, address);
        if (answer instanceof CreateElicitationResponse.Accept) {
            visited.put(page.elicitationId(), SafeText.line(address.host()));
        }
        return answer;
    }

    private static List<AttributedString> heading(
            ElicitationQuestion question, CreateElicitationRequest.Scoped request, Display display) {
        String what = request instanceof CreateElicitationRequest.Url
                ? " The agent asks you to visit a page"
                : " The agent asks for input";
        List<AttributedString> lines = new ArrayList<>();
        lines.add(Styles.of(display.symbols().question() + what, Styles.STRONG));
        lines.addAll(indented(SafeText.text(request.message()), Styles.PLAIN, display));
        Session session = question.session();
        ToolCallId about = request.toolCallId();
        if (session != null && about != null) {
            session.view()
                    .toolCall(about)
                    .ifPresent(call ->
                            lines.addAll(indented("for: " + SafeText.line(call.title()), Styles.QUIET, display)));
        }
        return lines;
    }

    private static AttributedString answered(
            CreateElicitationRequest request, CreateElicitationResponse answer, Display display) {
        String sign = "  " + display.symbols().prompt() + " ";
        return switch (answer) {
            case CreateElicitationResponse.Accept accept ->
                Styles.of(sign + (request instanceof CreateElicitationRequest.Url ? "agreed" : "sent"), Styles.GOOD);
            case CreateElicitationResponse.Decline decline -> Styles.of(sign + "declined", Styles.BAD);
            default -> Styles.of(sign + "cancelled", Styles.BUSY);
        };
    }

    /** Returns lines of a question, below its heading. */
    static List<AttributedString> indented(String text, AttributedStyle style, Display display) {
        AttributedString indent = Styles.plain("  ");
        return Wrap.lines(Styles.of(text, style), display.widthAfter(0), indent, indent);
    }

    /** Returns lines of a warning, below the heading of a question. */
    static List<AttributedString> warning(String text, Display display) {
        return Wrap.lines(
                Styles.of(text, Styles.BUSY),
                display.widthAfter(0),
                Styles.of("  " + display.symbols().note() + " ", Styles.BUSY),
                Styles.plain("    "));
    }
}
