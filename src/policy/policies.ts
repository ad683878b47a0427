import { readFile } from 'node:fs/promises';
import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { A2AError } from '@parley/protocol/model/errors.js';
import type { JsonObject } from '@parley/protocol/model/json.js';
import type { AuditCaller } from '../audit/audit-entry.js';
import { AuditLog } from '../audit/audit.log.js';
import { WatchedFile } from '../platform/config/watched-file.js';
import { Policy, type PolicyCaller, type PolicySkill } from './policy.js';
import { readPolicy } from './policy-file.js';
import { PolicyOptions } from './policy.options.js';

/** A call refused by the policy; the rule is for the audit log, not for the caller. */
export class PolicyRefusal extends A2AError {
  constructor(
    intent: string,
    readonly rule: string | undefined,
  ) {
    super('PermissionDenied', `This caller may not use "${intent}"`);
  }
}

/** The policy in force. A changed file is read again; if it is invalid, the previous rules stay. */
@Injectable()
export class Policies implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger(Policies.name);
  private policy: Policy;
  private watched: WatchedFile | undefined;

  constructor(
    @Inject(PolicyOptions) private readonly options: PolicyOptions,
    private readonly audit: AuditLog,
  ) {
    this.policy = new Policy(options.policy ?? {});
  }

  onModuleInit(): void {
    const { file, pollEveryMs } = this.options;
    if (file === undefined) return;
    const refused = (reason: string): void => {
      this.log.error({ event: 'policy.refused', file, reason: `the rules before stay: ${reason}` });
    };
    this.watched = new WatchedFile(file, { read: (path) => this.reload(path), refused }, pollEveryMs);
  }

  onApplicationShutdown(): void {
    this.watched?.close();
  }

  /** The present rules. */
  get current(): Policy {
    return this.policy;
  }

  /** @throws PolicyRefusal */
  requireCall(caller: PolicyCaller, skill: PolicySkill): void {
    const { isAllowed, rule } = this.policy.mayUse(caller, skill);
    if (!isAllowed) throw new PolicyRefusal(skill.id, rule);
  }

  /** The values that a caller may have; the audit log gets the names of the others, and never their values. */
  permitted(caller: AuditedCaller, skill: string, values: JsonObject): JsonObject {
    const kept = Object.entries(values).filter(([key]) => this.mayHave(caller, skill, key));
    return kept.length === Object.keys(values).length ? values : Object.fromEntries(kept);
  }

  /** Whether a caller may have a key; if not, the audit log records it. */
  mayHave(caller: AuditedCaller, skill: string, key: string): boolean {
    const { isAllowed, rule } = this.policy.mayHave(caller, key);
    if (isAllowed) return true;
    this.audit.record({
      caller: named(caller),
      code: 'PermissionDenied',
      reason: ruleText(rule),
      skill,
      withheld: key,
    });
    return false;
  }

  /** Whether a skill may call another one that its caller may not; the audit log records each such call. */
  mayActAsService(caller: AuditedCaller, skill: string, child: string): boolean {
    const { isAllowed, rule } = this.policy.mayActAsService(caller.tenant, skill, child);
    if (!isAllowed) return false;
    this.audit.record({ caller: named(caller), reason: ruleText(rule), skill: child, actsAs: `service://${skill}` });
    return true;
  }

  private async reload(file: string): Promise<void> {
    this.policy = new Policy(readPolicy(await readFile(file, 'utf8')));
    this.log.log({ event: 'policy.reloaded', file });
  }
}

/** A caller in the form of the audit log. */
export interface AuditedCaller extends PolicyCaller {
  readonly subject?: string;
  /** Absent for the caller of a running task. */
  readonly method?: string;
}

/** A running task has an empty subject if its caller has none. */
function named({ tenant, client, subject = '', method = 'run' }: AuditedCaller): AuditCaller {
  return { tenant, client, method, ...(subject === '' ? {} : { subject }) };
}

/** A rule in the form of the audit log. */
export function ruleText(rule: string | undefined): string {
  return `policy rule ${rule ?? 'none'}`;
}
