import { describe, expect, it } from '@jest/globals';
import { isLoopbackHost, isProtectedUrl } from './loopback.js';

describe(isLoopbackHost.name, () => {
  it('recognises this machine by its names and addresses', () => {
    const hosts = ['localhost', 'LOCALHOST', '127.0.0.1', '127.8.9.1', '::1', '[::1]', '::ffff:127.0.0.1'];
    expect(hosts.filter((host) => !isLoopbackHost(host))).toEqual([]);
  });

  it('recognises no other host', () => {
    const hosts = ['0.0.0.0', '::', '10.0.0.1', 'localhost.evil.example', 'evil.example', '127.0.0.1.evil.example', ''];
    expect(hosts.filter(isLoopbackHost)).toEqual([]);
  });
});

describe(isProtectedUrl.name, () => {
  it('accepts https, and http on this machine only', () => {
    expect(['https://login.example', 'http://localhost:8089/jwks', 'http://[::1]/'].map(isProtectedUrl)).toEqual([
      ...[true, true, true],
    ]);
    expect(['http://login.example', 'http://localhost.evil.example', 'ftp://localhost'].map(isProtectedUrl)).toEqual([
      ...[false, false, false],
    ]);
  });
});
