import { openFilesFault } from './platform/config/open-files.js';

const fault = openFilesFault();
if (fault !== undefined) {
  process.stderr.write(`Parley cannot start. ${fault}\n`);
  process.exit(1);
}
// Loaded after the check: their modules are the files that the limit does not have.
await import('reflect-metadata');
const { readEnvFile } = await import('./platform/config/variables/env-file.js');
const { readFlags } = await import('./platform/config/variables/flags.js');
const { start } = await import('./main/start.js');
readEnvFile();
readFlags();
await start();
