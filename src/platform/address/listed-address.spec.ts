import { describe, expect, it } from '@jest/globals';
import { addressAskedAt, readAddresses } from './listed-address.js';

const LISTED = readAddresses(
  'https://agent.example, https://gw.example/support https://gw.example/sales/eu,http://parley:3000',
  'grpc.agent.example:443, -, gw.example:50051',
);

describe(readAddresses.name, () => {
  it.each([
    ['HTTPS://Agent.Example:443/', 'https://agent.example'],
    ['http://agent.example:80//', 'http://agent.example'],
    ['https://agent.example:8443/Support/', 'https://agent.example:8443/Support'],
    ['https://agent.example/a/../b', 'https://agent.example/b'],
    ['https://[2001:DB8::1]:443', 'https://[2001:db8::1]'],
  ])('reads %s as %s, whose normal form is itself (FITS-02)', (text, url) => {
    expect(readAddresses(text)).toEqual([{ url }]);
    expect(readAddresses(url)).toEqual([{ url }]);
  });

  it.each([
    ['ftp://agent.example', 'must be a URL address'],
    ['agent.example', 'must be a URL address'],
    ['https://a@agent.example', 'without user and query'],
    ['https://agent.example/?a', 'without user and query'],
    ['https://agent.example/a//b', 'doubled slash'],
    ['https://agent.example, HTTPS://agent.example:443/', 'twice'],
    [Array.from({ length: 9 }, (_none, at) => `https://a${String(at)}.example`).join(), 'at most 8'],
  ])('refuses %s (FITS-02)', (text, reason) => {
    expect(() => readAddresses(text)).toThrow(reason);
  });

  it('has the gRPC server of each address, or none', () => {
    expect(LISTED.map(({ grpc }) => grpc)).toEqual(['grpc.agent.example:443', '', 'gw.example:50051', undefined]);
  });
});

/** The address that a call is answered for; a proxy of the operator brings it, unless `isOfProxy` is false. */
function asked(headers: Readonly<Record<string, string | readonly string[]>>, isOfProxy = true): string | undefined {
  const header = (name: string): readonly string[] => [headers[name] ?? []].flat();
  return addressAskedAt(LISTED, { header, host: () => header('host'), isOfProxy: () => isOfProxy })?.url;
}

describe(addressAskedAt.name, () => {
  it.each([
    [{ host: 'AGENT.example' }, 'https://agent.example'],
    [{ host: 'agent.example:443' }, 'https://agent.example'],
    [{ host: 'parley:3000' }, 'http://parley:3000'],
    [{ host: 'grpc.agent.example:443' }, 'https://agent.example'],
    [{ host: 'gw.example:50051' }, 'https://gw.example/sales/eu'],
    [{ host: 'gw.example' }, 'https://gw.example/support'],
    [{ host: 'gw.example', 'x-forwarded-prefix': '/sales/eu/' }, 'https://gw.example/sales/eu'],
    [{ host: 'gw.example', 'x-forwarded-prefix': '/sales/eu/x' }, 'https://gw.example/sales/eu'],
    [{ host: 'x', 'x-forwarded-host': 'parley:3000' }, 'http://parley:3000'],
    [{ host: 'x', forwarded: 'for=1.2.3.4; Host="parley:3000";proto=http' }, 'http://parley:3000'],
  ])('finds the address by what a proxy says: %j (FITS-01)', (headers, url) => {
    expect(asked(headers)).toBe(url);
  });

  it.each([
    {},
    { host: 'evil.example' },
    { host: 'parley:3000@evil.example' },
    { host: 'a@parley:3000' },
    { host: 'parley:3000/' },
    { host: 'parley:03000x' },
    { host: 'parley' },
    { host: '[::1' },
    { host: ['parley:3000', 'gw.example'] },
    { host: 'x', 'x-forwarded-host': 'parley:3000, gw.example' },
    { host: 'x', 'x-forwarded-host': ['parley:3000', 'parley:3000'] },
    { host: 'x', forwarded: 'host=parley:3000, host=gw.example' },
    { host: 'gw.example', 'x-forwarded-prefix': '/other' },
    { host: 'gw.example', 'x-forwarded-prefix': '/supporters' },
    { host: 'gw.example', 'x-forwarded-prefix': '/s%75pport' },
  ])('answers for the default what is listed nowhere or said twice: %j (FITS-01)', (headers) => {
    expect(asked(headers)).toBe('https://agent.example');
  });

  it.each(['/sales/eu/../../support', '/sales//eu', '/sales/eu?x', 'sales/eu', '/a, /sales/eu'])(
    'ignores the prefix %s, which is no plain path (FITS-01)',
    (prefix) => {
      expect(asked({ host: 'gw.example', 'x-forwarded-prefix': prefix })).toBe('https://gw.example/support');
    },
  );

  it('believes the host alone of a peer that is no proxy (FITS-01)', () => {
    const headers = {
      'x-forwarded-host': 'parley:3000',
      forwarded: 'host=parley:3000',
      'x-forwarded-prefix': '/sales/eu',
    };
    expect(asked({ host: 'gw.example', ...headers }, false)).toBe('https://gw.example/support');
    expect(asked({ host: 'evil.example', ...headers }, false)).toBe('https://agent.example');
  });

  it('has nothing to choose among one', () => {
    const nothing = { header: () => [], host: () => ['agent.example'], isOfProxy: () => true };
    expect(addressAskedAt(LISTED.slice(0, 1), nothing)).toBeUndefined();
  });
});
