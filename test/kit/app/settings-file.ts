import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileSections } from '../../../src/platform/config/settings/settings-file.js';

/** Writes sections as a settings file; returns its path, for PARLEY_FILE. */
export function settingsFile(sections: FileSections): string {
  const path = join(mkdtempSync(join(tmpdir(), 'parley-settings-')), 'parley.yaml');
  // JSON is YAML.
  writeFileSync(path, JSON.stringify(sections));
  return path;
}
