/**
 * The time to verify a credential in this process, without network and Redis:
 * `npm run bench -- verifier [SAMPLES]`. Half as many are run first as a warm-up.
 */
import { randomUUID } from 'node:crypto';
import { parseApiKeys } from '../src/auth/api-key/api-key.js';
import { ApiKeyVerifier } from '../src/auth/api-key/api-key.verifier.js';
import { checkDpopProof } from '../src/auth/sender/dpop-proof.js';
import { JwtVerifier } from '../src/auth/token/jwt.verifier.js';
import { apiKeyEntry } from '../test/kit/auth/api-key-entry.js';
import { DpopCaller } from '../test/kit/auth/dpop-caller.js';
import { newKey, signTexts, type SigningKey } from '../test/kit/auth/test-issuer.js';
import { percentile } from './chaos/check/figures.js';

const SAMPLES = Number(process.argv[2] ?? 2_000);
const ISSUER = 'https://login.example';
const AUDIENCE = 'https://agent.example';

const keys = [newKey('rsa', 'RS256'), newKey('ec', 'ES256'), newKey('ed', 'EdDSA')];

console.log(`${String(SAMPLES)} samples of each, Node ${process.version}: µs`);
for (const key of keys) await tokens(key);
await apiKeys();
await proofs();

async function tokens(key: SigningKey): Promise<void> {
  const verifier = aVerifier();
  const verify = async (token: string): Promise<void> => {
    const verdict = await verifier.verify(token);
    if (typeof verdict === 'string') throw new Error(`The token was refused: ${verdict}`);
  };
  await measure(`token, ${key.alg}, first time`, () => tokenOf(key), verify);
  const same = tokenOf(key);
  await measure(`token, ${key.alg}, again`, () => same, verify);
}

function aVerifier(): JwtVerifier {
  const options = { issuer: ISSUER, audiences: [AUDIENCE], tenant: 'acme' };
  // As the cache of an issuer's keys answers while it is fresh.
  const find = (kid: string) => Promise.resolve(keys.find((key) => key.kid === kid)?.jwk);
  return new JwtVerifier([{ options, keys: { find, replaced: () => Promise.resolve(undefined) } }], Date.now);
}

function tokenOf(key: SigningKey): string {
  const now = Math.floor(Date.now() / 1_000);
  const client = { sub: 'billing', client_id: 'billing', scope: 'a2a:message.send a2a:tasks.read', jti: randomUUID() };
  const claims = { iss: ISSUER, aud: AUDIENCE, ...client, iat: now, exp: now + 300 };
  return signTexts(JSON.stringify({ typ: 'at+jwt', alg: key.alg, kid: key.kid }), JSON.stringify(claims), key);
}

async function apiKeys(): Promise<void> {
  const key = 'build.0123456789abcdef';
  const keys = parseApiKeys(apiKeyEntry(key, { tenant: 'acme', scopes: 'a2a:tasks.read' }));
  const verifier = new ApiKeyVerifier(() => keys);
  await measure(
    'API key',
    () => key,
    (presented) => {
      if (verifier.verify(presented) === undefined) throw new Error('The key was refused');
    },
  );
}

async function proofs(): Promise<void> {
  const caller = new DpopCaller();
  const keyThumbprint = await caller.thumbprint();
  const url = `${AUDIENCE}/`;
  const about = { token: 'token', keyThumbprint, method: 'POST', urls: [url] };
  await measure(
    'DPoP proof, ES256, without its one use in Redis',
    () => caller.proof(about.token, url),
    async (proof) => {
      if ((await checkDpopProof(proof, { ...about, now: Date.now() })) === undefined) throw new Error('Refused');
    },
  );
}

/** One credential is made and checked after the other; making them is not measured. */
async function measure(what: string, make: () => string, check: (made: string) => unknown): Promise<void> {
  const times: number[] = [];
  for (let count = 0; count < SAMPLES * 1.5; count += 1) {
    const made = make();
    const began = performance.now();
    await check(made);
    times.push((performance.now() - began) * 1_000);
  }
  const at = (share: number): string => percentile(times.slice(-SAMPLES), share).toFixed(0);
  console.log(`${what}: median ${at(0.5)}, p99 ${at(0.99)}`);
}
