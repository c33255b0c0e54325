// A client of the official TypeScript SDK, of version 1 or 2, whose connections are cut in the middle of a turn: while
// updates come, and while a question is open. It then connects anew and opens its session again. The arguments are the
// SDK's entry point, the version, a folder, an address, its token, and the port that clients are allowed to call. Prints
// one JSON object a step.
import { cuttable, toAddress } from "./wire.mjs";

const [entryPoint, version, folder, address, token, port] = process.argv.slice(2);
const acp = await import(entryPoint);
const m = acp.methods;
const isFirst = version === "1";
const way = await cuttable(address, Number(port));
const report = (step, value) => console.log(JSON.stringify({ step, ...value }));
const where = { cwd: folder, mcpServers: [] };

/** Connects, and hands over the agent, what it has said, what waits until it has said something, and what prompts. */
const connected = async (onQuestion, op) => {
  const heard = { user: [], agent: "" };
  let changed = () => {};
  const app = acp
    .client({ name: "ts-cut" })
    .onNotification(m.client.session.update, ({ params: { update } }) => {
      const { sessionUpdate, content } = update;
      const text = [content].flat().map((block) => block?.text ?? "").join("");
      if (sessionUpdate.startsWith("user_message")) {
        heard.user.push(text);
        changed();
      } else if (sessionUpdate.startsWith("agent_message")) {
        heard.agent += text;
        changed();
      }
    })
    .onRequest(m.client.session.requestPermission, ({ params }) => onQuestion(params));
  const until = (condition) =>
    new Promise((resolve) => {
      changed = () => condition(heard) && resolve();
      changed();
    });
  let isConnected = false;
  const connect = async (agent) => {
    await agent.request(m.agent.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      ...(isFirst ? { clientInfo: { name: "ts-cut", version: "1" } } : { info: { name: "ts-cut", version: "1" } }),
    });
    isConnected = true;
    const prompt = (sessionId, text) =>
      agent.request(m.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    return op({ agent, heard, until, prompt });
  };
  while (true) {
    try {
      return await app.connectWith(toAddress(way.address, token), connect);
    } catch (error) {
      // Node may take a connection that has just been cut.
      if (isConnected) {
        throw error;
      }
    }
  }
};
const allow = ({ options }) => ({
  outcome: { outcome: "selected", optionId: options.find(({ kind }) => kind === "allow_once").optionId },
});

/** Begins a turn and is cut in it: when a question comes, or when text does. Returns the session. */
const lose = async (step, text) => {
  let session;
  const asked = () => {
    way.cut();
    return new Promise(() => {});
  };
  await connected(asked, async ({ agent, until, prompt }) => {
    session = (await agent.request(m.agent.session.new, where)).sessionId;
    const turn = prompt(session, text);
    if (step === "updates") {
      await until(({ agent }) => agent.length > 200);
      way.cut();
    }
    await turn;
    await new Promise(() => {});
  }).then(
    () => report(`${step} lost`, { error: "none" }),
    (error) => report(`${step} lost`, { error: String(error.message ?? error) }),
  );
  return session;
};

/** Opens the session again, waits until its turn has said this, and goes on with another one. */
const find = (step, sessionId, said) => {
  const questions = [];
  const answer = (params) => {
    questions.push(params.title ?? params.toolCall.title);
    return allow(params);
  };
  return connected(answer, async ({ agent, heard, until, prompt }) => {
    const open = isFirst ? m.agent.session.load : m.agent.session.resume;
    await agent.request(open, { sessionId, ...where, ...(isFirst ? {} : { replayFrom: { type: "start" } }) });
    await until(({ user, agent }) => user.length > 0 && agent.includes(said));
    report(`${step} found`, { ...heard, questions });
    // Where the turn's question is that of the client before, it would wait for the end of that one's connection.
    await agent.notify(m.agent.session.cancel, { sessionId });
    await prompt(sessionId, "say three");
    await until(({ agent }) => agent.endsWith("three"));
    report(`${step} next`, { agent: heard.agent.slice(-5) });
  });
};

const goesOn = process.argv.includes("--goes-on");
await find("updates", await lose("updates", "stream 2000\nsay end"), goesOn ? "end" : "");
await find("question", await lose("question", "say one\nask Edit\nsay two"), goesOn ? "two" : "");
way.close();
