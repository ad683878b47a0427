import { IsOptional, IsString } from 'class-validator';
import { Setting } from './setting.js';

/** Files of the operator: the agent card, other agents, tool servers, the policy; and the audit log. */
export class FileSettings {
  @Setting('File with the settings that are no variables: the sections below. If empty: parley.yaml, if it exists.')
  @IsOptional()
  @IsString()
  readonly PARLEY_FILE?: string;

  @Setting(
    'A JSON file with your part of the agent card: name, description, version, provider, documentationUrl, iconUrl, extensions. It may also have capabilities; the service does not start if they contradict its configuration.',
  )
  @IsOptional()
  @IsString()
  readonly CARD_FILE?: string;

  @Setting(
    'Private keys that sign the agent card, as a JWK set of P-256 keys: {"keys":[…]}. All of them sign; to rotate, keep the old key beside the new one for a while. If empty, a single process (ROLE=all) creates a key and keeps it in DATA_DIR.',
  )
  @IsOptional()
  @IsString()
  readonly CARD_SIGNING_KEYS?: string;

  @Setting(
    'A JSON file of agents that skills may call: docs/remote-agents.md. With PUBLIC_URL set, agents report changes of their tasks to <PUBLIC_URL>/callbacks/; without it they are polled.',
  )
  @IsOptional()
  @IsString()
  readonly AGENTS_FILE?: string;

  @Setting('A JSON file of MCP servers whose tools skills may call: docs/tools.md.')
  @IsOptional()
  @IsString()
  readonly MCP_SERVERS_FILE?: string;

  @Setting(
    'A JSON file with the policy: who may call which skills, and which keys of memory callers have (docs/security.md). It is checked at start and read again when it changes. If empty, scopes alone decide.',
  )
  @IsOptional()
  @IsString()
  readonly POLICY_FILE?: string;

  @Setting('Destination of the audit log: stdout, or a file path.')
  @IsString()
  readonly AUDIT_LOG: string = 'stdout';
}
