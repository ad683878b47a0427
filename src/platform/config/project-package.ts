import { existsSync, readFileSync } from 'node:fs';

/** Name and texts of a project, from its package file. */
export interface ProjectPackage {
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
}

/** The package file in the working folder; undefined without one, and in a clone of Parley itself. */
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

/** npm reports an unreadable package file. */
function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
