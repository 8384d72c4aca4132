import { createServer } from 'node:http';

/** A minimal JSON server: reads a body, parses it, and returns it. */
createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(parts).toString('utf8')));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
