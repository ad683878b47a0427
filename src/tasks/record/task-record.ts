import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';

/** The constant members of a task that scripts need: field `i`, in this order (lua/lib/record/record.lua). */
export interface TaskTraits {
  readonly tenant: string;
  /** '' for a task without a skill. */
  readonly skillId: string;
  /** Lost runs of a turn after which it fails; absent: the service's default. */
  readonly maxAttempts?: number | undefined;
  /** Whether the skill has its own concurrency limit. */
  readonly isLimited: boolean;
  /** Whether the caller named the context: only then lists find it by a set of its own. */
  readonly isNamed: boolean;
  /** The mark of its first message. */
  readonly digest: string;
  /** The accounts of its stored bytes; absent without authentication. */
  readonly client?: string | undefined;
  /** Absent for a task begun by a caller. */
  readonly tree?: TreePlace | undefined;
}

/** The constant position of a child task in its tree. */
export interface TreePlace {
  readonly parent: string;
  /** The task of the tree that a caller began. */
  readonly root: string;
  /** 1 for a child of the root. */
  readonly depth: number;
  /** The wait of its parent that it belongs to (lua/lib/tree/group.lua). */
  readonly group: string;
  /** The name of the call in its parent's turn. */
  readonly key: string;
  /** The progress that its parent shows, unless it is its statuses: none, or its artifacts too. */
  readonly progress?: 'none' | 'artifacts';
}

/** One hand-over of a conversation: the skill, and a digest of its input. */
export interface TransferRecord {
  readonly skill: string;
  readonly input: string;
}

/** The members for runs and readers that change at most with a turn: field `j`, as JSON. */
export interface TaskRest {
  /** When the task was created, ms since 1970. */
  readonly born: number;
  readonly client: string;
  readonly subject?: string | undefined;
  readonly modes?: readonly string[] | undefined;
  readonly dialect: ProtocolVersion;
  /** The client's own name of the task. */
  readonly external?: string | undefined;
  /** Scopes of its caller that skills require: the maximum rights of its children. */
  readonly scopes?: readonly string[] | undefined;
  /** Length of the chain of published events that led to it; absent for none. */
  readonly hops?: number | undefined;
  /** For a child: the skills and calls from the root to it, as `pay_invoice/approve_payment#1`. */
  readonly path?: string | undefined;
  /** For a task with a handed-over conversation: the hand-overs from the root to it. */
  readonly transfers?: readonly TransferRecord[] | undefined;
  /** The version of its skill that it began with; absent for 0. */
  readonly version?: number | undefined;
  /** Whether it is simulated, and so are its children; absent: it is not. */
  readonly simulated?: true | undefined;
}

export function traitsText(traits: TaskTraits): string {
  const { tenant, skillId, maxAttempts, isLimited, isNamed, digest, client, tree } = traits;
  const own = [tenantName(tenant), skillId, maxAttempts, isLimited ? '1' : '', isNamed ? '1' : '', digest, client];
  const parts = tree === undefined ? own : [...own, ...treeParts(tree)];
  return parts.map((part) => (part === undefined || part === '' ? '-' : String(part))).join(' ');
}

export function traitsOf(text: string): TaskTraits {
  const [tenant = '', skillId = '', limit, limited, named, digest = '', client = '-', ...tree] = text.split(' ');
  return {
    tenant: decodeURIComponent(tenant),
    skillId: skillId === '-' ? '' : skillId,
    maxAttempts: limit === '-' ? undefined : Number(limit),
    isLimited: limited === '1',
    isNamed: named === '1',
    digest,
    client: client === '-' ? undefined : client,
    tree: tree.length === 0 ? undefined : treePlace(tree),
  };
}

function treeParts({ parent, root, depth, group, key, progress }: TreePlace): readonly string[] {
  return [parent, root, String(depth), group, encodeURIComponent(key), ...(progress === undefined ? [] : [progress])];
}

function treePlace([parent = '', root = '', depth, group = '', key = '', shown]: readonly string[]): TreePlace {
  const progress = shown === 'artifacts' ? shown : ('none' as const);
  const place = { parent, root, depth: Number(depth), group, key: decodeURIComponent(key) };
  return shown === undefined ? place : { ...place, progress };
}

/** A tenant in one word. */
export function tenantName(tenant: string): string {
  return encodeURIComponent(tenant) || '-';
}

/** The accounts of a task's stored bytes; '' for none. */
export type Accounts = Readonly<Record<'tenantAccount' | 'clientAccount', string>>;

export function accountsOf({ tenant, client }: Pick<TaskTraits, 'tenant' | 'client'>): Accounts {
  if (client === undefined) return { tenantAccount: '', clientAccount: '' };
  return { tenantAccount: `t:${tenantName(tenant)}`, clientAccount: `c:${client}` };
}

/** The member of a task's run in its fair queue. */
export function memberOf(taskId: string, { isLimited, skillId }: Pick<TaskTraits, 'isLimited' | 'skillId'>): string {
  return isLimited ? `${taskId} ${skillId}` : taskId;
}
