import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { format } from 'prettier';
import { parse } from 'yaml';
import { envExample, settingsPage } from '../../../scripts/docs/settings-text.js';
import { loadConfig, SECTIONS } from '../../../src/main/app.environment.js';
import type { FileSections } from '../../../src/platform/config/settings/settings-file.js';
import { isVariable, settingsIn, type SettingsClass } from '../../../src/platform/config/settings/setting.js';
import { variableNamesOf } from '../../../src/platform/config/settings/settings.js';

const classes = Object.values<SettingsClass>(SECTIONS);

describe('settings', () => {
  it('are in .env.example and docs/settings.md as `npm run docs -- settings` writes them', async () => {
    expect(readFileSync('.env.example', 'utf8')).toBe(envExample());
    expect(readFileSync('docs/settings.md', 'utf8')).toBe(await format(settingsPage(), { parser: 'markdown' }));
  });

  it('are read from the file that docs/settings.md shows', () => {
    const [, file = ''] = /^```yaml\n(.*?)^```$/ms.exec(readFileSync('docs/settings.md', 'utf8')) ?? [];
    const { limits, auth } = loadConfig({}, parse(file) as FileSections);
    expect([limits.streamsOfTenant, auth.issuers]).toEqual([400, [expect.objectContaining({ tenantClaim: 'org' })]]);
  });

  it('are all described', () => {
    const described = classes.flatMap((type) => settingsIn(type).map(({ name }) => name));
    expect(classes.flatMap(variableNamesOf).filter((name) => !described.includes(name))).toEqual([]);
  });

  it('are at most 60 variables, beside those of OpenTelemetry', () => {
    const own = classes.flatMap(variableNamesOf).filter((name) => !name.startsWith('OTEL_'));
    expect(own.length).toBeLessThanOrEqual(60);
    expect(new Set(own).size).toBe(own.length);
    expect(own.every(isVariable)).toBe(true);
  });
});
