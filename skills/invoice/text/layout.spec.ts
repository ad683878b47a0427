import { describe, expect, it } from '@jest/globals';
import type { PdfPage, Word } from '../pdf/pdf-part.js';
import { folded } from './folded.js';
import { linesOf } from './layout.js';

function page(...words: readonly Word[]): PdfPage {
  return { kind: 'page', number: 1, width: 595, height: 842, words };
}

function word(text: string, x: number, y: number, width = text.length * 5): Word {
  return { text, x, y, width, size: 10 };
}

describe(linesOf.name, () => {
  it('joins words of one baseline and parts columns', () => {
    const [line] = linesOf([page(word('Total', 300, 100), word('Grand', 270, 101), word('12.00', 500, 99))]);
    expect(line?.cells.map(({ text }) => text)).toEqual(['Grand Total', '12.00']);
  });

  it('joins letters that are placed one by one', () => {
    const letters = Array.from('Summe', (letter, at) => word(letter, 50 + at * 5.5, 100, 5.2));
    expect(linesOf([page(...letters)])[0]?.cells.map(({ text }) => text)).toEqual(['Summe']);
  });

  it('keeps lines in the order of the page, whatever the order in the file', () => {
    const lines = linesOf([page(word('second', 50, 120), word('first', 50, 100))]);
    expect(lines.map(({ cells }) => cells[0]?.text)).toEqual(['first', 'second']);
  });
});

describe(folded.name, () => {
  it('keeps every character in its position', () => {
    for (const text of ['Fälligkeit', 'Numéro\u00a0de facture', 'N° d’œuvre', 'GROSSE Maße', '金額 ①', '😀x']) {
      expect(folded(text)).toHaveLength(text.length);
    }
    expect(folded('Total `A`')).toBe("total 'a'");
    expect(folded('Numéro\u00a0D’É')).toBe("numero d'e");
  });
});
