import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILD_BASE, makeBases, RUN_BASE } from '../image/bases.js';
import { Buildah } from '../image/buildah.js';
import type { Engine } from './engine.js';

/** Outside of the clone, and shared with `npm run check:image`. */
const FOLDER = join(tmpdir(), 'parley-image');

const NODE = 'node:24-bookworm-slim';
const DISTROLESS = 'gcr.io/distroless/nodejs24-debian12:nonroot';

/** Debian's packages of its next release, where its present one is too old. */
const FROM_FORKY = `sed s/bookworm/forky/ /etc/apt/sources.list > /etc/apt/sources.list.d/forky.list
apt-get -o Acquire::Check-Valid-Until=false update
apt-get -o Dpkg::Options::=--force-overwrite install -y -t forky --no-install-recommends`;

/**
 * Images of compose.yaml from Debian's packages, where no registry can be reached: by name, what is done in the base, and
 * what an engine starts.
 */
const STAND_INS: Readonly<Record<string, { readonly run: string; readonly settings: readonly string[] }>> = {
  'buildpack-deps:bookworm-curl': {
    run: 'apt-get update; apt-get install -y --no-install-recommends openssl curl ca-certificates',
    settings: [],
  },
  'redis:7.4-alpine': {
    // Docker's image is compiled without protected mode.
    run: `apt-get update; apt-get install -y --no-install-recommends redis-server
printf '#!/bin/sh\\nexec "$@" --protected-mode no\\n' > /entry.sh
chmod +x /entry.sh
install -d -o 999 -g 1000 /data`,
    settings: ['VOLUME /data', 'WORKDIR /data', 'ENTRYPOINT ["/entry.sh"]'],
  },
  'haproxy:3.2-alpine': {
    run: `${FROM_FORKY} haproxy`,
    settings: [
      'USER haproxy',
      'STOPSIGNAL SIGUSR1',
      'CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]',
    ],
  },
  'prom/prometheus:v3.5.0': {
    run: `${FROM_FORKY} prometheus
install -d -o 65534 -g 65534 /prometheus`,
    settings: [
      'USER 65534:65534',
      'VOLUME /prometheus',
      'ENTRYPOINT ["prometheus", "--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]',
    ],
  },
};

/**
 * Builds the images of the service, and gets those of others: from their registry, else made of Debian's packages.
 * @returns the names of those that were made
 */
export function prepareImages(engine: Engine): readonly string[] {
  const others = [NODE, DISTROLESS, ...Object.keys(STAND_INS)].filter(
    (image) => !engine.has(image) && !isPulled(engine, image),
  );
  if (others.length > 0) makeStandIns(engine, others);
  for (const [target, image] of [
    ['service', 'parley:compose'],
    ['issuer', 'parley-issuer:compose'],
  ] as const) {
    engine.docker([
      'build',
      '--network',
      'host',
      '--file',
      'docker/Dockerfile',
      '--target',
      target,
      '--tag',
      image,
      '.',
    ]);
  }
  return others;
}

function isPulled(engine: Engine, image: string): boolean {
  try {
    engine.docker(['pull', '--quiet', image]);
    return true;
  } catch {
    return false;
  }
}

function makeStandIns(engine: Engine, images: readonly string[]): void {
  Buildah.requireTools();
  mkdirSync(FOLDER, { recursive: true });
  const buildah = new Buildah(FOLDER);
  makeBases(buildah, FOLDER);
  for (const base of [BUILD_BASE, RUN_BASE]) load(engine, buildah, base);
  for (const image of images) {
    const { run, settings } = STAND_INS[image] ?? { run: '', settings: [] };
    if (image === DISTROLESS) engine.docker(['tag', RUN_BASE, image]);
    else if (image === NODE)
      made(engine, image, 'groupadd --gid 1000 node; useradd --uid 1000 --gid node --create-home node', []);
    else made(engine, image, run, settings);
  }
}

function made(engine: Engine, image: string, run: string, settings: readonly string[]): void {
  const steps = run.split('\n').join('; ');
  const file = [`FROM ${BUILD_BASE}`, `RUN set -e; ${steps}`, ...settings].join('\n');
  engine.docker(['build', '--network', 'host', '--tag', image, '-'], file);
}

function load(engine: Engine, buildah: Buildah, image: string): void {
  if (engine.has(image)) return;
  const archive = join(FOLDER, 'image.tar');
  rmSync(archive, { force: true });
  buildah.run(['push', '--quiet', image, `docker-archive:${archive}:${image}`]);
  engine.docker(['load', '--input', archive]);
  rmSync(archive);
}
