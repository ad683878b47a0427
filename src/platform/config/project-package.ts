import { existsSync, readFileSync } from 'node:fs';

/** The face of a project: what its package file says of it. */
export interface ProjectPackage {
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
}

/** The package file in the working folder; undefined where there is none, and in a clone of Parley itself. */
export function projectPackage(file = 'package.json'): ProjectPackage | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '{}';
  const { name, description, version } = membersOf(text);
  if (typeof name !== 'string' || name === '' || name === 'parley') return undefined;
  return {
    name,
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
    ...(typeof version === 'string' && version !== '' ? { version } : {}),
  };
}

/** A package file that cannot be read is npm's to report. */
function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
