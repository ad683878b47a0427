import type { JsonObject } from '@parley/protocol/model/json.js';
import type { Part } from '@parley/protocol/model/message.js';
import { type ArtifactRef, readRef, refText } from '@parley/sdk/skill/artifacts/artifact-ref.js';
import type { Referenced, ReferencedTask, SkillArtifacts } from '@parley/sdk/skill/artifacts/skill-artifacts.js';
import type { Content } from '@parley/sdk/skill/events.js';
import type { Replay } from '@parley/sdk/skill/replay/replay.js';
import type { TreeValues } from '@parley/sdk/skill/shared/tree-values.js';
import { SkillFailure } from '@parley/sdk/skill/skill-failure.js';
import { turnContent } from '@parley/sdk/skill/content/turn-content.js';
import { RunLost } from '../../tasks/record/run-lost.js';
import type { RunNotebook } from '../../tasks/commit/run-notebook.js';
import type { ClaimedRun, RunNotes } from '../../tasks/commit/run.store.js';
import { sharedTexts } from '../../tasks/values/shared-write.js';
import { isTaskId } from '../../tasks/task.keys.js';
import type { TreeStore } from '../../tasks/tree/tree.store.js';

/** Bytes put under one name at once. */
const MAX_BYTES = 1_048_576;
/** Maximum referenced tasks of a turn's messages; further ones are ignored. */
const MAX_REFERENCES = 20;

/** The turn that puts and reads artifacts. */
export interface ArtifactSources {
  readonly run: ClaimedRun;
  readonly replay: Replay;
  readonly notebook: RunNotebook;
  readonly trees: TreeStore;
  readonly shared: () => TreeValues;
  /** The notes for the next write. */
  readonly unsaved: () => { readonly notes: RunNotes; readonly saved: () => void };
}

/** Artifacts by reference, and the tasks referenced by the messages of a turn. Artifacts are immutable. */
export class TurnArtifacts implements SkillArtifacts {
  /** Number of puts of the turn per name. */
  private readonly counts = new Map<string, number>();
  private known: Promise<ReadonlyMap<string, number>> | undefined;

  constructor(private readonly sources: ArtifactSources) {}

  readonly put = async (name: string, content: Content): Promise<string> => {
    refText({ taskId: this.sources.run.taskId, name });
    const json = JSON.stringify(typeof content === 'string' ? [{ text: content }] : content);
    if (Buffer.byteLength(json) > MAX_BYTES) {
      throw new SkillFailure(`"${name}" has more than ${String(MAX_BYTES / 1_048_576)} MiB: yield it as an artifact.`);
    }
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    const recall = (text: string | undefined): string => JSON.parse(text ?? '""') as string;
    const work = async () => {
      const reference = await this.store({ name, count, json });
      return { json: JSON.stringify(reference), value: reference };
    };
    return (await this.sources.replay.ask(`artifacts.put ${name}`, work, recall)) as string;
  };

  readonly get = async (reference: string): Promise<Referenced | undefined> => {
    const found = readRef(reference);
    if (found === undefined) throw new RangeError(`"${reference}" is no reference to an artifact`);
    const { position } = this.sources.replay;
    const work = async () => {
      const isGiven = await this.isGiven(reference, found, position);
      const value = isGiven ? await this.read(found) : undefined;
      return value === undefined ? {} : { json: '1', value };
    };
    const recall = (json: string | undefined) => (json === undefined ? undefined : this.read(found));
    return (await this.sources.replay.ask(`artifacts.get ${reference}`, work, recall)) as Referenced | undefined;
  };

  readonly references = async (): Promise<readonly ReferencedTask[]> => {
    const work = async () => {
      const value = await this.tasks(this.referred);
      return { json: JSON.stringify(value.map(({ taskId }) => taskId)), value };
    };
    const recall = (json: string | undefined) => this.tasks(JSON.parse(json ?? '[]') as string[]);
    return (await this.sources.replay.ask('references', work, recall)) as readonly ReferencedTask[];
  };

  private async store({ name, count, json }: { readonly name: string; readonly count: number; readonly json: string }) {
    const { run, notebook, unsaved } = this.sources;
    const before = (await this.versionsBefore()).get(name) ?? 0;
    const kept = { name, version: before + count, turn: run.turn };
    const { notes, saved } = unsaved();
    if (!(await notebook.writeKept(run, kept, json, notes.entries))) throw new RunLost();
    saved();
    return refText({ taskId: run.taskId, ...kept });
  }

  /** The latest version of each name before this turn. */
  private versionsBefore(): Promise<ReadonlyMap<string, number>> {
    return (this.known ??= this.readVersions());
  }

  private async readVersions(): Promise<ReadonlyMap<string, number>> {
    const { run, notebook } = this.sources;
    const earlier = (await notebook.kept(run.taskId)).filter(({ turn }) => turn < run.turn);
    return new Map(earlier.sort((a, b) => a.version - b.version).map(({ name, version }) => [name, version]));
  }

  /** Whether the task may read a reference: it created or called the other task, or was given the reference. */
  private async isGiven(reference: string, { taskId }: ArtifactRef, position: number): Promise<boolean> {
    const { run, notebook, shared } = this.sources;
    if (!(await notebook.owns(run.owner, taskId))) return false;
    if (taskId === run.taskId || this.referred.includes(taskId)) return true;
    if (JSON.stringify(run.history).includes(reference)) return true;
    if (await notebook.isChild(run, taskId)) return true;
    const texts = await shared().valuesAt(position);
    return [...texts.values()].some((text) => text.includes(reference));
  }

  private async read({ taskId, name, version }: ArtifactRef): Promise<Referenced | undefined> {
    const { notebook, trees, run } = this.sources;
    if (version === undefined) {
      const task = await trees.ended(run, taskId);
      const artifact = task?.artifacts?.find(({ artifactId }) => artifactId === name);
      return artifact && referenced(artifact.parts);
    }
    const put = (await notebook.kept(taskId)).filter((kept) => kept.name === name && kept.version === version);
    const [last] = put.sort((a, b) => b.turn - a.turn);
    const json = last && (await notebook.readKept(taskId, last));
    return typeof json === 'string' ? referenced(JSON.parse(json) as Part[]) : undefined;
  }

  private get referred(): readonly string[] {
    const ids = this.sources.run.messages.flatMap(({ referenceTaskIds = [] }) => referenceTaskIds);
    return [...new Set(ids)].filter(isTaskId).slice(0, MAX_REFERENCES);
  }

  private async tasks(ids: readonly string[]): Promise<readonly ReferencedTask[]> {
    const { run, trees, notebook } = this.sources;
    const found = ids.map(async (id): Promise<readonly ReferencedTask[]> => {
      const task = await trees.ended(run, id);
      if (task === undefined) return [];
      const shared = valuesOf(sharedTexts(await notebook.values.writtenBy(id)));
      return [{ taskId: id, status: task.status, artifacts: task.artifacts ?? [], shared }];
    });
    return (await Promise.all(found)).flat();
  }
}

function referenced(parts: readonly Part[]): Referenced {
  const { text, data } = turnContent([{ parts }]);
  return { parts, text, data };
}

function valuesOf(texts: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries([...texts].map(([name, text]) => [name, JSON.parse(text) as unknown]));
}
