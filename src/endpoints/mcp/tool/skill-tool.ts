import type { JsonObject } from '@parley/protocol/model/json.js';
import { jsonSchemaOf } from '@parley/sdk/skill/contract/json-schema.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import type { ResultContract } from '@parley/protocol/mcp/tool-result.js';
import { toolInputSchema } from './tool-input.js';

/** A skill as a tool of MCP (MCP-SRV-1, -4), for `tools/list`. */
export function skillTool(skill: SkillOptions): JsonObject {
  const { id, name, description, examples = [] } = skill;
  const more = examples.length === 0 ? '' : ` Examples: ${examples.map((example) => `"${example}"`).join(', ')}.`;
  const annotations = annotationsOf(skill);
  return {
    name: id,
    title: name,
    description: `${description}${more}`,
    inputSchema: toolInputSchema(skill),
    ...(skill.output === undefined ? {} : { outputSchema: jsonSchemaOf(skill.output) }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** The contract on the result of the skill's tool; empty for a removed skill. */
export function contractOf(skill: SkillOptions | undefined): ResultContract {
  return { isStructured: skill?.output !== undefined, artifactId: skill?.mcp?.result };
}

/** Hints from the skill's declarations; none without declarations. */
function annotationsOf({ effects, reachesOut }: SkillOptions): JsonObject | undefined {
  if (effects === undefined && reachesOut === undefined) return undefined;
  const ofEffects =
    effects === undefined
      ? {}
      : {
          readOnlyHint: effects === 'none',
          destructiveHint: effects === 'irreversible',
          ...(effects === 'none' ? { idempotentHint: true } : {}),
        };
  return { ...ofEffects, ...(reachesOut === undefined ? {} : { openWorldHint: reachesOut }) };
}
