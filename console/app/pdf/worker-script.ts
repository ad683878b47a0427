import workerUrl from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';

/** The part of Trusted Types that is used here; the library of TypeScript has none of them. */
interface ScriptPolicies {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): {
    /** Where the browser knows Trusted Types, an object of its own that only `Worker` and the like read. */
    createScriptURL(url: string): string;
  };
}

declare global {
  var trustedTypes: ScriptPolicies | undefined;
}

/** The only policy of the console: it lets one address through, which the build has written. */
const policy = globalThis.trustedTypes?.createPolicy('parley', {
  createScriptURL: (url) => {
    if (url !== workerUrl) throw new TypeError(`${url} is no script of the console`);
    return url;
  },
});

/** Starts a thread that reads PDFs. Its own policy, that of its script, lets it run no text and ask for nothing. */
export function startWorker(): Worker {
  return new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
}
