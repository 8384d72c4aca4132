import { parentPort, workerData } from 'node:worker_threads';
import { endedCallSchema, probeJobSchema, type ProbeMessage } from './probe-options.ts';
import { probeTool } from './probe-tool.ts';

/**
 * Generator thread: the schema is untrusted; its patterns may hang and its values exhaust memory, which ends only this thread.
 * The parent makes the calls, one at a time.
 */
const port = parentPort;
if (port === null) throw new Error('this is started as a thread, by run-probe.ts');
const send = (word: ProbeMessage): void => port.postMessage(word);

send({ type: 'started' });
const report = await probeTool(
  (given, known) =>
    new Promise((resolve, reject) => {
      port.once('message', (ended: unknown) => {
        const read = endedCallSchema.safeParse(ended);
        if (read.success) resolve(read.data);
        else reject(read.error);
      });
      send({ type: 'call', arguments: given, report: known });
    }),
  probeJobSchema.parse(workerData),
);
send({ type: 'done', report });
