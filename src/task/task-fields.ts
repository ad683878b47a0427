/**
 * The fields of the hash of a task, as Redis stores them, by the names that sources use: `FIELD.owner` here, `field.owner` in
 * Lua. Stored data has the short ones, so that a million tasks keep no megabytes of names.
 */
export const FIELD = {
  /** The state word: state, number and nonce of the latest event, and which run has the task (lua/lib/record/word.lua). */
  word: 's',
  owner: 'o',
  context: 'c',
  /** The constant members of a task that scripts need (lua/lib/record/record.lua). */
  traits: 'i',
  /** `<ms of the status> <its message or nothing>`. */
  status: 't',
  /** JSON of the constant members that no script needs. */
  rest: 'j',
  /** JSON of the message that made the task. */
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
  /** Bytes of messages, of what the skill has yielded, and of the journal with what the skill remembers. */
  messageBytes: 'b',
  resultBytes: 'z',
  journalBytes: 'jb',
  /** How often the task has changed beside its events. */
  changes: 'v',

  /** '1' where a request is pending: a commit reads those below only then. */
  hasRequest: 'x',
  /** Ms of the cancel. */
  cancel: 'k',
  /** Ids of its webhooks. */
  hooks: 'w',
  /** `<from> <up to> <late>`: the messages that wait for the skill. */
  inbox: 'q',
  /** How many messages have answered the question of a turn. */
  answers: 'y',
  /** Ms until which subscribers in other processes need its events. */
  watched: 'p',
  /** The channels of its worker, and of the process that waits for its reply. */
  worker: 'd',
  reply: 'r',

  /** `<turn that is replayed> <number of the event before its first yield>`. */
  replay: 'f',
  /** Signals that end its wait: '*' any message, '&' a child, '!' a hint. */
  signals: 'l',
  /** Ms at which its last wait ended. */
  woken: 'wk',
  /** Indexes of late messages that its earlier turn has read. */
  readAhead: 'sk',
  /** `<turn> <events that it has published>`. */
  published: 'pb',
  /** A run, its fence behind it, and the error of one that broke (lua/lib/queue/runs.lua). */
  run: 'R',
  runError: 'E',
  /** Lost runs since the turn made progress. */
  losses: 'ls',
  /** `next <ms that the lost run lived>` when its next run is a suspect's, or `<fence> <ms>` of such a run. */
  suspect: 'ap',
  /** The span of its latest run, a W3C traceparent. */
  span: 'span',
  /** Use of language models (lua/tree/settle-use.lua). */
  modelUse: 'mu',
  /** '1' where some work can be undone. */
  hasUndo: 'un',
  /** `<state> <message or nothing>` of its end, which comes when its work is undone. */
  ending: 'ce',

  /** Which task of another agent it mirrors, how many hints it has got of it, and digests of the last ones. */
  mirrored: 'rm',
  hints: 'hn',
  hintDigests: 'hd',

  hasChildren: 'ch',
  /** Bytes of its children's progress in its log: of statuses, and of pieces (lua/lib/tree/notes.lua). */
  statusNoteBytes: 'nb',
  pieceNoteBytes: 'np',
  /** '1' of a child whose artifacts its parent shows no more. */
  isCut: 'nx',
  /** How many of its groups are settled (lua/lib/tree/group.lua). */
  settledGroups: 'wc',
  /** The child to which the conversation was handed over last. */
  conversation: 'cv',

  /** JSON of its open questions, and how many have been answered. */
  questions: 'qs',
  answered: 'an',
  /** The message that answers one and is to begin its next turn. */
  forwarded: 'fw',
  /** '1' where it is interrupted by questions of its tree, and its turn goes on. */
  isShown: 'sh',

  /** In the hash of a context (lua/values/remember.lua): a value, its name behind it; the bytes of all; and for whom they count. */
  remembered: 'v:',
  rememberedBytes: 'b',
  rememberedFor: 'a',
} as const;

/** The field of an event of the log. */
export function eventField(seq: number): string {
  return FIELD.event + String(seq);
}
