// A client of MCP by the TypeScript SDK 2, of one era or the other: lists the tools of a server, uses each, and cancels the last one.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [mode, kind, target, ...rest] = process.argv.slice(2);
const transport = kind === 'http'
  ? new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers: { Authorization: rest[0] } } })
  : new StdioClientTransport({ command: target, args: rest, env: process.env });
const client = new Client({ name: 'foreign', version: '1.0.0' }, { versionNegotiation: { mode } });
await client.connect(transport);
console.log(client.getNegotiatedProtocolVersion(), client.getServerVersion().name);
console.log((await client.listTools()).tools.map(tool => tool.name).join(' '));

const added = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
console.log(JSON.stringify(added.structuredContent));

const wrong = await client.callTool({ name: 'add', arguments: { a: 'x', b: 2 } });
console.log(wrong.isError, wrong.content[0].text);

const stop = new AbortController();
await client
  .callTool({ name: 'wait', arguments: {} }, { signal: stop.signal, onprogress: () => stop.abort() })
  .catch(() => {});
// Leaving before the server has the notification would end no call in the older era.
const ended = await client.callTool({ name: 'ended', arguments: {} });
console.log(ended.content[0].text);
await client.close();
