import { randomUUID } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { bearerCredential } from '../http/agent-auth.js';
import { PlainHttp } from '../http/plain-http.js';
import { type AssertionFile, readAssertion } from './assertion-file.js';
import { type ClientCredentials, ClientCredentialsAuth } from './client-credentials.js';

const NAME = 'urn:ietf:params:oauth:client-assertion-type';
/** A part of each proof, which nobody but the token endpoint may see. */
const CANARY = `canary-${randomUUID()}`;

const aJwt = (claims: object = {}): string => {
  const now = Math.floor(Date.now() / 1000);
  const parts = [
    { alg: 'RS256', kid: 'k' },
    { exp: now + 3600, aud: 'api://x', canary: CANARY, jti: randomUUID(), ...claims },
  ];
  return [...parts.map((part) => JSON.stringify(part)), CANARY]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
};

describe(readAssertion.name, () => {
  let folder: string;
  let path: string;
  let server: Server;
  /** The forms of the requests. */
  let forms: Record<string, string>[];
  let answer: (form: Record<string, string>) => readonly [status: number, body: object];
  let file: AssertionFile;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'assertion-'));
    path = join(folder, 'token');
    file = { path, type: 'jwt-bearer' };
    forms = [];
    answer = () => [200, { access_token: 'opaque', expires_in: 300 }];
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        const form = Object.fromEntries(new URLSearchParams(body));
        forms.push(form);
        const [status, json] = answer(form);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  const authAt = (at: string, more: Partial<ClientCredentials> = {}): ClientCredentialsAuth => {
    const tokenUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}${at}`;
    return new ClientCredentialsAuth({ tokenUrl, clientId: 'parley', assertionFile: file, ...more }, new PlainHttp());
  };

  it.each([
    [
      'Entra',
      '/tenant/oauth2/v2.0/token',
      'jwt-bearer',
      { scope: 'api://finance/.default' },
      { token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599 },
    ],
    [
      'Keycloak',
      '/realms/acme/protocol/openid-connect/token',
      'jwt-bearer',
      { audience: 'finance' },
      { token_type: 'Bearer', expires_in: 300, 'not-before-policy': 0, scope: '' },
    ],
    [
      'SPIFFE',
      '/oauth/token',
      'spiffe',
      { resource: 'https://finance.example/' },
      { token_type: 'bearer', expires_in: '60' },
    ],
  ] as const)(
    'proves the client at a token endpoint as %s has it (IDENT-02)',
    async (_name, at, type, target, body) => {
      const proof = aJwt({ sub: 'spiffe://acme.example/parley' });
      writeFileSync(path, `${proof}\n`);
      file = { path, type };
      answer = () => [200, { access_token: 'opaque', ...body }];
      expect(await authAt(at, target).credential()).toEqual(bearerCredential('opaque'));
      const form = { grant_type: 'client_credentials', ...target, client_id: 'parley', client_assertion: proof };
      expect(forms).toEqual([{ ...form, client_assertion_type: `${NAME}:${type === 'spiffe' ? 'jwt-spiffe' : type}` }]);
    },
  );

  it('is read for each request, also through a swapped link, and never kept (IDENT-02)', async () => {
    const [first, second] = [aJwt(), aJwt()];
    for (const [name, proof] of Object.entries({ one: first, two: second })) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'token'), proof);
    }
    symlinkSync('one', join(folder, 'data'));
    file = { path: join(folder, 'data', 'token'), type: 'jwt-bearer' };
    const auth = authAt('/token');
    await auth.credential();
    symlinkSync('two', join(folder, 'swap'));
    renameSync(join(folder, 'swap'), join(folder, 'data'));
    expect(auth.renew()).toBe(true);
    await auth.credential();
    expect(forms.map((form) => form.client_assertion)).toEqual([first, second]);
    expect(inspect(auth, { depth: 20, showHidden: true })).not.toContain(second);
  });

  it('asks once more with a file that was replaced between its reading and the refusal, and never a third time (IDENT-02)', async () => {
    const proofs = [aJwt(), aJwt(), aJwt()];
    writeFileSync(path, proofs[0] ?? '');
    answer = ({ client_assertion: proof }) => {
      writeFileSync(path, proofs[proofs.indexOf(proof ?? '') + 1] ?? '');
      return proof === proofs[1]
        ? [200, { access_token: 'opaque' }]
        : [401, { error: 'invalid_client', error_description: proof }];
    };
    expect(await authAt('/token').credential()).toEqual(bearerCredential('opaque'));
    expect(forms.map((form) => form.client_assertion)).toEqual(proofs.slice(0, 2));
    answer = ({ client_assertion: proof }) => {
      writeFileSync(path, aJwt());
      return [400, { error: 'invalid_client', error_description: proof }];
    };
    await expect(authAt('/token').credential()).rejects.toMatchObject({ kind: 'auth' });
    expect(forms).toHaveLength(4);
  });

  it('does not repeat a refused request with the same proof (IDENT-02)', async () => {
    writeFileSync(path, aJwt());
    answer = () => [401, { error: 'invalid_client' }];
    await expect(authAt('/token').credential()).rejects.toMatchObject({ kind: 'auth' });
    expect(forms).toHaveLength(1);
  });

  it.each<readonly [string, () => void, string]>([
    [
      'expired',
      () => {
        writeFileSync(path, aJwt({ exp: 1 }));
      },
      'it has expired',
    ],
    [
      'empty',
      () => {
        writeFileSync(path, '\n');
      },
      'it is empty',
    ],
    [
      'of 1 MiB',
      () => {
        writeFileSync(path, aJwt({ pad: 'x'.repeat(1_048_576) }));
      },
      'it has more than 16384 bytes',
    ],
    [
      'no JWT',
      () => {
        writeFileSync(path, CANARY);
      },
      'it is not a JWT',
    ],
    [
      'no JWT of JSON',
      () => {
        writeFileSync(path, `${CANARY}.${CANARY}.${CANARY}`);
      },
      'it is not a JWT',
    ],
    [
      'two lines',
      () => {
        writeFileSync(path, `${aJwt()}\r\nx: ${CANARY}`);
      },
      'it is not a JWT',
    ],
    [
      'a folder',
      () => {
        mkdirSync(path);
      },
      'it is no file',
    ],
    [
      'a pipe',
      () => {
        execFileSync('mkfifo', [path]);
      },
      'it is no file',
    ],
    ['gone', () => undefined, 'ENOENT'],
  ])(
    'asks nothing with a file that is %s, says so, and repeats nothing of it (IDENT-02)',
    async (_what, write, why) => {
      write();
      const error: unknown = await authAt('/token')
        .credential()
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        kind: 'unreachable',
        isUnsent: true,
        isRetryable: true,
        message: `The client assertion file ${path} cannot be used: ${why}`,
      });
      expect([forms.length, inspect(error, { depth: 20, showHidden: true }).includes(CANARY)]).toEqual([0, false]);
      writeFileSync(join(folder, 'next'), aJwt());
      rmSync(path, { recursive: true, force: true });
      renameSync(join(folder, 'next'), path);
      expect(await authAt('/token').credential()).toEqual(bearerCredential('opaque'));
    },
  );

  it('names no proof in the error of a server that repeats it (IDENT-02)', async () => {
    writeFileSync(path, aJwt());
    for (const status of [400, 401, 403, 503]) {
      answer = ({ client_assertion: proof }) => [status, { error: proof, error_description: proof }];
      const error: unknown = await authAt('/token')
        .credential()
        .catch((thrown: unknown) => thrown);
      const proof = forms.at(-1)?.client_assertion ?? '';
      expect([status, inspect(error, { depth: 20, showHidden: true }).includes(proof)]).toEqual([status, false]);
    }
  });

  it.each<readonly [string, unknown, boolean]>([
    ['the resource', 'https://finance.example/', true],
    ['a list with the resource', ['other', 'https://finance.example/'], true],
    ['another', 'https://evil.example/', false],
    ['others', ['a', 'b'], false],
    ['no text', [{ aud: 'https://finance.example/' }], false],
  ])('uses a token for %s of RFC 8707 as its audience says (IDENT-06)', async (_what, aud, isUsed) => {
    writeFileSync(path, aJwt());
    answer = () => [200, { access_token: aJwt({ aud }) }];
    const asked = authAt('/token', { resource: 'https://finance.example/', checksResource: true }).credential();
    if (isUsed) expect(await asked).toBeDefined();
    else await expect(asked).rejects.toThrow('its token is for another agent');
  });
});
