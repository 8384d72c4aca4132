import { EXTENSIONS } from './extension-folder.ts';
import { ms, perSecond, quantile } from './figures.ts';
import { CALLS_PER_SECOND, joinEmpty, killAtRandom, loseForAWhile, restartAll, saveConcurrently } from './instance-faults.ts';
import type { FaultResult } from './instance-faults.ts';
import { measureEvents, measureIdle, measureSpread, measureThroughput } from './instance-figures.ts';
import { startFleet } from './instance-fleet.ts';
import type { Section, Table } from './report.ts';

/** Three servers on one PostgreSQL behind a load balancer: faults under load, then figures without faults. */

const SERVERS = 3;
const SAVES = 30;
const AT_ONCE = 200;
const AWAY_MS = 30_000;
const EVENTS = 200;
const CONNECTIONS = 32;
const SECONDS = 10;
const IDLE_SECONDS = 60;
/** Of a disk that PostgreSQL has for its log alone. */
const LOG_MB_PER_SECOND = 100;
const MB = 1_048_576;

export async function measureInstances(kills: number, isQuick: boolean): Promise<Section> {
  const fleet = await startFleet(SERVERS, EXTENSIONS);
  const say = (what: string, found: unknown = ''): void => console.error(`${new Date().toISOString()} ${what} ${JSON.stringify(found)}`);
  try {
    say('idle');
    const idle = await measureIdle(fleet, isQuick ? 20 : IDLE_SECONDS);
    say('saves', { idle });
    const spread = await measureSpread(fleet, isQuick ? 10 : SAVES);
    say('events', { spread });
    const events = await measureEvents(fleet, isQuick ? 50 : EVENTS);
    say('saves of one file at once', { p95: quantile(events, 0.95), events });
    const conflicts = await saveConcurrently(fleet, isQuick ? 50 : AT_ONCE);
    say('calls', conflicts);
    const throughputs = [];
    for (let servers = 1; servers <= SERVERS; servers += 1)
      throughputs.push(await measureThroughput(fleet, servers, CONNECTIONS, isQuick ? 4 : SECONDS));
    const single = await measureThroughput(fleet, 1, 1, isQuick ? 4 : SECONDS);
    say('rolling restart', { throughputs: [...throughputs, single].map(({ latencies: _, ...rest }) => rest), conflicts: conflicts.wrong });
    const rolling = await restartAll(fleet);
    say('database cut', rolling);
    const cut = await loseForAWhile(fleet, 'cut', isQuick ? 15_000 : AWAY_MS);
    say('paused', cut);
    const paused = await loseForAWhile(fleet, 'pause', isQuick ? 15_000 : AWAY_MS);
    say('kills', paused);
    const killed = await killAtRandom(fleet, kills);
    say('a fourth server', killed);
    const joinedMs = await joinEmpty(fleet);
    say('joined', joinedMs);

    const row = (what: string, found: string): string[] => [what, found];
    const range = (samples: readonly number[]): string => [0.5, 0.95, 1].map((part) => ms(quantile(samples, part))).join(' / ');
    const best = throughputs.at(-1);
    const figures: Table = {
      head: ['', 'found'],
      rows: [
        ...spread.servedMs.map((samples, at) =>
          row(`save on the first → served by ${at === 0 ? 'it' : `the ${at + 1}.`}, p50 / p95 / worst`, range(samples)),
        ),
        row('call answered on the first → event on a stream of the second, p50 / p95 / worst', range(events)),
        row('calls that read running after a kill, p50 / p95 / worst', range(killed.endedMs)),
        row('channel connected by another after the kill of its owner, p50 / p95 / worst', range(killed.failOverMs)),
        row('two saves at once → one served by all and one in conflict, p50 / p95 / worst', range(conflicts.settledMs)),
        row(`fourth server with an empty folder → answers each of ${EXTENSIONS} extensions`, ms(joinedMs)),
        row(
          'database cut: not ready / ready again after it is back',
          `${ms(cut.unreadyMs)} / ${ms(cut.backMs)} (${cut.refusals.join(', ')})`,
        ),
        row('paused: not ready / ready again after it goes on', `${ms(paused.unreadyMs)} / ${ms(paused.backMs)}`),
      ],
    };
    const calls: Table = {
      head: ['calls', 'calls/s', 'p50 / p95 / worst', 'statements', 'write-ahead log', 'PostgreSQL, processor'],
      rows: [...throughputs.map((one) => ({ one, connections: CONNECTIONS })), { one: single, connections: 1 }].map(
        ({ one, connections }) => [
          `${one.servers} ${one.servers === 1 ? 'server' : 'servers'}, ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
          perSecond(one.perSecond),
          range(one.latencies),
          `${one.statements.toFixed(2)} a call`,
          `${(one.walBytes / 1_024).toFixed(2)} KiB a call`,
          `${one.databaseMs.toFixed(2)} ms a call`,
        ],
      ),
    };
    const faults: Table = {
      head: ['fault', 'calls', 'repeated by clients', 'recorded as failed', 'messages', 'sent again with their key', 'broken promises'],
      rows: [
        faultRow('rolling restart', rolling),
        faultRow('database cut', cut),
        faultRow('paused', paused),
        faultRow(`${kills} kills`, killed),
      ],
    };
    const idleTable: Table = {
      head: ['idle, for each server', 'found'],
      rows: [
        row('statements an hour', perSecond(idle.statements)),
        row('rows written an hour', perSecond(idle.rows)),
        row('write-ahead log an hour', `${(idle.walBytes / MB).toFixed(1)} MB`),
        row('processor of PostgreSQL', `${(idle.processor * 100).toFixed(2)} %`),
        row('ceiling by one processor of PostgreSQL, calls/s', perSecond(1_000 / (best?.databaseMs ?? Number.NaN))),
        row(
          `ceiling by ${LOG_MB_PER_SECOND} MB/s of write-ahead log, calls/s`,
          perSecond((LOG_MB_PER_SECOND * MB) / (best?.walBytes ?? Number.NaN)),
        ),
      ],
    };
    const wrong = [...conflicts.wrong, ...[rolling, cut, paused, killed].flatMap((fault) => fault.wrong)];
    const details: Table = {
      head: ['broken promise or failed request'],
      rows: [...wrong, ...rolling.firstFailures].slice(0, 20).map((text) => [text]),
    };
    return {
      title: 'Several instances',
      method: `${SERVERS} servers, PostgreSQL with fsync, the load balancer and the clients on this machine; ${EXTENSIONS} extensions. Faults come under ${CALLS_PER_SECOND} calls/s, each with an idempotency key and repeated when its connection breaks, and two messages a second. A tool writes its key into a file, so a second run shows. Kills hit any server at a random moment.`,
      tables: [figures, calls, idleTable, faults, ...(details.rows.length === 0 ? [] : [details])],
      targets: [
        {
          target: 'no acknowledged call lost, none run twice, each message answered once',
          found: `${wrong.length} broken`,
          isMet: wrong.length === 0,
        },
        targetOf('no call reads running 15 s after a kill', killed.endedMs, 15_000),
        targetOf('a channel is taken over within 15 s', killed.failOverMs, 15_000),
        {
          target: 'no failed request in a rolling restart',
          found: `${rolling.firstFailures.length} failed`,
          isMet: rolling.firstFailures.length === 0,
        },
        {
          target: `of two saves at once, ${conflicts.rounds} times: one served, one in conflict`,
          found: `${conflicts.wrong.length} otherwise`,
          isMet: conflicts.wrong.length === 0,
        },
        {
          target: 'a save is served by all within 2 s, p95',
          found: ms(Math.max(...spread.servedMs.map((samples) => quantile(samples, 0.95)))),
          isMet: spread.servedMs.every((samples) => quantile(samples, 0.95) <= 2_000),
        },
        targetOf(`a fourth server serves ${EXTENSIONS} extensions within 10 s`, [joinedMs], 10_000),
      ],
    };
  } catch (error) {
    console.error(fleet.warnings().slice(-200).join('\n'));
    throw error;
  } finally {
    await fleet.close();
  }
}

function targetOf(target: string, samples: readonly number[], mostMs: number) {
  const worst = Math.max(...samples);
  return { target, found: samples.length === 0 ? 'not seen' : ms(worst), isMet: samples.length > 0 && worst <= mostMs };
}

function faultRow(name: string, { counts, messages, wrong }: FaultResult): string[] {
  return [
    name,
    String(counts.answered),
    String(counts.repeated),
    String(counts.failed),
    String(messages.sent),
    String(messages.sentAgain),
    String(wrong.length),
  ];
}
