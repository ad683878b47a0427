import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inputRequired } from '@parley/sdk/skill/events.js';
import { apiKeyEntry } from '../../kit/auth/api-key-entry.js';
import { AUDIENCE, newKey, signTexts } from '../../kit/auth/test-issuer.js';
import { eventually } from '../../kit/run/eventually.js';
import { readExposition } from '../../kit/checks/exposition.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';
import { settingsFile } from '../../kit/app/settings-file.js';
import { ScriptedSkill } from '../../kit/skills/scripted.skill.js';

const KEY = 'setup.secret';
const SCOPES = 'a2a:message.send a2a:tasks.read';

/** An issuer that answers for its keys when the test lets it. */
class SlowIssuer {
  private readonly key = newKey('slow', 'ES256');
  private release = (): void => undefined;
  private readonly released = new Promise<void>((resolve) => {
    this.release = resolve;
  });
  private readonly server: Server = createServer((_request, response) => {
    this.asked = true;
    void this.released.then(() => response.end(JSON.stringify({ keys: [this.key.jwk] })));
  });
  asked = false;

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get url(): string {
    return `http://localhost:${String((this.server.address() as AddressInfo).port)}`;
  }

  answer(): void {
    this.release();
  }

  stop(): void {
    this.answer();
    this.server.close();
  }

  token(): string {
    const now = Math.floor(Date.now() / 1000);
    const client = { sub: 'late', client_id: 'late', jti: 'one', scope: SCOPES };
    const claims = { iss: this.url, aud: AUDIENCE, ...client, iat: now, exp: now + 300 };
    return signTexts(JSON.stringify({ typ: 'at+jwt', alg: 'ES256', kid: 'slow' }), JSON.stringify(claims), this.key);
  }
}

let issuer: SlowIssuer;
let running: RunningApp;

async function streamsEver(): Promise<{ readonly begun: number; readonly open: number }> {
  const { value } = readExposition(await (await fetch(`${running.url}/metrics`)).text());
  return { begun: value('a2a_streams_opened_total'), open: value('a2a_streams_open') };
}

describe('a caller that goes while it is found out who it is', () => {
  beforeEach(async () => {
    issuer = new SlowIssuer();
    await issuer.start();
    running = await runApp(
      {
        API_KEYS: apiKeyEntry(KEY, { tenant: 'acme', scopes: SCOPES }),
        ...{ JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, JWKS_URI: `${issuer.url}/keys`, JWT_TENANT: 'acme' },
        ...{ OWNERSHIP: 'tenant', DEFAULT_SKILL: 'scripted' },
        PARLEY_FILE: settingsFile({ limits: { streamsOfClient: 1 } }),
      },
      { skills: [ScriptedSkill] },
    );
  });

  afterEach(async () => {
    issuer.stop();
    await running.close();
  });

  it('leaves no stream behind', async () => {
    const client = new RpcClient(running.url, { 'x-api-key': KEY });
    const script = [inputRequired('Which one?')];
    const { id } = await client.task('SendMessage', aMessage('x', { metadata: { script } }));
    const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
    const head = `Host: localhost\r\nA2A-Version: 1.0\r\nAuthorization: Bearer ${issuer.token()}\r\n\r\n`;
    socket.write(`GET /tasks/${id}:subscribe HTTP/1.1\r\n${head}`);
    await eventually(() => {
      expect(issuer.asked).toBe(true);
    });
    socket.destroy();
    // The service has seen the end of the connection when it answers a later one.
    await fetch(`${running.url}/health/live`);
    issuer.answer();
    await eventually(async () => {
      expect(await streamsEver()).toEqual({ begun: 1, open: 0 });
    });
  });
});
