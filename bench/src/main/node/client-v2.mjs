// HelloClientOfVersion2.java, written with the official TypeScript SDK.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/experimental/v2";

const [kind, turns, updates, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
let heard = 0;
let complete = () => {};

const app = acp
  .client({ name: "hello" })
  .onNotification(acp.methods.client.session.update, ({ params: { update } }) => {
    if (update.sessionUpdate === "agent_message_chunk") {
      heard += update.content.text.length;
    } else if (update.sessionUpdate === "tool_call_content_chunk") {
      heard += update.content.content.text.length;
    } else if (update.state === "idle") {
      complete();
    }
  });

await app.connectWith(stream, async (agent) => {
  const m = acp.methods.agent;
  await agent.request(m.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    capabilities: {},
    info: { name: "hello", version: "1" },
  });
  const { sessionId } = await agent.request(m.session.new, { cwd: process.cwd(), mcpServers: [] });
  const prompt = async (text) => {
    const ended = new Promise((resolve) => (complete = resolve));
    await agent.request(m.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
    await ended;
  };
  for (let turn = 0; turn < turns; turn++) {
    heard = 0;
    await prompt(`${kind} ${updates}`);
    console.log(heard);
  }
  await prompt("end");
  console.log("done");
  await new Promise((resolve) => process.stdin.once("data", resolve));
});
child.kill();
process.exit();
