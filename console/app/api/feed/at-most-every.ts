/** Does work at once, and repeats requested work at most once per interval, at its end. */
export function atMostEvery(ms: number, work: () => void): { readonly call: () => void; readonly stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  const call = (): void => {
    if (timer !== undefined) {
      isAsked = true;
      return;
    }
    timer = setTimeout(() => {
      timer = undefined;
      if (!isAsked) return;
      isAsked = false;
      call();
    }, ms);
    work();
  };
  const stop = (): void => {
    clearTimeout(timer);
    isAsked = false;
  };
  return { call, stop };
}
