// Jest's globalSetup: temporary files of all tests and of what they start are in one folder of the run, which is removed with it.
import { temporaryFolder } from './temporary-folder.mjs';

export default function startRun() {
  // Another project of this run may have been first.
  if (globalThis.testFolder !== undefined) return;
  globalThis.testFolder = temporaryFolder('tests');
  process.env.TMPDIR = globalThis.testFolder;
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
}
