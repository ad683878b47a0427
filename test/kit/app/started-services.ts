import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { ServiceProcess } from './service-process.mjs';

/** Starts services of one test, by default in one data folder; all end with the test. */
export function useServices(): (variables: Readonly<Record<string, string>>) => ServiceProcess {
  let services: ServiceProcess[];
  let dataDir: string;

  beforeEach(async () => {
    services = [];
    dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  });

  afterEach(async () => {
    await Promise.all(services.map((service) => service.stop('SIGKILL')));
    await rm(dataDir, { recursive: true, force: true });
  });

  return (variables) => {
    const service = new ServiceProcess({ DATA_DIR: dataDir, ...variables });
    services.push(service);
    return service;
  };
}
