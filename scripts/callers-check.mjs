/**
 * Runs the programs of docs/callers/ in JavaScript and Python and the calls with a token, as printed, against a service with an issuer
 * and a webhook receiver: `npm run check:callers`. Exits with 1 when one of them prints something else than it should.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { ServiceProcess } from '../test/kit/app/service-process.mjs';
import { temporaryFolder } from '../test/kit/run/temporary-folder.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM_MS = 60_000;
const WEBHOOK_MS = 20_000;
const AUDIENCE = 'urn:parley:callers-check';
const run = promisify(execFile);

const WITH_TOKEN = [/TASK_STATE_COMPLETED/];

/** Output of each program; both have the same lines. */
const PROGRAM = [
  /^sent: TASK_STATE_COMPLETED true$/i,
  /^resumed: 2$/,
  /^resumed: 1$/,
  /^resumed: 0$/,
  /^state: TASK_STATE_COMPLETED$/,
  /^canceled: TASK_STATE_CANCELED$/,
  /^refused: -32002 TASK_NOT_CANCELABLE$/,
  /^INVALID_PARAMS message\.parts\[0\]/,
  /^asked: TASK_STATE_INPUT_REQUIRED ./,
  /^answered: TASK_STATE_COMPLETED$/,
  /^file: a\.json true$/i,
];

/** The page of each program. @type {Readonly<Record<string, string>>} */
const PAGE_OF = { bash: 'tokens.md', js: 'javascript.md', python: 'python.md' };

const PROGRAM_OF = {
  bash: ['bash', '-euo', 'pipefail', '-c', programIn('bash')],
  js: [process.execPath, '--input-type=module', '--eval', programIn('js')],
  python: ['python3', '-c', programIn('python')],
};

const receiver = await startReceiver();
const issuer = await startIssuer();
const service = new ServiceProcess({
  ...{ JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, AUDIT_LOG: '/dev/null' },
  DATA_DIR: temporaryFolder('callers'),
  EGRESS_ALLOW: `localhost:${String(receiver.port)}=127.0.0.1/32!http`,
});
try {
  const url = await service.ready();
  const env = {
    ...{ PATH: process.env.PATH, PARLEY_URL: url, WEBHOOK_URL: `http://localhost:${String(receiver.port)}/` },
    ...{ TOKEN_URL: `${issuer.url}/token`, CLIENT_ID: 'billing', CLIENT_SECRET: 'any' },
  };
  await check('curl', PROGRAM_OF.bash, env, WITH_TOKEN);
  await check('JavaScript', PROGRAM_OF.js, env, PROGRAM);
  await check('Python', PROGRAM_OF.python, env, PROGRAM);
  await receiver.got(['curl', 'js', 'py']);
  console.log('Three webhooks came.');
} finally {
  await service.stop('SIGKILL');
  issuer.end();
  receiver.end();
}

/** The blocks of one language, as one program. @param {string} language @returns {string} */
function programIn(language) {
  const text = readFileSync(join(ROOT, 'docs/callers', PAGE_OF[language]), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code).join('\n');
}

/** @param {string} name @param {string[]} program @param {NodeJS.ProcessEnv} env @param {RegExp[]} expected lines */
async function check(name, [command, ...words], env, expected) {
  const began = performance.now();
  const { stdout } = await run(command, words, { cwd: ROOT, env, timeout: PROGRAM_MS });
  const lines = stdout.trim().split('\n');
  if (lines.length !== expected.length || !expected.every((pattern, at) => pattern.test(lines[at]))) {
    throw new Error(`The program in ${name} printed something else:\n${stdout}`);
  }
  console.log(
    `${name}: ${String(lines.length)} lines as expected, ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
}

async function startIssuer() {
  const words = ['scripts/issuer.mjs', '--port', '0', '--audience', AUDIENCE];
  const child = spawn(process.execPath, words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /runs at (\S+)\. /.exec(line) ?? [];
    if (url !== undefined) return { url, end: () => child.kill('SIGKILL') };
  }
  throw new Error('the issuer did not start');
}

/** Takes webhooks and remembers their tokens. */
async function startReceiver() {
  const tokens = new Set();
  const server = createServer((request, response) => {
    tokens.add(request.headers['x-a2a-notification-token']);
    request.resume().once('end', () => response.writeHead(204).end());
    server.emit('token');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: server.address().port,
    /** @param {string[]} wanted */
    got: async (wanted) => {
      const signal = AbortSignal.timeout(WEBHOOK_MS);
      while (!isDeepStrictEqual([...tokens].sort(), wanted)) await once(server, 'token', { signal });
    },
    end: () => server.close(),
  };
}
