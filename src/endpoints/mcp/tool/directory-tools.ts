import type { JsonObject } from '@parley/protocol/model/json.js';
import { objectOf } from './task-tools.js';

/** Finds skills by words. */
export const FIND_SKILLS = 'parley_skill_find';
/** Calls a skill that was found. */
export const CALL_SKILL = 'parley_skill_call';

/** The tools for callers of very many skills, in place of a tool per skill (MCP-BRIDGE-4). */
export const DIRECTORY_TOOLS: readonly { readonly name: string; readonly tool: JsonObject }[] = [
  {
    name: FIND_SKILLS,
    tool: {
      name: FIND_SKILLS,
      title: 'Find skills',
      description:
        'Lists skills of this agent that fit a query, with the JSON Schemas of their arguments. Without a query it lists all of them.',
      inputSchema: objectOf(
        {
          query: { type: 'string', maxLength: 1000, description: 'What the skill should do, in words' },
          from: { type: 'integer', minimum: 0, description: 'Skips so many: "next" of the page before' },
        },
        [],
      ),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
  },
  {
    name: CALL_SKILL,
    tool: {
      name: CALL_SKILL,
      title: 'Call a skill',
      description: `Calls a skill by its name. Find it with ${FIND_SKILLS} first: its inputSchema says what "arguments" must be.`,
      inputSchema: objectOf(
        {
          skill: { type: 'string', description: 'The name of the skill' },
          arguments: { type: 'object', description: 'Its arguments' },
        },
        ['skill'],
      ),
    },
  },
];
