import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { MetricsServer } from '../../../src/platform/metrics/metrics.server.js';
import { Receiver } from '../../integration/webhooks/receiver.js';
import { eventually } from '../../kit/run/eventually.js';
import { expositionFaults } from '../../kit/checks/exposition-lint.js';
import { type Exposition, readExposition } from '../../kit/checks/exposition.js';
import { aMessage, RpcClient } from '../../kit/callers/rpc-client.js';
import { runApp, type RunningApp } from '../../kit/app/running-app.js';

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

const FILE = 'deploy/helm/parley/files/alerts.yaml';

/** Not of a series itself: they come with the scrape. */
const SCRAPE_LABELS = ['job', 'instance', 'le'];

const receiver = new Receiver();
let service: RunningApp;
let scrape: Exposition;

async function scrapeText(): Promise<string> {
  const port = service.app.get(MetricsServer, { strict: false }).port;
  const response = await fetch(`http://127.0.0.1:${String(port)}/metrics`);
  expect(response.headers.get('content-type')).toContain('text/plain');
  return response.text();
}

/** The series that an expression names, and the labels that it asks of each. */
function readPromQl(expr: string): { errors: number; series: { name: string; labels: string[] }[] } {
  // Grafana puts in a duration and the chosen jobs; neither is PromQL.
  const text = expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*');
  const series: { name: string; labels: string[] }[] = [];
  let errors = 0;
  parser.parse(text).iterate({
    enter: ({ type, from, to, node }) => {
      if (type.isError) errors += 1;
      if (type.name !== 'VectorSelector') return;
      const name = node.getChild('Identifier');
      const labels = [...text.slice(from, to).matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label);
      series.push({ name: name === null ? '' : text.slice(name.from, name.to), labels });
    },
  });
  return { errors, series };
}

function expectToExist(expr: string): void {
  const { errors, series } = readPromQl(expr);
  expect({ expr, errors }).toEqual({ expr, errors: 0 });
  expect(series.length).toBeGreaterThan(0);
  for (const { name, labels } of series) {
    expect([...scrape.names]).toContain(name);
    const known = scrape.labels.get(name);
    // A counter that has not counted yet shows no labels.
    if (known === undefined) continue;
    for (const label of labels) expect([...known, ...SCRAPE_LABELS]).toContain(label);
  }
}

describe('scrape', () => {
  beforeAll(async () => {
    await receiver.listen();
    service = await runApp({ METRICS_PORT: '0', EGRESS_ALLOW: `${receiver.host}=127.0.0.1/32!http` });
    const client = new RpcClient(service.url);
    const configuration = { taskPushNotificationConfig: { url: receiver.url } };
    await client.task('SendMessage', { ...aMessage('Hello', { skillId: 'echo' }), configuration });
    for await (const _event of client.stream('SendStreamingMessage', aMessage('0', { skillId: 'countdown' }))) continue;
    await client.call('NoSuchMethod', {});
    scrape = readExposition(await scrapeText());
  }, 60_000);

  afterAll(async () => {
    await service.close();
    await receiver.close();
  }, 60_000);

  describe(MetricsServer.name, () => {
    it('counts calls by operation, dialect, binding and outcome (SEED-74)', () => {
      const labels = { operation: 'SendMessage', dialect: '1.0', binding: 'jsonrpc', outcome: 'ok' };
      expect(scrape.value('a2a_requests_total', labels)).toBe(1);
      expect(scrape.value('a2a_requests_total', { operation: 'unknown', outcome: 'MethodNotFound' })).toBe(1);
    });

    it('times runs and what comes before and after them', () => {
      expect(scrape.value('a2a_skill_runs_total', { skill: 'echo', ending: 'committed' })).toBe(1);
      expect(scrape.value('a2a_skill_run_duration_seconds_count', { skill: 'countdown' })).toBe(1);
      expect(scrape.value('a2a_queue_wait_seconds_count')).toBe(2);
      expect(scrape.value('a2a_skill_runs_active')).toBe(0);
      expect(scrape.value('a2a_event_lag_seconds_count')).toBeGreaterThan(0);
      expect(scrape.value('a2a_streams_closed_total', { how: 'ended' })).toBe(1);
    });

    it('tells of Redis, the queue, the process and the build', () => {
      expect(scrape.value('a2a_redis_up')).toBe(1);
      expect(scrape.labels.get('a2a_queue_jobs')).toEqual(new Set(['state']));
      expect(scrape.value('a2a_build_info', { role: 'all' })).toBe(1);
      expect([...scrape.names]).toContain('nodejs_eventloop_lag_p99_seconds');
    });

    it('tells how many tasks of which skill are in which state (SEED-74)', () => {
      expect(scrape.value('a2a_tasks', { skill: 'echo', state: 'TASK_STATE_COMPLETED' })).toBe(1);
      expect(scrape.value('a2a_tasks', { skill: 'countdown', state: 'TASK_STATE_COMPLETED' })).toBe(1);
      expect(scrape.value('a2a_tasks')).toBe(2);
    });

    it('times what webhooks wait for', async () => {
      await eventually(async () => {
        const now = readExposition(await scrapeText());
        expect(now.value('a2a_push_attempts_total', { outcome: 'delivered' })).toBeGreaterThan(0);
        expect(now.value('a2a_push_lag_seconds_count')).toBeGreaterThan(0);
        expect(now.value('a2a_push_jobs')).toBe(0);
      });
      for (const name of ['a2a_push_endpoints_open', 'a2a_push_overdue_seconds', 'a2a_push_dead_letters']) {
        expect(scrape.value(name)).toBe(0);
      }
    });

    it('writes what Prometheus reads', async () => {
      const text = await scrapeText();
      expect(expositionFaults(text)).toEqual([]);
      const promtool = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
      // It says more than a linter of ours can, where it is installed.
      if (promtool.error === undefined) expect(promtool.stdout + promtool.stderr).toBe('');
    });

    it('names no label after an id', () => {
      const labels = new Set([...scrape.labels.values()].flatMap((set) => [...set]));
      expect([...labels].filter((label) => /id$|tenant|client|origin/i.test(label))).toEqual([]);
    });

    it('is not on the main port when it has its own', async () => {
      expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
    });
  });

  describe(expositionFaults.name, () => {
    it.each([
      ['# HELP a x\n# TYPE a counter\na 1\n', 'a is a counter without _total'],
      ['# HELP a_total x\n# TYPE a_total gauge\na_total 1\n', 'a_total is no counter'],
      ['# HELP a_ms x\n# TYPE a_ms gauge\na_ms 1\n', 'a_ms is not in a base unit'],
      ['# HELP a x\n# TYPE a gauge\na{b=c} 1\n', 'no sample: a{b=c} 1'],
      ['# HELP a x\n# TYPE a gauge\na{b="c"} 1\na{b="c"} 2\n', 'a{b="c"} stands twice'],
      ['# HELP a x\na 1\n', 'a has no type'],
      ['# HELP a x\n# TYPE a gauge\na 1', 'the last line has no end'],
      [
        '# HELP a x\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
        'a{}: its buckets do not add up',
      ],
    ])('finds what is wrong with %j', (text, fault) => {
      expect(expositionFaults(text)).toContain(fault);
    });
  });

  describe(FILE, () => {
    it('asks only for what is scraped, and leads to a runbook (SEED-74)', async () => {
      const file = parse(await readFile(FILE, 'utf8')) as {
        groups: { rules: AlertRule[] }[];
      };
      const rules = file.groups.flatMap((group) => group.rules);
      expect(rules.length).toBeGreaterThan(14);
      const promtool = spawnSync('promtool', ['check', 'rules', FILE], { encoding: 'utf8' });
      if (promtool.error === undefined) expect(promtool.status).toBe(0);
      for (const { alert, expr, annotations } of rules) {
        expectToExist(expr);
        expect(await readFile(annotations.runbook_url, 'utf8')).toContain(`\`${alert}\``);
      }
    });
  });

  describe('deploy/helm/parley/files/dashboard.json', () => {
    it('asks only for what is scraped', async () => {
      const { panels } = JSON.parse(await readFile('deploy/helm/parley/files/dashboard.json', 'utf8')) as Dashboard;
      const targets = panels.flatMap((panel) => panel.targets ?? []);
      expect(targets.length).toBeGreaterThan(20);
      for (const { expr } of targets) expectToExist(expr);
    });
  });
});
