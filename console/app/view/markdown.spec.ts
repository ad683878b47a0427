import { describe, expect, it } from '@jest/globals';
import { blocksOf } from './markdown.js';

const text = (words: string) => ({ kind: 'text', text: words });

describe(blocksOf.name, () => {
  it('reads headings, paragraphs, quotes, lists, code and lines', () => {
    const source = [
      '# One *two*',
      '',
      'words',
      'more',
      '',
      '> said',
      '- a',
      '- b',
      '',
      '1. c',
      '```ts',
      'x < 1',
      '```',
      '---',
    ];
    expect(blocksOf(source.join('\n'))).toEqual([
      { kind: 'heading', level: 1, text: [text('One '), { kind: 'emphasis', of: [text('two')] }] },
      { kind: 'paragraph', text: [text('words\nmore')] },
      { kind: 'quote', text: [text('said')] },
      { kind: 'list', isNumbered: false, items: [[text('a')], [text('b')]] },
      { kind: 'list', isNumbered: true, items: [[text('c')]] },
      { kind: 'code', text: 'x < 1' },
      { kind: 'line' },
    ]);
  });

  it('reads tables', () => {
    expect(blocksOf('| a | b |\n| --- | ---: |\n| 1 | `2` |')).toEqual([
      { kind: 'table', head: [[text('a')], [text('b')]], rows: [[[text('1')], [{ kind: 'code', text: '2' }]]] },
    ]);
  });
});

describe(`${blocksOf.name}, given what a hostile agent writes`, () => {
  it('keeps links that lead to pages and mailboxes, with the host that they lead to', () => {
    expect(blocksOf('[bank.example](https://evil.example/x) and [me](mailto:a@b.example)')).toEqual([
      {
        kind: 'paragraph',
        text: [
          { kind: 'link', text: 'bank.example', href: 'https://evil.example/x', host: 'evil.example' },
          text(' and '),
          { kind: 'link', text: 'me', href: 'mailto:a@b.example', host: 'a@b.example' },
        ],
      },
    ]);
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](data:text/html,<script>)',
    '![x](//evil.example/p.png',
    '<img src=x onerror=alert(1)>',
    'snake_case_name',
    '**unclosed',
    '2 * 3 * 4',
    '[a\nb](https://a.example/)',
  ])('leaves %s as the text that it is', (source) => {
    expect(blocksOf(source)).toEqual([{ kind: 'paragraph', text: [text(source)] }]);
  });

  it.each(['[', '*', '_', '`', '> ', '| ', '- ', '#', '](', '**a', '- -', '[a]('])(
    'reads 200,000 characters of "%s" within a second',
    (piece) => {
      const began = performance.now();
      blocksOf(piece.repeat(Math.ceil(200_000 / piece.length)));
      expect(performance.now() - began).toBeLessThan(1_000);
    },
  );
});
