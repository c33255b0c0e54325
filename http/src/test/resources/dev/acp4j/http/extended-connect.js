// WebSockets over HTTP/2 (RFC 8441): one gets an answer, one is closed, one is reset; the connection stays.
const http2 = require('node:http2');
const [port, token, initialize] = process.argv.slice(2);
const session = http2.connect(`http://127.0.0.1:${port}`);
setTimeout(() => { console.log('too slow'); process.exit(3); }, 60000).unref();
const frame = (opcode, text) => {
  const payload = Buffer.from(text);
  const head = payload.length < 126 ? Buffer.from([0x80 | opcode, 0x80 | payload.length])
    : Buffer.from([0x80 | opcode, 0x80 | 126, payload.length >> 8, payload.length & 255]);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
};
const open = () => session.request({
  ':method': 'CONNECT', ':protocol': 'websocket', ':scheme': 'http', ':path': '/acp', ':authority': `127.0.0.1:${port}`,
  'authorization': `Bearer ${token}`, 'sec-websocket-version': '13',
});
session.on('goaway', code => console.log('goaway', code));
session.once('remoteSettings', () => {
  const first = open();
  first.on('response', headers => console.log('status', headers[':status'], headers['acp-connection-id'] ? 'id' : 'no id'));
  first.write(frame(1, initialize));
  first.once('data', data => {
    console.log('text', data.includes('protocolVersion'));
    first.write(frame(8, '\x03\xe8'));
    first.on('data', more => console.log('close', more[0] === 0x88));
    first.on('end', () => {
      first.end();
      const second = open();
      second.on('response', () => {
        second.on('error', () => {});
        second.on('close', () => {
          const third = session.request({':path': '/acp', ':authority': `127.0.0.1:${port}`, 'authorization': `Bearer ${token}`});
          third.on('response', headers => { console.log('after', headers[':status']); session.destroy(); });
          third.end();
        });
        second.close(http2.constants.NGHTTP2_CANCEL);
      });
    });
  });
});
