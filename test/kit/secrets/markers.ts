import { randomBytes } from 'node:crypto';

/** Where a secret of a caller may be seen after all: by its owner. */
export type Exempt = 'its owner';

/** Secrets that a test gives to the service, and looks for in all that comes out of it. */
export class Markers {
  private readonly known: { readonly name: string; readonly text: string; readonly exempt: Exempt | undefined }[] = [];

  /** A new secret of letters and digits. */
  plant(name: string, exempt?: Exempt): string {
    return this.note(name, `c4nary${randomBytes(12).toString('hex')}`, exempt);
  }

  /** A secret that something else has made; the end of a token is its signature, the rest is no secret. */
  note(name: string, text: string, exempt?: Exempt): string {
    this.known.push({ name, text, exempt });
    return text;
  }

  /** The names of secrets that are in a text, in whatever spelling. */
  foundIn(text: string, ...exempt: readonly Exempt[]): readonly string[] {
    const lowerCase = text.toLowerCase();
    return this.known
      .filter((marker) => marker.exempt === undefined || !exempt.includes(marker.exempt))
      .filter((marker) => spellingsOf(marker.text).some((spelling) => lowerCase.includes(spelling.toLowerCase())))
      .map(({ name }) => name);
  }
}

/** As it is, percent-encoded, in hex, and in base64 wherever it begins in what was encoded. */
function spellingsOf(text: string): readonly string[] {
  const inBase64 = [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
    const skipped = Math.ceil((offset * 4) / 3);
    return [whole.toString('base64').slice(skipped), whole.toString('base64url').slice(skipped)];
  });
  return [text, encodeURIComponent(text), Buffer.from(text).toString('hex'), ...inBase64];
}
