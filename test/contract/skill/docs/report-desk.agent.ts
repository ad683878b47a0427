import { agent } from '@parley/sdk/model';

export const Researcher = agent({
  id: 'researcher',
  description: 'Looks up what is known about a topic.',
  model: 'fast',
  instruction: 'Find reliable facts about the topic. Name where each comes from.',
});

export const Writer = agent({
  id: 'writer',
  description: 'Makes a report of findings.',
  model: 'fast',
  instruction: 'Write one clear report of the findings that you are given.',
});

export const ReportDesk = agent({
  id: 'report_orchestrator',
  description: 'Researches a topic and reports on it.',
  model: 'strong',
  instruction: 'Let the researcher work first, then give what it found to the writer.',
  agents: [Researcher, Writer],
});
