// A client of the official TypeScript SDK whose connections are cut in the middle of a turn, and that comes back to its
// session on a new connection, as the SDK recommends. The arguments are the SDK's entry point, a folder, the address of
// the agent and the token for it. Prints one JSON object a step; the Java test looks at them.
import { WebSocket } from "ws";
import { toAddress } from "./wire.mjs";

const [entryPoint, folder, address, token] = process.argv.slice(2);
const acp = await import(entryPoint);
const isV2 = acp.PROTOCOL_VERSION === 2;
const a = acp.methods.agent;
const c = acp.methods.client;
const where = { cwd: folder, mcpServers: [] };
const report = (step, value) => console.log(JSON.stringify({ step, ...value }));
const text = (update) => JSON.stringify(update.content ?? "");
const isIdle = (update) => update.sessionUpdate === "state_update" && update.state === "idle";

/** Opens a connection that can be cut, and whose updates can be waited for. */
const connect = async (work) => {
  const cutting = new AbortController();
  const sockets = [];
  class Socket extends WebSocket {
    constructor(...args) {
      super(...args);
      sockets.push(this);
    }
  }
  const stream = toAddress(address, token, {
    fetch: (url, init = {}) =>
      fetch(url, { ...init, signal: AbortSignal.any([cutting.signal, init.signal].filter(Boolean)) }),
    WebSocket: Socket,
  });
  const cut = () => {
    cutting.abort();
    sockets.forEach((socket) => socket.terminate());
  };
  const updates = [];
  const waiting = new Set();
  const until = (condition) =>
    new Promise((resolve) => {
      const look = () => {
        const found = updates.find(condition);
        if (found) {
          waiting.delete(look);
          resolve(found);
        }
      };
      waiting.add(look);
      look();
    });
  const app = acp
    .client({ name: "ts-cut" })
    .onNotification(c.session.update, ({ params }) => {
      updates.push(params.update);
      [...waiting].forEach((look) => look());
    })
    .onRequest(c.session.requestPermission, ({ params }) => ({
      outcome: { outcome: "selected", optionId: params.options.find((option) => option.kind === "allow_once").optionId },
    }));
  await app.connectWith(stream, async (agent) => {
    const initialized = await agent.request(a.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      ...(isV2 ? { capabilities: {}, info: { name: "ts-cut", version: "1" } } : { clientCapabilities: {} }),
    });
    const method = initialized.authMethods[0];
    await agent.request(isV2 ? a.auth.login : a.authenticate, { methodId: method.methodId ?? method.id });
    const prompt = (sessionId, what) =>
      agent.request(a.session.prompt, { sessionId, prompt: [{ type: "text", text: what }] });
    await work({ agent, prompt, updates, until, cut });
  });
};

let sessionId;
await connect(async ({ agent, prompt, until, cut }) => {
  ({ sessionId } = await agent.request(a.session.new, where));
  const running = prompt(sessionId, "wait");
  await until((update) => text(update).includes("waiting"));
  // In version 2 the prompt was answered before the turn began.
  const next = isV2 ? running.then(() => agent.request(a.session.list, {})) : running;
  cut();
  const failed = await next.then(
    () => false,
    () => true,
  );
  report("cut", { failed });
});
await connect(async ({ agent, prompt, updates, until }) => {
  if (isV2) {
    await agent.request(a.session.resume, { sessionId, replayFrom: { type: "start" }, ...where });
  } else {
    await agent.request(a.session.load, { sessionId, ...where });
  }
  await until((update) => text(update).includes("waiting"));
  report("loaded", { waiting: true });
  updates.length = 0;
  const cancelled = isV2 ? until(isIdle) : Promise.resolve();
  await agent.notify(a.session.cancel, { sessionId });
  report("cancelled", { stopReason: (await cancelled)?.stopReason ?? "cancelled" });
  updates.length = 0;
  const ended = isV2 ? until(isIdle) : undefined;
  const answer = await prompt(sessionId, "permission");
  const { stopReason } = (await ended) ?? answer;
  const { status } = updates.findLast((update) => update.sessionUpdate === "tool_call_update");
  report("permission", { stopReason, status });
});
