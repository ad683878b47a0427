import type { INestApplicationContext } from '@nestjs/common';
import type { Output } from './output.js';

/** Prints what a command has found out. */
export type Print = (output: Output) => void;

/** What decorators need, and the variables of `.env`. */
export async function prepare(): Promise<void> {
  await import('reflect-metadata');
  const { readEnvFile } = await import('../../platform/config/variables/env-file.js');
  readEnvFile();
}

/** Does work with the stores of the service, which are loaded for it. */
export async function inService<T>(work: (service: INestApplicationContext) => Promise<T>): Promise<T> {
  const { withService } = await import('./with-service.js');
  return withService(work);
}
