import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

export type Claims = Readonly<Record<string, unknown>>;

/** A signing key: how its public part is published, and how it signs. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: 'RS256' | 'PS256' | 'ES256' | 'EdDSA';
  readonly privateKey: KeyObject;
  readonly jwk: Claims;
}

export const AUDIENCE = 'https://agent.example/a2a';

export const b64 = (value: string | Buffer): string => Buffer.from(value).toString('base64url');

export function newKey(kid: string, alg: SigningKey['alg'], { bits = 2048, extra = {} } = {}): SigningKey {
  const { privateKey, publicKey } = keyPair(alg, bits);
  return { kid, alg, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig', ...extra } };
}

function keyPair(alg: SigningKey['alg'], bits: number): { privateKey: KeyObject; publicKey: KeyObject } {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: bits });
}

/** Signs exactly the texts that it is given, however wrong they are. */
export function signTexts(header: string, payload: string, key: SigningKey): string {
  const input = `${b64(header)}.${b64(payload)}`;
  return `${input}.${b64(signature(Buffer.from(input), key))}`;
}

function signature(input: Buffer, { alg, privateKey }: SigningKey): Buffer {
  switch (alg) {
    case 'RS256':
      return sign('sha256', input, privateKey);
    case 'PS256':
      return sign('sha256', input, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
    case 'ES256':
      return sign('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
    case 'EdDSA':
      return sign(null, input, privateKey);
  }
}

export function signHmac(header: Claims, payload: Claims, secret: string | Buffer): string {
  const input = `${b64(JSON.stringify(header))}.${b64(JSON.stringify(payload))}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

/** A real issuer process with real keys, and the private keys in the hands of the test. */
export class TestIssuer {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    readonly keys: Readonly<Record<'rsa' | 'ec' | 'ed', SigningKey>>,
  ) {}

  static async start(): Promise<TestIssuer> {
    const child = fork(new URL('./issuer.process.mjs', import.meta.url), { execArgv: [] });
    const [{ port }] = await once(child, 'message');
    const keys = { rsa: newKey('rsa', 'RS256'), ec: newKey('ec', 'ES256'), ed: newKey('ed', 'EdDSA') };
    const issuer = new TestIssuer(child, `http://localhost:${String(port)}`, keys);
    await issuer.publish(Object.values(keys));
    return issuer;
  }

  publish(keys: readonly SigningKey[]): Promise<number> {
    return this.tell({ keys: keys.map((key) => key.jwk) });
  }

  setDown(isDown: boolean): Promise<number> {
    return this.tell({ isDown });
  }

  /** How often the keys were fetched so far. */
  fetches(): Promise<number> {
    return this.tell({});
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.disconnect();
    await once(this.child, 'exit');
  }

  /** The claims of a good token; `undefined` takes a claim out. */
  claims(changes: Claims = {}): Claims {
    const now = Math.floor(Date.now() / 1000);
    const client = { sub: 'billing', client_id: 'billing', jti: randomUUID() };
    return { iss: this.url, aud: AUDIENCE, ...client, iat: now, exp: now + 300, ...changes };
  }

  /** A token with these changes to the claims and to the header of a good one. */
  token(changes: Claims = {}, header: Claims = {}, key: SigningKey = this.keys.rsa): string {
    const good = { typ: 'at+jwt', alg: key.alg, kid: key.kid };
    return signTexts(JSON.stringify({ ...good, ...header }), JSON.stringify(this.claims(changes)), key);
  }

  private async tell(message: object): Promise<number> {
    this.child.send(message);
    const [{ fetches }] = await once(this.child, 'message');
    return fetches;
  }
}
