// HelloAgent.java, written with the official TypeScript SDK.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const PIECE = "The quick brown fox jumps over the lazy dog again.";
const LINE = "A line of a file that has the usual number of characters.\n";
const m = acp.methods;
let sessions = 0;

acp
  .agent({ name: "hello" })
  .onRequest(m.agent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(m.agent.session.new, () => ({ sessionId: `s${++sessions}` }))
  .onRequest(m.agent.session.prompt, async ({ params, client }) => {
    const { sessionId } = params;
    const say = (text) =>
      client.notify(m.client.session.update, {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
    const text = params.prompt[0].text;
    const space = text.indexOf(" ");
    const number = () => Number(text.slice(space + 1));
    switch (space < 0 ? text : text.slice(0, space)) {
      case "stream":
        for (let left = number(); left > 0; left--) {
          await say(PIECE);
        }
        break;
      case "read":
        for (let left = number(); left > 0; left--) {
          await client.request(m.client.fs.readTextFile, { sessionId, path: "/home/file.txt" });
        }
        break;
      case "write":
        await client.request(m.client.fs.writeTextFile, {
          sessionId,
          path: "/home/file.txt",
          content: LINE.repeat(number() / LINE.length),
        });
        break;
      case "take":
        await say(String(text.length));
        break;
      default:
        await say(PIECE);
    }
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
