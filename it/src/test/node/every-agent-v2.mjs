// An agent of the official TypeScript SDK in version 2 that answers every method, and whose prompts name what to do:
// each kind of question, every update, waiting to be cancelled. The argument is the SDK's entry point.
import { serve } from "./wire.mjs";

const acp = await import(process.argv[2]);
const hasDrafts = process.argv[2].endsWith("unstable");

const m = acp.methods;
const option = (configId, currentValue, ...values) => ({
  configId,
  name: configId,
  category: configId,
  type: "select",
  currentValue,
  options: values.map((value) => ({ value, name: value })),
});
const chosen = { mode: "ask", level: "low" };
const configOptions = () => [option("mode", chosen.mode, "ask", "code"), option("level", chosen.level, "low", "high")];
const text = (content) => ({ type: "text", text: content });
const sessions = new Map();
let authenticated = false;
let messages = 0;
const prompts = [];
let stop = () => {};

const update = (client, sessionId, sessionUpdate, content) =>
  client.notify(m.client.session.update, { sessionId, update: { sessionUpdate, ...content } });
const stopped = () => new Promise((resolve) => (stop = resolve));

const work = {
  async cut() {
    way.cut();
    await new Promise(() => {});
  },
  async count({ say }) {
    const messageId = `count-${messages}`;
    for (let i = 0; i < 100; i++) {
      await say("agent_message_chunk", { messageId, content: text(`${i} `) });
    }
  },
  prompts: () => prompts.join(" "),
  "keep-cutting": () => `cuts ${way.keepCutting(true)}`,
  "stop-cutting": () => `cuts ${way.keepCutting(false)}`,
  async permission({ client, sessionId, change }) {
    await change({ title: "Edit", kind: "edit", status: "pending" });
    const { outcome } = await client.request(m.client.session.requestPermission, {
      sessionId,
      title: "Edit",
      description: "Changes a file",
      subject: { type: "tool_call", toolCall: { toolCallId: "call-1" } },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    await change({ status: outcome.optionId === "yes" ? "completed" : "failed" });
  },
  async command({ client, sessionId }) {
    const { outcome } = await client.request(m.client.session.requestPermission, {
      sessionId,
      title: "Run make",
      subject: { type: "command", command: "make", cwd: "/src" },
      options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
    });
    return outcome.optionId;
  },
  async form({ client, sessionId }) {
    const answer = await client.request(m.client.elicitation.create, {
      mode: "form",
      sessionId,
      message: "What is your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return `hello ${answer.content.name}`;
  },
  async url({ client, sessionId }) {
    const elicitationId = "login-1";
    const answer = await client.request(m.client.elicitation.create, {
      mode: "url",
      sessionId,
      message: "Log in",
      elicitationId,
      url: "https://example.com/login",
    });
    await client.notify(m.client.elicitation.complete, { elicitationId });
    return answer.action === "accept" ? "logged in" : answer.action;
  },
  async updates({ say, change }) {
    await say("user_message_chunk", { messageId: "u-1", content: text("And ") });
    await say("agent_thought_chunk", { messageId: "t-1", content: text("Let ") });
    await say("agent_thought", { messageId: "t-1", content: [text("Let me see.")] });
    await say("agent_message_chunk", { messageId: "a-1", content: text("It is") });
    await say("agent_message", { messageId: "a-1", content: [text("It is 4.")] });
    await change({ title: "Look", kind: "read", status: "in_progress", locations: [{ path: "/src/a.txt", line: 3 }] });
    const diff = { changes: [{ operation: "modify", path: "/src/a.txt" }] };
    for (const content of [{ type: "content", content: text("part") }, { type: "diff", ...diff }]) {
      await say("tool_call_content_chunk", { toolCallId: "call-1", content });
    }
    await say("terminal_update", { terminalId: "term-1", command: "make", cwd: "/src", size: { cols: 80, rows: 24 } });
    await say("tool_call_content_chunk", {
      toolCallId: "call-1",
      content: { type: "terminal", terminalId: "term-1" },
    });
    await say("terminal_output_chunk", { terminalId: "term-1", data: Buffer.from("built\n").toString("base64") });
    await say("terminal_update", { terminalId: "term-1", exitStatus: { exitCode: 0 } });
    await change({ status: "completed", rawOutput: { lines: 3 } });
    const entries = [{ content: "Look", priority: "high", status: "completed" }];
    await say("plan_update", { plan: { type: "items", planId: "main", entries } });
    await say("available_commands_update", {
      availableCommands: [{ type: "command", name: "test", description: "Runs tests" }],
    });
    chosen.level = "high";
    await say("config_option_update", { configOptions: configOptions() });
    await say("session_info_update", { title: "Sums", updatedAt: "2026-01-02T03:04:05Z" });
    await say("usage_update", { used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } });
    await say("notice", { severity: "warning", title: "Careful" });
    await say("compaction_update", { compactionId: "c-1", status: "in_progress" });
    await say("compaction_summary_chunk", { compactionId: "c-1", content: text("Sums were done") });
    await say("compaction_update", { compactionId: "c-1", status: "completed" });
    await say("state_update", { state: "running", background: [{ type: "tool_call", toolCallId: "call-1" }] });
    if (hasDrafts) {
      await say("plan_update", { plan: { type: "markdown", planId: "notes", content: "# Notes" } });
      await say("plan_removed", { planId: "notes" });
      await say("subagent_update", { sessionId: "sub-1", title: "Helper", state: { state: "running" } });
      await say("session_message_chunk", { messageId: "s-1", content: text("Hello") });
      await say("session_message", { messageId: "s-1", senderSessionId: "sub-1", content: [text("Hello.")] });
      await say("state_update", { state: "unknown" });
    }
    return "done";
  },
  async "cancel-call"({ change }) {
    const cancelled = stopped();
    await change({ title: "Build", status: "in_progress", capabilities: { cancel: {} } });
    await cancelled;
    await change({ status: "cancelled" });
  },
  async "cancel-terminal"({ say }) {
    const cancelled = stopped();
    await say("terminal_update", { terminalId: "term-2", command: "serve", capabilities: { cancel: {} } });
    await cancelled;
    await say("terminal_update", { terminalId: "term-2", exitStatus: { signal: "SIGTERM" } });
  },
  async asking({ client, sessionId }) {
    const cancelled = stopped();
    const controller = new AbortController();
    const asked = client.request(
      m.client.session.requestPermission,
      { sessionId, title: "Go on?", options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }] },
      { cancellationSignal: controller.signal, stopWaitingOnCancel: true },
    );
    await cancelled;
    controller.abort();
    await asked.catch(() => {});
  },
  fail() {
    throw new Error("broken");
  },
};

const run = async (client, sessionId, name) => {
  const say = (kind, content) => update(client, sessionId, kind, content);
  const change = (content) => say("tool_call_update", { toolCallId: "call-1", ...content });
  await say("state_update", { state: "running" });
  let end = { stopReason: name === "asking" ? "cancelled" : "end_turn" };
  try {
    const answer = await work[name]({ client, sessionId, say, change });
    if (answer) {
      await say("agent_message", { messageId: `a-${messages}`, content: [text(answer)] });
    }
  } catch (error) {
    end = { stopReason: "error", error: { code: -32603, message: error.message } };
  }
  await say("state_update", { state: "idle", ...end });
};

const open = (sessionId, cwd) => {
  if (!authenticated) {
    throw acp.RequestError.authRequired();
  }
  sessions.set(sessionId, cwd);
  return { configOptions: configOptions() };
};

const agent = acp
  .agent({ name: "ts-every" })
  .onRequest(m.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    capabilities: { session: { mcp: { stdio: {} }, delete: {}, additionalDirectories: {} }, auth: {} },
    info: { name: "ts-every", version: "1" },
    authMethods: [{ type: "agent", methodId: "token", name: "Token" }],
  }))
  .onRequest(m.agent.auth.login, ({ params }) => {
    authenticated = params.methodId === "token";
    return {};
  })
  .onRequest(m.agent.auth.logout, () => {
    authenticated = false;
    return {};
  })
  .onRequest(m.agent.session.new, ({ params }) => {
    const sessionId = `ts-${sessions.size + 1}`;
    return { sessionId, ...open(sessionId, params.cwd) };
  })
  .onRequest(m.agent.session.resume, async ({ params, client }) => {
    const { sessionId, cwd, replayFrom } = params;
    const opened = open(sessionId, cwd);
    if (replayFrom) {
      await update(client, sessionId, "user_message", { messageId: "u-0", content: [text("said before")] });
    }
    await update(client, sessionId, "state_update", { state: "idle" });
    return opened;
  })
  .onRequest(m.agent.session.list, () => ({
    sessions: [...sessions].map(([sessionId, cwd]) => ({ sessionId, cwd })),
  }))
  .onRequest(m.agent.session.delete, ({ params }) => {
    sessions.delete(params.sessionId);
    return {};
  })
  .onRequest(m.agent.session.close, () => ({}))
  .onRequest(m.agent.session.setConfigOption, ({ params }) => {
    chosen[params.configId] = params.value;
    return { configOptions: configOptions() };
  })
  .onRequest(m.agent.toolCall.cancel, () => {
    stop();
    return {};
  })
  .onRequest(m.agent.terminal.cancel, () => {
    stop();
    return {};
  })
  .onNotification(m.agent.session.cancel, () => stop())
  .onRequest(m.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params;
    prompts.push(prompt[0].text);
    const messageId = `user-${++messages}`;
    await update(client, sessionId, "user_message", { messageId, content: prompt });
    // What is left of a turn whose connection has ended fails, which is nobody's concern.
    setImmediate(() => run(client, sessionId, prompt[0].text).catch(() => {}));
    return { messageId };
  });
const way = serve(agent, process.argv);
