#!/usr/bin/env node
// Receives webhooks on this machine, verifies them and shows what arrived: `npm run webhook:listen -- --help`.
import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';

const HELP = `Receives webhooks and shows them.

  npm run webhook:listen -- [options]

  --port 8888          listens on this port of 127.0.0.1
  --secret whsec_...   verifies the signatures with this secret
  --token TEXT         expects this notification token
  --status 200         answers with this status
  --retry-after 30     adds a Retry-After header
  --fail-first 2       answers 503 to the first 2 requests
  --json               prints one line of JSON per request instead

The agent must be allowed to call this address, for example with
  EGRESS_ALLOW='localhost:8888=127.0.0.1/32!http'
and the webhook is then registered as http://localhost:8888/
`;

const OPTIONS = {
  port: { type: 'string', default: '8888' },
  secret: { type: 'string' },
  token: { type: 'string' },
  status: { type: 'string', default: '200' },
  'retry-after': { type: 'string' },
  'fail-first': { type: 'string', default: '0' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

const options = readOptions();
const isColored = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const color = (code) => (text) => (isColored ? `\u001b[${code}m${text}\u001b[0m` : text);
const [green, red, dim, bold] = [32, 31, 2, 1].map(color);
/** How often each webhook-id has arrived. */
const seen = new Map();
let count = 0;

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => answer(request, response, Buffer.concat(chunks)));
});

server.on('error', (error) => {
  console.error(
    error.code === 'EADDRINUSE' ? `Port ${options.port} is taken: choose another with --port` : String(error),
  );
  process.exit(1);
});
server.listen(Number(options.port), '127.0.0.1', () => {
  const { port } = server.address();
  if (!options.json) console.log(`Waiting for webhooks on ${bold(`http://localhost:${port}/`)}   (Ctrl-C ends)\n`);
});

function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (!values.help) return values;
    console.log(HELP);
    process.exit(0);
  } catch (error) {
    console.error(`${error.message}\n\n${HELP}`);
    process.exit(2);
  }
}

function answer(request, response, body) {
  const validation = new URL(request.url, 'http://localhost').searchParams.get('validationToken');
  if (request.method === 'GET' && validation !== null) {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(validation);
    return;
  }
  count += 1;
  const checks = check(request.headers, body);
  const isBad = checks.some(({ ok }) => ok === false);
  const status = isBad ? 401 : count <= Number(options['fail-first']) ? 503 : Number(options.status);
  show(request, body, checks, status);
  const retryAfter = options['retry-after'];
  response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end();
}

/** What was verified: `ok` is undefined where there is nothing to verify with. */
function check(headers, body) {
  return [
    { name: 'webhook-signature', ...signatureCheck(headers, body) },
    { name: 'X-Agent-Signature', ok: agentSignatureOk(headers['x-agent-signature'], body) },
    {
      name: 'token',
      ok: options.token === undefined ? undefined : headers['x-a2a-notification-token'] === options.token,
    },
  ];
}

function signatureCheck(headers, body) {
  if (options.secret === undefined) return {};
  try {
    verifierOf(options.secret).verify(body.toString(), headers, { jsonParse: false });
    return { ok: true };
  } catch (error) {
    return { ok: false, why: error.message };
  }
}

/** A secret that is not base64 signs with its own characters. */
function verifierOf(secret) {
  try {
    return new Webhook(secret);
  } catch {
    return new Webhook(secret, { format: 'raw' });
  }
}

function agentSignatureOk(signature, body) {
  if (options.secret === undefined) return undefined;
  const expected = Buffer.from(createHmac('sha256', options.secret).update(body).digest('hex'));
  const given = Buffer.from(String(signature ?? ''));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function show(request, body, checks, status) {
  const { headers } = request;
  const id = headers['webhook-id'] ?? '(no webhook-id)';
  const times = (seen.get(id) ?? 0) + 1;
  seen.set(id, times);
  const event = parse(body);
  if (options.json) {
    console.log(JSON.stringify({ at: new Date().toISOString(), id, times, status, checks, headers, event }));
    return;
  }
  const repeated = times > 1 ? red(`  (arrived ${times} times)`) : '';
  console.log(`${dim(new Date().toLocaleTimeString())}  ${bold(summaryOf(event))}  → ${status}${repeated}`);
  console.log(`  ${id}  attempt ${headers['x-a2a-attempt'] ?? '?'}  ${body.length} bytes`);
  console.log(`  ${checks.map(wordOf).join('   ')}`);
  console.log(dim(indent(event === undefined ? body.toString() : JSON.stringify(event, null, 2))), '\n');
}

function wordOf({ name, ok, why }) {
  if (ok === undefined) return dim(`${name}: not checked`);
  return ok ? green(`${name}: ok`) : red(`${name}: WRONG${why === undefined ? '' : ` (${why})`}`);
}

function parse(body) {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** One line for the events of 1.0, the tasks of 0.3 and the notes of 0.1. */
function summaryOf(event) {
  if (event === undefined) return 'not JSON';
  const { task, statusUpdate, artifactUpdate, message } = event;
  if (statusUpdate) return `status ${statusUpdate.status?.state}`;
  if (artifactUpdate) return `artifact ${artifactUpdate.artifact?.artifactId}${artifactUpdate.append ? ' (more)' : ''}`;
  if (task) return `task ${task.status?.state}`;
  if (message) return 'message';
  if (event.kind === 'task' || event.eventType)
    return `${event.eventType ?? event.kind} ${event.status?.state ?? event.status}`;
  return 'unknown event';
}

function indent(text) {
  return text.replace(/^/gm, '    ');
}
