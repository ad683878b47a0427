/**
 * The promise's outcome, or a rejection after the given milliseconds. The work itself continues.
 * @param late the reason of that rejection
 */
export async function withDeadline<T>(
  work: Promise<T>,
  milliseconds: number,
  late: () => Error = () => new Error(`No answer within ${String(milliseconds)} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late());
    }, milliseconds);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
