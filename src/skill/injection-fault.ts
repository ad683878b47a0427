import { UnknownDependenciesException } from '@nestjs/core/errors/exceptions/unknown-dependencies.exception.js';

/**
 * The fault and the fix for a class of a pack that Nest cannot construct; undefined for any other error. Nest's own
 * text advises on modules, which a pack need not have.
 */
export function injectionFault(error: unknown): string | undefined {
  if (!(error instanceof UnknownDependenciesException)) return undefined;
  const { index, dependencies, name } = error.context;
  const owner = String(error.type);
  const place = index === undefined ? `"${String(error.context.key)}"` : `parameter ${String(index + 1)}`;
  const type = index === undefined ? name : dependencies?.[index];
  if (type === undefined || type === Object) {
    return (
      `${place} of the constructor of ${owner} has no class as its type. ` +
      'Import the class without "type": an interface, or "import type", is gone when the program runs.'
    );
  }
  const wanted = typeof type === 'function' ? type.name : String(type);
  return (
    `${owner} needs ${wanted} (${place} of its constructor), and nothing provides it. ` +
    `Name it in @Skill({ providers: [${wanted}] }), or export it with @Injectable() beside the skill.`
  );
}

/** The location of a class of a pack whose constructor throws; undefined for any other error. */
export function constructorFault(error: Error): string | undefined {
  const [, owner, place] = /at new (\S+) \(([^)]*)\)\n\s+at (?:\S+\.)?instantiateClass\b/.exec(error.stack ?? '') ?? [];
  if (owner === undefined || place === undefined || error.name !== 'Error') return undefined;
  return `${owner} cannot be made: ${error.message} (${place.replace('file://', '')})`;
}
