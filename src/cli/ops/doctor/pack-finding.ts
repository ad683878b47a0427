import { variableNamesOf } from '../../../platform/config/settings/settings.js';
import type { SkillPack } from '../../../skill/pack/skill-pack.js';
import { skillOptionsOf } from '@parley/sdk/skill/skill.js';
import { type Finding, fine } from '../../../main/finding.js';

/** The faults for which a start refuses the skills. */
export function skillFindings(faults: readonly string[]): readonly Finding[] {
  return faults.map((text) => ({
    check: 'skills',
    severity: 'fail',
    text,
    fix: 'Correct it: the service does not start',
  }));
}

/** A pack of SKILLS: its version, its skills and its variables. */
export function packFinding({ name, version = 'without a version', skills, settings }: SkillPack): Finding {
  const ids = skills.map(({ skill }) => skillOptionsOf(skill)?.id ?? '');
  const variables = settings.flatMap(variableNamesOf);
  const reads = variables.length === 0 ? '' : `; variables ${variables.join(', ')}`;
  return fine('skills', `Pack ${name} ${version}: ${ids.join(', ')}${reads}`);
}
