import { describe, expect, it } from '@jest/globals';
import { openAiBody } from './openai-body.js';

const FILES = [
  { mediaType: 'image/png', name: 'photo.png', data: 'AA==' },
  { mediaType: 'application/pdf', data: 'AQ==' },
  { mediaType: 'audio/mpeg', data: 'Ag==' },
];

describe(openAiBody.name, () => {
  it('sends the bytes of files, and no address (LLM-14, LLM-27)', () => {
    const messages = [{ role: 'user', text: 'What is it?', files: FILES }] as const;
    const options = { isStreamed: false, limit: 'max_tokens', origin: 'x/y' } as const;
    expect(openAiBody('m', { messages }, options).messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
          { type: 'file', file: { filename: 'file', file_data: 'data:application/pdf;base64,AQ==' } },
          { type: 'input_audio', input_audio: { data: 'Ag==', format: 'mp3' } },
        ],
      },
    ]);
  });
});
