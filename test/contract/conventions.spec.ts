import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';

interface Source {
  readonly path: string;
  readonly text: string;
}

const SOURCES: readonly Source[] = ['src', 'packages', 'skills'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.d)\.(ts|mjs)$/.test(name) && !name.endsWith('.spec.ts'))
    .sort()
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') })),
);

const pathsWith = (pattern: RegExp): readonly string[] =>
  SOURCES.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

const LIST = 'src/main/app.features.ts';

/** The files that a file imports of its own package. */
const importsOf = (path: string, text: string): readonly string[] =>
  [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, name = '']) => join(dirname(path), name));

describe('conventions', () => {
  it('finds the sources', () => {
    expect(SOURCES.length).toBeGreaterThan(500);
  });

  it.each(['test/integration', 'test/e2e'])('each folder of specs in %s has its suite', (root) => {
    const specs = readdirSync(root, { recursive: true, encoding: 'utf8' });
    const folders = specs.filter((name) => /(?<!\.long)\.spec\.ts$/.test(name)).map((name) => name.split('/')[0] ?? '');
    expect(new Set(folders).size).toBeGreaterThan(10);
    expect(folders.filter((folder) => !existsSync(join(root, folder, 'suite.ts')))).toEqual([]);
  });

  it('a global module says why', () => {
    expect(pathsWith(/global: true/)).toEqual([]);
    const globals = SOURCES.filter(({ text }) => text.includes('@Global()'));
    const reasons = globals.map(({ path, text }) => [
      path,
      / \* Global because [^*]+[^]*?\*\/\n@Global\(\)/.test(text),
    ]);
    expect(Object.fromEntries(reasons)).toEqual({
      'src/models/model.module.ts': true,
      'src/platform/config/settings/options.module.ts': true,
      'src/skill/skill-services.module.ts': true,
      'src/skill/skill.module.ts': true,
    });
  });

  it('a controller has guards, or says why everybody may use it', () => {
    const unguarded = SOURCES.filter(
      ({ text }) => text.includes('@Controller(') && !/@(UseGuards|Public)\(/.test(text),
    );
    // Without callers: it is served only where the port is loopback.
    expect(unguarded.map(({ path }) => path)).toEqual(['src/platform/metrics/metrics.controller.ts']);
  });

  it('a feature is a folder, which only the list of features and commands name', () => {
    const list = readFileSync(LIST, 'utf8');
    const folders = [...list.matchAll(/from '\.\.\/(\S+)\/[\w-]+\.feature\.js'/g)].map(
      ([, name = '']) => `src/${name}/`,
    );
    expect(folders.length).toBe(pathsWith(/= defineFeature\(/).length);
    for (const folder of folders) {
      const naming = SOURCES.filter(({ path }) => path.startsWith('src/') && !path.startsWith(folder)).filter(
        ({ path, text }) => importsOf(path, text).some((other) => other.startsWith(folder)),
      );
      expect(naming.map(({ path }) => path).filter((path) => !path.startsWith('src/cli/'))).toEqual([LIST]);
    }
  });

  it('BullMQ workers are processors on one base', () => {
    const workers = SOURCES.filter(
      ({ text }) => text.includes('new Worker(') && !text.includes("'node:worker_threads'"),
    );
    expect(workers.map(({ path }) => path)).toEqual([]);
    expect(pathsWith(/extends WorkerHost/)).toEqual(['src/platform/queue/queue-processor.ts']);
    expect(pathsWith(/^@Processor\(/m)).toEqual([
      'src/runs/worker/run.processor.ts',
      'src/webhooks/delivery/push.processor.ts',
    ]);
    expect(pathsWith(/extends QueueProcessor/)).toEqual(pathsWith(/^@Processor\(/m));
  });

  it('only the configuration, and the command line in one file, read the environment', () => {
    const outside = pathsWith(/process\.env\b/).filter((path) => !path.startsWith('src/platform/config/'));
    expect(outside).toEqual(['packages/cli/src/context/process-variables.ts']);
  });
});

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
}

describe('package-lock.json', () => {
  it('installs one HTTP framework and no agent SDK for production', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Readonly<Record<string, LockedPackage>>;
    };
    const shipped = Object.entries(packages).filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true);
    const names = new Set(shipped.map(([path]) => path.replace(/^.*node_modules\//, '')));
    expect(names).toContain('fastify');
    expect(['express', 'body-parser', '@a2a-js/sdk'].filter((name) => names.has(name))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  it('answers where things are with paths that exist', () => {
    const [, answers = ''] = readFileSync('docs/architecture.md', 'utf8').split('## Where is');
    const paths = [...answers.matchAll(/`(src\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThanOrEqual(10);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });
});

/** The two rings that the first layout had, in the names of today. */
const RINGS = {
  'webhooks and metrics': {
    'src/platform/metrics/push-gauges.ts': "import '../../webhooks/delivery/push.queue.js';",
    'src/webhooks/delivery/push.queue.ts': "import '../../platform/metrics/metrics.js';",
    'src/platform/metrics/metrics.ts': 'export {};',
  },
  'http, operations and agents/card': {
    'src/http/http-calls.ts': "import '../operations/call.js';",
    'src/operations/call.ts': "import '../agents/card/card-extensions.js';",
    'src/agents/card/card-extensions.ts': "import '../../http/public-address.js';",
    'src/http/public-address.ts': 'export {};',
  },
} as const;

describe('.dependency-cruiser.cjs', () => {
  it.each(Object.entries(RINGS))('refuses the old ring of %s', async (_name, files) => {
    const found = await violations(files);
    expect(found).toContain('no-folder-circles');
    expect(found.filter((name) => name.endsWith('-points-down'))).toHaveLength(1);
  });

  it('refuses nothing of a ring that is cut', async () => {
    const { 'src/platform/metrics/push-gauges.ts': _gauges, ...rest } = RINGS['webhooks and metrics'];
    expect(await violations({ ...rest, 'src/main.ts': "import './webhooks/delivery/push.queue.js';" })).toEqual([]);
  });
});

/** The names of the rules that a tree of these files breaks. */
async function violations(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-rings-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${text}\n`);
    }
    const { options, ...ruleSet } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
      readonly options: ICruiseOptions;
      readonly forbidden: [];
    };
    const { tsConfig: _unused, ...rest } = options;
    const { output } = await cruise(['src'], { ...rest, baseDir: folder, validate: true, ruleSet });
    return (output as ICruiseResult).summary.violations.map(({ rule }) => rule.name).sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
