/** A card as JSON: what gateways change. */
export interface RewrittenCard {
  readonly url?: string;
  readonly supportedInterfaces: readonly { readonly url: string; readonly protocolBinding: string }[];
  readonly [member: string]: unknown;
}

/** Changes the card of a service as its gateway does. @param gateway the address of its route, without a slash at the end */
export type Rewrite = (card: RewrittenCard, gateway: string) => RewrittenCard;

/**
 * What gateways do to a card, by the rules in their code or documentation. `agw-host` and `agw-3500`: agentgateway 1.5 with
 * a route at the root, and with its fault 3500; `kong`: Kong's A2A proxy, and MuleSoft's card policy, which put the prefix
 * of the route before the path; `verbatim`: Kuadrant and plain ingresses.
 */
export const REWRITERS: Readonly<Record<string, Rewrite>> = {
  'agw-host': (card, gateway) => each(card, (url) => new URL(url.pathname, gateway).href),
  'agw-3500': (card, gateway) => each(card, (url) => `${new URL(gateway).origin}${url.pathname}${url.pathname}`),
  kong: (card, gateway) => each(card, (url) => `${gateway}${url.pathname}`),
  verbatim: (card) => card,
};

function each(card: RewrittenCard, rewritten: (url: URL) => string): RewrittenCard {
  const changed = (url: string): string =>
    rewritten(new URL(URL.canParse(url) && url.includes('//') ? url : `http://${url}/`));
  const supportedInterfaces = card.supportedInterfaces.map((one) => ({ ...one, url: changed(one.url) }));
  return { ...card, supportedInterfaces, ...(card.url === undefined ? {} : { url: changed(card.url) }) };
}
