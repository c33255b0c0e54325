// The part of HelloAgent.java that is measured in version 2, written with the official TypeScript SDK.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2";

const PIECE = "The quick brown fox jumps over the lazy dog again.";
const m = acp.methods;
let sessions = 0;
let messages = 0;

const work = async (client, sessionId, text) => {
  const say = (sessionUpdate, content) =>
    client.notify(m.client.session.update, { sessionId, update: { sessionUpdate, ...content } });
  const content = { type: "text", text: PIECE };
  const [kind, number] = text.split(" ");
  await say("state_update", { state: "running" });
  if (kind === "stream") {
    const messageId = `m${++messages}`;
    for (let left = Number(number); left > 0; left--) {
      await say("agent_message_chunk", { messageId, content });
    }
  } else if (kind === "pieces") {
    const toolCallId = `c${++messages}`;
    await say("tool_call_update", { toolCallId, title: "Work", status: "pending" });
    for (let left = Number(number); left > 0; left--) {
      await say("tool_call_content_chunk", { toolCallId, content: { type: "content", content } });
    }
    await say("tool_call_update", { toolCallId, status: "completed" });
  }
  await say("state_update", { state: "idle", stopReason: "end_turn" });
};

acp
  .agent({ name: "hello" })
  .onRequest(m.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    capabilities: { session: {} },
    info: { name: "hello", version: "1" },
  }))
  .onRequest(m.agent.session.new, () => ({ sessionId: `s${++sessions}` }))
  .onRequest(m.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const messageId = `m${++messages}`;
    await client.notify(m.client.session.update, {
      sessionId,
      update: { sessionUpdate: "user_message", messageId, content: prompt },
    });
    setImmediate(() => work(client, sessionId, prompt[0].text));
    return { messageId };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
