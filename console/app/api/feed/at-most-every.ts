/** Does work at once, and what is asked for in the time after it once, at the end of that time. */
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
