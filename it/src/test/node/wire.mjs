// How the programs of this folder reach each other: by standard input and output, by HTTP, or by WebSocket.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { WebSocket, WebSocketServer } from "ws";

/**
 * Opens a stream to an agent: a command line, or an address and the token for it. `end` has the agent end, and resolves
 * to its exit code.
 */
export const toAgent = (command, ...args) => {
  if (/^(http|ws):/.test(command)) {
    const stream = toAddress(command, args[0]);
    return { stream, end: async () => 0 };
  }
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exit = new Promise((resolve) => child.on("exit", resolve));
  return {
    stream: ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)),
    end: () => {
      child.stdin.end();
      return exit;
    },
  };
};

export const toAddress = (address, token, more = {}) => {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return address.startsWith("ws:")
    ? createWebSocketStream(address, { headers, WebSocket, ...more })
    : createHttpStream(address, { headers, ...more });
};

/**
 * Serves an agent: on standard input and output, or, if there is an argument `--listen`, at a port of this machine
 * whose address is printed. Returns what cuts every connection.
 */
export const serve = (agent, args) => {
  if (!args.includes("--listen")) {
    agent.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
    return () => {};
  }
  const acp = new AcpServer({ agent });
  const http = createServer(createNodeHttpHandler(acp));
  const sockets = new Set();
  http.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  http.on("upgrade", createNodeWebSocketUpgradeHandler(acp, new WebSocketServer({ noServer: true })));
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/acp`));
  process.stdin.on("end", () => process.exit(0)).resume();
  return () => sockets.forEach((socket) => socket.destroy());
};
