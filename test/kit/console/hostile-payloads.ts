/** Markup of which one must run, load or navigate if a page takes the text of an agent for HTML. */
const RUNS = 'window.__ran=1';
const LOADS = 'http://198.51.100.7/beacon';

const HANDLERS = [
  'onerror',
  'onload',
  'onfocus',
  'onclick',
  'onmouseover',
  'ontoggle',
  'onanimationstart',
  'onbegin',
  'onpointerenter',
  'onwheel',
];
const ELEMENTS = ['img src=x', 'svg', 'body', 'input autofocus', 'details open', 'video src=x', 'iframe', 'marquee'];

const BY_HANDLER = ELEMENTS.flatMap((element) => HANDLERS.map((handler) => `<${element} ${handler}="${RUNS}">`));

const LOADING = [
  ...['img src', 'script src', 'link rel=stylesheet href', 'iframe src', 'object data', 'embed src', 'video src'].map(
    (attribute) => `<${attribute}="${LOADS}">`,
  ),
  ...[`<style>@import "${LOADS}"</style>`, `<div style="background:url(${LOADS})">`, `<base href="${LOADS}">`],
  ...[`<meta http-equiv="refresh" content="0;url=${LOADS}">`, `<form action="${LOADS}"><button>x`, `![x](${LOADS})`],
];

const SCRIPTS = [
  `<script>${RUNS}</script>`,
  `"><script>${RUNS}</script>`,
  `'><script>${RUNS}</script>`,
  `</script><script>${RUNS}</script>`,
  `</textarea><script>${RUNS}</script>`,
  `</title><script>${RUNS}</script>`,
  `<!--><script>${RUNS}</script>-->`,
  `<![CDATA[<script>${RUNS}</script>]]>`,
  `<scr<script>ipt>${RUNS}</scr</script>ipt>`,
  `<svg><script>${RUNS}</script></svg>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=${RUNS}>`,
  `<template><script>${RUNS}</script></template>`,
  `javascript:${RUNS}`,
  `JaVaScRiPt:${RUNS}`,
  `java\tscript:${RUNS}`,
  `data:text/html,<script>${RUNS}</script>`,
  `[x](javascript:${RUNS})`,
  `\${${RUNS}}`,
  `{{constructor.constructor('${RUNS}')()}}`,
  `&lt;script&gt;${RUNS}&lt;/script&gt;`,
  `&#60;script&#62;${RUNS}&#60;/script&#62;`,
  `\u003cscript\u003e${RUNS}\u003c/script\u003e`,
  `__proto__`,
  `constructor`,
];

/** Text that hides or turns around what it says, or that is too much for a layout. */
const DECEIVING = [
  'safe\u202egnp.exe',
  'pay 1\u200b00 EUR',
  '\u2066a\u2069\u2067b\u2069',
  '\ufeffhidden',
  '\u{e0041}\u{e0042}',
  '\u0007bell\u001besc[31m',
  'a\u0300\u0301\u0302\u0303\u0304\u0305'.repeat(40),
  '﷽'.repeat(60),
  'W'.repeat(4_000),
  ' '.repeat(500),
  '\n'.repeat(300),
  '<'.repeat(300),
];

/** All of them. */
export const HOSTILE_TEXTS: readonly string[] = [...BY_HANDLER, ...LOADING, ...SCRIPTS, ...DECEIVING];
