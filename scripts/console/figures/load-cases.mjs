// Cases without a browser: the feed, many consoles, their cost to callers, and races of approvers.
import { setTimeout as pause } from 'node:timers/promises';
import { Lab, median, percentile } from './lab.mjs';

/** ms */
const MEASURED = 10_000;
/** Of the case with a hundred consoles: rounds, their ms, and calls a second. */
const [ROUNDS, ROUND_MS, CALLS] = [12, 5_000, 60];

/** From the time of a status to its row in a console of another replica, at 200 changes a second, and bytes of one feed. */
export async function feed() {
  const lab = await Lab.open(false, true);
  try {
    const [latencies, begun] = [[], performance.timeOrigin + performance.now()];
    let bytes = 0;
    const close = await lab.openFeeds(1, (text) => {
      bytes += text.length;
      for (const { updated } of JSON.parse(text).tasks ?? []) {
        const at = Date.parse(updated);
        if (at > begun) latencies.push(Date.now() - at);
      }
    });
    // A task of `quick` changes its state three times.
    const sent = await atRate(200 / 3, MEASURED, () => lab.send('quick', 'x'));
    await pause(1_000);
    await close();
    return [
      ['state changes a second', (3 * sent * 1_000) / MEASURED],
      ['rows', latencies.length],
      ['status to row, p50, ms', median(latencies)],
      ['status to row, p99, ms', percentile(latencies, 0.99), 500],
      ['one feed, KB a second', bytes / 1_024 / (MEASURED / 1_000 + 1), 20],
    ];
  } finally {
    await lab.close();
  }
}

/**
 * The processor time of 100 open consoles, and what callers notice of them: without, with and without again in turn. The
 * two without say what chance does.
 */
export async function consoles() {
  const lab = await Lab.open();
  try {
    await lab.sendMany(200, 'quick');
    const [before, open, after] = [[], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      before.push(await underLoad(lab));
      const close = await lab.openFeedsApart(100);
      await pause(1_000);
      open.push(await underLoad(lab));
      await close();
      await pause(1_000);
      after.push(await underLoad(lab));
    }
    const without = [...before, ...after];
    return [
      ['processor of the process without consoles, %', cpuOf(without)],
      ['with 100 consoles, %', cpuOf(open)],
      ['for 100 consoles, % of one processor', cpuOf(open) - cpuOf(without), 5],
      ["callers' p50 with / without", callersOf(open, 0.5) / callersOf(without, 0.5)],
      ["callers' p99 without, ms", callersOf(without, 0.99)],
      ["callers' p99 with / without", callersOf(open, 0.99) / callersOf(without, 0.99), 1.05],
      ["callers' p99 without / without", callersOf(after, 0.99) / callersOf(before, 0.99)],
    ];
  } finally {
    await lab.close();
  }
}

const cpuOf = (rounds) => (rounds.reduce((sum, { cpu }) => sum + cpu, 0) / rounds.length) * 100;

/** What the latencies of a share of all calls do not exceed, ms. */
function callersOf(rounds, share) {
  const times = rounds.flatMap((round) => round.times);
  return percentile(times, share);
}

async function underLoad(lab) {
  const times = [];
  const before = await lab.cpuSeconds();
  await atRate(CALLS, ROUND_MS, async () => {
    const began = performance.now();
    await lab.send('quick', 'x', true);
    times.push(performance.now() - began);
  });
  return { cpu: ((await lab.cpuSeconds()) - before) / (ROUND_MS / 1_000), times };
}

/** Blocking sends a second with ten consoles open and with none, in turn. */
export async function send() {
  const lab = await Lab.open();
  try {
    const rates = { none: [], ten: [] };
    await rateOf(lab);
    for (let round = 0; round < 6; round += 1) {
      rates.none.push(await rateOf(lab));
      const close = await lab.openFeeds(10);
      rates.ten.push(await rateOf(lab));
      await close();
    }
    const ratios = rates.ten.map((rate, at) => rate / rates.none[at]);
    return [
      ['blocking sends a second, no console', median(rates.none)],
      ['with ten consoles', median(rates.ten)],
      ['ten / none, median of six rounds', median(ratios), 0.97],
    ];
  } finally {
    await lab.close();
  }
}

async function rateOf(lab) {
  const end = performance.now() + 2_000;
  let count = 0;
  const caller = async () => {
    while (performance.now() < end) {
      await lab.send('quick', 'x', true);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, caller));
  return count / 2;
}

/** Two approvers answer each of 500 questions at once: one of them decides, and the other is told who did. */
export async function approvals(races = 500) {
  const lab = await Lab.open();
  try {
    const outcomes = { one: 0, other: 0 };
    for (let at = 0; at < races; at += 1) {
      const { id } = await lab.send('ask', 'x', true);
      const approvers = [`observer${(2 * at) % 12}`, `observer${(2 * at + 1) % 12}`];
      const answers = await Promise.all(
        approvers.map((who, index) =>
          lab.json(`/tasks/${id}/answer`, who, { questionId: `${id}:1.1`, data: { approve: index === 0 } }),
        ),
      );
      const winner = answers.findIndex(({ status }) => status === 200);
      const loser = answers[1 - winner];
      const told = `The question was answered already by ${approvers[winner]}`;
      const isRight = answers.filter(({ status }) => status === 200).length === 1;
      if (isRight && loser.status === 409 && loser.body.error.message === told) outcomes.one += 1;
      else outcomes.other += 1;
    }
    return [
      ['races', races],
      ['one answer was taken, and the other caller told by whom', outcomes.one],
      ['anything else', outcomes.other, 0],
    ];
  } finally {
    await lab.close();
  }
}

/** Begins a piece of work so many times a second, and resolves with their number when all are done. */
async function atRate(rate, ms, work) {
  const began = performance.now();
  const all = [];
  while (performance.now() - began < ms) {
    const due = Math.floor(((performance.now() - began) / 1_000) * rate);
    while (all.length < due) all.push(work());
    await pause(5);
  }
  await Promise.all(all);
  return all.length;
}
