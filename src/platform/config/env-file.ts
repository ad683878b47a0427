import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

const ENV_FILE = '.env';

/** Reads `.env` in the working folder, if it exists. Variables that are already set keep their value. */
export function readEnvFile(): void {
  if (existsSync(ENV_FILE)) loadEnvFile(ENV_FILE);
}
