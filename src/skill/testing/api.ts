/** The API for authors' tests, `parley/testing`: runs skills without a server. */
export { Conversation, type Saying } from './conversation.js';
export {
  aContext,
  runIn,
  runSkill,
  streamSkill,
  type Coming,
  type SkillInput,
  type SkillUnderTest,
} from './run-skill.js';
