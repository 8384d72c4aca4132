/**
 * The template to copy: `cp -r extensions/example extensions/greeting`, change the name of the tool, save. It is live at once.
 * This folder itself is left out (an extension called `example` always is), so nothing here runs until it is copied.
 *
 * An extension is a folder with a file `extension.ts` (or .mts, .js, .mjs) that exports `TOOL`, or `TOOLS` for a list.
 * The name of the folder is the id of the extension.
 */

// ToolError is an error that tells its reader what was wrong and what would be right. Types are never required.
import { ToolError } from 'switchboard';
import type { Tool } from 'switchboard';
// A helper is any other file beside this one. Saving it reloads this extension too.
import { greetingFor } from './greeting.ts';

// Optional: what the extension is for, shown in the list of extensions.
export const DESCRIPTION = 'Greets people. A template to copy.';

// Optional: how an agent should use these tools.
export const INSTRUCTIONS = 'Greet each person once. Ask for the language when it is not known.';

// What `execute` is given: the parameters below, already checked, with defaults filled in.
interface Args {
  person: string;
  language: 'en' | 'de' | 'pt';
  times: number;
}

export const TOOL: Tool<Args> = {
  // 1. Shown as a tag; tools with one label are grouped.
  label: 'example',

  // 2. Unique among all tools of all extensions. Small letters and `_`, best beginning with what it does.
  name: 'greet_person',

  // 3. What it does, for people and for models: say when to use it and what it answers.
  description: 'Greet a person by name in one of three languages and answer the greeting.',

  // 4. What it takes. Anything of JSON Schema may stand in a parameter; the form is made from it.
  parameters: {
    person: { type: 'string', required: true, minLength: 1, description: 'Who is greeted, for example: Ada' },
    language: { type: 'string', enum: ['en', 'de', 'pt'], default: 'en', description: 'English, German or Portuguese.' },
    times: { type: 'integer', default: 1, minimum: 1, maximum: 5, description: 'How often.' },
  },

  // Optional hints: this only reads, may be repeated, and stays on this machine.
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },

  // Optional: a call that takes longer is ended.
  timeout_ms: 5_000,

  // Optional: arguments to start from, one click in the form.
  examples: [{ person: 'Ada' }, { person: 'Grace', language: 'de', times: 2 }],

  // 5. The work. May be async. What it returns is the result: anything that JSON can carry.
  execute({ person, language, times }, ctx) {
    if (person.trim() === '') throw new ToolError('`person` is only spaces. Give a name, for example: Ada', { kind: 'invalid_parameters' });

    const greetings: string[] = [];
    for (let done = 0; done < times; done += 1) {
      // Stop when the call was cancelled or its time is up. Pass ctx.signal on to fetch and the like.
      ctx.signal.throwIfAborted();
      greetings.push(greetingFor(person.trim(), language));
      // Shown live while the call runs.
      ctx.progress(done + 1, times);
    }
    // Kept with the call.
    ctx.log.info(`Greeted ${person} ${times} time(s)`, { language });
    greeted += times;
    return { greeting: greetings.join(' ') };
  },
};

// Lives as long as the process of this extension: until it is saved again, or restarted.
let greeted = 0;

// Optional: shown live on the extension's page. May be async.
export function status() {
  return { greeted };
}
