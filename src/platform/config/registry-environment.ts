import { Switch } from './switch.js';
import { WholeNumber } from './whole-number.js';

/** The variables of the registry of other people's agents. */
export class RegistryEnvironment {
  @Switch()
  readonly REGISTRY: boolean = false;

  @WholeNumber(1, 10_000)
  readonly REGISTRY_AGENTS: number = 1_000;

  @WholeNumber(1_000_000, 1_000_000_000)
  readonly REGISTRY_BYTES: number = 64_000_000;

  @WholeNumber(10, 86_400)
  readonly REGISTRY_PROBE_SECONDS: number = 300;
}
