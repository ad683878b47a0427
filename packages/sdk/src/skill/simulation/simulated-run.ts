import { AsyncLocalStorage } from 'node:async_hooks';
import type { SkillHandler } from '../skill.js';

/** Set while code of a simulated run is executed, with all that it begins. */
const scope = new AsyncLocalStorage<true>();

/** Whether the calling code belongs to a simulated run: clients of other services then refuse. */
export function isInSimulation(): boolean {
  return scope.getStore() === true;
}

/** Does work that belongs to no simulated run, from wherever it is begun: a run begins the next one. */
export function outsideSimulation<T>(work: () => T): T {
  return isInSimulation() ? scope.exit(work) : work();
}

/** The skill, each step of which is executed as code of a simulated run. */
export function inSimulation(handler: SkillHandler): SkillHandler {
  return {
    run: (context) => {
      const events = scope.run(true, () => handler.run(context));
      return {
        next: () => scope.run(true, () => events.next()),
        return: () => scope.run(true, () => events.return()),
        throw: (error: unknown) => scope.run(true, () => events.throw(error)),
        [Symbol.asyncIterator]() {
          return this;
        },
        [Symbol.asyncDispose]: async () => {
          await scope.run(true, () => events.return());
        },
      };
    },
  };
}
