import type { AgentExtension } from '@parley/protocol/model/agent-card.js';
import { CONTEXT_EXTENSION } from '@parley/protocol/extension/context-extension.js';
import { MODEL_USAGE_EXTENSION } from '@parley/protocol/extension/model-usage.js';
import { QUESTIONS_EXTENSION } from '@parley/protocol/extension/questions.js';
import { SCOPE_EXTENSION } from '@parley/protocol/extension/scope-extension.js';
import { SUBTASK_EXTENSION } from '@parley/protocol/model/subtask.js';
import { STREAM_RESUME } from '@parley/protocol/extension/stream-resume.js';
import { skillSchemaExtension } from '@parley/sdk/skill/contract/skill-schema.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { CardOptions } from './card.options.js';

/** The extensions of the card: the operator's, and our own for the input and calling of skills (A2A-EXT-01). */
export function declaredExtensions(
  { agent, models, entries = [] }: Pick<CardOptions, 'agent' | 'models' | 'entries'>,
  skills: readonly SkillOptions[],
  base: string,
): readonly AgentExtension[] {
  const described = [skillSchemaExtension(skills, base), ...entries.map((entryOf) => entryOf(skills, base))];
  const ours = [
    RESUMING,
    QUESTIONS,
    SUBTASKS,
    CONTEXTS,
    SCOPES,
    ...described.filter((one) => one !== undefined),
    ...usageOf(models),
  ];
  return [...(agent.extensions ?? []), ...ours].map(withoutDefaults);
}

/** Streams resume after `Last-Event-ID`, which the protocol leaves open. */
const RESUMING: AgentExtension = {
  uri: STREAM_RESUME,
  description: 'Streams resume behind the event whose id is sent as Last-Event-ID',
};

/** Status messages list the open questions of a tree, and an answer names its question. */
const QUESTIONS: AgentExtension = {
  uri: QUESTIONS_EXTENSION,
  description:
    'Status messages list open questions with their ids and schemas; an answer names its question by questionId',
};

const SUBTASKS: AgentExtension = {
  uri: SUBTASK_EXTENSION,
  description:
    'Streams have the progress of child tasks, and artifacts where the skill shows them, marked in the metadata with taskId, skillId, path and state',
};

const CONTEXTS: AgentExtension = {
  uri: CONTEXT_EXTENSION,
  description:
    'Messages have the context of a call: its caller, request and trace, the memory that it lends, and debug_mode, which simulates the task',
};

const SCOPES: AgentExtension = {
  uri: SCOPE_EXTENSION,
  description: 'Messages name the scopes that they want; their tasks say which are granted and withheld',
};

/** The task metadata report the usage of the language model; the card its limits. */
function usageOf(limits: CardOptions['models']): readonly AgentExtension[] {
  if (limits === undefined) return [];
  const description = 'The metadata of a task says what it and its child tasks have used of language models';
  return [{ uri: MODEL_USAGE_EXTENSION, description, params: { limits } }];
}

function withoutDefaults({ required, ...extension }: AgentExtension): AgentExtension {
  return required === true ? { ...extension, required } : extension;
}
