import { isJsonObject } from '../json/json-value.js';
import { type CardFinding, finding } from './card-finding.js';

const MAX_SIGNATURES = 16;

/** Checks the form of a card's signatures (A2A 1.0 §8.4), not their validity. */
export function signatureFindings(signatures: readonly unknown[]): readonly CardFinding[] {
  return signatures.slice(0, MAX_SIGNATURES).flatMap((signature, at) => {
    const field = `signatures[${String(at)}]`;
    if (!isJsonObject(signature) || typeof signature.protected !== 'string' || typeof signature.signature !== 'string')
      return [finding('error', 'A2A-SIGN-03', field, 'must have protected and signature')];
    const header = headerIn(signature.protected);
    if (header === undefined)
      return [finding('error', 'A2A-SIGN-03', `${field}.protected`, 'must be JSON, in base64url')];
    const { alg, kid, typ, jku } = header;
    return [
      ...(typeof alg === 'string' ? [] : [finding('error', 'A2A-SIGN-04', `${field}.protected`, 'has no alg')]),
      ...(typeof kid === 'string' ? [] : [finding('error', 'A2A-SIGN-04', `${field}.protected`, 'has no kid')]),
      ...(typ === 'JOSE' ? [] : [finding('warning', 'A2A-SIGN-04', `${field}.protected`, 'has not the typ JOSE')]),
      ...(jku === undefined || (typeof jku === 'string' && jku.startsWith('https://'))
        ? []
        : [finding('warning', 'A2A-SIGN-04', `${field}.protected`, 'has a jku that is no https address')]),
    ];
  });
}

/** Browsers have no Buffer. */
function headerIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const header: unknown = JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')));
    return isJsonObject(header) ? header : undefined;
  } catch {
    return undefined;
  }
}
