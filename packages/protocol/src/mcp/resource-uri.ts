/** The card of the agent as a resource. */
export const CARD_URI = 'parley://agent-card';

/** The skills that a caller may call, as a resource. */
export const DIRECTORY_URI = 'parley://directory';

/** The templates of all artifacts: whole, and part by part. */
export const ARTIFACT_TEMPLATES = [
  'parley://tasks/{taskId}/artifacts/{artifactId}',
  'parley://tasks/{taskId}/artifacts/{artifactId}/{part}',
] as const;

/** Target of a uri of ours. */
export interface ArtifactName {
  readonly taskId: string;
  readonly artifactId: string;
  /** The index of one part; absent for all of them. */
  readonly part?: number;
}

const ARTIFACT = /^parley:\/\/tasks\/([\w-]{1,64})\/artifacts\/([^/?#]{1,512})(?:\/(\d{1,6}))?$/;

export function artifactUri({ taskId, artifactId, part }: ArtifactName): string {
  const whole = `parley://tasks/${taskId}/artifacts/${encodeURIComponent(artifactId)}`;
  return part === undefined ? whole : `${whole}/${String(part)}`;
}

/** Undefined for a uri that is none of ours. */
export function readArtifactUri(uri: string): ArtifactName | undefined {
  const [, taskId, encoded, part] = ARTIFACT.exec(uri) ?? [];
  const artifactId = encoded === undefined ? undefined : decoded(encoded);
  if (taskId === undefined || artifactId === undefined) return undefined;
  return { taskId, artifactId, ...(part === undefined ? {} : { part: Number(part) }) };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
