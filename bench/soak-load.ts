import type { SoakClient } from './soak-client.ts';
import { LEAVING_TOOL, SLOW_TOOL } from './soak-folder.ts';
import type { SoakFolder } from './soak-folder.ts';
import type { SoakLedger } from './soak-ledger.ts';

/** Load until stopped: calls, cancelled calls, saves, messages, event clients. */
export interface SoakLoad {
  readonly counts: { saves: number; cancelled: number; streams: number; events: number };
  /** Failed calls of tools that are only saved. */
  readonly failures: string[];
  /** Orphaned programs. */
  readonly left: number[];
  /** Settles when no request is running. */
  stop(): Promise<void>;
}

const CALLERS = 4;

export function startSoakLoad(client: SoakClient, { reloaded, victims, others, save }: SoakFolder, ledger: SoakLedger): SoakLoad {
  let isOver = false;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  /** Ends as soon as there is no work. */
  const wait = async (ms: number): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const rest = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([rest, over]);
    clearTimeout(timer);
  };
  const load: SoakLoad = {
    counts: { saves: 0, cancelled: 0, streams: 0, events: 0 },
    failures: [],
    left: [],
    async stop() {
      isOver = true;
      end();
      await Promise.all(work);
    },
  };

  const repeat = async (turn: (count: number) => Promise<void>): Promise<void> => {
    for (let count = 0; !isOver; count += 1) await turn(count);
  };

  const call = async (tool: string): Promise<Readonly<Record<string, unknown>> | null> => {
    const began = performance.now();
    const answer = await client.ask('POST', `/api/v1/tools/${tool}/call`, { arguments: tool === LEAVING_TOOL ? {} : { left: 1 } });
    if (answer === null || answer.status !== 200) {
      await wait(20);
      return answer?.json ?? null;
    }
    ledger.callTimes.push(performance.now() - began);
    ledger.noteCall(String(answer.json['id']), String(answer.json['status']));
    return answer.json;
  };

  const callReloaded = async (count: number): Promise<void> => {
    const answer = await call(reloaded[count % reloaded.length] ?? '');
    if (answer !== null && answer['status'] !== 'succeeded') load.failures.push(JSON.stringify(answer).slice(0, 300));
    await wait(2);
  };

  const callVictims = async (count: number): Promise<void> => {
    await call(victims[count % victims.length] ?? '');
    await wait(10);
  };

  const callSlow = async (): Promise<void> => {
    await call(SLOW_TOOL);
    await wait(20);
  };

  const cancelRunning = async (): Promise<void> => {
    await wait(150);
    const page = await client.ask('GET', `/api/v1/calls?tool=${SLOW_TOOL}&status=running&limit=5`);
    const calls = page?.json['calls'];
    for (const running of Array.isArray(calls) ? calls : []) {
      const answer = await client.ask('POST', `/api/v1/calls/${String(Object(running).id)}/cancel`);
      if (answer?.status === 200) load.counts.cancelled += 1;
    }
  };

  const saveNext = async (count: number): Promise<void> => {
    const called = [...reloaded, ...victims];
    await save(called[count % called.length] ?? '', count);
    load.counts.saves += 1;
    const other = others[Math.floor(Math.random() * others.length)];
    if (other !== undefined) {
      await save(other, count);
      load.counts.saves += 1;
    }
    await wait(300);
  };

  const write = async (count: number): Promise<void> => {
    const answer = await client.ask('POST', '/api/v1/channels/web/send', { text: `soak ${count}` });
    if (answer?.status === 200 || answer?.status === 202) ledger.noteMessage('web', String(answer.json['id']));
    await wait(40);
  };

  const leave = async (): Promise<void> => {
    const pid = Number((await call(LEAVING_TOOL))?.['result']);
    if (pid > 1) load.left.push(pid);
    await wait(1_000);
  };

  const comeAndGo = async (): Promise<void> => {
    let lastId: string | null = null;
    while (!isOver) {
      const seen = await client.stream(100 + Math.random() * 1_500, lastId);
      lastId = seen.lastId;
      load.counts.streams += 1;
      load.counts.events += seen.events;
      if (seen.events === 0) await wait(20);
    }
  };

  const work = [
    ...Array.from({ length: CALLERS }, () => repeat(callReloaded)),
    repeat(callVictims),
    repeat(callSlow),
    repeat(cancelRunning),
    repeat(saveNext),
    repeat(write),
    repeat(leave),
    ...Array.from({ length: 3 }, comeAndGo),
  ];
  return load;
}
