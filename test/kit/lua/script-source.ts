import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const INCLUDE = /^-- @include (\S+)$/gm;
const SRC = new URL('../../../src/', import.meta.url);

/** Every script that the service sends to Redis, as a path below src/; libraries are parts of them. */
export function scriptNames(): readonly string[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\/lua\/[^/]+\.lua$/.test(file)).sort();
}

/** A script with what it includes, without comments. */
export function scriptSource(name: string): string {
  return withoutComments(read(new URL(name, SRC)));
}

export function withoutComments(source: string): string {
  const lines = source.split('\n').map((line) => /^(?:[^'"-]|'[^']*'|"[^"]*"|-(?!-))*/.exec(line)?.[0] ?? '');
  return lines.join('\n');
}

function read(file: URL): string {
  return readFileSync(file, 'utf8').replace(INCLUDE, (_line, name: string) =>
    read(new URL(name, pathToFileURL(file.pathname))),
  );
}
