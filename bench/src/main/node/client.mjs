// HelloClient.java, written with the official TypeScript SDK.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [turns, updates, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const expected = Number(updates) * 50;
let heard = 0;
let complete = () => {};

const app = acp
  .client({ name: "hello" })
  .onNotification(acp.methods.client.session.update, ({ params: { update } }) => {
    heard += update.content.text.length;
    if (heard >= expected) {
      complete();
    }
  });

await app.connectWith(stream, async (agent) => {
  const m = acp.methods.agent;
  await agent.request(m.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await agent.request(m.session.new, { cwd: process.cwd(), mcpServers: [] });
  const prompt = (text) => agent.request(m.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  for (let turn = 0; turn < turns; turn++) {
    heard = 0;
    const all = new Promise((resolve) => (complete = resolve));
    await prompt(`stream ${updates}`);
    await all; // the answer may be here before them
    console.log(heard);
  }
  await prompt("end");
  console.log("done");
  await new Promise((resolve) => process.stdin.once("data", resolve));
});
child.kill();
process.exit();
