import { describe, expect, it } from '@jest/globals';
import { descriptionWarnings } from './alike-descriptions.js';

const skill = (id: string, description: string): { id: string; description: string } => ({ id, description });

describe(descriptionWarnings.name, () => {
  it('reports texts that are missing, too long, equal, or equal but for a word (O-21)', () => {
    const skills = [
      skill('pay', 'Pays an invoice by a bank transfer.'),
      skill('settle', 'pays an invoice, by a Bank transfer'),
      skill('refund', 'Pays an invoice back by a bank transfer.'),
      skill('read', 'Reads an invoice.'),
      skill('mute', ' '),
      skill('long', 'Talks much. '.repeat(100)),
    ];
    expect(descriptionWarnings(skills)).toEqual([
      'the descriptions of "pay" and "settle" are too much alike',
      'the descriptions of "pay" and "refund" are too much alike',
      'the descriptions of "settle" and "refund" are too much alike',
      '"mute" has no description',
      'the description of "long" has more than 1000 characters',
    ]);
  });

  it('reports nothing for different texts', () => {
    expect(descriptionWarnings([skill('a', 'Reads a file.'), skill('b', 'Writes a report of a file.')])).toEqual([]);
  });
});
