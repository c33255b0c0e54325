// A client of the official TypeScript SDK that asks the agent of its arguments twice; see Report.java for what it prints.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));

let heard = "";
const tools = {};
const hash = (text) => {
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    value = (Math.imul(value, 31) + text.charCodeAt(i)) | 0;
  }
  return value;
};
const shown = (text) =>
  text.length > 50000
    ? `${text.length} characters, hash ${hash(text)}`
    : text.replace(/[^ -~]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
const step = (name, detail) => {
  console.log([name, shown(heard), shown(detail), JSON.stringify(tools)].join("\t"));
  heard = "";
};
const failed = (error) => step("failed", `${error?.message ?? error} ${JSON.stringify(error?.data ?? "")}`);

const app = acp
  .client({ name: "subject" })
  .onNotification(acp.methods.client.session.update, ({ params: { sessionId, update }, agent }) => {
    if (update.sessionUpdate === "agent_message_chunk") {
      heard += update.content.text ?? "";
      if (update.content.text === "cancel") {
        agent.notify(acp.methods.agent.session.cancel, { sessionId });
      } else if (update.content.text === "close") {
        child.kill();
      }
    } else if (update.toolCallId) {
      tools[update.toolCallId] = update.status;
    }
  })
  .onRequest(acp.methods.client.fs.readTextFile, ({ params }) => ({ content: `content of ${params.path}` }))
  .onRequest(acp.methods.client.session.requestPermission, ({ params }) => ({
    outcome: {
      outcome: "selected",
      optionId: params.options.find((option) => option.kind === "allow_once").optionId,
    },
  }));

try {
  await app.connectWith(stream, async (agent) => {
    const m = acp.methods.agent;
    await agent.request(m.initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: false } },
      clientInfo: { name: "subject", version: "1" },
    });
    step("connected", "");
    const { sessionId } = await agent.request(m.session.new, { cwd: process.cwd(), mcpServers: [] });
    step("opened", "");
    for (const text of ["first", "second"]) {
      try {
        const answer = await agent.request(m.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
        step("answered", answer.stopReason);
      } catch (error) {
        failed(error);
      }
    }
  });
} catch (error) {
  failed(error);
}
child.kill();
step("closed", "");
