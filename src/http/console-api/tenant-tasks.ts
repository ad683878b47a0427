import { Injectable } from '@nestjs/common';
import { A2AError, taskNotFound } from '@parley/protocol/model/errors.js';
import type { Principal } from '../../auth/principal.js';
import { SkillScopes } from '../../operations/skill-scopes.js';
import { type TaskFacts, TaskInspector } from '../../tasks/lists/task-inspector.js';
import { type CancelOutcome, TaskStore } from '../../tasks/store/task.store.js';

/** The outcome of one of several cancels. */
export interface CancelView {
  readonly id: string;
  /** `forbidden`: the caller may not use the task's skill, by its scopes or by the policy. */
  readonly outcome: CancelOutcome['kind'] | 'forbidden';
}

/** The tasks of a caller's tenant, of every owner. A task of another tenant does not exist here. */
@Injectable()
export class TenantTasks {
  constructor(
    private readonly inspector: TaskInspector,
    private readonly tasks: TaskStore,
    private readonly scopes: SkillScopes,
  ) {}

  /** @throws A2AError TaskNotFound */
  async facts({ tenant }: Principal, id: string): Promise<TaskFacts> {
    const facts = await this.inspector.ofTenant(tenant, id);
    if (facts === undefined) throw taskNotFound();
    return facts;
  }

  /**
   * Cancels with the rights required of every caller. @throws A2AError TaskNotFound, PermissionDenied,
   * TaskNotCancelable
   */
  async cancel(caller: Principal, id: string): Promise<CancelView> {
    const { owner, skill } = await this.facts(caller, id);
    this.scopes.require(skill, { principal: caller });
    const outcome = await this.tasks.cancel(owner, id);
    if (outcome.kind === 'not-found') throw taskNotFound();
    if (outcome.kind === 'terminal') {
      throw new A2AError('TaskNotCancelable', 'The task is finished and cannot be canceled', {
        metadata: { taskId: id, state: outcome.state },
      });
    }
    return { id, outcome: outcome.kind };
  }

  /** Cancels several tasks; a missing or ended one does not affect the others. */
  async cancelAll(caller: Principal, ids: readonly string[]): Promise<readonly CancelView[]> {
    return Promise.all([...new Set(ids)].map((id) => this.tryCancel(caller, id)));
  }

  private async tryCancel(caller: Principal, id: string): Promise<CancelView> {
    const facts = await this.inspector.ofTenant(caller.tenant, id);
    if (facts === undefined) return { id, outcome: 'not-found' };
    if (!this.scopes.allows(facts.skill, { principal: caller })) return { id, outcome: 'forbidden' };
    return { id, outcome: (await this.tasks.cancel(facts.owner, id)).kind };
  }
}
