import { describe, expect, it } from '@jest/globals';
import { flavourName, flavourOf } from './flavour.js';
import { factsIn, findingText, judgeRedis, type RedisFacts } from './redis-policy.js';

const DURABLE = 'maxmemory_policy:noeviction\r\naof_enabled:1\r\n';
const FIT: RedisFacts = factsIn(`redis_version:7.0.15\r\nredis_mode:standalone\r\n${DURABLE}`, false);

/** INFO of products, as they or those who have them publish it, cut to the lines that say which one it is. */
const INFOS = {
  redis: `# Server\r\nredis_version:8.0.6\r\nredis_mode:standalone\r\nos:Linux 6.1\r\n${DURABLE}`,
  valkey: `# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.1.2\r\nos:Linux 6.1\r\n${DURABLE}`,
  elasticache:
    '# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.0\r\nos:Amazon ElastiCache\r\nmaxmemory_policy:volatile-lru\r\naof_enabled:0\r\n',
  memorydb: '# Server\r\nredis_version:7.1.0\r\nos:Amazon MemoryDB\r\nmaxmemory_policy:noeviction\r\naof_enabled:0\r\n',
  dragonfly:
    '# Server\r\nredis_version:7.4.0\r\ndragonfly_version:df-v1.40.1\r\nmaxmemory_policy:noeviction\r\naof_enabled:0\r\n',
  keydb: `# Server\r\nredis_version:6.3.4\r\nredis_mode:standalone\r\n${DURABLE}# KeyDB\r\nmvcc_depth:0\r\n`,
  upstash: '# Server\r\nupstash_version:1.10.5\r\nredis_version:6.2.6\r\n',
  enterprise: `# Server\r\nredis_version:7.4.0\r\nrlec_version:7.8.2-34\r\n${DURABLE}`,
} as const;

describe(flavourOf.name, () => {
  it.each([
    ['redis', 'Redis 8.0.6', [], false],
    ['valkey', 'Valkey 9.1.2', [], false],
    ['elasticache', 'ElastiCache 8.1.0', ['refuse: maxmemory-policy is volatile-lru'], false],
    ['memorydb', 'MemoryDB 7.1.0', [], false],
    ['dragonfly', 'Dragonfly 1.40.1', ['warn: Dragonfly has snapshots only'], true],
    ['keydb', 'KeyDB 6.3.4', ['refuse: KeyDB is no longer maintained'], false],
    ['upstash', 'Upstash 1.10.5', [], true],
    ['enterprise', 'Redis Enterprise 7.8.2-34', [], true],
  ] as const)('names and judges %s by its INFO (FITS-07)', (id, name, verdict, isProbed) => {
    const facts = factsIn(INFOS[id], false);
    expect({ id: facts.flavour.id, name: flavourName(facts.flavour) }).toEqual({ id, name });
    expect(facts.flavour.isProbed).toBe(isProbed);
    const findings = judgeRedis([facts]).filter(({ severity }) => severity !== 'note');
    expect(findings).toHaveLength(verdict.length);
    for (const [at, start] of verdict.entries()) {
      const { severity = '', text = '' } = findings[at] ?? {};
      expect(`${severity}: ${text}`).toContain(start);
    }
  });

  it('names the limits of a managed product without finding a fault in them (FITS-07)', () => {
    const notes = judgeRedis([factsIn(INFOS.elasticache, false)]).filter(({ severity }) => severity === 'note');
    expect(notes.map(({ text }) => text).join()).toContain('REDIS_WAIT_REPLICAS');
  });

  it.each(['', '# Server\r\nsomething_version:1.0\r\nmaxmemory_policy:noeviction\r\n'])(
    'leaves an unknown product to the probes (FITS-07)',
    (info) => {
      expect(flavourOf(info)).toMatchObject({ id: 'unknown', isProbed: true });
    },
  );

  it('is not misled by a text with the name of another product (FITS-07)', () => {
    const info = `redis_version:7.0.15\r\nconfig_file:/etc/valkey_version:9/mvcc_depth:1\r\n${DURABLE}`;
    expect(flavourOf(info).id).toBe('redis');
  });
});

describe(judgeRedis.name, () => {
  it('reports nothing for a durable server that never evicts', () => {
    expect(judgeRedis([FIT])).toEqual([]);
  });

  it('refuses a server that may evict tasks, and names the setting', () => {
    const [finding] = judgeRedis([{ ...FIT, evictionPolicy: 'allkeys-lru' }], ['policy']);
    expect(finding).toMatchObject({ severity: 'refuse', fix: expect.stringContaining('noeviction') });
  });

  it.each(['6.0.16', '5.0.7', '2.8'])('refuses version %s', (version) => {
    expect(judgeRedis([{ ...FIT, version }])).toMatchObject([{ severity: 'refuse' }]);
  });

  it.each(['6.2.0', '7.4.1', '8.0.0'])('takes version %s', (version) => {
    expect(judgeRedis([{ ...FIT, version }])).toEqual([]);
  });

  it('warns of a server that loses its data at a restart', () => {
    expect(judgeRedis([{ ...FIT, appendOnly: false }])).toMatchObject([{ severity: 'warn' }]);
  });

  it('refuses a server whose eviction policy cannot be read, and names the word that accepts it (FITS-07)', () => {
    const hidden = { ...FIT, evictionPolicy: undefined, appendOnly: undefined };
    const [finding, ...more] = judgeRedis([hidden]);
    expect(more).toEqual([]);
    expect(finding?.severity).toBe('refuse');
    expect(finding && findingText(finding)).toContain('redis.accept policy');
    expect(judgeRedis([hidden], ['policy'])).toMatchObject([{ severity: 'warn' }]);
  });

  it('asks for the right to INFO where it is refused (FITS-07)', () => {
    expect(judgeRedis([factsIn(undefined, false)])).toMatchObject([
      { severity: 'refuse', code: 'policy', fix: expect.stringContaining('+info') },
    ]);
  });

  it('names the unsuitable node of a Cluster', () => {
    const [finding, ...more] = judgeRedis([FIT, { ...FIT, node: 'b:6379', evictionPolicy: 'allkeys-lru' }]);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      severity: 'refuse',
      text: expect.stringMatching(/^node b:6379: maxmemory-policy/),
    });
  });

  it('refuses a node of a Cluster addressed as a single server', () => {
    const [finding] = judgeRedis([{ ...FIT, isStrayNode: true }]);
    expect(finding).toMatchObject({ severity: 'refuse', fix: expect.stringContaining('redis-cluster://') });
  });
});
