/** What one side has said in a context. */
export interface Said {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** The part of a conversation that a model is to know. */
export interface WantedConversation {
  /** Number of the last ended tasks. */
  readonly last: number;
  /** Tasks of the same agent, or of all skills. */
  readonly of: 'agent' | 'all';
}
