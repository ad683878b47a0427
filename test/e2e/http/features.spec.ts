import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HealthIndicatorService } from '@nestjs/terminus';
import { AuthOptions } from '../../../src/auth/auth-options.js';
import type { AgentCard } from '@parley/protocol/model/agent-card.js';
import { Public } from '../../../src/http/guards/public.js';
import { defineFeature, type Feature, sectionsOf } from '../../../src/http/binding/feature.js';
import { FEATURES } from '../../../src/main/app.features.js';
import { Probes } from '../../../src/platform/health/probes.js';
import { ProbesModule } from '../../../src/platform/health/probes.module.js';
import { Setting, settingsIn } from '../../../src/platform/config/settings/setting.js';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { MetricsModule } from '../../../src/platform/metrics/metrics.module.js';
import { type RunningApp, runApp } from '../../kit/app/running-app.js';
import { routesOf } from '../../kit/checks/controller-routes.js';

/** The paths and metrics that a service has by each feature, and has not without it. */
const OWN: Readonly<Record<string, { readonly path?: RegExp; readonly metric?: string }>> = {
  run: { path: /^\/run(\/|$)/ },
  mcp: { path: /^\/mcp$/ },
  agui: { path: /^\/agui\// },
  registry: { path: /^\/registry\//, metric: 'parley_registry_probes_total' },
  console: { path: /^\/console(\/|$)/ },
  operator: { path: /^\/(webhooks|tasks\/:id\/webhook-attempts|event-webhooks)/ },
  playground: { path: /^\/console\/api\/agents/ },
  snapshots: { path: /^\/console\/api\/tasks\/:id\/bundle/ },
  'webhook-bins': { path: /^\/console\/api\/bin$/ },
  undo: { metric: 'a2a_work_undone_total' },
};

const LIST = FEATURES as unknown as Feature[];
const ALL = [...LIST];

/** What callers and operators see of a service. */
interface Seen {
  readonly paths: readonly string[];
  readonly metrics: readonly string[];
  readonly extensions: readonly string[];
  readonly scopes: readonly string[];
  readonly ready: Readonly<Record<string, unknown>>;
}

describe('features', () => {
  let running: RunningApp | undefined;
  let whole: Seen | undefined;

  afterEach(async () => {
    LIST.splice(0, LIST.length, ...ALL);
    await running?.close();
    running = undefined;
  });

  const serviceWith = async (features: readonly Feature[]): Promise<Seen> => {
    LIST.splice(0, LIST.length, ...features);
    running = await runApp({ REGISTRY: 'true', MCP: 'true', AGUI: 'true' }, { skills: [] });
    const { app, url } = running;
    const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
    const read = async (path: string): Promise<string> => (await fetch(url + path)).text();
    const card = JSON.parse(await read('/.well-known/agent-card.json')) as AgentCard;
    const ready = JSON.parse(await read('/health/ready')) as { readonly status: string; readonly info: object };
    expect(ready.status).toBe('ok');
    return {
      paths: routesOf(controllers.map(({ metatype }) => metatype as never)).map(({ path }) => path),
      metrics: [...(await read('/metrics')).matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name).sort(),
      extensions: (card.capabilities.extensions ?? []).map(({ uri }) => uri),
      scopes: Object.keys(app.get<AuthOptions>(AuthOptions, { strict: false }).scopes ?? {}),
      ready: { ...ready.info },
    };
  };

  it.each(ALL)('the service starts without $name, and has nothing of it', async (feature) => {
    const { path, metric } = OWN[feature.name] ?? {};
    whole ??= await serviceWith(ALL);
    await running?.close();
    const before = whole;
    const rest = await serviceWith(ALL.filter((other) => other !== feature));
    const isOwn = (one: string): boolean => path?.test(one) === true;
    const belowConsole = (one: string): boolean => feature.name === 'console' && one.startsWith('/console');
    expect(before.paths.filter(isOwn).length > 0).toBe(path !== undefined);
    expect(rest.paths).toEqual(before.paths.filter((one) => !isOwn(one) && !belowConsole(one)));
    expect(rest.metrics).toEqual(before.metrics.filter((name) => name !== metric));
    expect(metric === undefined || before.metrics.includes(metric)).toBe(true);
    const scopes = Object.keys(feature.scopes ?? {});
    expect(rest.scopes).toEqual(before.scopes.filter((scope) => !scopes.includes(scope)));
    const sections = Object.keys(sectionsOf(LIST));
    expect(sections).not.toContain(feature.name);
    const gone = before.extensions.filter((uri) => !rest.extensions.includes(uri));
    expect(gone).toHaveLength(feature.card?.([], 'https://a.example') === undefined ? 0 : 1);
  });

  it('the service starts without any', async () => {
    const { paths } = await serviceWith([]);
    const own = Object.values(OWN).flatMap(({ path }) => path ?? []);
    expect(paths.filter((one) => own.some((path) => path.test(one)))).toEqual([]);
  });

  it('a new one brings routes, settings, scopes, metrics, probes and a card entry by its declaration (DOOR-1)', async () => {
    const { paths, metrics, extensions, scopes, ready } = await serviceWith([...ALL, toy]);
    expect(paths).toContain('/toy');
    expect(metrics).toContain('parley_toys');
    expect(extensions).toContain('urn:test:toy');
    expect(scopes).toContain('toys.read');
    expect(ready).toHaveProperty('toy');
    expect(settingsIn(sectionsOf([toy]).toy).map(({ name }) => name)).toEqual(['toys']);
  });
});

@Public('it is a toy')
@Controller('toy')
class ToyController {
  @Get()
  read(): string {
    return 'toy';
  }
}

@Injectable()
class Toys {
  constructor(metrics: Metrics, probes: Probes, indicator: HealthIndicatorService) {
    metrics.readGauge('parley_toys', 'Toys.', () => 1);
    probes.add('ready', () => indicator.check('toy').up());
  }
}

@Module({ imports: [MetricsModule, ProbesModule], controllers: [ToyController], providers: [Toys] })
class ToyModule {}

class ToySettings {
  @Setting('Number of toys.')
  readonly toys: number = 1;
}

const toy = defineFeature({
  name: 'toy',
  title: 'Toys',
  scopes: { 'toys.read': 'Read toys' },
  settings: ToySettings,
  card: () => ({ uri: 'urn:test:toy', description: 'Has toys.' }),
  module: () => ({ module: ToyModule }),
});
