import { describe, expect, it } from '@jest/globals';
import { settingsFile } from '../../test/kit/app/settings-file.js';
import { checkConfiguration, defaultSkillFault, toolNameFindings } from './configuration-check.js';

describe(checkConfiguration.name, () => {
  it('reports nothing for the default start', async () => {
    expect((await checkConfiguration({})).findings).toEqual([
      { check: 'configuration', severity: 'ok', text: 'All variables are valid' },
    ]);
  });

  it.each<[string, Record<string, string>, 'warn' | 'fail', RegExp]>([
    ['a bad number', { PORT: 'eighty' }, 'fail', /^PORT must be/],
    ['a role without a Redis', { ROLE: 'worker' }, 'fail', /^REDIS_URL is needed when ROLE is worker/],
    ['a misspelled name', { WORKER_CONCURENCY: '5' }, 'warn', /^WORKER_CONCURENCY is not a variable of this service/],
    ['metrics on the port of the service', { METRICS_PORT: '3000' }, 'fail', /METRICS_PORT and PORT are both 3000/],
    ['disabled metrics', { HOST: '0.0.0.0', PUBLIC_URL: 'https://a.example' }, 'warn', /^Metrics are disabled/],
    ['a card without a reachable address', { HOST: '0.0.0.0', METRICS_PORT: '9464' }, 'warn', /^PUBLIC_URL is not set/],
    [
      'a card with a loopback address',
      { HOST: '0.0.0.0', METRICS_PORT: '9464', PUBLIC_URL: 'http://localhost:3000' },
      'warn',
      /reachable from this machine only/,
    ],
    [
      'unencrypted tokens',
      { HOST: '0.0.0.0', METRICS_PORT: '9464', PUBLIC_URL: 'http://agent.example' },
      'warn',
      /^PUBLIC_URL is not https/,
    ],
    [
      'disabled webhooks',
      { ROLE: 'api', REDIS_URL: 'redis://localhost' },
      'warn',
      /^SECRET_KEYS is not set: webhooks are disabled/,
    ],
    ['a pack that is not there', { SKILLS: './nowhere' }, 'fail', /^SKILLS names \.\/nowhere, but there is no folder/],
    ['a setting of a pack', { APPROVERS: 'ann' }, 'fail', /^APPROVER_LOGIN_URL must be/],
    ['MCP without keys', { MCP: 'true', ROLE: 'api', REDIS_URL: 'redis://a' }, 'fail', /SECRET_KEYS is not set/],
    ...['MCP', 'AGUI'].map((name): [string, Record<string, string>, 'fail', RegExp] => [
      `no origin of ${name}`,
      {
        [name]: 'true',
        PARLEY_FILE: settingsFile({ [name.toLowerCase()]: { allowedOrigins: 'https://a.example/x' } }),
      },
      'fail',
      /^These are no origins: (mcp|agui)\.allowedOrigins/,
    ]),
    [
      'a long wait',
      { MCP: 'true', PARLEY_FILE: settingsFile({ mcp: { waitMs: 90_000 } }) },
      'warn',
      /^mcp.waitMs is 90000: many hosts/,
    ],
    ['an endless drain', { DRAIN_MS: '3600000' }, 'warn', /^DRAIN_MS is 3600000/],
  ])('finds %s, and suggests a fix', async (_what, variables, severity, text) => {
    const { findings } = await checkConfiguration(variables);
    expect(findings).toEqual([
      { check: 'configuration', severity, text: expect.stringMatching(text), fix: expect.stringMatching(/\w{3}/) },
    ]);
  });
});

describe(toolNameFindings.name, () => {
  it('warns of tools that hosts with a prefix cannot call, and names five of them (B18)', () => {
    const long = 'x'.repeat(52);
    expect(toolNameFindings(['echo', 'x'.repeat(51)])).toEqual([]);
    expect(toolNameFindings(['echo', long])).toMatchObject([
      { severity: 'warn', text: `Skills with more than 51 characters in their id: ${long}` },
    ]);
    const many = Array.from({ length: 7 }, (_, at) => `${long}${String(at)}`);
    expect(toolNameFindings(many)).toMatchObject([{ text: expect.stringMatching(/x4 and 2 more$/) }]);
  });
});

describe('without the pack of invoices', () => {
  it('accepts none of its variables', async () => {
    const { findings } = await checkConfiguration({ SKILLS: 'echo', APPROVERS: 'ann', APPROVAL_THRESHOLD: 'much' });
    expect(findings).toEqual([{ check: 'configuration', severity: 'ok', text: 'All variables are valid' }]);
  });
});

describe(defaultSkillFault.name, () => {
  it('reports an unknown DEFAULT_SKILL, and lists the skills', () => {
    expect(defaultSkillFault('ehco', ['echo', 'countdown'])).toMatchObject({
      severity: 'fail',
      text: 'DEFAULT_SKILL ehco is not a skill of this service',
      fix: 'Set it to one of: echo, countdown',
    });
    expect(defaultSkillFault('echo', ['echo'])).toBeUndefined();
  });
});
