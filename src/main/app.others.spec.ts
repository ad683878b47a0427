import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from './app.environment.js';
import { otherSkills } from './app.others.js';

describe(otherSkills.name, () => {
  it('names the faults of every file at once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-others-'));
    const [agents, servers] = [join(folder, 'agents.json'), join(folder, 'servers.json')];
    writeFileSync(agents, '{"agents": {"x": {"card": 5}}}');
    writeFileSync(servers, '{"servers": 5}');
    const environment = loadConfig({ AGENTS_FILE: agents, MCP_SERVERS_FILE: servers });
    try {
      expect(() => otherSkills(environment)).toThrow(/^MCP_SERVERS_FILE: .*\n(.*\n)?AGENTS_FILE: /s);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
