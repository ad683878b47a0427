import type { SkillFetch } from '../requests/skill-request.js';
import { SkillFailure } from '../skill-failure.js';

/** A simulated task has tried to reach another service. Uncaught, it fails the task with its text. */
export class LeavesSimulation extends SkillFailure {
  override readonly name = 'LeavesSimulation';

  constructor() {
    super('In debug mode no request leaves the service: declare `simulate`, or `reachesOut`, for the skill');
  }
}

/** The requests of a simulated run: none is sent. */
export const NO_SIMULATED_FETCH: SkillFetch = () => Promise.reject(new LeavesSimulation());
