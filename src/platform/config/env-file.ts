import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

const ENV_FILE = '.env';

/** Reads `.env` in the working folder, where there is one. What the environment already sets stays as it is. */
export function readEnvFile(): void {
  if (existsSync(ENV_FILE)) loadEnvFile(ENV_FILE);
}
