import { describe, expect, it } from '@jest/globals';
import type { IncomingCall } from './incoming-call.js';
import { isMeantForThisMachine } from './open-start.js';

/** A call with these headers; every other header is absent. */
function aCall(headers: Readonly<Record<string, string>>): IncomingCall {
  const given = new Map(Object.entries(headers));
  return {
    header: (name) => [given.get(name) ?? []].flat(),
    ...{ method: 'POST', target: '/', address: '127.0.0.1' },
  };
}

describe(isMeantForThisMachine.name, () => {
  const host = '127.0.0.1:3000';

  it.each([
    ['a program, which sends neither header', {}],
    ['a page of this machine', { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-site' }],
    ['a page over IPv6', { origin: 'http://[::1]:3000' }],
    ['a person who types the address', { 'sec-fetch-site': 'none' }],
  ])('takes %s', (_who, headers) => {
    expect(isMeantForThisMachine(aCall({ host, ...headers }))).toBe(true);
  });

  it.each([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page whose name begins like ours', { origin: 'http://localhost.evil.example' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['a cross-site request without an origin', { 'sec-fetch-site': 'cross-site' }],
    ['a proxy by X-Forwarded-For', { 'x-forwarded-for': '203.0.113.5' }],
    ['a proxy by Forwarded', { forwarded: 'for=203.0.113.5' }],
    ['a proxy by Via', { via: '1.1 proxy' }],
    ['a proxy by X-Real-IP', { 'x-real-ip': '203.0.113.5' }],
    ['a name that was pointed at this machine', { host: 'evil.example:3000' }],
  ])('refuses %s', (_who, headers) => {
    expect(isMeantForThisMachine(aCall({ host, ...headers }))).toBe(false);
  });
});
