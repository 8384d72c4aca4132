import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LIMITS } from '#lib/contract/limits.ts';
import { commonEnvironment } from './extension-environment.ts';
import { readConfig } from './read-config.ts';

const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
const folder = mkdtempSync(path.join(tmpdir(), 'operating-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Rows of the table below a heading, each as its cells. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const body = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const lines = body.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const wordOf = (cell = '') => /^`([^`]*)`$/.exec(cell)?.[1] ?? null;

describe('docs/operating.md', () => {
  const variables = rowsOf('Variables').map(([name, fallback]) => ({ name: wordOf(name), fallback: wordOf(fallback) }));

  it('lists every configuration variable, and no other', () => {
    const asked = new Set<string>();
    const environment = new Proxy<Record<string, string>>(
      {},
      {
        get(_, name) {
          if (typeof name === 'string') asked.add(name);
          return undefined;
        },
      },
    );
    expect(readConfig(environment, folder)).toMatchObject({ ok: true });
    expect(new Set(variables.map(({ name }) => name))).toEqual(asked);
  });

  it('lists no variable that an extension would see', () => {
    const environment = Object.fromEntries(variables.map(({ name }) => [name ?? '', 'of the server']));
    expect(Object.keys(environment).length).toBeGreaterThan(50);
    expect(commonEnvironment(environment, ['*'])).toEqual({});
  });

  it('lists the actual defaults', () => {
    const defaults = variables.flatMap(({ name, fallback }) => (name === null || fallback === null ? [] : [[name, fallback]]));
    expect(defaults.length).toBeGreaterThan(10);
    expect(readConfig(Object.fromEntries(defaults), folder)).toEqual(readConfig({}, folder));
  });

  const MiB = 1_048_576;
  const count = (value: number) => value.toLocaleString('en');
  const KiB = (value: number) => `${value / 1_024} KiB`;
  const seconds = (value: number) => `${count(value / 1_000)} s`;
  const L = LIMITS;
  const limits: Readonly<Record<keyof typeof LIMITS, readonly [row: string, text: string]>> = {
    bodyBytes: ['body of a request', `${L.bodyBytes / MiB} MiB`],
    bodyDepth: ['body of a request', `${L.bodyDepth} levels`],
    nameLength: ['length of a name', `${L.nameLength} characters`],
    listDefault: ['entries of a list', `${L.listDefault},`],
    listMost: ['entries of a list', `at most ${L.listMost}`],
    listValueBytes: ['arguments and result in lists', KiB(L.listValueBytes)],
    callsPerExtension: ['calls of one extension at a time', count(L.callsPerExtension)],
    callsWaiting: ['waiting calls of one extension', count(L.callsWaiting)],
    callTimeoutMs: ['time of a call', `${seconds(L.callTimeoutMs)},`],
    callTimeoutMostMs: ['time of a call', `at most ${seconds(L.callTimeoutMostMs)}`],
    loadTimeoutMs: ['time to load an extension', seconds(L.loadTimeoutMs)],
    installMs: ['install of dependencies', `${L.installMs / 60_000} minutes`],
    environmentBytes: ['install of dependencies', `${L.environmentBytes / MiB / 1_024} GiB`],
    environmentUnusedMs: ['unused dependencies', `${L.environmentUnusedMs / 86_400_000} days`],
    statusTimeoutMs: ['time of `status()`', seconds(L.statusTimeoutMs)],
    drainMs: ['drain time at a reload or stop', seconds(L.drainMs)],
    channelConnectMs: ['time of `connect` and `send` of a channel', `${seconds(L.channelConnectMs)} and`],
    channelSendMs: ['time of `connect` and `send` of a channel', seconds(L.channelSendMs)],
    messageTextLength: ['message of a channel', `${count(L.messageTextLength)} characters`],
    messageSenderLength: ['sender of an inbound message', `${count(L.messageSenderLength)} characters`],
    messageMetadataBytes: ['message of a channel', KiB(L.messageMetadataBytes)],
    messagesQueued: ['queued messages of a channel', count(L.messagesQueued)],
    messageAttempts: ['attempts to send a message', `${L.messageAttempts},`],
    commandsAtOnce: ['commands of a channel', `${L.commandsAtOnce} at a time`],
    commandsWaiting: ['commands of a channel', `${count(L.commandsWaiting)} more`],
    replyLength: ['reply to a command', count(L.replyLength)],
    channelBackoffMs: ['attempts to send a message', seconds(L.channelBackoffMs)],
    channelBackoffMostMs: ['attempts to send a message', `at most ${seconds(L.channelBackoffMostMs)}`],
    resultBytes: ['result of a call', `${L.resultBytes / MiB} MiB`],
    callLogBytes: ['log of a call, log of an extension', KiB(L.callLogBytes)],
    extensionLogBytes: ['log of a call, log of an extension', KiB(L.extensionLogBytes)],
    errorMessageBytes: ['message of an error', KiB(L.errorMessageBytes)],
    extensionMemoryMb: ["memory of an extension's process", `${L.extensionMemoryMb} MiB`],
    extensionIdleSeconds: ['unused process of an extension', seconds(1_000 * L.extensionIdleSeconds)],
    sourceFileBytes: ['file edited in the dashboard', KiB(L.sourceFileBytes)],
    schemaBytes: ['schema of a tool', KiB(L.schemaBytes)],
    schemaDepth: ['schema of a tool', `${L.schemaDepth} levels`],
    schemaSubschemas: ['schema of a tool', `${count(L.schemaSubschemas)} schemas`],
    answerMs: ['answer of a caller to a question of an MCP server', '10 minutes'],
    featuresPerExtension: ['resources, resource templates and prompts of one MCP server', count(L.featuresPerExtension)],
    toolsPerExtension: ['tools of one extension', count(L.toolsPerExtension)],
    idempotencyKeyMs: ['idempotency keys', `${L.idempotencyKeyMs / 3_600_000} hours`],
    idempotencyKeys: ['idempotency keys', `at most ${count(L.idempotencyKeys)}`],
    idempotencyKeyLength: ['idempotency keys', `${L.idempotencyKeyLength} characters`],
    eventsKept: ['events kept for a resume', count(L.eventsKept)],
    eventStreams: ['event streams', count(L.eventStreams)],
    eventStreamBehindBytes: ['unread event stream', KiB(L.eventStreamBehindBytes)],
    eventHeartbeatMs: ['', ''],
    revisionsKept: ['revisions that can run again', `${L.revisionsKept} of each`],
    resourceSamplesKept: ['memory and processor time of an extension', `newest ${L.resourceSamplesKept}`],
    callsKept: ['calls kept in the history', `newest ${count(L.callsKept)}`],
    snapshotsKept: ['versions kept in the timeline', `newest ${count(L.snapshotsKept)}`],
    revisionsOnRecord: ['revisions on record', `newest ${count(L.revisionsOnRecord)} of each extension`],
    messagesKept: ['messages kept of a channel', `newest ${count(L.messagesKept)}`],
    failureRecordsKept: ['occurrences kept of a failure', `newest ${L.failureRecordsKept}`],
    statsBuckets: ['intervals of the statistics of calls', `${L.statsBuckets},`],
    statsBucketsMost: ['intervals of the statistics of calls', `at most ${L.statsBucketsMost}`],
    probeRuns: ['probe of a tool', `${L.probeRuns} runs`],
    probeMs: ['probe of a tool', seconds(L.probeMs)],
    probeThinkMs: ['probe of a tool', `${seconds(L.probeThinkMs)} between two calls`],
    savedCallsPerTool: ['saved calls', `${L.savedCallsPerTool} of each tool`],
    savedCallsListed: ['saved calls', `first ${count(L.savedCallsListed)} offered to agents`],
    savedCallNameLength: ['saved calls', `${L.savedCallNameLength} characters of a name`],
    requiredChecks: ['required checks', `${L.requiredChecks} of each extension`],
    requiredChecksAtOnce: ['required checks', `${L.requiredChecksAtOnce} at a time`],
    requiredChecksMs: ['required checks', seconds(L.requiredChecksMs)],
    failedChecksKept: ['failed checks', `the first ${L.failedChecksKept}`],
    failedCheckBytes: ['failed checks', KiB(L.failedCheckBytes)],
    savedCallBytes: ['saved calls', KiB(L.savedCallBytes)],
    callsPerSecond: ['calls from one address', `${count(L.callsPerSecond)} a second`],
    writesPerSecond: ['writes from one address', `${count(L.writesPerSecond)} a second`],
    concurrentRequests: ['calls and writes from one address at a time', count(L.concurrentRequests)],
    storageLockedMs: ['', ''],
    adminAttemptsPerMinute: ['wrong admin tokens', `${L.adminAttemptsPerMinute} a minute`],
    signInsPerTenSeconds: ['sign-in attempts', `${L.signInsPerTenSeconds} in 10 s`],
    passwordChecksAtOnce: ['password checks', `${L.passwordChecksAtOnce} at a time`],
    passwordChecksWaiting: ['password checks', `${L.passwordChecksWaiting} more`],
    sessionIdleMs: ['session', `${L.sessionIdleMs / 3_600_000} hours`],
    sessionMostMs: ['session', `${L.sessionMostMs / 86_400_000} days`],
    sessionsPerMember: ['session', `${L.sessionsPerMember} of one`],
    firstAdminLinkMs: ['first admin link, invitation', `${L.firstAdminLinkMs / 3_600_000} hours`],
    invitationMs: ['first admin link, invitation', `${L.invitationMs / 86_400_000} days`],
    invitationsOpen: ['open invitations', count(L.invitationsOpen)],
    passwordLeast: ['password', `${L.passwordLeast} to`],
    passwordMost: ['password', `to ${L.passwordMost} characters`],
    passwordGivenLength: ['password', count(L.passwordGivenLength)],
    personNameLength: ['name of a person, e-mail address', `${L.personNameLength},`],
    emailLength: ['name of a person, e-mail address', `${L.emailLength} characters`],
    tokenDays: ['API token', `${L.tokenDays} days`],
    tokenDaysMost: ['API token', `at most ${L.tokenDaysMost}`],
    tokenTools: ['API token', `${L.tokenTools} tools`],
    tokensAtOnce: ['active tokens', count(L.tokensAtOnce)],
    tokensListedMs: ['active tokens', `${L.tokensListedMs / 86_400_000} days`],
    oauthCodeMs: ['OAuth', `a code is valid for ${seconds(L.oauthCodeMs)}`],
    oauthAccessMs: ['OAuth', `an access token for ${seconds(L.oauthAccessMs)}`],
    oauthRefreshAgainMs: [
      'OAuth',
      `a used refresh token for ${seconds(L.oauthRefreshAgainMs)} more after a request with an expired access token`,
    ],
    oauthGrantMs: ['OAuth', `${L.oauthGrantMs / 86_400_000} days`],
    oauthGrantsPerMember: ['OAuth', `${L.oauthGrantsPerMember} grants`],
    oauthRegistrationsPerHour: ['OAuth clients', `${L.oauthRegistrationsPerHour} registrations`],
    oauthClientsAtOnce: ['OAuth clients', `${count(L.oauthClientsAtOnce)} registered`],
    oauthClientUnusedMs: ['OAuth clients', `${L.oauthClientUnusedMs / 86_400_000} day after`],
    oauthClientIdleMs: ['OAuth clients', `${L.oauthClientIdleMs / 86_400_000} days after`],
    oauthRedirects: ['OAuth clients', `${L.oauthRedirects} redirect`],
    oauthUrlLength: ['OAuth clients', `${count(L.oauthUrlLength)} characters`],
    serverSignInMs: ['sign-in at an MCP server', seconds(L.serverSignInMs)],
    oauthDocumentBytes: ['OAuth metadata document', KiB(L.oauthDocumentBytes)],
    oauthDocumentMs: ['OAuth metadata document', seconds(L.oauthDocumentMs)],
    oauthDocumentCachedMs: ['OAuth metadata document', seconds(L.oauthDocumentCachedMs)],
    tokenAttemptsPerMinute: ['wrong tokens', `${L.tokenAttemptsPerMinute} a minute`],
    callsPerSecondOfToken: ['calls with one token', `${L.callsPerSecondOfToken} a second`],
    streamsPerPrincipal: ['event streams of one person or token', count(L.streamsPerPrincipal)],
    toolsets: ['toolsets', `${L.toolsets} (`],
    toolsetTools: ['tools of a toolset', `${count(L.toolsetTools)} (`],
    toolsetMembers: ['members of a toolset', `${L.toolsetMembers} (`],
    toolsetTextLength: ['instructions and descriptions of a toolset', `${count(L.toolsetTextLength)} characters`],
    serversImported: ['MCP servers in one import', `${L.serversImported} (`],
    secrets: ['secrets', `${L.secrets} (`],
    secretCharacters: ['characters of a secret', `${count(L.secretCharacters)} (`],
    crashesAllowed: ['unexpected exits of a process', `${L.crashesAllowed} in`],
    crashWindowMs: ['unexpected exits of a process', `in ${seconds(L.crashWindowMs)}`],
    commentLength: ['comment on a failure', `${count(L.commentLength)} characters`],
    commentsPerGroup: ['comment on a failure', `${L.commentsPerGroup} comments`],
    reviewReasonLength: ['reason given with a status', `${L.reviewReasonLength} characters`],
    activitiesKept: ['history kept of a failure', `newest ${L.activitiesKept} entries`],
    failureGroupsKept: ['failures kept of an extension', `newest ${L.failureGroupsKept} groups`],
    sightingsKept: ['timestamps kept of a failure', `newest ${L.sightingsKept}`],
  };
  const rows = rowsOf('Limits');

  it.each(Object.entries(limits).filter(([, [row]]) => row !== ''))('lists the actual limit %s', (_, [row, text]) => {
    expect(rows.find(([what]) => what === row)?.[1]).toContain(text);
  });

  it('lists the two limits that are wait times in words', () => {
    const words = new Map([
      [5_000, 'five'],
      [15_000, '15'],
    ]);
    expect(page).toContain(`Calls wait up to ${words.get(LIMITS.storageLockedMs)} seconds`);
    const api = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    expect(api).toContain(`A comment comes every ${words.get(LIMITS.eventHeartbeatMs)} seconds`);
  });
});
