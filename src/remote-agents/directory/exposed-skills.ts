import { ConfigError } from '../../platform/config/config-error.js';
import { objectSchemaOf } from '@parley/sdk/skill/contract/object-schema.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { remote } from '@parley/sdk/skill/calls/remote.js';
import { hidesText } from '@parley/protocol/json/hidden-text.js';
import type { RemoteAgent } from './agent-file.js';
import { defined, type ExposedSkill } from './exposed-skill.js';

/** The exposed skills of AGENTS_FILE by their pinned definitions. @throws ConfigError with a line per unusable one */
export function exposedSkills(agents: readonly RemoteAgent[]): readonly SkillOptions[] {
  const faults: string[] = [];
  const skills = agents.flatMap((agent) =>
    agent.exposed.flatMap((exposed) => {
      const found = optionsOf(agent, exposed);
      if (typeof found !== 'string') return [found];
      faults.push(`AGENTS_FILE: ${agent.name}: expose: ${exposed.remoteId}: ${found}`);
      return [];
    }),
  );
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return skills;
}

/** The agents of AGENTS_FILE as skills that only other skills may call. */
export function remoteSkills(agents: readonly RemoteAgent[]): readonly SkillOptions[] {
  return agents.map(({ name, reads }) => ({
    id: remote(name),
    name,
    description: `The agent ${name} of AGENTS_FILE`,
    tags: ['remote'],
    outputModes: ['*/*'],
    reachesOut: true,
    ...(reads === undefined ? {} : { memory: { reads } }),
  }));
}

/** The options of the skill, or the fault that prevents them. */
function optionsOf({ name: agent, reads }: RemoteAgent, exposed: ExposedSkill): SkillOptions | string {
  const { definition, id, scopes, remoteId } = exposed;
  if (definition === undefined) {
    return `needs the definition: "parley ops agents pin ${agent} --write" puts it into the file`;
  }
  if (hidesText(definition)) return 'its description has characters that people cannot see';
  const { name, description, tags, examples, inputModes, outputModes } = definition;
  const [input, output] = [objectSchemaOf(definition.input), objectSchemaOf(definition.output)];
  return {
    id,
    name: textOr(name, remoteId),
    description: textOr(description, `The skill ${remoteId} of the agent ${agent}`),
    tags: textsOf(tags) ?? [],
    reachesOut: true,
    aliasOf: remote(agent),
    ...defined({ examples: textsOf(examples), inputModes: textsOf(inputModes), outputModes: textsOf(outputModes) }),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(reads === undefined ? {} : { memory: { reads } }),
  };
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
