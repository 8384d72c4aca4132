import type { JsonSchema } from '#lib/contract/tool.ts';
import { subschemas } from '#lib/contract/subschemas.ts';
import type { SchemaPath } from '#lib/contract/subschemas.ts';
import { isObject, kindOf } from './json-value.ts';

export interface LintedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

const WARNINGS_MOST = 50;

const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** Verbs of tool names. A name without one may still be good, so this is only a warning. */
const ACTIONS = new Set(
  (
    'abort accept activate add align analyse analyze annotate answer append apply approve archive ask assess assign attach authenticate authorize backup ban base64 bind block book browse build buy cache calculate call cancel capture ' +
    'cast change chart check choose classify clean clear click clone close collect combine commit compact compare compile complete compose compress compute configure confirm connect convert copy count crawl create crop cut ' +
    'deactivate debug decide declare decode decompress decrypt define delete deliver deny deploy describe destroy detect diff disable disconnect discover dispatch display divide do download draft draw drop dump duplicate ' +
    'echo edit embed emit enable encode encrypt end enqueue ensure enumerate escape estimate eval evaluate examine exchange exec execute expand explain export extend extract fail fetch fill filter finalize find finish fire fix flush ' +
    'follow forecast forget format forward generate get give go grant greet grep group guess handle hash hide highlight identify import increment index infer ingest init initialize insert inspect install interpret invert invite invoke ' +
    'join kill label launch like link list listen load locate lock log login logout lookup make map mark match measure merge migrate minify mock modify monitor mount move multiply mute navigate negate normalise normalize notify open ' +
    'optimize order organize parse paste patch pause pay perform pick pin ping plan play plot poll pop post predict prepare preview print process produce promote prompt propose provision prune publish pull purge push put query queue quote ' +
    'raise rank rate read rebase rebuild receive recommend record recover redirect redo reduce refactor refine refresh refund register reject release reload remember remind remove rename render reopen reorder repair repeat replace reply ' +
    'report request require rerun reschedule reserve reset resize resolve respond restart restore resume retrieve retry return revert review revoke rewrite roll rotate round route run sample save say scale scan schedule score scrape search ' +
    'select sell send serve set setup share show shuffle shutdown sign simulate skip sleep snapshot solve sort speak spell split star start stash stat stop store stream submit subscribe subtract suggest sum summarise summarize suspend ' +
    'swap switch sync tag tail take talk tell terminate test tokenize toggle touch trace track train transcribe transfer transform translate transpose trash trigger trim truncate turn type unarchive unblock undo unfollow uninstall unlink ' +
    'unlock unpin unsubscribe unzip update upgrade upload upsert use validate verify view visit vote wait wake walk warn watch whisper wipe withdraw work wrap write zip'
  ).split(' '),
);

const EMPTY_WORDS = new Set(
  'a an the this that is are it of for to in and or tool tools function method parameter param argument arg value input field option string number integer boolean object array list description todo tbd fixme test example some something'.split(
    ' ',
  ),
);

/** Lint warnings for a tool, never failures: what its name and descriptions lack for people and models. */
export function lintTool(tool: LintedTool): readonly string[] {
  const warnings: string[] = [];
  const words = wordsOf(tool.name);
  if (!SNAKE_CASE.test(tool.name)) warnings.push(`The name "${tool.name}" is not snake_case; "${words.join('_')}" would be.`);
  if (!words.some((word) => isAction(word)))
    warnings.push(`The name "${tool.name}" contains no verb; begin it with one, as in "get_${words.join('_')}".`);
  if (tool.description.trim() === '') warnings.push('The description is empty; say what the tool does and when to use it.');
  else if (isUninformative(tool.description, words))
    warnings.push('The description only repeats the name; say what the tool does, when to use it and what it returns.');
  const properties = isObject(tool.parameters['properties']) ? tool.parameters['properties'] : {};
  for (const [name, schema] of Object.entries(properties)) {
    if (!isObject(schema)) continue;
    const described = schema['description'] ?? (typeof schema['$ref'] === 'string' ? schema['$ref'] : undefined);
    if (typeof described !== 'string' || described.trim() === '')
      warnings.push(`The parameter "${name}" has no description; say what it means, in which unit or format.`);
    else if (schema['description'] !== undefined && isUninformative(described, wordsOf(name)))
      warnings.push(`The description of the parameter "${name}" only repeats its name; say what it means, in which unit or format.`);
  }
  return warnings.length > WARNINGS_MOST
    ? [...warnings.slice(0, WARNINGS_MOST), `And ${warnings.length - WARNINGS_MOST} more warnings.`]
    : warnings;
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function isAction(word: string): boolean {
  return ACTIONS.has(word) || /(?:ize|ise|ify)$/.test(word);
}

/** Whether a description has only filler words and words of the name. Text in a non-Latin script counts as content. */
function isUninformative(description: string, nameWords: readonly string[]): boolean {
  const known = new Set(nameWords.flatMap((word) => [word, `${word}s`, word.replace(/s$/, '')]));
  return wordsOf(description).every((word) => EMPTY_WORDS.has(word) || known.has(word));
}

/** Ends the warning for a parameter without a type. */
export const NO_TYPE = 'it has no type and accepts any JSON.';

/** Valid but probably unintended: required names without a property, invalid defaults, values without a type. */
export function lintSchema(schema: Readonly<Record<string, unknown>>, place: (path: SchemaPath) => string): readonly string[] {
  const warnings: string[] = [];
  for (const { schema: at, path } of subschemas(schema)) {
    const properties = at['properties'];
    const open =
      at['additionalProperties'] !== false &&
      (isObject(at['additionalProperties']) ||
        isObject(at['patternProperties']) ||
        Array.isArray(at['allOf']) ||
        typeof at['$ref'] === 'string');
    if (Array.isArray(at['required']) && !open && (isObject(properties) || path.length === 0)) {
      for (const name of at['required']) {
        const known = isObject(properties) && typeof name === 'string' && Object.hasOwn(properties, name);
        if (!known) warnings.push(`${place([...path, 'required'])}: ${JSON.stringify(name)} is required but is not a property.`);
      }
    }
    if (Object.hasOwn(at, 'default')) {
      const wrong = violation(at['default'], at);
      if (wrong !== null) warnings.push(`${place([...path, 'default'])}: the default is ${wrong}.`);
    }
    const isParameter = path.length === 2 && path[0] === 'properties';
    const says = ['type', 'enum', 'const', '$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'not', 'if'].some((keyword) =>
      Object.hasOwn(at, keyword),
    );
    if (isParameter && !says) warnings.push(`${place(path)}: ${NO_TYPE}`);
    if (warnings.length >= WARNINGS_MOST) break;
  }
  return warnings.slice(0, WARNINGS_MOST);
}

function violation(value: unknown, schema: Readonly<Record<string, unknown>>): string | null {
  const types: readonly unknown[] = Array.isArray(schema['type']) ? schema['type'] : schema['type'] === undefined ? [] : [schema['type']];
  if (types.length > 0 && !types.some((type) => hasType(value, type))) return `${kindOf(value)}, but the type is ${types.join(' or ')}`;
  if (Array.isArray(schema['enum']) && !schema['enum'].some((entry) => JSON.stringify(entry) === JSON.stringify(value)))
    return 'not one of the values that `enum` lists';
  return null;
}

function hasType(value: unknown, type: unknown): boolean {
  if (typeof value === 'bigint') return type === 'integer' || type === 'number';
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  return typeof value === type;
}
