// An agent of the official TypeScript SDK that answers every stable method, and whose prompts name the callback to use;
// EveryMethodAgent is the same on acp4j. The argument is the SDK's entry point.
import { serve } from "./wire.mjs";

const acp = await import(process.argv[2]);

const m = acp.methods;
const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};
const level = (currentValue) => [
  {
    id: "level",
    name: "Level",
    type: "select",
    currentValue,
    options: [
      { value: "low", name: "Low" },
      { value: "high", name: "High" },
    ],
  },
];
const sessions = new Map();
let authenticated = false;
const prompts = [];
let cancelled = () => {};

const open = (sessionId, cwd) => {
  if (!authenticated) {
    throw acp.RequestError.authRequired();
  }
  sessions.set(sessionId, cwd);
  return { modes, configOptions: level("low") };
};
const update = (client, sessionId, content) =>
  client.notify(m.client.session.update, { sessionId, update: content });
const say = (client, sessionId, text) =>
  update(client, sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

const callbacks = {
  async cut() {
    way.cut();
    await new Promise(() => {});
  },
  async count({ client, sessionId }) {
    for (let i = 0; i < 100; i++) {
      await say(client, sessionId, `${i} `);
    }
  },
  prompts: () => prompts.join(" "),
  "keep-cutting": () => `cuts ${way.keepCutting(true)}`,
  "stop-cutting": () => `cuts ${way.keepCutting(false)}`,
  async permission({ client, sessionId }) {
    const toolCallId = "call-1";
    const status = (value) => update(client, sessionId, { sessionUpdate: "tool_call_update", toolCallId, status: value });
    await update(client, sessionId, { sessionUpdate: "tool_call", toolCallId, title: "Edit", kind: "edit", status: "pending" });
    const { outcome } = await client.request(m.client.session.requestPermission, {
      sessionId,
      toolCall: { toolCallId },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    });
    await status(outcome.optionId === "yes" ? "completed" : "failed");
  },
  async form({ client, sessionId }) {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const answer = await client.request(m.client.elicitation.create, {
      mode: "form",
      sessionId,
      message: "What is your name?",
      requestedSchema,
    });
    return answer.action === "accept" ? `hello ${answer.content.name}` : answer.action;
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
  async files({ client, sessionId }, folder) {
    const path = `${folder}/written.txt`;
    await client.request(m.client.fs.writeTextFile, { sessionId, path, content: "one\ntwo\nthree\n" });
    const { content } = await client.request(m.client.fs.readTextFile, { sessionId, path, line: 2, limit: 1 });
    return content.trim();
  },
  async terminal({ client, sessionId }) {
    const terminal = await start(client, sessionId, "console.log('hello')");
    const { exitCode } = await client.request(m.client.terminal.waitForExit, terminal);
    const { output } = await client.request(m.client.terminal.output, terminal);
    await client.request(m.client.terminal.release, terminal);
    return `${output.trim()} ${exitCode}`;
  },
  async kill({ client, sessionId }) {
    const terminal = await start(client, sessionId, "setInterval(() => {}, 1000)");
    const before = await client.request(m.client.terminal.output, terminal);
    await client.request(m.client.terminal.kill, terminal);
    await client.request(m.client.terminal.waitForExit, terminal);
    const after = await client.request(m.client.terminal.output, terminal);
    await client.request(m.client.terminal.release, terminal);
    return !before.exitStatus && after.exitStatus ? "killed" : "not killed";
  },
  async updates({ client, sessionId }) {
    const say = (sessionUpdate, content) => update(client, sessionId, { sessionUpdate, ...content });
    const text = (content) => ({ type: "text", text: content });
    await say("user_message_chunk", { messageId: "u-1", content: text("And ") });
    await say("agent_thought_chunk", { messageId: "t-1", content: text("Let me see.") });
    await say("agent_message_chunk", { messageId: "a-1", content: text("It is 4.") });
    await say("tool_call", { toolCallId: "call-2", title: "Look", kind: "read", status: "in_progress" });
    const diff = { type: "diff", path: "/src/a.txt", oldText: "one", newText: "two" };
    await say("tool_call_update", { toolCallId: "call-2", status: "completed", content: [diff] });
    await say("plan", { entries: [{ content: "Look", priority: "high", status: "completed" }] });
    await say("available_commands_update", { availableCommands: [{ name: "test", description: "Runs tests" }] });
    await say("current_mode_update", { currentModeId: "code" });
    await say("config_option_update", { configOptions: level("high") });
    await say("session_info_update", { title: "Sums", updatedAt: "2026-01-02T03:04:05Z" });
    await say("usage_update", { used: 10, size: 100, cost: { amount: 0.5, currency: "USD" } });
    await say("notice", { severity: "warning", title: "Careful" });
    await say("compaction_update", { compactionId: "c-1", status: "in_progress" });
    await say("compaction_summary_chunk", { compactionId: "c-1", content: text("Sums were done") });
    await say("compaction_update", { compactionId: "c-1", status: "completed" });
    if (process.argv[2].endsWith("unstable")) {
      await say("plan_update", { plan: { type: "markdown", planId: "notes", content: "# Notes" } });
      await say("plan_removed", { planId: "notes" });
      await say("subagent_update", { sessionId: "sub-1", title: "Helper", state: { state: "running" } });
      await say("session_message_chunk", { messageId: "s-1", content: text("Hello") });
      await say("session_message", { messageId: "s-1", senderSessionId: "sub-1", content: [text("Hello.")] });
    }
    return "done";
  },
  async wait({ client, sessionId }) {
    const ended = new Promise((resolve) => {
      cancelled = resolve;
    });
    await say(client, sessionId, "waiting");
    await ended;
  },
};

const start = async (client, sessionId, script) => {
  const args = ["-e", script];
  const { terminalId } = await client.request(m.client.terminal.create, {
    sessionId,
    command: "node",
    args,
    cwd: sessions.get(sessionId),
  });
  return { sessionId, terminalId };
};

const agent = acp
  .agent({ name: "ts-every" })
  .onRequest(m.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: {
      loadSession: true,
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
      auth: { logout: {} },
    },
    agentInfo: { name: "ts-every", version: "1" },
    authMethods: [{ id: "token", name: "Token" }],
  }))
  .onRequest(m.agent.authenticate, ({ params }) => {
    authenticated = params.methodId === "token";
    return {};
  })
  .onRequest(m.agent.logout, () => {
    authenticated = false;
    return {};
  })
  .onRequest(m.agent.session.new, ({ params }) => {
    const sessionId = `ts-${sessions.size + 1}`;
    return { sessionId, ...open(sessionId, params.cwd) };
  })
  .onRequest(m.agent.session.load, async ({ params, client }) => {
    const content = { type: "text", text: "said before" };
    await update(client, params.sessionId, { sessionUpdate: "user_message_chunk", content });
    return open(params.sessionId, params.cwd);
  })
  .onRequest(m.agent.session.resume, ({ params }) => open(params.sessionId, params.cwd))
  .onRequest(m.agent.session.list, () => ({
    sessions: [...sessions].map(([sessionId, cwd]) => ({ sessionId, cwd })),
  }))
  .onRequest(m.agent.session.delete, ({ params }) => {
    sessions.delete(params.sessionId);
    return {};
  })
  .onRequest(m.agent.session.close, () => ({}))
  .onRequest(m.agent.session.setMode, () => ({}))
  .onRequest(m.agent.session.setConfigOption, ({ params }) => ({ configOptions: level(params.value) }))
  .onNotification(m.agent.session.cancel, () => cancelled("cancelled"))
  .onRequest(m.agent.session.prompt, async ({ params, client }) => {
    const { sessionId } = params;
    const [callback, ...args] = params.prompt[0].text.split(" ");
    prompts.push(callback);
    const text = await callbacks[callback]({ client, sessionId }, ...args);
    if (text) {
      await say(client, sessionId, text);
    }
    return { stopReason: callback === "wait" ? "cancelled" : "end_turn" };
  });
const way = serve(agent, process.argv);
