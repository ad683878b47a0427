/**
 * A page over AG-UI without a framework: a conversation with a skill, its questions as forms, Stop, and reload at any
 * time. The address has all of its state: `?agent=<URL of the service>&skill=<id>&thread=<id>`.
 */
import { HttpAgent } from '@ag-ui/client';
import { parleyAgent } from '@parley/client/agui/parley-agent.js';

const address = new URL(location.href);
const skill = address.searchParams.get('skill') ?? 'echo';
const threadId = address.searchParams.get('thread') ?? crypto.randomUUID();
address.searchParams.set('thread', threadId);
history.replaceState(null, '', address);

/** The token of the person, from the page's own server; none for a service without authentication. */
const loginUrl = address.searchParams.get('login');
const token = async () => (loginUrl === null ? undefined : (await fetch(loginUrl, { method: 'POST' })).text());

const ParleyAgent = parleyAgent(HttpAgent);
const agent = new ParleyAgent({
  url: `${address.searchParams.get('agent') ?? 'http://127.0.0.1:3000'}/agui/${skill}`,
  threadId,
  fetch: async (url, init) => {
    const headers = new Headers(init.headers);
    const bearer = await token();
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
    return fetch(url, { ...init, headers });
  },
});

const [title, messages, question, say, stop] = ['h1', '#messages', '#question', '#say', '#stop'].map((selector) =>
  document.querySelector(selector),
);
title.textContent = skill;

agent.subscribe({
  onMessagesChanged: draw,
  onRunFinishedEvent: ({ interrupts = [] }) => ask(interrupts),
  onRunErrorEvent: ({ event }) => fail(event.message),
  onRunFailed: ({ error }) => fail(error.message),
});

say.addEventListener('submit', (event) => {
  event.preventDefault();
  const content = new FormData(say).get('text');
  say.reset();
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
  void running(agent.runAgent());
});
stop.addEventListener('click', () => agent.abortRun());
void running(agent.connectAgent());

async function running(run) {
  stop.disabled = false;
  await run.catch(({ message }) => fail(message));
  stop.disabled = true;
}

/** Messages and activities; a known element is changed and not made anew, so that a reader keeps its place. */
function draw({ messages: all }) {
  const seen = new Set();
  for (const { id, role, activityType, content } of all) {
    const text = role === 'activity' ? shown(activityType, content) : content;
    if (!text) continue;
    const known = document.getElementById(id) ?? Object.assign(document.createElement('div'), { id });
    known.className = `message ${role}`;
    if (known.textContent !== text) known.textContent = text;
    if (known.parentNode === null) messages.append(known);
    seen.add(id);
  }
  for (const { id } of [...messages.children]) if (!seen.has(id)) document.getElementById(id).remove();
  window.scrollTo(0, document.body.scrollHeight);
}

function shown(type, { text, state, skillId, name, url, data }) {
  switch (type) {
    case 'parley.status':
      return text;
    case 'parley.task':
      return `${skillId}: ${text || state}`;
    case 'parley.auth':
      return `${text} ${url ?? ''}`;
    case 'parley.artifact':
      return `${name ?? ''} ${JSON.stringify(data)}`;
    default:
      return name;
  }
}

/** Draws a form of each question: the members of its schema, or one field for words. */
function ask(interrupts) {
  question.replaceChildren();
  if (interrupts.length === 0) return;
  const fields = interrupts.flatMap(({ id, responseSchema = {}, message }) =>
    Object.entries(responseSchema.properties ?? { '': { title: message } }).map(([name, { type, title }]) => {
      const input = document.createElement('input');
      input.name = JSON.stringify([id, name, type]);
      input.type = type === 'boolean' ? 'checkbox' : type === 'integer' || type === 'number' ? 'number' : 'text';
      const label = document.createElement('label');
      label.append(title ?? name, input);
      return label;
    }),
  );
  const button = (text, answer) => {
    const made = Object.assign(document.createElement('button'), { type: 'button', textContent: text });
    made.addEventListener('click', () => {
      const resume = interrupts.map(({ id }) => ({ interruptId: id, ...answer(id) }));
      question.replaceChildren();
      void running(agent.runAgent({ resume }));
    });
    return made;
  };
  const inputs = () => fields.map((label) => label.querySelector('input'));
  const given = (id) => {
    const own = inputs()
      .map((input) => [...JSON.parse(input.name), input])
      .filter(([of]) => of === id);
    const [[, only, , first]] = own;
    if (only === '') return first.value;
    return Object.fromEntries(own.map(([, name, type, input]) => [name, valueOf(type, input)]));
  };
  question.append(
    ...fields,
    button('Answer', (id) => ({ status: 'resolved', payload: given(id) })),
    button('Cancel', () => ({ status: 'cancelled' })),
  );
}

function valueOf(type, { value, checked }) {
  if (type === 'boolean') return checked;
  return type === 'integer' || type === 'number' ? Number(value) : value;
}

function fail(message) {
  const line = Object.assign(document.createElement('div'), { className: 'message error', textContent: message });
  line.id = `error-${String(Date.now())}`;
  messages.append(line);
}
