import type { INestApplicationContext } from '@nestjs/common';
import type { Output } from './output.js';

/** Prints the result of a command. */
export type Print = (output: Output) => void;

/** Loads the decorators' runtime and the variables of `.env`. */
export async function prepare(): Promise<void> {
  await import('reflect-metadata');
  const { readEnvFile } = await import('../../platform/config/variables/env-file.js');
  readEnvFile();
}

/** Runs work with the stores of the service, which it loads. */
export async function inService<T>(work: (service: INestApplicationContext) => Promise<T>): Promise<T> {
  const { withService } = await import('./with-service.js');
  return withService(work);
}
