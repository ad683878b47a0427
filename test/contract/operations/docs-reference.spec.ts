import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

describe('docs/reference/', () => {
  it('is written from the sources as they are', () => {
    const { status, stderr } = spawnSync('npm', ['run', '--silent', 'docs', '--', 'reference', '--check'], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });

  it.each(['SkillContext', 'SkillOptions'])('has a sentence for each member of %s', (name) => {
    const page = readFileSync('docs/reference/skill.md', 'utf8');
    const [, section = ''] = new RegExp(`^### ${name}$(.*?)^### `, 'ms').exec(page) ?? [];
    const members = section.match(/^- `.*$/gm) ?? [];
    expect(members.length).toBeGreaterThan(20);
    expect(members.filter((line) => !/`: \S/.test(line))).toEqual([]);
  });
});
