import { describe, expect, it, vi } from 'vitest';
import { createExtensionLog } from './extension-log.ts';
import { CHANNEL_LIMITS } from './channel-in-process.ts';
import { createSupervisedExtension } from './supervised-extension.ts';
import { createSupervisedProcess } from './supervised-process.ts';
import type { ProcessEnd } from './framed-process.ts';
import type { LoadedProcess, LoadedProcessOwner } from './loaded-process.ts';
import type { Incident, RawFailure } from './runtime.ts';
import type { StartOutcome, SupervisedProcess } from './supervised-process.ts';

/** A fake without a process: the test decides when it is silent, answers and ends. */
interface FakeProcess extends LoadedProcess {
  isGone: boolean;
  silent: number;
  running: number;
  active: string | null;
  owner: LoadedProcessOwner | null;
  goSilent(): void;
  answer(): void;
  die(end?: Partial<ProcessEnd>): void;
}

function fakeProcess(pid: number): FakeProcess {
  const process: FakeProcess = {
    pid,
    isGone: false,
    silent: 0,
    running: 0,
    active: null,
    owner: null,
    begin: () => undefined,
    validate: async () => null,
    request: async () => ({ ok: true, resultText: '{}' }),
    status: async () => ({ value: null, error: null, duration_ms: null }),
    channel: { ask: () => new Promise(() => undefined) },
    abandon: () => undefined,
    isQuiet: () => process.running === 0,
    activity: async () => process.active,
    silentMs: () => process.silent,
    calls: () => process.running,
    attach: (owner) => (process.owner = owner),
    tail: () => null,
    kill: () => process.die({ reason: 'unwanted' }),
    end: async () => process.die({ reason: 'unwanted' }),
    goSilent() {
      process.silent = 10_000;
      process.owner?.onSilent();
    },
    answer() {
      process.silent = 0;
      process.owner?.onAnswered();
    },
    die(end = {}) {
      if (process.isGone) return;
      process.isGone = true;
      process.owner?.onEnd({ reason: 'exit', code: null, signal: null, detail: null, ...end }, []);
    },
  };
  return process;
}

interface Starts {
  readonly process: SupervisedProcess;
  readonly incidents: Incident[];
  /** All processes that were started, in order. */
  readonly started: FakeProcess[];
  /** Completes the oldest pending start. */
  finish(): Promise<void>;
  fail(failure?: RawFailure): Promise<void>;
  begun(): number;
}

function supervise(isKeptRunning = false): Starts {
  const waiting: ((outcome: StartOutcome) => void)[] = [];
  const started: FakeProcess[] = [];
  const incidents: Incident[] = [];
  let begun = 0;
  const settle = async (outcome: StartOutcome): Promise<void> => {
    waiting.shift()?.(outcome);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  const process = createSupervisedProcess({
    log: createExtensionLog({ now: () => 0, onLine: () => undefined, hide: (text) => text }),
    memoryMb: 1,
    clock: { now: () => 0, elapsed: () => 0 },
    random: () => 0,
    isLoadedAgain: false,
    isKeptRunning,
    start: () => {
      begun += 1;
      return new Promise((resolve) => waiting.push(resolve));
    },
    isIdle: () => true,
    onIncident: (incident) => incidents.push(incident),
    onEnd: () => undefined,
    onRaw: () => null,
  });
  return {
    process,
    incidents,
    started,
    begun: () => begun,
    async finish() {
      const next = fakeProcess(started.length + 1);
      started.push(next);
      await settle({ ok: true, loaded: next });
    },
    fail: (failure = { code: 'import_error', message: 'the port is taken' }) => settle({ ok: false, failure }),
  };
}

/** The pid that a request got, or the reason why it got none. */
function ask({ process }: Starts): { got: number | string | null } {
  const asked: { got: number | string | null } = { got: null };
  process.withProcess((loaded, whyNot) => (asked.got = loaded?.pid ?? whyNot));
  return asked;
}

const living = ({ started }: Starts): number[] => started.filter(({ isGone }) => !isGone).map(({ pid }) => pid);

describe('a restart during a start', () => {
  it.each(['refuse', 'end'] as const)('leaves no process behind when %s follows', async (follow) => {
    const starts = supervise();
    ask(starts);
    const restarting = starts.process.restart('Restarted by a person');
    starts.process.refuse();
    const ending = follow === 'end' ? starts.process.end(0) : null;
    await starts.finish();
    while (starts.begun() > starts.started.length) await starts.finish();
    expect(await restarting).toBeNull();
    await (ending ?? starts.process.end(0));
    expect(living(starts)).toEqual([]);
    expect(starts.process.state()).toMatchObject({ state: 'stopped', pid: null });
  });

  it('continues with one process otherwise', async () => {
    const starts = supervise();
    const waiting = ask(starts);
    const restarting = starts.process.restart('Restarted by a person');
    await starts.finish();
    await starts.finish();
    expect(await restarting).toBeNull();
    expect(living(starts)).toEqual([2]);
    expect(waiting.got).toBe(2);
  });

  it('ends only after the process of the cancelled start has exited', async () => {
    const starts = supervise();
    ask(starts);
    const ending = starts.process.end(0);
    await starts.finish();
    await ending;
    expect(living(starts)).toEqual([]);
  });
});

describe('a process that is silent after a call was interrupted', () => {
  async function silent(isKeptRunning = false): Promise<Starts & { readonly old: FakeProcess }> {
    const starts = supervise(isKeptRunning);
    ask(starts);
    await starts.finish();
    const [old] = starts.started;
    if (old === undefined) throw new Error('nothing was started');
    old.goSilent();
    return { ...starts, old };
  }

  it('gets no new call; a ready replacement runs it', async () => {
    const starts = await silent();
    const waiting = ask(starts);
    expect(waiting.got).toBeNull();
    await starts.finish();
    expect(waiting.got).toBe(2);
    expect(living(starts)).toEqual([1, 2]);
    expect(starts.process.state()).toMatchObject({ state: 'running', pid: 2 });
  });

  it('stays current while no call waits, and is replaced when one arrives', async () => {
    const starts = await silent();
    await starts.finish();
    expect(starts.process.state().pid).toBe(1);
    expect(ask(starts).got).toBe(2);
  });

  it('gets its calls when it answers, and the replacement is ended', async () => {
    const starts = await silent();
    const waiting = ask(starts);
    starts.old.answer();
    expect(waiting.got).toBe(1);
    await starts.finish();
    expect(living(starts)).toEqual([1]);
  });

  it('finishes its other calls when it answers after its replacement, and is then ended', async () => {
    const starts = await silent();
    starts.old.running = 1;
    ask(starts);
    await starts.finish();
    starts.old.answer();
    expect(living(starts)).toEqual([1, 2]);
    starts.old.running = 0;
    starts.process.onSettled();
    expect(living(starts)).toEqual([2]);
  });

  it('is replaced at once when it is ended', async () => {
    const starts = await silent();
    await starts.finish();
    starts.old.die({ reason: 'unresponsive' });
    expect(starts.process.state()).toMatchObject({ state: 'running', pid: 2, restarts: 0 });
    expect(ask(starts).got).toBe(2);
    expect(starts.incidents).toContainEqual(
      expect.objectContaining({ type: 'failure', failure: expect.objectContaining({ code: 'unresponsive' }) }),
    );
    expect(starts.begun()).toBe(2);
  });

  it('is reported as unresponsive although it was replaced before', async () => {
    const starts = await silent();
    ask(starts);
    await starts.finish();
    starts.old.die({ reason: 'unresponsive' });
    expect(starts.incidents).toContainEqual(
      expect.objectContaining({ type: 'failure', failure: expect.objectContaining({ code: 'unresponsive' }) }),
    );
    expect(starts.process.state()).toMatchObject({ state: 'running', pid: 2 });
  });

  it('may hold a resource that the replacement needs: that failure is not reported, and the next start waits for its end', async () => {
    const starts = await silent();
    const waiting = ask(starts);
    await starts.fail();
    expect(waiting.got).toBeNull();
    expect(starts.incidents.filter(({ type }) => type === 'failure')).toEqual([]);
    starts.old.die({ reason: 'unresponsive' });
    await starts.finish();
    expect(waiting.got).toBe(2);
  });

  it('leaves no replacement behind on close or restart', async () => {
    const closed = await silent();
    const closing = closed.process.end(0);
    await closed.finish();
    await closing;
    expect(living(closed)).toEqual([]);
    const restarted = await silent();
    const restarting = restarted.process.restart('Restarted by a person');
    await restarted.finish();
    await restarted.finish();
    await restarting;
    expect(living(restarted)).toEqual([3]);
  });

  it('gets no parallel replacement if it holds a connection, as a channel does', async () => {
    const starts = await silent(true);
    const waiting = ask(starts);
    expect(starts.begun()).toBe(1);
    starts.old.answer();
    await vi.waitFor(() => expect(waiting.got).toBe(1));
  });
});

it('that cannot start, because the system has no more processes, has not crashed', async () => {
  const starts = supervise();
  for (let tried = 1; tried <= 10; tried += 1) {
    const asked = ask(starts);
    await starts.fail({ code: 'spawn_failed', message: 'The process could not be started: spawn node EAGAIN' });
    expect(asked.got).toContain('spawn node EAGAIN');
    expect(starts.process.state()).toMatchObject({ state: 'none', restarts: 0 });
  }
  expect(starts.incidents.map(({ type }) => type)).not.toContain('failure');
});

describe('an unused process', () => {
  const started = async () => {
    const starts = supervise();
    ask(starts);
    await starts.finish();
    return starts;
  };

  it('is ended, and the next caller gets another one', async () => {
    const starts = await started();
    expect(starts.process.isUnused(1)).toBe(false);
    expect(starts.process.isUnused(0)).toBe(true);
    expect(await starts.process.endUnused()).toBeNull();
    expect(starts.process.state()).toMatchObject({ state: 'none', pid: null, restarts: 0 });
    const asked = ask(starts);
    await starts.finish();
    expect([asked.got, living(starts)]).toEqual([2, [2]]);
  });

  it('is not ended while something runs in it', async () => {
    const starts = await started();
    const [process] = starts.started;
    if (process !== undefined) process.active = 'Timeout';
    expect(await starts.process.endUnused()).toBe('Timeout');
    expect(living(starts)).toEqual([1]);
  });

  it.each(['call', 'look'])('is not ended when it is used during the check (%s)', async (use) => {
    const starts = await started();
    const ending = starts.process.endUnused();
    const asked = use === 'call' ? ask(starts) : null;
    starts.process.touch();
    await ending;
    expect(living(starts)).toEqual([1]);
    expect(asked?.got ?? 1).toBe(1);
  });

  it('has no effect after it was ended, whatever it still sends', async () => {
    const starts = await started();
    const [process] = starts.started;
    const owner = process?.owner;
    await starts.process.endUnused();
    const before = starts.incidents.length;
    owner?.onStray('late');
    owner?.onSilent();
    owner?.onAnswered();
    expect(owner?.onRaw({ exports: [], values: {}, hasStatus: false })).toBeNull();
    process?.die();
    expect(starts.process.state()).toMatchObject({ state: 'none', restarts: 0 });
    expect([starts.begun(), starts.incidents.length]).toEqual([1, before]);
  });

  it('is in use while a request is pending', async () => {
    const starts = await started();
    const [process] = starts.started;
    if (process !== undefined) process.running = 1;
    expect(starts.process.isUnused(0)).toBe(false);
  });
});

function superviseExtension(elapsed: () => number) {
  return createSupervisedExtension({
    description: { name: 'a', description: '', instructions: '', tools: [], hasStatus: true, channel: null, warnings: [], kept: null },
    log: createExtensionLog({ now: () => 0, onLine: () => undefined, hide: (text) => text }),
    memoryMb: 1,
    channelLimits: CHANNEL_LIMITS,
    idleMs: 100,
    hideSecrets: (text) => text,
    clock: { now: () => 0, elapsed },
    random: () => 0,
    isLoadedAgain: false,
    channelName: 'a',
    start: () => new Promise(() => undefined),
    onIncident: () => undefined,
    onClosed: () => undefined,
  });
}

it('is in use when the status of its extension is read in time, but not when its log is read', async () => {
  let elapsed = 0;
  const extension = superviseExtension(() => elapsed);
  extension.adopt(fakeProcess(1));
  extension.keepAlive(null);
  for (let reads = 1; reads <= 5; reads += 1) {
    elapsed += 60;
    await extension.status();
    expect(extension.isUnused(100)).toBe(false);
  }
  elapsed += 60;
  extension.logs();
  elapsed += 60;
  expect(extension.isUnused(100)).toBe(true);
  await extension.endUnused();
  expect([extension.process().state, await extension.status()]).toEqual(['none', null]);
});

it('is in use until its extension serves, and unused some time after that', () => {
  let elapsed = 0;
  const extension = superviseExtension(() => elapsed);
  extension.adopt(fakeProcess(1));
  elapsed += 150;
  expect(extension.isUnused(100)).toBe(false);
  extension.keepAlive(null);
  expect(extension.isUnused(100)).toBe(false);
  elapsed += 100;
  extension.keepAlive(null);
  expect(extension.isUnused(100)).toBe(true);
});
