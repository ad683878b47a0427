/**
 * The fields of the hash of a task, as Redis stores them, by the names in the sources: `FIELD.owner` here,
 * `field.owner` in Lua. Stored names are short, since every task repeats them.
 */
export const FIELD = {
  /**
   * The state word: state, number and nonce of the latest event, and which run has the task (lua/lib/record/word.lua).
   */
  word: 's',
  owner: 'o',
  context: 'c',
  /** The constant members of a task that scripts need (lua/lib/record/record.lua). */
  traits: 'i',
  /** `<ms of the status> <its message or nothing>`. */
  status: 't',
  /** JSON of the constant members that no script needs. */
  rest: 'j',
  /** JSON of the message that began the task. */
  firstMessage: 'h',
  metadata: 'm',
  /** Metadata and output modes of a later message, which replace those of the first. */
  laterMetadata: 'g',
  laterModes: 'u',
  traceparent: 'tp',
  tracestate: 'ts',
  /** Names of the call for log lines: request, tenant, client and subject. */
  names: 'nm',
  /** An event of the log, its number behind it: `<nonce> <event>`. */
  event: 'e',
  artifacts: 'a',
  /** JSON of the names of artifacts that are lists. */
  artifactNames: 'n',
  /** Bytes of messages, of the skill's yields, and of the journal with the skill's state. */
  messageBytes: 'b',
  resultBytes: 'z',
  journalBytes: 'jb',
  /** Number of changes of the task without an event. */
  changes: 'v',

  /** '1' when a request is pending: only then a commit reads the fields below. */
  hasRequest: 'x',
  /** Ms of the cancel. */
  cancel: 'k',
  /** Ids of its webhooks. */
  hooks: 'w',
  /** `<from> <up to> <late>`: the messages that wait for the skill. */
  inbox: 'q',
  /** Number of messages that answered the question of a turn. */
  answers: 'y',
  /** Ms until which subscribers in other processes need its events. */
  watched: 'p',
  /** The channels of its worker, and of the process that waits for its reply. */
  worker: 'd',
  reply: 'r',

  /** `<replayed turn> <number of the event before its first yield>`. */
  replay: 'f',
  /** Signals that end its wait: '*' any message, '&' a child, '!' a hint. */
  signals: 'l',
  /** Ms at which its last wait ended. */
  woken: 'wk',
  /** Indexes of late messages read by its earlier turn. */
  readAhead: 'sk',
  /** `<turn> <number of its published events>`. */
  published: 'pb',
  /** A run (its fence is appended), and the error of a failed one (lua/lib/queue/runs.lua). */
  run: 'R',
  runError: 'E',
  /** Lost runs since the turn made progress. */
  losses: 'ls',
  /**
   * `next <lifetime of the lost run, ms>` when its next run is a suspect's; `<fence> <ms>` of such a run while it is
   * alone in its process and unproven, `- <ms>` of one beside others.
   */
  suspect: 'ap',
  /** The span of its latest run, a W3C traceparent. */
  span: 'span',
  /** Use of language models (lua/tree/settle-use.lua). */
  modelUse: 'mu',
  /** '1' when some work can be undone. */
  hasUndo: 'un',
  /** `<state> <message or nothing>` of its end, which follows once its work is undone. */
  ending: 'ce',

  /** The mirrored task of another agent, the number of hints about it, and digests of the last ones. */
  mirrored: 'rm',
  hints: 'hn',
  hintDigests: 'hd',

  hasChildren: 'ch',
  /** Bytes of its children's progress in its log: of statuses, and of chunks (lua/lib/tree/notes.lua). */
  statusNoteBytes: 'nb',
  pieceNoteBytes: 'np',
  /** '1' for a child whose artifacts its parent no longer shows. */
  isCut: 'nx',
  /** Number of its settled groups (lua/lib/tree/group.lua). */
  settledGroups: 'wc',
  /** The child to which the conversation was last handed over. */
  conversation: 'cv',

  /** JSON of its open questions, and the number of answered ones. */
  questions: 'qs',
  answered: 'an',
  /** The answer that begins its next turn. */
  forwarded: 'fw',
  /** '1' when questions of its tree interrupt it although its turn continues. */
  isShown: 'sh',

  /**
   * In the hash of a context (lua/values/remember.lua): a value (its name is appended); the bytes of all; and the
   * accounts charged.
   */
  remembered: 'v:',
  rememberedBytes: 'b',
  rememberedFor: 'a',
} as const;

/** The field of an event of the log. */
export function eventField(seq: number): string {
  return FIELD.event + String(seq);
}
