// An agent of the official TypeScript SDK: says things, asks for permission, reads a file, waits to be cancelled, replays.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const m = acp.methods;
let sessions = 0;
const said = new Map();
let cancelled = () => {};

const update = (client, sessionId, content) =>
  client.notify(m.client.session.update, { sessionId, update: content });
const say = (client, sessionId, text) =>
  update(client, sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

acp
  .agent({ name: "ts-agent" })
  .onRequest(m.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: { loadSession: true, sessionCapabilities: { close: {} } },
    agentInfo: { name: "ts-agent", version: "1" },
  }))
  .onRequest(m.agent.session.new, () => {
    const sessionId = `ts-${++sessions}`;
    said.set(sessionId, []);
    return { sessionId };
  })
  .onRequest(m.agent.session.load, async ({ params, client }) => {
    for (const text of said.get(params.sessionId)) {
      await update(client, params.sessionId, {
        sessionUpdate: "user_message_chunk",
        content: { type: "text", text },
      });
    }
    return {};
  })
  .onRequest(m.agent.session.close, () => ({}))
  .onNotification(m.agent.session.cancel, () => cancelled())
  .onRequest(m.agent.session.prompt, async ({ params, client }) => {
    const { sessionId } = params;
    const text = params.prompt[0].text;
    said.get(sessionId).push(text);
    if (text === "burst") {
      for (let i = 0; i < 500; i++) {
        say(client, sessionId, "x");
      }
    } else if (text === "wait") {
      await say(client, sessionId, "waiting");
      await new Promise((resolve) => {
        cancelled = resolve;
      });
      return { stopReason: "cancelled" };
    } else if (text.startsWith("read ")) {
      const file = await client.request(m.client.fs.readTextFile, { sessionId, path: text.slice(5) });
      await say(client, sessionId, file.content);
    } else if (text === "ask") {
      await update(client, sessionId, {
        sessionUpdate: "tool_call",
        toolCallId: "call-1",
        title: "Edit",
        kind: "edit",
        status: "pending",
      });
      const answer = await client.request(m.client.session.requestPermission, {
        sessionId,
        toolCall: { toolCallId: "call-1" },
        options: [
          { optionId: "yes", name: "Yes", kind: "allow_once" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ],
      });
      await update(client, sessionId, {
        sessionUpdate: "tool_call_update",
        toolCallId: "call-1",
        status: answer.outcome.optionId === "yes" ? "completed" : "failed",
      });
    }
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
