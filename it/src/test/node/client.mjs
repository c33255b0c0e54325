// A client of the official TypeScript SDK that drives the agent whose command line follows, through every step that an
// editor takes. The first arguments are the SDK's entry point and a folder. Prints one JSON object a step; the Java test
// looks at them.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";

const [entryPoint, folder, command, ...args] = process.argv.slice(2);
const acp = await import(entryPoint);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const report = (step, value) => console.log(JSON.stringify({ step, ...value }));

const updates = [];
let permissions = [];
let onPermission = () => {};

const app = acp
  .client({ name: "ts-client" })
  .onNotification(acp.methods.client.session.update, ({ params }) => {
    updates.push(params.update);
  })
  .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
    permissions.push(params);
    onPermission(params);
    const allow = params.options.find((option) => option.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: allow.optionId } };
  });

const seen = (kind) => updates.filter((update) => update.sessionUpdate === kind);
const text = () =>
  seen("agent_message_chunk")
    .map((update) => update.content.text)
    .join("");

await app.connectWith(stream, async (agent) => {
  const m = acp.methods.agent;
  const initialized = await agent.request(m.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "ts-client", version: "1" },
  });
  report("initialize", { version: initialized.protocolVersion, capabilities: initialized.agentCapabilities });

  const session = await agent.request(m.session.new, { cwd: folder, mcpServers: [] });
  const sessionId = session.sessionId;
  report("new", { modes: session.modes, options: session.configOptions?.length });
  const prompt = (say) => agent.request(m.session.prompt, { sessionId, prompt: [{ type: "text", text: say }] });

  const asked = await prompt("where is the retry logic?");
  report("ask", { stopReason: asked.stopReason, text: text() });

  updates.length = 0;
  const replaced = await prompt("/replace retry again");
  report("replace", {
    stopReason: replaced.stopReason,
    permissions: permissions.length,
    options: permissions[0]?.options.map((option) => option.kind),
    statuses: [...seen("tool_call"), ...seen("tool_call_update")].map((update) => update.status),
  });

  updates.length = 0;
  const running = prompt("/run sleep 1000");
  while (!seen("tool_call_update").some((update) => update.status === "in_progress")) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await agent.notify(m.session.cancel, { sessionId });
  report("cancel", { stopReason: (await running).stopReason });

  if (initialized.agentCapabilities.sessionCapabilities?.list) {
    const listed = await agent.request(m.session.list, { cwd: folder });
    report("list", { ids: listed.sessions.map((info) => info.sessionId === sessionId) });
  }

  await agent.request(m.session.setMode, { sessionId, modeId: "read-only" });
  permissions = [];
  await prompt("/replace again retry");
  report("read-only", { permissions: permissions.length });

  await agent.request(m.session.close, { sessionId });
  updates.length = 0;
  await agent.request(m.session.load, { sessionId, cwd: folder, mcpServers: [] });
  report("load", { user: seen("user_message_chunk").length, agent: seen("agent_message_chunk").length });

  await agent.request(m.session.close, { sessionId });
  const gone = await prompt("hello").then(
    () => "answered",
    (error) => error.code,
  );
  report("closed", { code: gone });
});
child.stdin.end();
child.on("exit", (code) => report("exit", { code }));
