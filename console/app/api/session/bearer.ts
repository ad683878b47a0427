/** A token of an issuer, and what is needed to use and renew it. */
export interface Bearer {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly renew: () => Promise<Bearer | undefined>;
  readonly logOut: () => string | undefined;
}
