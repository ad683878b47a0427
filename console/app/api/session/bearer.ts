/** A token of an issuer, with the data to use and renew it. */
export interface Bearer {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly renew: () => Promise<Bearer | undefined>;
  readonly logOut: () => string | undefined;
}
