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
      readonly deploy?: { readonly replicas: number };
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

/** The context that whoever builds the image gives: a folder of skills. */
const OWN_PROJECT = 'project';

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
    const names = [...stages.map(({ name }) => name), OWN_PROJECT];
    for (const [, from] of dockerfile.matchAll(/--from=(\S+)/g)) expect(names).toContain(from);
  });

  it('has a stage for a folder of the user, like the service but for its skills', () => {
    const own = dockerfile.slice(dockerfile.indexOf(' AS own\n'), dockerfile.lastIndexOf('\nFROM '));
    expect(own).toContain(`COPY --from=${OWN_PROJECT} . ./own`);
    expect(own).toMatch(/SKILLS=\.\/own\/skills$/m);
    const shared = /^(COPY (--from=(packages|build)|package)|USER|ENTRYPOINT|CMD \["dist|WORKDIR).*$/gm;
    expect(own.match(shared)).toEqual(last.match(shared));
  });
});

describe('docker/compose.yaml', () => {
  it('runs every role: two of api and worker, and a dispatcher', () => {
    expect(compose.services.api?.deploy?.replicas).toBe(2);
    expect(compose.services.worker?.deploy?.replicas).toBe(2);
    const roles = services.map(([, { environment }]) => environment?.ROLE).filter((role) => role !== undefined);
    expect(roles).toEqual(['api', 'worker', 'dispatcher']);
  });

  it('gives the service a root file system that cannot be written', () => {
    for (const name of ['api', 'worker', 'dispatcher']) expect(compose.services[name]?.read_only).toBe(true);
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
