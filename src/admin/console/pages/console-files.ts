import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';

/** A file of the console's pages, in the encodings created by the build. */
export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br?: Buffer;
  readonly gzip?: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  '.bcmap': 'application/octet-stream',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.pfb': 'application/octet-stream',
  '.svg': 'image/svg+xml',
};

const FOLDER = new URL('../../../console/', import.meta.url);

/** The files of dist/console by name. Read at the first request: an unused console takes no memory. */
@Injectable()
export class ConsoleFiles {
  private files: ReadonlyMap<string, ConsoleFile> | undefined;

  /** A file by its path below the console's own; undefined for a name that the build did not write. */
  find(name: string): ConsoleFile | undefined {
    this.files ??= readFiles();
    return this.files.get(name);
  }
}

function readFiles(): ReadonlyMap<string, ConsoleFile> {
  const names = new Set(namesIn(fileURLToPath(FOLDER)));
  const read = (name: string): Buffer => readFileSync(new URL(name, FOLDER));
  const files = [...names].flatMap((name) => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const br = names.has(`${name}.br`) ? { br: read(`${name}.br`) } : {};
    const gzip = names.has(`${name}.gz`) ? { gzip: read(`${name}.gz`) } : {};
    return [[name, { type, plain: read(name), ...br, ...gzip }] as const];
  });
  return new Map(files);
}

/** Empty if the console is not built, as in tests of the sources. */
function namesIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return entries.map((name) => name.replaceAll('\\', '/'));
  } catch {
    return [];
  }
}
