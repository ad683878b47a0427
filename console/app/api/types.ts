import type { TaskModelUsage } from '@parley/protocol/extension/model-usage.js';
import type { TaskState } from '@parley/protocol/model/task-state.js';
import type { EventView } from '../../../src/tasks/survey/event-view.js';

export type { TaskState };

/** The error that has broken a run. */
export interface Fault {
  readonly type: string;
  readonly message: string;
  readonly reference?: string;
}

/** Why a task has failed: the words of its caller, and the error of its last run. */
export interface Failure {
  readonly reason?: string;
  readonly fault?: Fault;
}

/** The answers of `/console/api`, as docs/console.md has them. */
export interface TaskRow extends Failure {
  readonly id: string;
  readonly state: TaskState;
  readonly skill: string;
  readonly updated: string;
  readonly created: string;
  readonly owner: string;
  readonly client: string;
  readonly contextId: string;
  readonly events: number;
  readonly attempts: number;
  readonly bytes: number;
}

export type StateCounts = Readonly<Partial<Record<TaskState, number>>>;

export interface TaskPage {
  readonly tasks: readonly TaskRow[];
  /** On the first page: of the tasks that match the other filters. */
  readonly states?: StateCounts;
  readonly areStatesCut?: boolean;
  readonly isCut: boolean;
  readonly next?: string;
}

export interface RunRow {
  readonly turn: number;
  readonly attempt: number;
  readonly worker: string;
  readonly begun: string;
  readonly ended?: string;
  readonly how?: string;
  readonly fault?: Fault;
}

export interface StepRow {
  readonly turn: number;
  readonly name: string;
  readonly bytes: number;
  readonly begun?: string;
  readonly ms?: number;
  /** The task that its result was taken over from. */
  readonly of?: string;
}

export interface TaskDetails {
  readonly id: string;
  readonly owner: string;
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
  readonly contextId: string;
  readonly skill: string;
  readonly state: TaskState;
  readonly reason?: string;
  readonly since: string;
  readonly created: string;
  readonly keptUntil?: string;
  readonly events: number;
  readonly turn: number;
  readonly attempts: number;
  readonly isCancelRequested: boolean;
  readonly tree?: { readonly parent: string; readonly root: string; readonly path: string };
  readonly rerunOf?: string;
  readonly models?: TaskModelUsage;
  readonly answerBy?: string;
  readonly parked?: {
    readonly until: string;
    readonly signals: readonly string[];
    readonly waitsFor?: 'children' | 'remote' | 'answer';
  };
  readonly run?: { readonly worker: string; readonly leaseEndsInMs: number };
  readonly runs: readonly RunRow[];
  readonly steps: readonly StepRow[];
  readonly ahead?: number;
  readonly bytes: { readonly messages: number; readonly results: number };
  readonly traceId?: string;
}

export interface EventPage {
  readonly events: readonly EventView[];
  readonly latest: number;
}

export interface RawEvents {
  readonly events: readonly {
    readonly seq: number;
    readonly nonce: string;
    readonly bytes: number;
    readonly text?: string;
  }[];
}

export interface TreeTask extends Failure {
  readonly id: string;
  readonly parent?: string;
  readonly key?: string;
  readonly depth: number;
  readonly skill: string;
  readonly state: TaskState;
  readonly created: string;
  readonly updated: string;
  readonly isParked: boolean;
  /** Absent in bundles of an older version. */
  readonly questions?: number;
  readonly answerBy?: string;
}

export interface TaskTree {
  readonly root: string;
  readonly tasks: readonly TreeTask[];
  readonly total: number;
}

export interface QueueView {
  readonly counts: Readonly<Record<string, number>>;
  readonly oldestWaitSeconds: number;
  readonly tenants: readonly { readonly tenant: string; readonly running: number; readonly next: number }[];
  readonly next: readonly {
    readonly taskId: string;
    readonly tenant: string;
    readonly skill: string;
    readonly position: number;
  }[];
  readonly tasks: readonly { readonly skill: string; readonly state: TaskState; readonly tasks: number }[];
}

export interface HeldRun {
  readonly taskId: string;
  readonly tenant: string;
  readonly skill: string;
  readonly worker: string;
  readonly leaseEndsInMs: number;
}

export interface ProcessRow {
  readonly id: string;
  readonly role: string;
  readonly version: string;
  /** Absent of processes of an older version. */
  readonly host?: string;
  readonly pid?: number;
  readonly since?: string;
}

export interface WorkersView {
  readonly processes: readonly (ProcessRow & { readonly runs: readonly HeldRun[] })[];
  readonly orphans: readonly HeldRun[];
}

export interface HealthView {
  readonly checks: readonly { readonly name: string; readonly level: 'ok' | 'warn' | 'fail'; readonly text: string }[];
  readonly redis: readonly {
    readonly version: string;
    readonly usedBytes: number;
    readonly mostBytes: number;
    readonly pingMs: number;
  }[];
  readonly processes: readonly ProcessRow[];
  readonly now: string;
}

/** An agent of AGENTS_FILE, as the service knows it. */
export interface RemoteAgentRow {
  readonly name: string;
  readonly card: string;
  readonly exposed: readonly string[];
  readonly known?: {
    readonly name: string;
    readonly version: string;
    readonly skills: readonly { readonly id: string; readonly name: string }[];
    readonly freshUntil: string;
  };
  readonly gate: { readonly failuresInARow: number; readonly openUntil?: number; readonly underWay: number };
}

export interface MeView {
  readonly tenant: string;
  readonly client: string;
  readonly subject?: string;
  readonly method: string;
  readonly owner: string;
  readonly expires?: string;
  readonly scopes: readonly { readonly name: string; readonly text: string; readonly has: boolean }[];
  readonly isOfPlatform: boolean;
}

export interface FeedFrame {
  readonly now: string;
  readonly states?: StateCounts;
  readonly tasks?: readonly TaskRow[];
  readonly gone?: readonly string[];
  readonly isMore?: boolean;
  readonly opened?: { readonly seq: number; readonly state?: TaskState };
  readonly isOut?: boolean;
}

export interface CodeLogin {
  readonly kind: 'code';
  readonly issuer: string;
  readonly clientId: string;
  readonly resource: string;
  readonly dpop: boolean;
}

export type Login = { readonly kind: 'open' | 'key' } | CodeLogin;

export interface ConsoleConfig {
  readonly version: string;
  readonly login: Login;
  readonly ownership: string;
  /** The optional parts of the service that are enabled. */
  readonly features: readonly string[];
  readonly hasAgents: boolean;
  readonly traceUrl?: string;
  readonly logUrl?: string;
  readonly scopes: readonly string[];
}
