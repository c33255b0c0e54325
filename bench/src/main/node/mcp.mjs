// A client of MCP by the TypeScript SDK: uses the tool of a server that it starts, and waits for the end of its input.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'hello', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command, args }));
const { tools } = await client.listTools();
const result = await client.callTool({ name: tools[0].name, arguments: { what: 'it' } });
console.log(result.content[0].text);
process.stdin.on('end', () => process.exit(0)).resume();
