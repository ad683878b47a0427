/** Skills of this pack that the service loads. */
export { BriefingAgent } from './briefing/briefing.agent.js';
export { MergeSummariesSkill } from './briefing/merge-summaries.skill.js';
export { ReadSourceSkill } from './briefing/read-source.skill.js';
export { PolishSummaryAgent } from './polish/polish-summary.agent.js';
export { ReviewSummarySkill } from './polish/review-summary.skill.js';
export { SummarizeTextSkill } from './summarize-text.skill.js';
