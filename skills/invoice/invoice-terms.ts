/** Where an invoice was read from. `factur-x` is XML inside a PDF, `pdf-text` the words printed on its pages. */
export const INVOICE_FORMATS = ['ubl', 'cii', 'factur-x', 'json', 'pdf-text', 'text'] as const;

export const INVOICE_KINDS = ['invoice', 'credit-note'] as const;

/** Kind of a line: only details count in the sums, groups and remarks are there for the reader (Factur-X EXTENDED). */
export const LINE_KINDS = ['detail', 'group', 'information'] as const;

/** The most lines an invoice may have here: checking its contract takes 20 ms a thousand, in the process that runs it. */
export const MAX_LINES = 2_000;

/** The most VAT lines, and the most allowances and charges. Each is held against every line when it is checked. */
export const MAX_TAXES = 200;
export const MAX_ALLOWANCES = 1_000;
