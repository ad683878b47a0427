import type { Type } from '@nestjs/common';
import type { SkillHandler } from '../skill.js';
import { CountdownSkill } from './countdown.skill.js';
import { EchoSkill } from './echo.skill.js';
import { SummarizeTextSkill } from './summarize-text.skill.js';

/** The skills of this service. A new one is one import and one line here; `npm run skill:new` writes both. */
// One skill a line keeps merges easy.
// prettier-ignore
export const CATALOG: readonly Type<SkillHandler>[] = [
  EchoSkill,
  SummarizeTextSkill,
  CountdownSkill,
];
