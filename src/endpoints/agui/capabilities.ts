import type { JsonObject } from '@parley/protocol/model/json.js';
import type { AgentExtension } from '@parley/protocol/model/agent-card.js';
import type { SkillOptions } from '@parley/sdk/skill/skill.js';
import { AGUI_PATH } from './agui-faults.js';

/** The extension by which the card has the address of pages. */
const AGUI_EXTENSION = 'urn:parley:extension:ag-ui:1';

/** The card's entry. @param base URL of the service, without a trailing slash */
export function aguiExtension(skills: readonly SkillOptions[], base: string): AgentExtension {
  return {
    uri: AGUI_EXTENSION,
    description: 'Runs of skills for web pages with an AG-UI client; streams resume after `Last-Event-ID`.',
    required: false,
    params: {
      ...{ version: '1.0', url: `${base}${AGUI_PATH}/{skill}`, resume: 'last-event-id' },
      skills: skills.map(({ id }) => id),
    },
  };
}

/** The capabilities of a skill (AG-UI `AgentCapabilities`); `custom` has the differences from the specification. */
export function capabilitiesOf({ id, name, description, output, version = 0 }: SkillOptions): JsonObject {
  return {
    identity: { name, description, type: 'parley', version: String(version), metadata: { skillId: id } },
    transport: { streaming: true, websocket: false, httpBinary: false, resumable: true },
    tools: { supported: false, clientProvided: false },
    output: { structuredOutput: output !== undefined },
    state: { snapshots: false, deltas: false },
    multiAgent: { supported: true },
    humanInTheLoop: { supported: true, approvals: true, interrupts: true },
    custom: {
      parley: {
        history: 'The service keeps the conversation: of the messages only the newest of the user is read.',
        resume: 'The same POST with the header Last-Event-ID continues a stream.',
        routes: ['connect', 'cancel'],
      },
    },
  };
}
