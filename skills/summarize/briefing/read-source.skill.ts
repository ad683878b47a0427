import { Inject, Optional } from '@nestjs/common';
import { IsBase64, IsOptional, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import {
  artifact,
  FileFetcher,
  rejected,
  Skill,
  type SkillContext,
  type SkillEvent,
  SkillFailure,
  type SkillHandler,
} from '@parley/sdk';

/** Bytes of a source: some 200,000 characters of English. */
const MAX_BYTES = 1_048_576;
const READABLE = ['text/plain', 'text/markdown', 'text/x-markdown'];

/** A file, or the address of one. */
export class ReadSourceInput {
  @IsString()
  readonly name!: string;

  @JSONSchema({ description: 'Its address (https).' })
  @IsOptional()
  @IsString()
  readonly url?: string;

  @JSONSchema({ description: 'Its bytes in base64, instead of an address.' })
  @IsOptional()
  @IsBase64()
  readonly raw?: string;

  @IsOptional()
  @IsString()
  readonly mediaType?: string;
}

/** The text of a source. */
export class ReadSourceOutput {
  @IsString()
  readonly name!: string;

  @IsString()
  readonly text!: string;
}

/** Reads plain text and Markdown from files and addresses. */
@Skill({
  id: 'read_source',
  name: 'Read a source',
  description: 'Reads the text of a file or of an address (https): plain text and Markdown of up to 1 MiB.',
  tags: ['text', 'file'],
  inputModes: ['application/json'],
  outputModes: ['application/json'],
  input: ReadSourceInput,
  output: ReadSourceOutput,
  effects: 'none',
})
export class ReadSourceSkill implements SkillHandler {
  constructor(@Optional() @Inject(FileFetcher) private readonly fetcher?: FileFetcher) {}

  async *run({ input, signal }: SkillContext<ReadSourceInput>): AsyncGenerator<SkillEvent, void, void> {
    const { name } = input;
    const { bytes, mediaType = 'text/plain' } = await this.read(input, signal);
    const type = (mediaType.split(';')[0] ?? '').trim().toLowerCase();
    if (!READABLE.includes(type)) {
      yield rejected(`${type} cannot be read: send plain text or Markdown.`);
      return;
    }
    yield artifact('text', [{ data: { name, text: Buffer.from(bytes).toString('utf8') } }], { name });
  }

  private async read(
    { url, raw, mediaType }: ReadSourceInput,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly mediaType?: string }> {
    if (raw !== undefined)
      return { bytes: Buffer.from(raw, 'base64'), ...(mediaType === undefined ? {} : { mediaType }) };
    if (url === undefined) throw new SkillFailure('The source has neither an address nor bytes.');
    if (this.fetcher === undefined) throw new SkillFailure('This service fetches no files.');
    try {
      return await this.fetcher.fetch(url, { maxBytes: MAX_BYTES, signal });
    } catch (cause) {
      signal.throwIfAborted();
      throw new SkillFailure(`${url} could not be fetched.`, { cause });
    }
  }
}
