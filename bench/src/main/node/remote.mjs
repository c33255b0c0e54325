// RemoteServer.java, written with the official TypeScript SDK.
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import * as acp from "@agentclientprotocol/sdk";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { WebSocketServer } from "ws";

const PADDING = "x".repeat(160);
const m = acp.methods;

const createAgent = () => {
  let sessions = 0;
  return acp
    .agent({ name: "remote" })
    .onRequest(m.agent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }))
    .onRequest(m.agent.session.new, () => ({ sessionId: `s${++sessions}` }))
    .onRequest(m.agent.session.prompt, async ({ params, client }) => {
      const { sessionId } = params;
      const [, updates, millis] = params.prompt[0].text.split(" ").map(Number);
      const say = (number) =>
        client.notify(m.client.session.update, {
          sessionId,
          update: {
            sessionUpdate: "agent_message_chunk",
            content: { type: "text", text: `@${process.hrtime.bigint()}#${number}@${PADDING}` },
          },
        });
      for (let i = 0; i < updates; i++) {
        if (millis) {
          await new Promise((resolve) => setTimeout(resolve, i === 0 ? Math.random() * millis : millis));
        }
        await say(i);
      }
      return { stopReason: "end_turn" };
    });
};

const server = new AcpServer({ createAgent });
const http = createServer(createNodeHttpHandler(server));
http.on("upgrade", createNodeWebSocketUpgradeHandler(server, new WebSocketServer({ noServer: true })));
http.keepAliveTimeout = 60_000;
http.listen(0, "127.0.0.1", () => console.log(`port ${http.address().port}`));

const input = createInterface({ input: process.stdin });
input.on("line", () => {
  globalThis.gc?.();
  const threads = readdirSync("/proc/self/task").length;
  console.log(`heap ${process.memoryUsage().heapUsed} threads ${threads} saying 0`);
});
input.on("close", () => process.exit());
