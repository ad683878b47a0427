/** The API for authors' tests, `@parley/sdk/testing`: runs skills without a server. */
export { Conversation, type Saying } from './conversation.js';
export type { ChildAnswer, SkillUnderTest } from './child-answer.js';
export type { ModelRound } from './doubles/test-models.js';
export { runFlow, type FlowRun } from './run-flow.js';
export { aContext, runIn, runSkill, streamSkill } from './run-skill.js';
export type { SkillInput } from './test-input.js';
export type { Coming } from './doubles/test-message.js';
export type { CrashAfter, MadeCall } from './waiting-run.js';
