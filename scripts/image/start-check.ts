import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { TaskStatusUpdateEvent } from '@parley/protocol/model/event.js';
import { freeLoopbackPort } from '../../src/platform/redis/embedded/free-port.js';
import { eventually } from '../../test/kit/run/eventually.js';
import { aMessage, RpcClient } from '../../test/kit/callers/rpc-client.js';
import { RedisServer } from '../../test/kit/redis/redis-server.js';
import type { ImageConfig } from './buildah.js';
import { Container } from './container.js';

const ISSUER = fileURLToPath(new URL('../issuer.mjs', import.meta.url));
const READY_MS = 60_000;
const END_MS = 40_000;
/** Seconds that a task counts which is under way when its process is ended: longer than the process gives its runs. */
const COUNTED_S = 8;
const DRAIN_MS = 1_000;

/** A fact about the started image that does not hold. */
export class ImageFault extends Error {}

interface Image {
  readonly config: ImageConfig;
  readonly root: string;
  /** Folders of skills that the image was built with. */
  readonly packs: readonly string[];
}

interface Started {
  readonly container: Container;
  readonly url: string;
}

/** Parameters with which a check starts containers. */
interface Rig {
  readonly start: (more?: Readonly<Record<string, string>>) => Promise<Started>;
  /** A caller of a container, with a token. */
  readonly caller: (started: Started) => Promise<RpcClient>;
}

/**
 * Starts the image as an engine would, with a Redis and a token issuer of this machine, and uses it: probes, first call, a stream, a drain
 * with a task under way, and api and worker as two containers that end this task. Prints a line for each fact.
 * @throws ImageFault
 */
export async function checkStarts(image: Image): Promise<void> {
  await withContainers(image, async ({ start, caller: callerOf }) => {
    const whole = await start({ DRAIN_MS: String(DRAIN_MS) });
    await isReady(whole);
    identityOf(whole.container);
    await answers({ ...whole, image });
    const caller = await callerOf(whole);
    await firstCalls(caller);
    const task = await drains(caller, whole.container);
    const [api] = await Promise.all([start({ ROLE: 'api' }), start({ ROLE: 'worker' })]);
    await isReady(api);
    await ends(await callerOf(api), task);
  });
}

/** The same for an image with the skills of a new project: its card, and a task of its skill. @throws ImageFault */
export async function checkOwn(image: Image): Promise<void> {
  await withContainers(image, async ({ start, caller }) => {
    const own = await start();
    await isReady(own);
    identityOf(own.container);
    const card = (await (await fetch(`${own.url}/.well-known/agent-card.json`)).json()) as { skills: { id: string }[] };
    const ids = card.skills.map(({ id }) => id).join(', ');
    holds('the card has the skill of the project alone', ids === 'pack_list', ids);
    const { status } = await (
      await caller(own)
    ).task('SendMessage', aMessage('Oslo, 3 days', { skillId: 'pack_list' }));
    holds('a task of that skill is completed', status.state === 'TASK_STATE_COMPLETED', status.state);
  });
}

async function withContainers(image: Image, use: (rig: Rig) => Promise<void>): Promise<void> {
  const redis = await RedisServer.start();
  const issuer = await startIssuer();
  const containers: Container[] = [];
  const start = async (more: Readonly<Record<string, string>> = {}): Promise<Started> => {
    const port = String(await freeLoopbackPort());
    const url = `http://127.0.0.1:${port}`;
    const own = { PORT: port, METRICS_PORT: String(await freeLoopbackPort()), PUBLIC_URL: url, REDIS_URL: redis.url };
    const auth = { JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, SECRET_KEYS, CARD_SIGNING_KEYS };
    const container = new Container({ ...image, variables: { ...own, ...auth, ...more } });
    containers.push(container);
    return { container, url };
  };
  const caller = async ({ url }: Started): Promise<RpcClient> =>
    new RpcClient(url, { authorization: `Bearer ${await issuer.token()}` });
  try {
    await use({ start, caller });
    const wrote = containers.flatMap(({ lines }) => lines).filter((line) => /EROFS|EACCES|read-only/i.test(line));
    holds('nothing tries to write to the root file system', wrote.length === 0, wrote.join('\n'));
  } catch (error) {
    for (const { lines } of containers) console.error(lines.slice(-20).join('\n'));
    throw error;
  } finally {
    for (const container of containers) await container.kill();
    issuer.end();
    await redis.stop();
  }
}

const AUDIENCE = 'urn:parley:image-check';
const SECRET_KEYS = `check:${randomBytes(32).toString('base64')}`;
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const CARD_SIGNING_KEYS = JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] });

async function startIssuer(): Promise<{ readonly url: string; token(): Promise<string>; end(): void }> {
  const port = await freeLoopbackPort();
  const url = `http://localhost:${String(port)}`;
  const words = [ISSUER, '--port', String(port), '--audience', AUDIENCE];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    url,
    token: async () => {
      const headers = {
        authorization: `Basic ${btoa('checker:any')}`,
        'content-type': 'application/x-www-form-urlencoded',
      };
      const response = await fetch(`${url}/token`, { method: 'POST', headers, body: 'grant_type=client_credentials' });
      return ((await response.json()) as { access_token: string }).access_token;
    },
    end: () => void child.kill('SIGKILL'),
  };
}

async function isReady({ container, url }: Started): Promise<void> {
  const began = performance.now();
  const ended = container.ended.then((code) => {
    throw new ImageFault(`the container ended with ${String(code)}`);
  });
  const ready = eventually(async () => holds('ready', (await fetch(`${url}/health/ready`)).ok), {
    timeoutMs: READY_MS,
  });
  await Promise.race([ready, ended]);
  say(`ready after ${seconds(began)}`);
}

function identityOf(container: Container): void {
  const { Uid = '', NSpid = '', CapEff = '', NoNewPrivs = '' } = container.status;
  holds(
    'runs as user 65532, as process 1, without any capability',
    /^65532\b/.test(Uid) && /\b1$/.test(NSpid) && /^0+$/.test(CapEff) && NoNewPrivs === '1',
  );
}

async function answers({ container, url, image }: Started & { readonly image: Image }): Promise<void> {
  const [, ...healthcheck] = image.config.Healthcheck?.Test ?? [];
  container.run(healthcheck);
  say('the health check of the image passes');
  const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as { skills: { id: string }[] };
  say(`packs ${image.packs.join(', ')}: skills ${card.skills.map(({ id }) => id).join(', ')}`);
  // Throws when a check fails.
  container.run([...image.config.Entrypoint, 'dist/cli/parley.js', 'ops', 'doctor']);
  say('parley ops doctor passes in the container');
  const { status } = await new RpcClient(url).post({
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: aMessage('x'),
  });
  holds('a call without a token gets 401', status === 401, String(status));
}

async function firstCalls(caller: RpcClient): Promise<void> {
  const began = performance.now();
  const { status } = await caller.task('SendMessage', aMessage('Hello', { skillId: 'echo' }));
  holds(
    `the first call with a token is answered in ${seconds(began)}`,
    status.state === 'TASK_STATE_COMPLETED',
    status.state,
  );
  const came: number[] = [];
  const since = performance.now();
  for await (const { data } of caller.stream('SendStreamingMessage', aMessage('3', { skillId: 'countdown' }))) {
    if (data.result !== undefined) came.push(performance.now() - since);
  }
  const [first = Number.NaN] = came;
  holds(
    `a stream of ${String(came.length)} events begins at once and takes its three seconds`,
    first < 1_000 && (came.at(-1) ?? 0) > 2_900,
  );
}

/** SIGTERM with a stream open and a task under way. @returns the task */
async function drains(caller: RpcClient, container: Container): Promise<string> {
  const message = aMessage(String(COUNTED_S), { skillId: 'countdown' });
  let task = '';
  let began = 0;
  let events = 0;
  let state = '';
  for await (const { data } of caller.stream('SendStreamingMessage', message)) {
    task ||= data.result?.task?.id ?? '';
    const update = data.result?.statusUpdate as TaskStatusUpdateEvent | undefined;
    state = update?.status.state ?? state;
    events += 1;
    if (events === 4) {
      began = performance.now();
      container.signal('SIGTERM');
    }
  }
  const code = await Promise.race([
    container.ended,
    new Promise((resolve) => setTimeout(resolve, END_MS, 'late').unref()),
  ]);
  holds(`on SIGTERM it ends its stream and exits with 0 after ${seconds(began)}`, code === 0, String(code));
  holds('the task is under way when its process has ended', state === 'TASK_STATE_WORKING', state);
  return task;
}

/** The task of the ended process ends in others. */
async function ends(caller: RpcClient, id: string): Promise<void> {
  const began = performance.now();
  await eventually(
    async () => {
      const { status } = await caller.task('GetTask', { id });
      holds('ended', status.state === 'TASK_STATE_COMPLETED', status.state);
    },
    { timeoutMs: READY_MS, intervalMs: 200 },
  );
  say(`the task under way ended in two other containers, api and worker, ${seconds(began)} after they were ready`);
}

function holds(fact: string, isSo: boolean, found = ''): void {
  if (!isSo) throw new ImageFault(`not so: ${fact}${found === '' ? '' : `: ${found}`}`);
  if (fact.includes(' ')) say(fact);
}

function say(fact: string): void {
  console.log(`  ${fact}`);
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}
