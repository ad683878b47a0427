import { createWriteStream, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type { INestApplicationContext } from '@nestjs/common';
import { packageVersion } from '../../../platform/config/package-version.js';
import { printableJson, printableLine } from '@parley/protocol/json/printable.js';
import { type SkillClass, skillOptionsOf } from '@parley/sdk/skill/skill.js';
import { TaskInspector } from '../../../tasks/lists/task-inspector.js';
import { BundleError } from '../../../admin/snapshots/bundle-lines.js';
import { type Bundle, readBundle } from '../../../admin/snapshots/bundle.js';
import { BundleReader } from '../../../admin/snapshots/bundle-reader.js';
import { type BundleDifference, diffBundles } from '../../../admin/snapshots/diff-bundles.js';
import type { ComparedEvent } from '../../../admin/snapshots/recorded-events.js';
import { replayBundle, type ReplayReport } from '../../../admin/snapshots/replay-bundle.js';
import { snapshotAt } from '../../../admin/snapshots/snapshot-at.js';
import { surroundingsOf } from '@parley/cli/context/command-context.js';
import { OperatorError } from '../operator-error.js';
import { counted, type Output, table } from '../output.js';
import { stateName } from './tasks.js';

export interface ExportOptions {
  /** The file; without it standard output. */
  readonly out?: string;
  readonly stripContent?: boolean;
  readonly children?: boolean;
}

/** Writes the bundle of a task. @throws OperatorError for an unknown one */
export async function exportTrace(
  service: INestApplicationContext,
  id: string,
  { out, stripContent = false, children = false }: ExportOptions,
): Promise<Output | undefined> {
  const facts = await service.get(TaskInspector, { strict: false }).inspect(id);
  if (facts === undefined) throw new OperatorError(`Unknown task: ${id}`);
  const options = { service: packageVersion(), isStripped: stripContent, hasChildren: children };
  const lines = Readable.from(service.get(BundleReader, { strict: false }).of(facts, options));
  if (out === undefined) {
    const { out: print } = surroundingsOf();
    for await (const line of lines) print(line as string);
    return undefined;
  }
  await pipeline(lines, createWriteStream(out, { mode: 0o600 }));
  return { json: { id, file: out }, text: `Written to ${out}.` };
}

/** A task as of one of its events. @throws OperatorError for an unknown one */
export async function showSnapshot(service: INestApplicationContext, id: string, at: string): Promise<Output> {
  const facts = await service.get(TaskInspector, { strict: false }).inspect(id);
  if (facts === undefined) throw new OperatorError(`Unknown task: ${id}`);
  const options = { service: packageVersion(), isStripped: false, hasChildren: true };
  let text = '';
  for await (const line of service.get(BundleReader, { strict: false }).of(facts, options)) text += line;
  return snapshotOutput(readBundle(text), id, at);
}

/** The same from a bundle. */
export function showSnapshotIn(file: string, at: string): Output {
  const bundle = bundleIn(file);
  return snapshotOutput(bundle, bundle.manifest.task, at);
}

function snapshotOutput(bundle: Bundle, id: string, at: string): Output {
  try {
    const json = snapshotAt(bundle, id, Number(at));
    return { json, text: printableJson(json, 2) };
  } catch (error) {
    return asOperatorError(error);
  }
}

/** Runs the skill of a file over the messages of a bundle. @throws OperatorError for a file without such a skill */
export async function replayTrace(file: string, skillFile: string): Promise<Output & { readonly isEqual: boolean }> {
  const bundle = bundleIn(file);
  const wanted = bundle.tasks.get(bundle.manifest.task)?.about.skill ?? '';
  const report = await replayBundle(bundle, await skillIn(skillFile, wanted)).catch(asOperatorError);
  return { json: report, text: replayText(report), isEqual: report.difference === undefined };
}

/** Compares two bundles. */
export function diffTraces(one: string, other: string): Output & { readonly isEqual: boolean } {
  const differences = diffBundles(bundleIn(one), bundleIn(other));
  return { json: differences, text: diffText(differences), isEqual: differences.length === 0 };
}

function bundleIn(file: string): Bundle {
  try {
    return readBundle(readFileSync(file, 'utf8'));
  } catch (error) {
    return asOperatorError(error);
  }
}

function asOperatorError(error: unknown): never {
  if (error instanceof BundleError || isMissing(error)) throw new OperatorError(error.message, { cause: error });
  throw error;
}

function isMissing(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** The class with @Skill of that id, else the only one. */
async function skillIn(file: string, id: string): Promise<new () => never> {
  await import(new URL('../../../platform/typescript/register.mjs', import.meta.url).href);
  const exported = (await import(pathToFileURL(resolve(file)).href)) as Record<string, unknown>;
  const skills = Object.values(exported).filter(isSkill);
  const found = skills.find((one) => skillOptionsOf(one)?.id === id) ?? (skills.length === 1 ? skills[0] : undefined);
  if (found === undefined) throw new OperatorError(`${file} exports no class with @Skill({ id: '${id}' }).`);
  // A skill with constructor parameters fails by itself when it is constructed.
  return found as unknown as new () => never;
}

function isSkill(value: unknown): value is SkillClass {
  return typeof value === 'function' && skillOptionsOf(value) !== undefined;
}

function replayText({ task, skill, turns, events, steps, difference }: ReplayReport): string {
  const head = `Task ${printableLine(task)} of ${printableLine(skill)}: ${counted(turns, 'turn')}, ${counted(events, 'event')}.`;
  const rows = steps.map(({ turn, name, how }) => [String(turn), name, how]);
  const stepped = steps.length === 0 ? [] : [table(['turn', 'step', 'result'], rows)];
  if (difference === undefined) return [head, ...stepped, 'All events are as recorded.'].join('\n');
  const { at, recorded, now } = difference;
  const differs = [
    `Event ${String(at + 1)} differs:`,
    `  recorded  ${eventText(recorded)}`,
    `  now       ${eventText(now)}`,
  ];
  return [head, ...stepped, ...differs].join('\n');
}

function eventText(event: ComparedEvent | undefined): string {
  if (event === undefined) return 'none';
  const what = event.kind === 'status' ? stateName(event.what as Parameters<typeof stateName>[0]) : event.what;
  return printableLine(`${event.kind} ${what} ${shortJson(event.value)}`);
}

function diffText(differences: readonly BundleDifference[]): string {
  if (differences.length === 0) return 'The two runs do not differ.';
  const rows = differences.map((one) => [
    ...[one.kind, one.what],
    ...['a', 'b'].map((side) => (side in one ? shortJson(Reflect.get(one, side)) : '–')),
  ]);
  return table(['what', 'name', 'first', 'second'], rows);
}

function shortJson(value: unknown): string {
  const text = value === undefined ? '' : printableJson(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
