import inspector from 'node:inspector';

/** The code that the main thread is executing. */
export interface BlockingCode {
  /** Task and skill of its run; absent for code outside of runs. */
  readonly taskId?: string;
  readonly skill?: string;
  /** The innermost function, `<name> (<file>:<line>)`. */
  readonly at: string;
}

/** Name of a global function of the main thread that returns the fields of its log lines. */
export const CURRENT_FIELDS = 'parley.line-fields';
/** Code in a long native call cannot be interrupted before the call ends. */
const LIMIT_MS = 2_000;

/**
 * Interrupts the main thread for some milliseconds to read its stack, like a debugger: from another thread, since the
 * event loop is blocked. Undefined when that fails: a native call does not end, or a debugger is attached already.
 */
export async function blockingCode(): Promise<BlockingCode | undefined> {
  if (inspector.url() !== undefined) return undefined;
  const session = new inspector.Session();
  session.connectToMainThread();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<BlockingCode | undefined>((resolve) => {
      timer = setTimeout(resolve, LIMIT_MS, undefined);
      session.once('Debugger.paused', ({ params }) => {
        const [frame] = params.callFrames;
        if (frame === undefined) resolve(undefined);
        else read(session, frame, resolve);
      });
      session.post('Debugger.enable');
      session.post('Debugger.pause');
    });
  } finally {
    clearTimeout(timer);
    // Also resumes the main thread.
    session.disconnect();
  }
}

function read(
  session: inspector.Session,
  frame: inspector.Debugger.CallFrame,
  resolve: (code: BlockingCode) => void,
): void {
  const { functionName, url, location } = frame;
  const at = `${functionName === '' ? '(anonymous)' : functionName} (${url}:${String(location.lineNumber + 1)})`;
  const expression = `globalThis[Symbol.for('${CURRENT_FIELDS}')]?.()`;
  const asked = { callFrameId: frame.callFrameId, expression, returnByValue: true };
  session.post(
    'Debugger.evaluateOnCallFrame',
    asked,
    (_error: Error | null, reply: Partial<inspector.Debugger.EvaluateOnCallFrameReturnType>) => {
      const { taskId, skill } = (reply.result?.value ?? {}) as Record<string, string | undefined>;
      resolve({ at, ...(taskId === undefined ? {} : { taskId }), ...(skill === undefined ? {} : { skill }) });
    },
  );
}
