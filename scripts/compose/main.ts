/**
 * Starts docker/compose.yaml on a real Docker engine and uses it: `npm run check:compose`. First call as the documentation has it,
 * gRPC with each api stopped in turn, an api killed, replicas added and removed, an update, all of it stopped and started again,
 * each under calls without retries. Needs Docker, or root and dockerd; Compose is built with Go where it is missing, and images
 * whose registry cannot be reached are made of Debian's packages. Exits with 1 when something does not hold.
 */
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { freeLoopbackPort } from '../../src/platform/redis/embedded/free-port.js';
import { eventually } from '../../test/kit/run/eventually.js';
import { aMessage, RpcClient } from '../../test/kit/callers/rpc-client.js';
import { MissingToolError } from '../image/buildah.js';
import { Deployment } from './deployment.js';
import { Engine, MissingTool } from './engine.js';
import { prepareImages } from './images.js';
import { answered, type Counted, notCompleted, underTraffic } from './traffic.js';

/** A call that an api process holds while it is killed has no answer: at most one of a caller that makes one at a time. */
const IN_FLIGHT = 1;
const NUMBERS = 30;
let faults = 0;

let engine: Engine | undefined;
try {
  engine = await Engine.start();
  await check(engine);
} catch (error) {
  if (!(error instanceof MissingTool || error instanceof MissingToolError)) throw error;
  console.error(error.message);
  faults += 1;
} finally {
  engine?.stop();
}
process.exit(faults === 0 ? 0 : 1);

async function check(engine: Engine): Promise<void> {
  const madeHere = prepareImages(engine);
  if (madeHere.length > 0) console.log(`Made of Debian's packages, not pulled: ${madeHere.join(', ')}`);
  const names = ['PORT', 'GRPC_PORT', 'ISSUER_PORT', 'PROMETHEUS_PORT', 'GRAFANA_PORT'] as const;
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await freeLoopbackPort()] as const)),
  );
  const deployment = new Deployment(engine, ports as Record<(typeof names)[number], number>);
  try {
    await uses(deployment);
  } finally {
    deployment.down();
  }
}

async function uses(deployment: Deployment): Promise<void> {
  const began = performance.now();
  deployment.up();
  const { client, token } = await callerOf(deployment);
  await eventually(() => answered(client.task('SendMessage', aMessage('Hello'))), {
    timeoutMs: 120_000,
    intervalMs: 500,
  });
  say('first call', true, `completed ${((performance.now() - began) / 1000).toFixed(0)} s after \`up\``);

  for (const api of deployment.containersOf('api')) {
    deployment.engine.docker(['stop', api]);
    const failed = await deployment.grpcFailures(token, 20);
    say(`gRPC without ${api}`, failed.length === 0, `${String(20 - failed.length)} of 20 calls`, failed);
    deployment.engine.docker(['start', api]);
    await deployment.untilHealthy();
  }
  await disturbed(client, 'an api killed and started again', IN_FLIGHT, async () => {
    const [api = ''] = deployment.containersOf('api');
    deployment.engine.docker(['kill', api]);
    deployment.engine.docker(['start', api]);
    await deployment.untilHealthy();
  });
  await disturbed(client, 'a third api, and two again', 0, async () => {
    await deployment.scale(3);
    await deployment.scale(2);
  });
  await disturbed(client, 'an update: new replicas beside the old, then the old stopped', 0, () =>
    deployment.replaceApis(),
  );
  await restarted(deployment, client);
}

async function disturbed(client: RpcClient, name: string, allowed: number, work: () => Promise<void>): Promise<void> {
  const counted: Counted = await underTraffic(client, work);
  const lost = await notCompleted(client, counted.tasks);
  const { calls, failed, slowestMs } = counted;
  const fact = `${String(failed.length)} of ${String(calls)} calls failed, slowest ${String(slowestMs)} ms, ${String(lost.length)} tasks not completed`;
  say(name, failed.length <= allowed && lost.length === 0, fact, failed);
}

/** Everything stopped and started with a task under way, which ends once, with all of its artifact. */
async function restarted(deployment: Deployment, client: RpcClient): Promise<void> {
  const message = aMessage(String(NUMBERS), { skillId: 'countdown' });
  const { id } = await client.task('SendMessage', { ...message, configuration: { returnImmediately: true } });
  await eventually(async () => {
    const { artifacts = [] } = await answered(client.task('GetTask', { id }));
    if (artifacts.length === 0) throw new Error('No number yet');
  });
  deployment.stop();
  deployment.up();
  // The development issuer has made new keys.
  const { client: later } = await callerOf(deployment);
  const task = await eventually(
    async () => {
      const now = await answered(later.task('GetTask', { id }));
      if (now.status.state !== 'TASK_STATE_COMPLETED') throw new Error(`The task is ${now.status.state}`);
      return now;
    },
    { timeoutMs: 180_000, intervalMs: 500 },
  );
  const parts = (task.artifacts ?? []).flatMap(({ parts }) => parts).length;
  say(
    'stop and up with a task under way',
    task.artifacts?.length === 1,
    `completed, ${String(parts)} parts in one artifact`,
  );
}

/** A caller with a token of the deployment's issuer, once that answers. */
async function callerOf({ ports }: Deployment): Promise<{ readonly client: RpcClient; readonly token: string }> {
  const token = await eventually(() => tokenOf(ports.ISSUER_PORT), { timeoutMs: 120_000, intervalMs: 500 });
  const client = new RpcClient(`http://127.0.0.1:${String(ports.PORT)}`, { authorization: `Bearer ${token}` });
  return { client, token };
}

function tokenOf(port: number): Promise<string> {
  const options = { method: 'POST', auth: 'billing:any-secret', rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const asked = request(`https://127.0.0.1:${String(port)}/token`, {
      ...options,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    asked.on('error', reject).on('response', (response) => {
      text(response)
        .then((body) => (JSON.parse(body) as { access_token: string }).access_token)
        .then(resolve, reject);
    });
    asked.end('grant_type=client_credentials');
  });
}

function say(name: string, holds: boolean, fact: string, more: readonly string[] = []): void {
  if (!holds) faults += 1;
  console.log(`${holds ? 'ok  ' : 'FAIL'}  ${name}: ${fact}`);
  for (const line of new Set(more)) console.log(`        ${line}`);
}
