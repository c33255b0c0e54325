// How the programs of this folder reach each other: by standard input and output, by HTTP, or by WebSocket.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
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
 * whose address is printed. Returns what cuts every connection there, and what does so from now on now and then.
 */
export const serve = (agent, args) => {
  if (!args.includes("--listen")) {
    agent.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
    return {};
  }
  const acp = new AcpServer({ agent });
  const http = createServer(createNodeHttpHandler(acp));
  http.on("upgrade", createNodeWebSocketUpgradeHandler(acp, new WebSocketServer({ noServer: true })));
  let way;
  http.listen(0, "127.0.0.1", async () => {
    way = await cuttable(`http://127.0.0.1:${http.address().port}/acp`);
    console.log(way.address);
  });
  process.stdin.on("end", () => process.exit(0)).resume();
  return { cut: () => way.cut(), keepCutting: (isOn) => way.keepCutting(isOn) };
};

/**
 * Opens a way to the server of an address, at a port of this machine or at any free one, whose connections can be cut:
 * now, or each time that some ten thousand bytes more have passed.
 */
export const cuttable = async (address, port = 0) => {
  const target = new URL(address);
  const open = new Set();
  let left = Infinity;
  let isCutting = false;
  let cuts = 0;
  const cut = () => {
    cuts++;
    left = isCutting ? 3_000 + ((cuts * 7_919) % 60_000) : Infinity;
    open.forEach((socket) => socket.destroy());
  };
  const lead = (from, to) => {
    open.add(from);
    from.on("error", () => {});
    from.on("close", () => {
      open.delete(from);
      to.destroy();
    });
    from.on("data", (data) => {
      left -= data.length;
      if (left < 0) {
        cut();
      } else if (!to.write(data)) {
        from.pause();
        to.once("drain", () => from.resume());
      }
    });
  };
  const server = createTcpServer((client) => {
    const behind = connect(Number(target.port), target.hostname);
    lead(client, behind);
    lead(behind, client);
  });
  await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
  const here = new URL(address);
  here.port = server.address().port;
  return {
    address: here.href,
    cut,
    keepCutting(isOn) {
      isCutting = isOn;
      left = isOn ? 3_000 : Infinity;
      return cuts;
    },
    close: () => {
      server.close();
      cut();
    },
  };
};
