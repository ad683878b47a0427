import { call, parallel } from '@parley/sdk/agent';
import { agent } from '@parley/sdk/model';

export const Sentiment = agent({
  id: 'sentiment_analyzer',
  description: 'Says how a text feels.',
  instruction: 'Judge the mood of the text.',
});

export const Keywords = agent({
  id: 'keyword_extractor',
  description: 'Names what a text is about.',
  instruction: 'Name at most three keywords of the text.',
});

export const Analysis = agent({
  id: 'parallel_text_analyzer',
  description: 'Mood and keywords of a text at the same time.',
  flow: parallel({ mood: call(Sentiment), keywords: call(Keywords) }),
});
