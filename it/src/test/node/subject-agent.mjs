// An agent of the official TypeScript SDK that does what the prompt says; see ClientFaults.java.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const m = acp.methods;
let sessions = 0;
const waiting = new Map();

acp
  .agent({ name: "subject" })
  .onRequest(m.agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: {},
    agentInfo: { name: "subject", version: "1" },
  }))
  .onRequest(m.agent.session.new, () => ({ sessionId: `s-${++sessions}` }))
  .onNotification(m.agent.session.cancel, ({ params }) => waiting.get(params.sessionId)?.())
  .onRequest(m.agent.session.prompt, async ({ params, client }) => {
    const { sessionId } = params;
    const say = (text) =>
      client.notify(m.client.session.update, {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
    const [, command, rest] = /^(\w+) ?(.*)$/s.exec(params.prompt[0].text);
    switch (command) {
      case "say":
        await say(rest);
        break;
      case "size":
        await say(String(rest.length));
        break;
      case "stream":
        for (let i = 0; i < Number(rest); i++) {
          await say(`${i} `);
        }
        break;
      case "fill":
        for (let i = 0; i < Number(rest); i++) {
          await say("x".repeat(10000));
        }
        break;
      case "ask": {
        const { outcome } = await client.request(m.client.session.requestPermission, {
          sessionId,
          toolCall: { toolCallId: "call-1", title: "Edit" },
          options: [
            { optionId: "yes", name: "Yes", kind: "allow_once" },
            { optionId: "no", name: "No", kind: "reject_once" },
          ],
        });
        await say(outcome.outcome === "selected" && outcome.optionId === "yes" ? "allowed" : "rejected");
        break;
      }
      case "read":
        await say((await client.request(m.client.fs.readTextFile, { sessionId, path: rest })).content);
        break;
      case "wait": {
        const cancelled = new Promise((resolve) => waiting.set(sessionId, resolve));
        await say("waiting");
        await cancelled;
        return { stopReason: "cancelled" };
      }
      case "print":
        console.log(rest);
        await say("printed");
        break;
      default:
        throw new Error("secret of the inside");
    }
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
