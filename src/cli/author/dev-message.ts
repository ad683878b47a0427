/** Makes the service in a process that has loaded its modules. */
export interface DevStart {
  readonly kind: 'start';
  /** Absent: REDIS_URL of the project. */
  readonly redisUrl?: string;
  /** The folders of skills, where the project has no config file. */
  readonly folder: string;
  readonly isFirst: boolean;
}

/** The skills are loaded and the service is made: it waits for the word to listen. */
export interface DevLoaded {
  readonly kind: 'loaded';
}

/** The service before it has ended: its ports are free. */
export interface DevListen {
  readonly kind: 'listen';
}

/** The service answers calls. */
export interface DevReady {
  readonly kind: 'ready';
  readonly address: string;
  readonly skills: readonly string[];
}
