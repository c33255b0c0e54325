package dev.acp4j.cli;

import dev.acp4j.cli.trace.MessageFacts;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A headless Chromium with one page, driven through its own protocol: messages that end with a zero byte, over a pipe.
 */
public final class Browser implements AutoCloseable {
    private final Process process;
    private final OutputStream to;
    private final InputStream from;
    private final List<String> complaints = new ArrayList<>();
    private final List<String> requests = new ArrayList<>();
    private String session = "";
    private int calls;
    private boolean isLoaded;

    private Browser(Process process) {
        this.process = process;
        this.to = process.getOutputStream();
        this.from = process.getInputStream();
    }

    /**
     * Opens a page and waits until it is loaded. The test is skipped where there is no Chromium.
     *
     * @param profile a folder for what the browser keeps
     */
    public static Browser open(Path page, Path profile) throws IOException {
        return open(page.toUri(), profile);
    }

    /**
     * Opens a page of a server.
     *
     * @param switches further arguments of the browser
     */
    public static Browser open(URI page, Path profile, String... switches) throws IOException {
        Optional<Path> chromium = Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> LauncherFixture.find(name).stream())
                .findFirst();
        Assumptions.assumeTrue(
                chromium.isPresent(), "SKIPPED: there is no chromium on the PATH, so the page was tried in no browser");
        // The pipe is descriptors 3 and 4. Without a sandbox, which needs rights that a container has not; the page is
        // ours.
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1",
                "sh",
                chromium.get().toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--window-size=1400,800",
                "--user-data-dir=" + profile,
                "--remote-debugging-pipe"));
        command.addAll(List.of(switches));
        Process process = new ProcessBuilder(command).start();
        Browser browser = new Browser(process);
        MessageFacts target = browser.call("Target.createTarget", "{\"url\":\"about:blank\"}");
        MessageFacts attached = browser.call(
                "Target.attachToTarget", "{\"flatten\":true,\"targetId\":\"" + target.text("targetId") + "\"}");
        browser.session = attached.text("sessionId");
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            browser.call(domain + ".enable", "{}");
        }
        browser.call("Page.navigate", "{\"url\":\"" + page + "\"}");
        while (!browser.isLoaded) {
            browser.take(browser.read());
        }
        return browser;
    }

    /** Runs an expression in the page; returns its value as text. */
    public String eval(String expression) throws IOException {
        JsonWriter params = new JsonWriter();
        params.beginObject();
        params.name("expression");
        params.string(expression);
        params.name("returnByValue");
        params.bool(true);
        params.name("awaitPromise");
        params.bool(true);
        params.endObject();
        MessageFacts answer = call("Runtime.evaluate", params.toRawJson().toString());
        if (answer.at("exceptionDetails").isThere()) {
            throw new AssertionError(expression + ": " + answer.text("exceptionDetails"));
        }
        return answer.text("result", "value");
    }

    public double number(String expression) throws IOException {
        return Double.parseDouble(eval(expression));
    }

    /** Presses a key. */
    public Browser press(String key) throws IOException {
        String text = key.length() == 1 ? ",\"text\":\"" + key + "\"" : "";
        call("Input.dispatchKeyEvent", "{\"type\":\"keyDown\",\"key\":\"" + key + "\"" + text + "}");
        call("Input.dispatchKeyEvent", "{\"type\":\"keyUp\",\"key\":\"" + key + "\"}");
        return this;
    }

    /** Types a text where the focus is, and waits until the page has taken note of it. */
    public Browser type(String text) throws IOException {
        call("Input.insertText", "{\"text\":" + RawJson.string(text) + "}");
        eval("new Promise(done => setTimeout(done, 300))");
        return this;
    }

    /** Takes a picture of the page. */
    public void screenshot(Path file) throws IOException {
        Files.write(
                file,
                Base64.getDecoder().decode(call("Page.captureScreenshot", "{}").text("data")));
    }

    /** Shows the page as to somebody who likes dark pages, or light ones, in a window of a size. */
    public void emulate(int width, int height) throws IOException {
        call(
                "Emulation.setDeviceMetricsOverride",
                "{\"width\":" + width + ",\"height\":" + height + ",\"deviceScaleFactor\":1,\"mobile\":false}");
    }

    /** Returns what the page was blamed for: exceptions, errors, what its policy forbids. */
    public List<String> complaints() {
        return complaints;
    }

    /** Returns what was loaded. */
    public List<String> requests() {
        return requests;
    }

    private MessageFacts call(String method, String params) throws IOException {
        int id = ++calls;
        String to = session.isEmpty() ? "" : ",\"sessionId\":\"" + session + "\"";
        write("{\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + to + "}");
        while (true) {
            MessageFacts message = read();
            if (message.text("id").equals(String.valueOf(id))) {
                if (message.at("error").isThere()) {
                    throw new IOException(method + ": " + message.text("error"));
                }
                return message.at("result");
            }
            take(message);
        }
    }

    private void take(MessageFacts message) {
        switch (message.text("method")) {
            case "Page.loadEventFired" -> isLoaded = true;
            case "Runtime.exceptionThrown",
                    "Log.entryAdded",
                    "Runtime.consoleAPICalled",
                    "Page.javascriptDialogOpening" -> complaints.add(message.text("params"));
            case "Network.requestWillBeSent" -> requests.add(message.text("params", "request", "url"));
            default -> {}
        }
    }

    private void write(String message) throws IOException {
        to.write((message + "\0").getBytes(StandardCharsets.UTF_8));
        to.flush();
    }

    private MessageFacts read() throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        int b;
        while ((b = from.read()) > 0) {
            message.write(b);
        }
        if (b < 0) {
            throw new EOFException("the browser has ended");
        }
        return MessageFacts.of(RawJson.parse(message.toByteArray()));
    }

    @Override
    public void close() throws IOException {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        try {
            write("{\"id\":0,\"method\":\"Browser.close\"}");
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
            all.add(process.toHandle());
            all.forEach(ProcessHandle::destroyForcibly);
            // Until they have ended they may write to the profile, which is deleted next.
            all.forEach(each -> each.onExit().orTimeout(20, TimeUnit.SECONDS).join());
        }
    }
}
