import { existsSync, readFileSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { parseEnv } from 'node:util';
import type { Variables } from './secret-files.js';

const ENV_FILE = '.env';

/** Reads `.env` in the working folder, if it exists. Variables that are already set keep their value. */
export function readEnvFile(): void {
  if (existsSync(ENV_FILE)) loadEnvFile(ENV_FILE);
}

/** The variables of a process started now, with `.env`; those of this process do not change. */
export function comingVariables(): Variables {
  const written = existsSync(ENV_FILE) ? parseEnv(readFileSync(ENV_FILE, 'utf8')) : {};
  return { ...written, ...process.env };
}
