import { describe, expect, it } from '@jest/globals';
import { readTarget, type RequestTarget } from './request-target.js';

function aRequest(url: string, host = 'localhost:3000'): RequestTarget {
  return { url, headers: { host }, rawHeaders: ['Accept', '*/*', 'Host', host] };
}

describe(readTarget.name, () => {
  it.each([
    ['/', '/'],
    ['/tasks?x=%63#y', '/tasks?x=%63#y'],
    ['/%63allbacks/%7E%5f', '/callbacks/~_'],
    ['/callbacks/a%2Fb', '/callbacks/a%2Fb'],
    ['/%252563', '/%252563'],
    ['/mcp#?x', '/mcp%23?x'],
    ['/tasks/%c3%a9', '/tasks/%c3%a9'],
    ['/%', '/%'],
    ['*', '*'],
    ['http://localhost:3000', '/'],
    ['http://localhost:3000?a=b', '/?a=b'],
    ['HTTP://localhost:3000/%6dcp?x', '/mcp?x'],
    ['http://localhost:3000//mcp', '//mcp'],
    ['//', '/'],
    ['//?a=b', '/?a=b'],
    ['//%2ewell-known/agent-card.json', '/.well-known/agent-card.json'],
    ['//metrics', '//metrics'],
    ['//.well-known', '//.well-known'],
  ])('reads %s as %s (B11, A4, FITS-02)', (sent, read) => {
    expect(readTarget(aRequest(sent))).toBe(read);
  });

  it('uses the host of an absolute form as that of the request (RFC 9112 §3.2.2)', () => {
    const request = aRequest('http://user@evil.example:80/tasks');
    readTarget(request);
    expect(request.headers.host).toBe('evil.example:80');
    expect(request.rawHeaders).toEqual(['Accept', '*/*', 'Host', 'evil.example:80']);
  });

  it('adds the host of an absolute form when there is no header', () => {
    const request: RequestTarget = { url: 'http://evil.example/', headers: {}, rawHeaders: [] };
    readTarget(request);
    expect(request.rawHeaders).toEqual(['Host', 'evil.example']);
  });
});
