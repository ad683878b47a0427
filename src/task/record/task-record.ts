import type { ProtocolVersion } from '@parley/protocol/model/protocol-version.js';

/** The constant members of a task that scripts need: field `i`, in this order (lua/lib/record/record.lua). */
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
  /** Absent for a task that a caller has begun. */
  readonly tree?: TreePlace | undefined;
}

/** The place of a child task in its tree: made by a run of another task, and constant. */
export interface TreePlace {
  readonly parent: string;
  /** The task of the tree that a caller has begun. */
  readonly root: string;
  /** 1 for a child of the root. */
  readonly depth: number;
  /** The wait of its parent that it belongs to (lua/lib/tree/group.lua). */
  readonly group: string;
  /** The name of the call in its parent's turn. */
  readonly key: string;
  /** What its parent shows of its progress, where that is not what it says: nothing, or its artifacts too. */
  readonly progress?: 'none' | 'artifacts';
}

/** One hand-over of a conversation: the skill, and a digest of what it was given. */
export interface TransferRecord {
  readonly skill: string;
  readonly input: string;
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
  /** Scopes of its caller that some skill asks for: its children may do what these allow, and no more. */
  readonly scopes?: readonly string[] | undefined;
  /** How many published events led to it, one after the other; absent for none. */
  readonly hops?: number | undefined;
  /** Of a child: the skills and calls from the root to it, as `pay_invoice/approve_payment#1`. */
  readonly path?: string | undefined;
  /** Of a task to which a conversation was handed over: the hand-overs from the root to it. */
  readonly transfers?: readonly TransferRecord[] | undefined;
  /** The version of its skill that it has begun with; absent for 0. */
  readonly version?: number | undefined;
  /** Whether it is simulated, as its children are; absent: it is not. */
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

/** The names under which the bytes of a task are counted; '' where they are not. */
/** The accounts of stored bytes; '' for none. */
export type Accounts = Readonly<Record<'tenantAccount' | 'clientAccount', string>>;

export function accountsOf({ tenant, client }: Pick<TaskTraits, 'tenant' | 'client'>): Accounts {
  if (client === undefined) return { tenantAccount: '', clientAccount: '' };
  return { tenantAccount: `t:${tenantName(tenant)}`, clientAccount: `c:${client}` };
}

/** The member of a task's run in its fair queue. */
export function memberOf(taskId: string, { isLimited, skillId }: Pick<TaskTraits, 'isLimited' | 'skillId'>): string {
  return isLimited ? `${taskId} ${skillId}` : taskId;
}
