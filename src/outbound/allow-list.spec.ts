import { describe, expect, it } from '@jest/globals';
import { AllowListError, parseAllowList } from './allow-list.js';
import { EgressPolicy } from './egress-policy.js';

function policyOf(list: string): EgressPolicy {
  return new EgressPolicy({ ports: [443], allowHttp: false, allow: parseAllowList(list) });
}

function verdict(policy: EgressPolicy, url: string, address: string): boolean {
  const judged = policy.judgeUrl(url);
  return judged.allowed && policy.judgeAddress(judged.value, address).allowed;
}

describe(parseAllowList.name, () => {
  it('reads several entries and ignores empty ones', () => {
    const entries = parseAllowList(' a.svc.cluster.local:8443=10.42.0.0/16; [::1]:8888=::1/128!http ;');
    expect(entries.map(({ host, port, plainHttp }) => ({ host, port, plainHttp }))).toEqual([
      { host: 'a.svc.cluster.local', port: 8443, plainHttp: false },
      { host: '::1', port: 8888, plainHttp: true },
    ]);
  });

  it.each([
    '*.svc.cluster.local:8443=10.0.0.0/8',
    'a.svc=10.0.0.0/8',
    'a.svc:8443',
    'a.svc:8443=10.0.0.0',
    'a.svc:8443=10.0.0.0/33',
    'a.svc:0=10.0.0.0/8',
    'a.svc:70000=10.0.0.0/8',
    'https://a.svc:8443=10.0.0.0/8',
    'a.svc:8443=10.0.0.0/8!https',
  ])('refuses %s', (entry) => {
    expect(() => parseAllowList(entry)).toThrow(AllowListError);
  });

  it.each(['169.254.169.254/32', '169.254.0.0/16', 'fd00:ec2::254/128', '100.100.100.200/32', '168.63.129.16/32'])(
    'refuses to open the metadata address %s',
    (block) => {
      expect(() => parseAllowList(`meta.internal:443=${block}`)).toThrow(AllowListError);
    },
  );
});

describe(EgressPolicy.name, () => {
  const policy = policyOf('receiver.team-a.svc.cluster.local:8443=10.42.0.0/16; localhost:8888=127.0.0.1/32!http');

  it('opens exactly the listed host, port and block', () => {
    expect(verdict(policy, 'https://receiver.team-a.svc.cluster.local:8443/x', '10.42.7.7')).toBe(true);
    expect(verdict(policy, 'https://receiver.team-a.svc.cluster.local:8443/x', '10.43.0.1')).toBe(false);
    expect(verdict(policy, 'https://receiver.team-a.svc.cluster.local:9443/x', '10.42.7.7')).toBe(false);
    expect(verdict(policy, 'https://other.team-a.svc.cluster.local:8443/x', '10.42.7.7')).toBe(false);
  });

  it('allows http only to an entry that says so', () => {
    expect(verdict(policy, 'http://localhost:8888/x', '127.0.0.1')).toBe(true);
    expect(verdict(policy, 'http://localhost:8888/x', '127.0.0.2')).toBe(false);
    expect(verdict(policy, 'http://receiver.team-a.svc.cluster.local:8443/x', '10.42.7.7')).toBe(false);
  });

  it('keeps metadata addresses closed under the widest entry', () => {
    const wide = policyOf('rebind.example.com:443=0.0.0.0/0; rebind.example.com:443=::/0');
    expect(verdict(wide, 'https://rebind.example.com/', '10.0.0.1')).toBe(true);
    for (const address of ['169.254.169.254', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fe80::1']) {
      expect(verdict(wide, 'https://rebind.example.com/', address)).toBe(false);
    }
    for (const disguise of ['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::', '::a9fe:a9fe']) {
      expect(verdict(wide, 'https://rebind.example.com/', disguise)).toBe(false);
    }
  });
});
