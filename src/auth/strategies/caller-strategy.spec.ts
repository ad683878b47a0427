import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import passport from 'passport';
import { Challenger } from '../challenge/challenger.js';
import { ApiKeyVerifier } from '../api-key/api-key.verifier.js';
import type { HttpRequest } from '../incoming/incoming-call.js';
import { LOCAL_PRINCIPAL, type Principal } from '../principal.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { CallerStrategy } from './caller-strategy.js';
import { LocalStrategy } from './local.strategy.js';

const challenger = new Challenger({ realm: 'a2a', schemes: ['ApiKey'] });
const apiKeys = (path?: string): ApiKeyStrategy => new ApiKeyStrategy(new ApiKeyVerifier(() => []), challenger, path);

const request = (admission?: Promise<Principal>): HttpRequest => ({
  ...{ raw: new IncomingMessage(new Socket()), ip: '127.0.0.1' },
  ...(admission === undefined ? {} : { admission }),
});

/** Passport's decision on a request, by the strategies of these names. */
const asked = (names: readonly string[], of: HttpRequest): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const ask = passport.authenticate([...names], { session: false }, (error: Error | null, user: unknown) => {
      if (error === null) resolve(user);
      else reject(error);
    }) as (request: HttpRequest, response: object, next: () => void) => void;
    ask(of, {}, () => undefined);
  });

describe(CallerStrategy.name, () => {
  it('has a name of its own in Passport, for the service and for each of its protected resources', () => {
    expect(
      [apiKeys(), apiKeys('/mcp'), new LocalStrategy(), new LocalStrategy('/mcp')].map(({ name }) => name),
    ).toEqual(['api-key', 'api-key/mcp', 'local', 'local/mcp']);
  });

  it('admits the caller of a request that was admitted by its method, and no other', async () => {
    apiKeys();
    new LocalStrategy();
    expect(await asked(['api-key', 'local'], request(Promise.resolve(LOCAL_PRINCIPAL)))).toBe(LOCAL_PRINCIPAL);
    expect(await asked(['api-key'], request(Promise.resolve(LOCAL_PRINCIPAL)))).toBe(false);
  });

  it('passes a refusal on, and admits no caller by itself', async () => {
    new LocalStrategy();
    const refusal = new Error('refused');
    await expect(asked(['local'], request(Promise.reject(refusal)))).rejects.toBe(refusal);
    await expect(asked(['local'], request())).rejects.toThrow(TypeError);
  });
});
