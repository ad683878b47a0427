import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../main/app.environment.js';
import { ofVariable } from '../../../platform/config/variables/of-variable.js';
import { type KeyRing, parseKeyRing } from '../../../secrets/key-ring.js';
import { OperatorError } from '../operator-error.js';

/** The source of the encryption keys: a file, or the value of the variable. */
export type SealingKeys = { readonly file: string } | { readonly value: string };

/** The file named by an option, else SECRET_KEYS, else the file of a single process. */
export function sealingKeysOf({ SECRET_KEYS, DATA_DIR }: Environment, file: string | undefined): SealingKeys {
  if (file !== undefined) return { file };
  return SECRET_KEYS === undefined ? { file: join(DATA_DIR, 'sealing-keys') } : { value: SECRET_KEYS };
}

/** @throws OperatorError when there are none; ConfigError or Error when they cannot be read */
export function ringOf(keys: SealingKeys): KeyRing {
  if ('value' in keys) return ofVariable('SECRET_KEYS', () => parseKeyRing(keys.value));
  if (!existsSync(keys.file)) {
    throw new OperatorError(`Set SECRET_KEYS, or pass the key file with --file: ${keys.file} does not exist.`);
  }
  return parseKeyRing(readFileSync(keys.file, 'utf8'));
}
