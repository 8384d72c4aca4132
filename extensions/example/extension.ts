/**
 * The template to copy: `cp -r extensions/example extensions/greeting`, change the name of the tool, save. It is served at once.
 * An extension called `example` is always excluded, so nothing here runs until you copy it.
 *
 * An extension is a folder with a file `extension.ts` (or .mts, .js, .mjs) that exports `TOOL`, or `TOOLS` for a list.
 * The name of the folder is the id of the extension.
 */

// ToolError says what was wrong and what is right. Types are optional.
import { ToolError } from 'switchboard';
import type { Tool } from 'switchboard';
// A helper is any other file beside this one. Saving it reloads this extension too.
import { greetingFor } from './greeting.ts';

// Optional: what the extension is for, shown in the list of extensions.
export const DESCRIPTION = 'Greets people. A template to copy.';

// Optional: how an agent should use these tools.
export const INSTRUCTIONS = 'Greet each person once. Ask for the language when it is not known.';

// Arguments of `execute`: validated, with defaults filled in.
interface Args {
  person: string;
  language: 'en' | 'de' | 'pt';
  times: number;
}

export const TOOL: Tool<Args> = {
  // 1. A tag that groups tools.
  label: 'example',

  // 2. Globally unique. snake_case, starting with a verb.
  name: 'greet_person',

  // 3. For people and models: what it does, when to use it, what it returns.
  description: 'Greet a person by name in one of three languages and answer the greeting.',

  // 4. Its parameters, with any JSON Schema keyword. The form is generated from them.
  parameters: {
    person: { type: 'string', required: true, minLength: 1, description: 'Who is greeted, for example: Ada' },
    language: { type: 'string', enum: ['en', 'de', 'pt'], default: 'en', description: 'English, German or Portuguese.' },
    times: { type: 'integer', default: 1, minimum: 1, maximum: 5, description: 'How often.' },
  },

  // Optional hints: this only reads, may be repeated, and stays on this machine.
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },

  // Optional: timeout of a call.
  timeout_ms: 5_000,

  // Optional: example arguments, offered in the form.
  examples: [{ person: 'Ada' }, { person: 'Grace', language: 'de', times: 2 }],

  // 5. The implementation. May be async. Returns any JSON value.
  execute({ person, language, times }, ctx) {
    if (person.trim() === '') throw new ToolError('`person` is only spaces. Give a name, for example: Ada', { kind: 'invalid_parameters' });

    const greetings: string[] = [];
    for (let done = 0; done < times; done += 1) {
      // Stop on cancellation or timeout. Pass ctx.signal to fetch.
      ctx.signal.throwIfAborted();
      greetings.push(greetingFor(person.trim(), language));
      // Shown live while the call runs.
      ctx.progress(done + 1, times);
    }
    // Recorded with the call.
    ctx.log.info(`Greeted ${person} ${times} time(s)`, { language });
    greeted += times;
    return { greeting: greetings.join(' ') };
  },
};

// Lives as long as the process: until the next save, restart or crash.
let greeted = 0;

// Optional: shown live on the extension's page. May be async.
export function status() {
  return { greeted };
}
