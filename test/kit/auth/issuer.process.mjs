// An issuer in a process of its own: metadata and keys over HTTP, steered by messages of its parent.
import { createServer } from 'node:http';

let keys = [];
let isDown = false;
let fetches = 0;

const server = createServer((request, response) => {
  const issuer = `http://localhost:${String(server.address().port)}`;
  const documents = {
    '/.well-known/openid-configuration': () => ({ issuer, jwks_uri: `${issuer}/jwks` }),
    '/jwks': () => ({ keys }),
  };
  if (request.url === '/jwks') fetches += 1;
  const document = documents[request.url];
  if (isDown || document === undefined) return response.writeHead(isDown ? 503 : 404).end();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document()));
});

process.on('message', (message) => {
  if (message.keys !== undefined) keys = message.keys;
  if (message.isDown !== undefined) isDown = message.isDown;
  process.send({ fetches });
});
process.on('disconnect', () => process.exit(0));
server.listen(0, 'localhost', () => process.send({ port: server.address().port }));
