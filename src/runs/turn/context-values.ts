import { Injectable } from '@nestjs/common';
import { permittedState } from '../../policy/permitted-state.js';
import { Policies } from '../../policy/policies.js';
import { operatorState } from '@parley/sdk/skill/shared/scoped-state.js';
import type { SharedState } from '@parley/sdk/skill/skill.js';
import { OperatorValues } from '../../tasks/values/operator-values.store.js';
import { ContextStore, OF_USER, simulatedOwner } from '../../tasks/values/context.store.js';
import { TaskIndex } from '../../tasks/lists/task-index.js';
import type { ClaimedRun } from '../../tasks/commit/run.store.js';
import { accountsOf } from '../../tasks/record/task-record.js';

/** The values of contexts, as far as the policy grants them to the caller of a run. */
@Injectable()
export class ContextValues {
  constructor(
    private readonly store: ContextStore,
    private readonly operators: OperatorValues,
    readonly policies: Policies,
    readonly index: TaskIndex,
  ) {}

  /** Values of the context of a run. */
  of(run: ClaimedRun): SharedState {
    return this.stored(run, run.contextId);
  }

  /** Values shared by all tasks of the run's owner. */
  ofUser(run: ClaimedRun): SharedState {
    return this.stored(run, OF_USER);
  }

  /** Read-only values set by the operators of its tenant. */
  ofApp(run: ClaimedRun): SharedState {
    return this.permitted(
      run,
      operatorState((name) => this.operators.get(run.tenant, name)),
    );
  }

  /** The values that the policy grants to the caller of a run. */
  permitted(run: ClaimedRun, state: SharedState): SharedState {
    return permittedState(this.policies, { ...callerOf(run), skill: run.skillId }, state);
  }

  private stored(run: ClaimedRun, contextId: string): SharedState {
    const { traits, isSimulated } = run;
    const owner = isSimulated ? simulatedOwner(run.owner) : run.owner;
    return this.permitted(run, this.store.of({ owner, contextId, accounts: accountsOf(traits) }));
  }
}

function callerOf({ tenant, client, subject }: ClaimedRun): { tenant: string; client: string; subject?: string } {
  return { tenant, client, ...(subject === '' ? {} : { subject }) };
}
