import { createReadStream, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import type { Buildah } from './buildah.js';
import { packagesIn } from './prune-packages.mjs';

/** A layer of an image: its origin, and its bytes as they are transferred and as they are unpacked. */
export interface Layer {
  readonly made: string;
  readonly packed: number;
  readonly unpacked: number;
}

interface Blob {
  readonly digest: string;
}

interface History {
  readonly created_by?: string;
  readonly comment?: string;
  readonly empty_layer?: boolean;
}

/** The layers of an image, from its base on. @param folder where the image is written as files */
export async function layersOf(buildah: Buildah, image: string, folder: string): Promise<readonly Layer[]> {
  buildah.run(['push', '--quiet', image, `oci:${folder}:image`]);
  const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const { manifests } = read(join(folder, 'index.json')) as { manifests: [Blob] };
  const manifest = read(blob(folder, manifests[0].digest)) as { config: Blob; layers: (Blob & { size: number })[] };
  const { history } = read(blob(folder, manifest.config.digest)) as { history: History[] };
  const made = history.filter(({ empty_layer: isEmpty }) => isEmpty !== true);
  return Promise.all(
    manifest.layers.map(async ({ digest, size }, at) => ({
      made: at === 0 ? 'the base image' : nameOf(made[at]?.created_by ?? ''),
      packed: size,
      unpacked: await unpackedBytes(blob(folder, digest)),
    })),
  );
}

/** Bytes of each package of an image with the packages below it, the largest first. */
export function packageSizes(nodeModules: string): readonly (readonly [name: string, bytes: number])[] {
  return packagesIn(nodeModules)
    .map(({ name, folder }) => [name, bytesIn(folder)] as const)
    .sort(([, a], [, b]) => b - a);
}

/** Bytes of the files below. */
export function bytesIn(path: string): number {
  const entry = lstatSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

/** Content of a layer, by the words that the builder notes of its step: `COPY dir:dcf5… in /app/dist`. */
function nameOf(step: string): string {
  return / in (\S+)\s*$/.exec(step)?.[1] ?? step.slice(0, 60);
}

function blob(folder: string, digest: string): string {
  return join(folder, 'blobs', ...digest.split(':'));
}

async function unpackedBytes(file: string): Promise<number> {
  let bytes = 0;
  for await (const piece of createReadStream(file).pipe(createGunzip())) bytes += (piece as Buffer).length;
  return bytes;
}
