/** The name of an artifact that is stored once: of its task, and a version where the task has put it by itself. */
export interface ArtifactRef {
  readonly taskId: string;
  readonly name: string;
  readonly version?: number;
}

const REFERENCE = /^artifact:([0-9a-f-]{36})\/([^@\s]{1,256})(?:@(\d{1,6}))?$/;

/** Reads `artifact:<task>/<name>@<version>`; undefined for another text. */
export function readRef(text: string): ArtifactRef | undefined {
  const [, taskId, name, version] = REFERENCE.exec(text) ?? [];
  if (taskId === undefined || name === undefined) return undefined;
  return { taskId, name, ...(version === undefined ? {} : { version: Number(version) }) };
}

/** A reference to an artifact of an ended task, as of a child: `artifactRef(result, 'report')`. @throws RangeError */
export function artifactRef({ taskId }: { readonly taskId: string }, artifactId: string): string {
  return refText({ taskId, name: artifactId });
}

/** @throws RangeError for a name that no reference can have */
export function refText({ taskId, name, version }: ArtifactRef): string {
  const text = `artifact:${taskId}/${name}${version === undefined ? '' : `@${String(version)}`}`;
  if (readRef(text) === undefined) {
    throw new RangeError(`"${name}" is no name of an artifact: it has 1 to 256 characters, without spaces and "@"`);
  }
  return text;
}
