import type { SoakClient } from './soak-client.ts';

/** Answered calls and messages, and whether the server still has them. */
export interface SoakLedger {
  readonly callTimes: number[];
  /** By status. */
  readonly ends: Map<string, number>;
  noteCall(id: string, status: string): void;
  noteMessage(channel: string, id: string): void;
  /** Verifies everything answered since the last check. */
  verify(client: SoakClient): Promise<void>;
  totals(): { readonly calls: number; readonly messages: number; readonly lost: readonly string[] };
}

const AT_A_TIME = 16;

export function createSoakLedger(): SoakLedger {
  let calls: { readonly id: string; readonly status: string }[] = [];
  let messages = new Map<string, Set<string>>();
  const lost: string[] = [];
  let callCount = 0;
  let messageCount = 0;

  const verifyCalls = async (client: SoakClient): Promise<void> => {
    const due = calls;
    calls = [];
    const next = due.values();
    await Promise.all(
      Array.from({ length: AT_A_TIME }, async () => {
        for (const { id, status } of next) {
          const answer = await client.ask('GET', `/api/v1/calls/${id}`);
          if (answer?.status !== 200 || answer.json['status'] !== status)
            lost.push(`call ${id}: answered as ${status}, now ${JSON.stringify(answer?.json['status'] ?? answer?.status ?? 'no answer')}`);
        }
      }),
    );
  };

  const verifyMessages = async (client: SoakClient): Promise<void> => {
    const due = messages;
    messages = new Map();
    for (const [channel, ids] of due) {
      let cursor = '';
      while (ids.size > 0) {
        const page = await client.ask('GET', `/api/v1/channels/${channel}/messages?limit=200${cursor}`);
        const listed = page?.json['messages'];
        for (const message of Array.isArray(listed) ? listed : []) ids.delete(String(Object(message).id));
        const next = page?.json['next_cursor'];
        if (typeof next !== 'string') break;
        cursor = `&cursor=${encodeURIComponent(next)}`;
      }
      for (const id of ids) lost.push(`message ${id} of ${channel}`);
    }
  };

  const ledger: SoakLedger = {
    callTimes: [],
    ends: new Map(),
    noteCall(id, status) {
      callCount += 1;
      calls.push({ id, status });
      ledger.ends.set(status, (ledger.ends.get(status) ?? 0) + 1);
    },
    noteMessage(channel, id) {
      messageCount += 1;
      const ids = messages.get(channel) ?? new Set();
      messages.set(channel, ids.add(id));
    },
    async verify(client) {
      await verifyCalls(client);
      await verifyMessages(client);
    },
    totals: () => ({ calls: callCount, messages: messageCount, lost }),
  };
  return ledger;
}
