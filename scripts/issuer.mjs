/**
 * A token issuer for development: OAuth2 client credentials and JWKS on loopback. It gives a token to every client, so
 * use it only to try Parley with real tokens on one machine.
 *
 *   npm run issuer [-- --port 8089 --audience http://localhost:3000 --service http://localhost:3000]
 *
 * In docker/compose.yaml it serves its neighbours too, over TLS since tokens' keys are fetched over nothing else:
 * --host 0.0.0.0 --issuer https://issuer:8089 --tls-key key.pem --tls-certificate certificate.pem
 */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { OAuth2Server } from 'oauth2-mock-server';

const SCOPES = [
  'a2a:message.send',
  'a2a:tasks.read',
  'a2a:tasks.cancel',
  'a2a:push.write',
  'a2a:push.read',
  'a2a:card.extended',
];

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '8089' },
    host: { type: 'string', default: 'localhost' },
    issuer: { type: 'string' },
    'tls-key': { type: 'string' },
    'tls-certificate': { type: 'string' },
    audience: { type: 'string', default: 'http://localhost:3000' },
    service: { type: 'string', default: 'http://localhost:3000' },
  },
});

const server = new OAuth2Server(options['tls-key'], options['tls-certificate']);
await server.issuer.keys.generate('RS256');
server.service.on('beforeTokenSigning', makeAccessToken);
server.service.on('beforeResponse', ({ body, statusCode }, request) => {
  if (statusCode === 200) body.scope = scopeOf(request);
});
try {
  await server.start(Number(options.port), options.host);
  // Other machines know it by another name, which tokens must have.
  if (options.issuer !== undefined) server.issuer.url = options.issuer;
} catch (error) {
  console.error(error.code === 'EADDRINUSE' ? `Port ${options.port} is in use: choose another with --port` : error);
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0));
console.log(instructions(server.issuer.url));

/** Gives a token the form of RFC 9068. The request may name its scope, its audience and, for several tenants, a tenant. */
function makeAccessToken({ header, payload }, request) {
  const { body } = request;
  const client = clientOf(request);
  header.typ = 'at+jwt';
  Object.assign(payload, { sub: client, client_id: client, jti: randomUUID() });
  Object.assign(payload, { aud: body.resource ?? body.aud ?? options.audience, scope: scopeOf(request) });
  if (body.tenant !== undefined) payload.tenant = body.tenant;
}

function scopeOf({ body }) {
  return body.scope ?? SCOPES.join(' ');
}

function clientOf({ body, headers }) {
  const [scheme, encoded = ''] = (headers.authorization ?? '').split(' ');
  const [name] = scheme.toLowerCase() === 'basic' ? Buffer.from(encoded, 'base64').toString().split(':') : [];
  return name ?? body.client_id ?? 'developer';
}

function instructions(issuer) {
  const message = '{"messageId":"\'$RANDOM$RANDOM\'","role":"ROLE_USER","parts":[{"text":"Hello"}]}';
  return `
The development issuer runs at ${issuer}. It gives a token to every client: use it on this machine only.

Start the service with these variables, in another terminal:

  export JWT_ISSUER=${issuer}
  export JWT_AUDIENCE=${options.audience}
  export JWT_TOKEN_URL=${issuer}/token
  npm start

Get a token and call the service with it, in a third one:

  TOKEN=$(curl -s -u billing:any-secret -d grant_type=client_credentials ${issuer}/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  curl -s ${options.service}/ -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":${message}}}'

For fewer rights add -d scope=a2a:tasks.read, for a tenant claim -d tenant=acme. Ctrl-C ends the issuer.
`;
}
