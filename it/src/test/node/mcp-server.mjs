// An MCP server of the TypeScript SDK 2: on standard input and output, or over HTTP on the port that is given.
import { createServer } from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

function server() {
  const server = new McpServer({ name: 'sums', version: '1.0.0' });
  server.registerTool(
    'add',
    { description: 'Adds', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
  return server;
}

if (process.argv[2] === 'stdio') {
  serveStdio(server);
} else {
  const handler = createMcpHandler(server, {});
  const http = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = await handler.fetch(new Request('http://127.0.0.1' + request.url, {
      method: request.method,
      headers: new Headers(Object.entries(request.headers)),
      body: request.method === 'POST' ? Buffer.concat(chunks) : undefined,
    }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  });
  http.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + http.address().port + '/mcp'));
}
