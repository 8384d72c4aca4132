import { bigintsIn, NOT_EXACT, withExactIntegers } from '#lib/contract/big-integers.ts';
import { readStack } from './stack-frames.ts';
import { toCallError } from './thrown.ts';
import { toJsonText } from './to-json.ts';
import type { HostMessage } from '../messages.ts';
import type { LogWriter } from './console-capture.ts';
import type { HostLink } from './host-link.ts';
import type { ModuleExports } from './load-module.ts';

/** The three functions of a channel, called when the host asks for them. */
export interface ChannelProgram {
  handle(message: Extract<HostMessage, { type: 'channel' }>, payload: Buffer): Promise<void>;
}

export interface ChannelProgramOptions {
  readonly extension: string;
  readonly exports: ModuleExports;
  readonly ownFolders: readonly string[];
  readonly childProgram: string;
  readonly link: HostLink;
  readonly writer: LogWriter;
}

/** Much more than a message may have. */
const MESSAGE_BYTES = 786_432;
const TOO_LARGE =
  '`recv` returned a message of more than 786,432 bytes as JSON. Put what is large into a file, and the name of the file into `metadata`.';

export function createChannelProgram({
  extension,
  exports,
  ownFolders,
  childProgram,
  link,
  writer,
}: ChannelProgramOptions): ChannelProgram {
  return {
    async handle({ id, step }, payload) {
      const answer = (how: 'done' | 'threw' | 'invalid', text = ''): void => link.send({ type: 'channel', id, how }, text);
      const argsText = payload.toString('utf8');
      const args = JSON.parse(argsText) as readonly unknown[];
      const exact = withExactIntegers(argsText, args);
      const [rounded] = exact === args ? [] : bigintsIn(exact);
      // JavaScript would round it without a word.
      if (rounded !== undefined) return answer('invalid', `${rounded.path.slice(1).join('/')}: ${NOT_EXACT}`);
      try {
        const value: unknown = await call(exports, step, args);
        if (step !== 'recv') return answer('done');
        const json = toJsonText(value, MESSAGE_BYTES);
        if (json.ok) return answer('done', json.text);
        answer('invalid', json.kind === 'result_too_large' ? TOO_LARGE : json.message.replace(/^The result/, 'What `recv` returned'));
      } catch (thrown) {
        const { text } = readStack(thrown, ownFolders, childProgram);
        if (text !== null) writer.trace(0, `\`${step}\` threw ${text}`);
        answer('threw', toCallError(thrown, extension).message);
      }
    },
  };
}

async function call(exports: ModuleExports, step: string, args: readonly unknown[]): Promise<unknown> {
  const run = exports[step];
  if (typeof run !== 'function') throw new Error(`\`${step}\` is no longer a function; something in the file replaced it`);
  return Reflect.apply(run, undefined, args);
}
