import { ArrayMaxSize, IsArray, IsIn, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Agent, call, compute, end, FlowAgent, from, map, result, say, sequential, when } from '@parley/sdk/agent';
import { SUMMARY_LENGTHS, type SummaryLength } from '../summary.js';
import { briefingText } from './briefing-text.js';
import type { MergedDto } from './merge.dto.js';
import { type Source, sourcesOf } from './sources.js';

const MAX_SOURCES = 50;

/** Subject of a briefing. Texts and files of the message are sources too. */
export class BriefingInput {
  @JSONSchema({ description: 'Texts to read.' })
  @IsArray()
  @ArrayMaxSize(MAX_SOURCES)
  @IsString({ each: true })
  readonly texts: readonly string[] = [];

  @JSONSchema({ description: 'Addresses (https) of plain texts to read.' })
  @IsArray()
  @ArrayMaxSize(MAX_SOURCES)
  @IsString({ each: true })
  readonly sources: readonly string[] = [];

  @JSONSchema({ description: 'How much of each source to keep.' })
  @IsIn(SUMMARY_LENGTHS)
  readonly length: SummaryLength = 'short';
}

interface State {
  readonly input: BriefingInput;
  readonly text: string;
  readonly files: Parameters<typeof sourcesOf>[0]['files'];
  readonly sources: readonly Source[];
  readonly parts: {
    readonly done: readonly { readonly index: number; readonly value: { readonly summary: string } }[];
    readonly failed: readonly { readonly index: number; readonly reason: string }[];
  };
  readonly merged: MergedDto;
}

/** Reads many sources at the same time, and makes one text of them that says which sentence is from where. */
@Agent({
  id: 'briefing',
  name: 'Briefing',
  description:
    'Makes one briefing of several English texts, files or addresses: summarizes each, drops what is said twice, cites its sources, and names the sources that could not be read.',
  tags: ['text', 'summary', 'english', 'agent'],
  examples: ['Brief me on these three reports'],
  inputModes: ['text/plain', 'text/markdown', 'application/json'],
  outputModes: ['text/markdown', 'application/json'],
  input: BriefingInput,
})
export class BriefingAgent extends FlowAgent {
  readonly flow = sequential<State>(
    compute('sources', sourcesOf),
    when(
      ({ sources }) => sources.length === 0,
      end.rejected('There is nothing to read: send texts, files or addresses.'),
    ),
    map({
      as: 'parts',
      over: from.state('sources'),
      each: sequential<State>(
        when((_state, { item }) => (item as Source).text === undefined, call('read_source')),
        call('summarize_text', {
          input: ({ input }, { last }) => ({ text: (last as { text: string }).text, length: input.length }),
        }),
      ),
      limit: 4,
      onFailure: 'collect',
    }),
    say(({ parts, sources }) => `${String(parts.done.length)} of ${String(sources.length)} sources are read`),
    when(
      ({ parts }) => parts.done.length === 0,
      end.failed(({ parts, sources }) => briefingText({ sources, parts })),
    ),
    call('merge_summaries', {
      as: 'merged',
      input: ({ parts, sources }) => ({
        parts: parts.done.map(({ index, value }) => ({ name: sources[index]?.name ?? '', summary: value.summary })),
      }),
    }),
    result(
      'briefing',
      ({ sources, parts, merged }) => [
        { text: briefingText({ sources, parts, merged }), mediaType: 'text/markdown' },
        {
          data: {
            ...merged,
            failed: parts.failed.map(({ index, reason }) => ({ name: sources[index]?.name ?? '', reason })),
          },
        },
      ],
      { name: 'Briefing' },
    ),
  );
}
