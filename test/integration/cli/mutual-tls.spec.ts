import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parley } from '../../kit/app/parley-command.js';
import { certificateFor } from '../outbound/certificate.js';

let server: Server;
let folder: string;

const card = (...args: readonly string[]) => {
  const { port } = server.address() as AddressInfo;
  return parley(['card', 'get', `https://127.0.0.1:${String(port)}`, '--insecure', ...args, '-o', 'json'], { folder });
};

describe('parley with --client-cert', () => {
  /** An agent whose server lets nobody in without the certificate of `billing`. */
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-mtls-'));
    const caller = certificateFor('billing');
    writeFileSync(join(folder, 'cert.pem'), caller.cert);
    writeFileSync(join(folder, 'key.pem'), caller.key);
    const own = certificateFor('localhost');
    server = createServer(
      { ...own, ca: caller.cert, requestCert: true, rejectUnauthorized: true },
      ({ socket }, reply) => {
        const name = socket instanceof TLSSocket ? socket.getPeerCertificate().subject.CN : '';
        const supportedInterfaces = [{ url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
        reply.end(
          JSON.stringify({ name, description: 'x', version: '1', skills: [], capabilities: {}, supportedInterfaces }),
        );
      },
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  it('O-66, A2ACLI_AUTH_009: presents the certificate to an agent that asks for one, and is refused without it', async () => {
    const files = ['--client-cert', join(folder, 'cert.pem'), '--client-key', join(folder, 'key.pem')];
    const known = await card(...files);
    expect(JSON.parse(known.out)).toMatchObject({ name: 'billing' });
    expect(await card()).toMatchObject({ code: 3 });
    expect(await card(...files.slice(0, 2))).toMatchObject({ code: 2 });
  });
});
