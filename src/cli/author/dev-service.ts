/**
 * The program of a service under `parley dev`. Loads the modules of Parley, waits for its message, and only then
 * imports the skills: so a change is served within a moment by a process that was waiting.
 */
import 'reflect-metadata';
import { once } from 'node:events';
import { register } from 'node:module';
import { bannerText } from '../../main/banner.js';
import { CONFIG_SOURCE, findConfigFile } from '../../platform/config/config-file.js';
import { readEnvFile } from '../../platform/config/variables/env-file.js';
import { readConfigFile, setVariables } from '../../platform/config/variables/flags.js';
import { start } from '../../main/start.js';
import type { DevListen, DevLoaded, DevReady, DevStart } from './dev-message.js';

// Not earlier: each module of Parley would wait for the thread of these hooks and for its source map.
register('../../platform/typescript/hooks.mjs', import.meta.url);
process.setSourceMapsEnabled(true);

process.on('disconnect', () => process.exit());
const [{ redisUrl, folder, isFirst }] = (await once(process, 'message')) as [DevStart];
setVariables({ REDIS_URL: redisUrl });
readEnvFile();
try {
  await readConfigFile(findConfigFile([CONFIG_SOURCE, 'parley.config.js', 'parley.config.mjs']), folder);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
await start({
  beforeListening: async () => {
    const word = once(process, 'message') as Promise<[DevListen]>;
    process.send?.({ kind: 'loaded' } satisfies DevLoaded);
    await word;
  },
  onStarted: (facts) => {
    const { address, skills } = facts;
    if (isFirst) process.stdout.write(bannerText(facts));
    const ready: DevReady = { kind: 'ready', address, skills: skills.map(({ id }) => id) };
    process.send?.(ready);
  },
});
