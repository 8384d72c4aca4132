import type { ElicitAnswer, SampleAnswer, ToolContext } from '#lib/contract/extension-api.ts';
import type { ClientAsk } from '#lib/contract/client-asks.ts';
import type { CallerAsks } from './caller-asks.ts';

const TOKENS = 1_000;

/** `elicit` and `sample` of a tool's context. Both reject with the reason if nobody can answer. */
export function askingContext(asks: CallerAsks, call: number): Pick<ToolContext, 'elicit' | 'sample'> {
  const ask = async (question: ClientAsk): Promise<unknown> => {
    const reply = await asks.ask(call, question);
    if (reply.ok) return reply.result;
    throw new Error(reply.error.message);
  };
  return {
    async elicit(message, schema) {
      const params = { mode: 'form', message, requestedSchema: asForm(schema) };
      return (await ask({ method: 'elicitation/create', params })) as ElicitAnswer;
    },
    async sample(request) {
      const params = typeof request === 'string' ? { messages: [{ role: 'user', content: { type: 'text', text: request } }] } : request;
      return (await ask({ method: 'sampling/createMessage', params: { maxTokens: TOKENS, ...params } })) as SampleAnswer;
    },
  };
}

/** The fields alone are enough: `{ city: { type: 'string', required: true } }`. */
function asForm(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (schema['type'] === 'object') return schema;
  const fields = Object.entries(schema).map(([name, field]): [string, Record<string, unknown>] => [name, { ...(field as object) }]);
  const required = fields.filter(([, field]) => field['required'] === true).map(([name]) => name);
  for (const [, field] of fields) delete field['required'];
  return { type: 'object', properties: Object.fromEntries(fields), ...(required.length === 0 ? {} : { required }) };
}
