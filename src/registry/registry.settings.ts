import { Setting } from '../platform/config/settings/setting.js';
import { Switch } from '../platform/config/checks/switch.js';
import { WholeNumber } from '../platform/config/checks/numbers.js';

/** The registry of agents, with search, approval and health (docs/registry.md). */
export class RegistrySettings {
  @Setting('true: the service keeps a registry of agents.')
  @Switch()
  readonly REGISTRY: boolean = false;

  @Setting('Agents of a tenant.', { was: 'REGISTRY_AGENTS' })
  @WholeNumber(1, 10_000)
  readonly agents: number = 1_000;

  @Setting('Bytes of the cards of a tenant.', { was: 'REGISTRY_BYTES' })
  @WholeNumber(1_000_000, 1_000_000_000)
  readonly bytes: number = 64_000_000;

  @Setting('Seconds between two checks of a card.', { was: 'REGISTRY_PROBE_SECONDS' })
  @WholeNumber(10, 86_400)
  readonly probeSeconds: number = 300;
}
