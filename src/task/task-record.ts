import type { ProtocolVersion } from '../protocol/protocol-version.js';

/** The constant members of a task that scripts need: field `i`, in this order (lua/lib/record.lua). */
export interface TaskTraits {
  readonly tenant: string;
  /** '' for a task that no skill takes. */
  readonly skillId: string;
  /** Lost runs of a turn after which it fails; absent: the service's own number. */
  readonly maxAttempts?: number | undefined;
  /** Whether the skill has a limit of its own for runs at a time. */
  readonly isLimited: boolean;
  /** Whether the caller named the context: only then lists find it by a set of its own. */
  readonly isNamed: boolean;
  /** Of the message that began it: its mark. */
  readonly digest: string;
  /** The accounts of its stored bytes; absent without authentication. */
  readonly client?: string | undefined;
}

/** The members that runs and readers need and that change at most with a turn: field `j`, as JSON. */
export interface TaskRest {
  /** When the task was created, ms since 1970. */
  readonly born: number;
  readonly client: string;
  readonly subject?: string | undefined;
  readonly modes?: readonly string[] | undefined;
  readonly dialect: ProtocolVersion;
  /** The name that the client gave the task. */
  readonly external?: string | undefined;
}

export function traitsText(traits: TaskTraits): string {
  const { tenant, skillId, maxAttempts, isLimited, isNamed, digest, client } = traits;
  const parts = [tenantName(tenant), skillId, maxAttempts, isLimited ? '1' : '', isNamed ? '1' : '', digest, client];
  return parts.map((part) => (part === undefined || part === '' ? '-' : String(part))).join(' ');
}

export function traitsOf(text: string): TaskTraits {
  const [tenant = '', skillId = '', limit, limited, named, digest = '', client = '-'] = text.split(' ');
  return {
    tenant: decodeURIComponent(tenant),
    skillId: skillId === '-' ? '' : skillId,
    ...(limit === '-' ? {} : { maxAttempts: Number(limit) }),
    isLimited: limited === '1',
    isNamed: named === '1',
    digest,
    ...(client === '-' ? {} : { client }),
  };
}

/** A tenant in one word. */
export function tenantName(tenant: string): string {
  return encodeURIComponent(tenant) || '-';
}

/** The names under which the bytes of a task are counted; '' where they are not. */
export function accountsOf({ tenant, client }: Pick<TaskTraits, 'tenant' | 'client'>): readonly [string, string] {
  return client === undefined ? ['', ''] : [`t:${tenantName(tenant)}`, `c:${client}`];
}

/** The member of a task's run in its fair queue. */
export function memberOf(taskId: string, { isLimited, skillId }: Pick<TaskTraits, 'isLimited' | 'skillId'>): string {
  return isLimited ? `${taskId} ${skillId}` : taskId;
}
