// A client of the official TypeScript SDK in version 2 that calls every method of the agent whose command line, or
// address and token, follows, and offers every callback. The first arguments are the SDK's entry point and a folder. Prints the wire, --> and <--,
// and one JSON object a step; the Java test looks at both.
import { toAgent } from "./wire.mjs";

const [entryPoint, folder, ...way] = process.argv.slice(2);
const acp = await import(entryPoint);
const { stream: raw, end } = toAgent(...way);
const report = (step, value) => console.log(JSON.stringify({ step, ...value }));
const watched = (arrow) =>
  new TransformStream({
    transform(message, out) {
      console.log(arrow, JSON.stringify(message));
      out.enqueue(message);
    },
  });
const out = watched("-->");
out.readable.pipeTo(raw.writable).catch((error) => console.log(error));
const stream = { writable: out.writable, readable: raw.readable.pipeThrough(watched("<--")) };

const m = acp.methods;
let updates = [];
let expected = () => false;
let found = () => {};
let answered = () => {};

/** Resolves when an update comes for which the condition holds. */
const next = (condition) =>
  new Promise((resolve) => {
    expected = condition;
    found = resolve;
  });

const app = acp
  .client({ name: "ts-every" })
  .onNotification(m.client.session.update, ({ params: { update } }) => {
    updates.push(update);
    if (expected(update)) {
      expected = () => false;
      found(update);
    }
  })
  .onRequest(m.client.session.requestPermission, ({ params, signal }) => {
    report("asked", { title: params.title, subject: params.subject?.type });
    if (params.title === "Go on?") {
      answered();
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } })),
      );
    }
    const allow = params.options.find((option) => option.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: allow.optionId } };
  })
  .onRequest(m.client.elicitation.create, ({ params }) =>
    params.mode === "form" ? { action: "accept", content: { name: "Ada" } } : { action: "accept" },
  )
  .onNotification(m.client.elicitation.complete, ({ params }) => report("completed", params));

await app.connectWith(stream, async (agent) => {
  const a = m.agent;
  const initialized = await agent.request(a.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    capabilities: { elicitation: { form: {}, url: {} } },
    info: { name: "ts-every", version: "1" },
  });
  report("initialize", initialized);
  const where = { cwd: folder, mcpServers: [] };
  const refused = await agent.request(a.session.new, where).catch((error) => error.code);
  report("refused", { code: refused });
  await agent.request(a.auth.login, { methodId: initialized.authMethods[0].methodId });

  const { sessionId, configOptions } = await agent.request(a.session.new, where);
  report("new", { configOptions });
  const idle = (update) => update.sessionUpdate === "state_update" && update.state === "idle";
  const prompt = async (step, does = async () => {}) => {
    updates = [];
    const ended = next(idle);
    await agent.request(a.session.prompt, { sessionId, prompt: [{ type: "text", text: step }] });
    await does();
    const { stopReason, error } = await ended;
    report(step, { stopReason, error, updates });
  };
  for (const step of ["permission", "form", "url", "updates", "fail"]) {
    await prompt(step);
  }
  // One that waits for an update must be there before the prompt is; the end of the turn is awaited afterwards.
  const cancelled = async (step, condition, cancel) => {
    updates = [];
    const announced = next(condition);
    await agent.request(a.session.prompt, { sessionId, prompt: [{ type: "text", text: step }] });
    const update = await announced;
    const ended = next(idle);
    await cancel(update);
    report(step, { stopReason: (await ended).stopReason, updates });
  };
  await cancelled(
    "cancel-call",
    (update) => update.sessionUpdate === "tool_call_update" && update.capabilities?.cancel,
    ({ toolCallId }) => agent.request(a.toolCall.cancel, { sessionId, toolCallId }),
  );
  await cancelled(
    "cancel-terminal",
    (update) => update.sessionUpdate === "terminal_update" && update.capabilities?.cancel,
    ({ terminalId }) => agent.request(a.terminal.cancel, { sessionId, terminalId }),
  );
  const asked = new Promise((resolve) => (answered = resolve));
  await prompt("asking", async () => {
    await asked;
    const withdrawal = new AbortController();
    const held = agent.request(
      a.session.prompt,
      { sessionId, prompt: [{ type: "text", text: "held" }] },
      { cancellationSignal: withdrawal.signal },
    );
    withdrawal.abort();
    report("withdrawn", { code: await held.catch((error) => error.code) });
    await agent.notify(a.session.cancel, { sessionId });
  });

  const set = await agent.request(a.session.setConfigOption, { sessionId, configId: "level", type: "id", value: "high" });
  const mode = await agent.request(a.session.setConfigOption, { sessionId, configId: "mode", type: "id", value: "code" });
  report("option", { first: set.configOptions, second: mode.configOptions });
  report("list", await agent.request(a.session.list, {}));
  await agent.request(a.session.close, { sessionId });
  updates = [];
  await agent.request(a.session.resume, { sessionId, replayFrom: { type: "start" }, ...where });
  report("replayed", { updates });
  await agent.request(a.session.close, { sessionId });
  updates = [];
  const resumed = await agent.request(a.session.resume, { sessionId, ...where });
  report("resumed", { updates, configOptions: resumed.configOptions });
  await agent.request(a.session.delete, { sessionId });
  report("deleted", await agent.request(a.session.list, {}));
  await agent.request(a.auth.logout, {});
  report("logged out", { code: await agent.request(a.session.new, where).catch((error) => error.code) });
});
report("exit", { code: await end() });
