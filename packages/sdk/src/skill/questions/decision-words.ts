/**
 * Words of an approval in English, German, French and Japanese, over folded text. A text approves only when it has one
 * of these and nothing else but the fillers: money is not paid on a sentence that may mean something else.
 */
export const APPROVALS = [
  'approved?',
  'i approve',
  'we approve',
  'confirm(?:ed)?',
  'accept(?:ed)?',
  'yes',
  'ok(?:ay)?',
  'go ahead',
  'pay(?: it)?',
  'ja',
  'genehmigt',
  'ich genehmige',
  'freigegeben',
  'freigabe(?: erteilt)?',
  'einverstanden',
  'bezahlen',
  'oui',
  'approuvee?',
  "j'approuve",
  'validee?',
  'je valide',
  "d'accord",
  'accordee?',
  'bon pour accord',
  '承認(?:します|する|済み)?',
  'はい',
];

export const FILLERS = [
  'the',
  'this',
  'it',
  'payment',
  'invoice',
  'please',
  'thanks',
  'thank you',
  'die',
  'der',
  'das',
  'zahlung',
  'rechnung',
  'bitte',
  'danke',
  'la',
  'le',
  'cette',
  'facture',
  'paiement',
  "s'il vous plait",
  'merci',
  // Folding takes the voicing marks of kana: た stands for だ.
  '(?:処理|支払い?|手続き)を(?:続け|進め|行っ)てくたさい',
  '(?:よろしく)?お願い(?:いた)?します',
  '(?:この)?(?:支払い?|請求書)[をは]?',
  'ありかとうこさいます',
];

/** A word that means no only by itself: `No, it is wrong`, but not `No problem`. */
const ALONE = String.raw`(?=\s*(?:$|[.,;:!-]))`;

/** Starts of a rejection. The rest is its reason: a wrong rejection costs a question, a wrong approval costs money. */
export const REJECTIONS = [
  'reject(?:ed)?',
  'i reject',
  'den(?:y|ied)',
  'declined?',
  'refused?',
  `no${ALONE}`,
  "(?:do not|don't) (?:pay|approve|accept)",
  "(?:i |we )?(?:do not|don't) approve",
  '(?:is |it is )?not approved',
  `nein${ALONE}`,
  'ab(?:ge)?lehn(?:t|en)',
  '(?:ich lehne|wird) ab(?:gelehnt)?',
  'zuruckgewiesen',
  'nicht (?:genehmigt|freigegeben|zahlen|bezahlen|einverstanden)',
  `non${ALONE}`,
  'refusee?',
  'je refuse',
  'rejetee?',
  "(?:ne )?pas (?:d'accord|payer|approuvee?)",
  'ne pas payer',
  '却下(?:します|する)?',
  '拒否(?:します|する)?',
  '承認しない',
  '承認しません',
  'いいえ',
];

/** Starts of a question without a question mark. */
export const QUESTIONS =
  /^(?:what|who|whom|why|when|where|which|how|is|are|does|do (?:i|you|we|they)|did|can|could|may|was|wer|wieso|warum|wann|wo|welche[rsn]?|wie|wofur|ist|sind|kann|quel(?:le)?s?|qui|quand|pourquoi|comment|combien|est-ce|ou)\s/u;
