import { signal } from '@preact/signals';
import type { Bearer } from './bearer.js';
import type { CodeLogin, ConsoleConfig } from '../types.js';

/** Credential of the user. It is kept in this variable only: a reload forgets it. */
type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly text: string }
  | { readonly kind: 'token'; readonly bearer: Bearer };

let held: Credential = { kind: 'none' };
/** Whether the service has accepted the credential at least once. */
let isProved = false;

export function hasWorked(): boolean {
  return isProved || held.kind === 'token';
}

export function noteWorked(): void {
  isProved = true;
}

/** Whether the pages may be shown. */
export const stage = signal<'starting' | 'out' | 'in'>('starting');
export const config = signal<ConsoleConfig | undefined>(undefined);
/** Why the user is asked to log in, or why that failed. */
export const reason = signal('');

/** Reads how to log in, which is in the page, and finishes a log-in that has come back from its issuer. */
export async function start(): Promise<void> {
  try {
    const read = JSON.parse(document.getElementById('config')?.textContent ?? '') as ConsoleConfig;
    config.value = read;
    await enter(read);
  } catch (error) {
    reason.value = error instanceof Error ? error.message : String(error);
    stage.value = 'out';
  }
}

/** At once, where no issuer is asked: the first screen is drawn without waiting. */
function enter({ login, scopes }: ConsoleConfig): Promise<void> | undefined {
  if (login.kind === 'code' && isAnswer()) return come(login, scopes);
  stage.value = login.kind === 'open' ? 'in' : 'out';
  return undefined;
}

/** Whether the issuer has sent the user here; the filter of the list has a `state` too. */
function isAnswer(): boolean {
  const params = new URLSearchParams(location.search);
  return params.has('state') && (params.has('code') || params.has('error'));
}

async function come(login: CodeLogin, scopes: readonly string[]): Promise<void> {
  const { finish } = await import('./login.js');
  held = { kind: 'token', bearer: await finish(login, scopes) };
  stage.value = 'in';
}

/** Leaves for the issuer; the page comes back with a code. */
export async function logIn(): Promise<void> {
  const read = config.value;
  if (read?.login.kind !== 'code') return;
  const { begin } = await import('./login.js');
  await begin(read.login, read.scopes);
}

/** Takes a key or a token that the user has pasted. */
export function takeKey(text: string): void {
  held = { kind: 'key', text: text.trim() };
  isProved = false;
  reason.value = '';
  stage.value = 'in';
}

/** Whether the viewer has a log-in at an issuer, or a key. */
export function usesKey(): boolean {
  return held.kind === 'key';
}

export function signOut(why: string): void {
  const leave = held.kind === 'token' && why === '' ? held.bearer.logOut() : undefined;
  held = { kind: 'none' };
  reason.value = why;
  if (config.value?.login.kind !== 'open') stage.value = 'out';
  if (leave !== undefined) location.assign(leave);
}

/** Sends a request with the credential of this moment. */
export function fetchAs(url: string, init: RequestInit): Promise<Response> {
  if (held.kind === 'token') return held.bearer.fetch(url, init);
  const headers = new Headers(init.headers);
  if (held.kind === 'key') {
    // A token has three parts of base64url; every other text is a key.
    const isToken = /^[\w-]{10,}\.[\w-]{10,}\.[\w-]+$/.test(held.text);
    headers.set(isToken ? 'authorization' : 'x-api-key', isToken ? `Bearer ${held.text}` : held.text);
  }
  return fetch(url, { ...init, headers });
}

/** Renews the credential, where that can be done without the user. */
export async function refresh(): Promise<boolean> {
  if (held.kind !== 'token') return false;
  const renewed = await held.bearer.renew().catch(() => undefined);
  if (renewed === undefined) return false;
  held = { kind: 'token', bearer: renewed };
  return true;
}
