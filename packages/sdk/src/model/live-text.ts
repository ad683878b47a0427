import type { Part } from '@parley/protocol/model/message.js';
import type { ArtifactEvent, ArtifactOptions } from '../skill/events.js';

/** Characters of one answer that are streamed; the rest comes with its end. */
const MAX_LIVE = 1_048_576;

/** The text of a round as it comes, for the streams of the task: chunks of an artifact that the skill does not yield. */
export class LiveText {
  private sent = 0;

  /** @param emit absent where no stream can follow: a direct answer, a sandbox */
  constructor(
    private readonly emit: ((event: ArtifactEvent) => void) | undefined,
    private readonly artifactId: string,
    private readonly options: ArtifactOptions,
  ) {}

  /** Characters that were streamed. */
  get length(): number {
    return this.sent;
  }

  /** The last chunk of the text: it ends with an empty piece, by which readers of the artifact know that it came in pieces. */
  rest(text: string): readonly Part[] {
    const rest = text.slice(this.sent);
    return rest === '' ? [{ text: '' }] : [{ text: rest }, { text: '' }];
  }

  /** The first piece begins the artifact anew: a lost run, or a reply that called tools, has left another text in it. */
  readonly add = (piece: string): void => {
    if (this.emit === undefined || piece === '' || this.sent + piece.length > MAX_LIVE) return;
    const { artifactId, options } = this;
    this.emit({
      ...{ kind: 'artifact', artifactId, parts: [{ text: piece }], append: this.sent > 0, lastChunk: false },
      ...(this.sent > 0 ? {} : options),
    });
    this.sent += piece.length;
  };
}
