// A client of the official TypeScript SDK that calls every stable method of the agent whose command line, or address and
// token, follows, and offers every callback. The first arguments are the SDK's entry point and a folder. Prints the wire, --> and <--, and
// one JSON object a step; the Java test looks at both.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
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

const updates = [];
let changed = () => {};
const terminals = new Map();
const m = acp.methods;

const app = acp
  .client({ name: "ts-every" })
  .onNotification(m.client.session.update, ({ params }) => {
    updates.push(params.update);
    changed();
  })
  .onRequest(m.client.session.requestPermission, ({ params }) => {
    const allow = params.options.find((option) => option.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: allow.optionId } };
  })
  .onRequest(m.client.elicitation.create, ({ params }) =>
    params.mode === "form" ? { action: "accept", content: { name: "Ada" } } : { action: "accept" },
  )
  .onNotification(m.client.elicitation.complete, ({ params }) => report("completed", params))
  .onRequest(m.client.fs.readTextFile, async ({ params }) => {
    const lines = (await readFile(params.path, "utf8")).split("\n");
    const from = (params.line ?? 1) - 1;
    return { content: lines.slice(from, from + (params.limit ?? lines.length)).join("\n") };
  })
  .onRequest(m.client.fs.writeTextFile, async ({ params }) => {
    await writeFile(params.path, params.content);
    return {};
  })
  .onRequest(m.client.terminal.create, ({ params }) => {
    const process = spawn(params.command, params.args, { cwd: params.cwd, stdio: ["ignore", "pipe", "inherit"] });
    const terminal = { process, output: "", exitStatus: null };
    process.stdout.on("data", (data) => (terminal.output += data));
    terminal.ended = new Promise((resolve) =>
      process.on("close", (exitCode, signal) => {
        terminal.exitStatus = { exitCode, signal };
        resolve();
      }),
    );
    const terminalId = `terminal-${terminals.size + 1}`;
    terminals.set(terminalId, terminal);
    return { terminalId };
  })
  .onRequest(m.client.terminal.output, ({ params }) => {
    const { output, exitStatus } = terminals.get(params.terminalId);
    return { output, truncated: false, exitStatus };
  })
  .onRequest(m.client.terminal.waitForExit, async ({ params }) => {
    const terminal = terminals.get(params.terminalId);
    await terminal.ended;
    return terminal.exitStatus;
  })
  .onRequest(m.client.terminal.kill, ({ params }) => {
    terminals.get(params.terminalId).process.kill();
    return {};
  })
  .onRequest(m.client.terminal.release, ({ params }) => {
    terminals.get(params.terminalId).process.kill();
    terminals.delete(params.terminalId);
    report("released", { left: terminals.size });
    return {};
  });

await app.connectWith(stream, async (agent) => {
  const a = m.agent;
  const initialized = await agent.request(a.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      elicitation: { form: {}, url: {} },
      session: { notices: {}, compaction: {} },
    },
    clientInfo: { name: "ts-every", version: "1" },
  });
  report("initialize", initialized);
  const where = { cwd: folder, mcpServers: [] };
  const refused = await agent.request(a.session.new, where).catch((error) => error.code);
  report("refused", { code: refused });
  await agent.request(a.authenticate, { methodId: initialized.authMethods[0].id });

  const { sessionId, modes, configOptions } = await agent.request(a.session.new, where);
  report("new", { modes, configOptions });
  const prompt = async (step, text) => {
    updates.length = 0;
    const { stopReason } = await agent.request(a.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    report(step, { stopReason, updates });
  };
  for (const callback of ["permission", "form", "url", "terminal", "kill", "updates"]) {
    await prompt(callback, callback);
  }
  await prompt("files", `files ${folder}`);

  const waiting = new Promise((resolve) => {
    changed = () => updates.some((update) => update.content?.text === "waiting") && resolve();
  });
  const running = prompt("wait", "wait");
  await waiting;
  await agent.notify(a.session.cancel, { sessionId });
  await running;

  await agent.request(a.session.setMode, { sessionId, modeId: "code" });
  const set = await agent.request(a.session.setConfigOption, { sessionId, configId: "level", value: "high" });
  report("option", { value: set.configOptions[0].currentValue });
  report("list", await agent.request(a.session.list, {}));
  await agent.request(a.session.close, { sessionId });
  updates.length = 0;
  const loaded = await agent.request(a.session.load, { sessionId, ...where });
  report("load", { updates, mode: loaded.modes.currentModeId });
  await agent.request(a.session.close, { sessionId });
  report("resume", await agent.request(a.session.resume, { sessionId, ...where }));
  await agent.request(a.session.delete, { sessionId });
  report("deleted", await agent.request(a.session.list, {}));
  await agent.request(a.logout, {});
  report("logged out", { code: await agent.request(a.session.new, where).catch((error) => error.code) });
});
report("exit", { code: await end() });
