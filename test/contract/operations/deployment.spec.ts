import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { validate, ValidationSeverity } from 'dockerfile-utils';
import { parse } from 'yaml';

interface Compose {
  readonly services: Record<
    string,
    {
      readonly image?: string;
      readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
      readonly depends_on?: Record<string, unknown> | readonly string[];
      readonly environment?: Record<string, string>;
      readonly volumes?: readonly string[];
      readonly command?: readonly string[];
      readonly read_only?: boolean;
      readonly deploy?: {
        readonly replicas?: string;
        readonly resources?: { readonly limits: { readonly memory: string } };
      };
      readonly cap_drop?: readonly string[];
      readonly logging?: unknown;
      readonly ports?: readonly string[];
    }
  >;
  readonly volumes: Record<string, unknown>;
}

const dockerfile = readFileSync('docker/Dockerfile', 'utf8');
const compose = parse(readFileSync('docker/compose.yaml', 'utf8'), { merge: true }) as Compose;
const services = Object.entries(compose.services);
/** Names of stages and of what they are built from, in order. */
const stages = [...dockerfile.matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, from = '', name = '']) => ({ from, name }));
const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

const IGNORED: number = ValidationSeverity.IGNORE;

describe('docker/Dockerfile', () => {
  it('passes the linter', () => {
    const problems = validate(dockerfile).filter(({ severity }) => severity !== IGNORED);
    expect(problems.map(({ message }) => message)).toEqual([]);
  });

  it('builds on Node 24, and runs without a shell, as nobody', () => {
    expect(dockerfile).toMatch(/^ARG BUILD_IMAGE=node:24-bookworm-slim$/m);
    expect(dockerfile).toMatch(/^ARG RUN_IMAGE=gcr\.io\/distroless\/nodejs24-debian12:nonroot$/m);
    expect(stages.at(-1)).toEqual({ from: '${RUN_IMAGE}', name: 'service' });
    expect(last).toMatch(/^USER 65532:65532$/m);
    expect(last).not.toMatch(/^RUN /m);
    expect(last).toMatch(/^HEALTHCHECK /m);
  });

  it('has every pack of skills/, and the packages of those only that PACKS names', () => {
    const packs = readdirSync('skills').sort();
    const defaults = [...dockerfile.matchAll(/^ARG PACKS="(.*)"$/gm)].map(([, names = '']) => names.split(' ').sort());
    expect(defaults).toEqual([packs, packs]);
    const withPackages = packs.filter((name) => existsSync(`skills/${name}/package.json`));
    for (const name of withPackages) expect(dockerfile).toContain(`COPY skills/${name}/package.json ./skills/${name}/`);
  });

  it('copies only what the build context has', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(ignored).toContain('*');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    expect(copied.length).toBeGreaterThan(5);
    for (const path of copied) {
      const name = path.replace(/^\.\//, '');
      expect(existsSync(name)).toBe(true);
      expect(ignored.some((line) => line === `!${name}` || name.startsWith(`${line.slice(1)}/`))).toBe(true);
    }
  });

  it('copies from stages that are there', () => {
    const names = stages.map(({ name }) => name);
    for (const [, from] of dockerfile.matchAll(/--from=(\S+)/g)) expect(names).toContain(from);
  });

  it('needs neither BuildKit nor a registry for its syntax (KA-4, KA-5)', () => {
    for (const file of ['docker/Dockerfile', 'docker/own.Dockerfile']) {
      const text = readFileSync(file, 'utf8');
      expect(text).not.toMatch(/^# syntax=|^(RUN|COPY|ADD) .*--(mount|link|chmod|exclude)|<<E/m);
      expect(validate(text).filter(({ severity }) => severity !== IGNORED)).toEqual([]);
    }
  });
});

describe('docker/compose.yaml', () => {
  it('runs every role: two of api and worker, and a dispatcher', () => {
    expect(compose.services.api?.deploy?.replicas).toBe('${API_REPLICAS:-2}');
    expect(compose.services.worker?.deploy?.replicas).toBe('${PARLEY_WORKERS:-2}');
    const roles = services.map(([, { environment }]) => environment?.ROLE).filter((role) => role !== undefined);
    expect(roles).toEqual(['api', 'worker', 'dispatcher']);
  });

  it('gives the service a root file system that cannot be written', () => {
    for (const name of ['api', 'worker', 'dispatcher']) expect(compose.services[name]?.read_only).toBe(true);
  });

  it('bounds memory, rights and logs of everything that goes on running (KA-10)', () => {
    const running = services.filter(([name]) => name !== 'certificates');
    for (const [, { deploy, cap_drop, logging }] of running) {
      expect(deploy?.resources?.limits.memory).toMatch(/^\d+[MG]$/);
      expect(cap_drop).toEqual(['ALL']);
      expect(logging).toMatchObject({ options: { 'max-size': '10m' } });
    }
  });

  it('opens ports on this machine only, each of which a variable moves (KA-9)', () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports);
    expect(ports.length).toBeGreaterThan(4);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\$\{PARLEY_[A-Z_]*PORT:-\d+\}:\d+$/);
  });

  it('keeps tasks in a Redis that drops nothing', () => {
    expect(compose.services.redis?.command?.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
  });

  it('names services, stages, volumes and files that are there', () => {
    for (const [, { build, depends_on: needs = [], volumes = [] }] of services) {
      if (build !== undefined) {
        expect(stages.map(({ name }) => name)).toContain(build.target);
        expect(existsSync(join('docker', build.context, build.dockerfile))).toBe(true);
      }
      for (const need of Array.isArray(needs) ? needs : Object.keys(needs))
        expect(compose.services).toHaveProperty(need);
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        if (source.startsWith('.')) expect(existsSync(join('docker', source))).toBe(true);
        else expect(compose.volumes).toHaveProperty(source);
      }
    }
  });

  it('pins a version of every image', () => {
    const images = services.flatMap(([, { image }]) => image ?? []);
    for (const image of images) expect(image).toMatch(/:(?!latest$)[\w.-]+$/);
  });
});

describe('variables', () => {
  it('of compose and chart are those that the service reads', () => {
    const known = new Set(
      [...readFileSync('.env.example', 'utf8').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, it]) => it),
    );
    const chart = ['configmap.yaml', '_deployment.tpl', 'deployment-worker.yaml']
      .map((file) => readFileSync(join('deploy/helm/parley/templates', file), 'utf8'))
      .join('\n');
    const named = [...chart.matchAll(/^\s*(?:- name: |)([A-Z][A-Z0-9_]{3,})(?::|$)/gm)].map(([, name]) => name);
    const composed = services.flatMap(([, { environment }]) => Object.keys(environment ?? {}));
    const ours = [...named, ...composed].filter((name) => !/^(GF_|NODE_)/.test(name ?? ''));
    expect(ours.length).toBeGreaterThan(10);
    for (const name of ours) expect([...known]).toContain(name);
  });
});
