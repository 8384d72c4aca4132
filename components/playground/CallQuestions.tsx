'use client';

import { ExternalLink } from 'lucide-react';
import { type ReactNode, type Ref, useMemo, useRef, useState } from 'react';
import { McpContentView, hostOfLink } from '#components/calls/result/McpContentView.tsx';
import { ToolForm } from '#components/tool-form/ToolForm.tsx';
import { focusFirstField } from '#components/tool-form/form-focus.ts';
import { planForm } from '#components/tool-form/form-plan.ts';
import { isJsonObject } from '#components/tool-form/json-text.ts';
import { startPayload } from '#components/tool-form/payload.ts';
import { useCheck } from '#components/tool-form/use-check.ts';
import { Button } from '#components/ui/Button.tsx';
import { Field, Form, Textarea } from '#components/ui/Field.tsx';
import { ProblemLine } from '#components/ui/ProblemLine.tsx';
import { useAnswerCall } from '#lib/client/mutations.ts';
import { parseExactJson } from '#lib/contract/exact-json.ts';
import type { Call } from '#lib/contract/call.ts';
import type { CallQuestion } from '#lib/contract/client-asks.ts';

/** What an MCP server asks while the call runs: a form, an address to open, or a message in place of a language model. */
export function CallQuestions({ call }: { call: Call }) {
  return (
    <>
      {(call.questions ?? []).map((question, at) => (
        <Question key={question.id} callId={call.id} question={question} name={at === 0 ? 'Answer' : `Answer ${at + 1}`} />
      ))}
    </>
  );
}

function Question({ callId, question, name }: { callId: string; question: CallQuestion; name: string }) {
  const { params, method } = question;
  const answer = useAnswerCall(callId);
  const shared: AnswerProps = { question, answer };
  const message = typeof params['message'] === 'string' ? params['message'] : '';
  const asks = method === 'sampling/createMessage' ? 'The server asks for a message of a language model' : message;
  return (
    <section aria-label="Question of the server" className="flex min-w-0 flex-col gap-3 rounded border border-running bg-running-soft p-3">
      <p role="status" className="foreign font-medium">
        {asks === '' ? 'The server has a question' : asks}
      </p>
      {method === 'sampling/createMessage' ? (
        <MessageAnswer {...shared} />
      ) : params['mode'] === 'url' ? (
        <AddressAnswer {...shared} />
      ) : (
        <FormAnswer {...shared} name={name} />
      )}
      <ProblemLine error={answer.error} />
    </section>
  );
}

interface AnswerProps {
  question: CallQuestion;
  answer: ReturnType<typeof useAnswerCall>;
}

/** The form of the tool is on the page too, so the fields of this one are nested in a property with a unique name. */
function FormAnswer({ question: { id, params }, answer, name: latestName }: AnswerProps & { name: string }) {
  const schemaText = JSON.stringify(params['requestedSchema'] ?? {});
  // The index of the question may change while it is answered.
  const [name] = useState(latestName);
  const { form, parameters } = useMemo(() => {
    const parsed = parseExactJson(schemaText);
    const requested = { type: 'object', ...(isJsonObject(parsed) ? parsed : {}) };
    const whole = { type: 'object', properties: { [name]: requested }, required: [name] };
    return { form: planForm(whole), parameters: whole };
  }, [schemaText, name]);
  const [payload, setPayload] = useState(() => startPayload(form));
  const { checkAll, ...checked } = useCheck(parameters, payload, null, true);
  const root = useRef<HTMLFormElement>(null);

  async function send() {
    const found = await checkAll();
    const wrong = found.map(({ path }) => path);
    if (wrong.length > 0) return focusFirstField(root.current, wrong);
    const content = payload[name];
    answer.mutate({ question: id, action: 'accept', content: isJsonObject(content) ? content : {} });
  }

  return (
    <AnswerForm id={id} answer={answer} accept="Send answer" onAccept={() => void send()} root={root}>
      <div className="rounded bg-panel p-3">
        <ToolForm {...checked} form={form} payload={payload} onChange={setPayload} disabled={answer.isPending} />
      </div>
    </AnswerForm>
  );
}

function AddressAnswer({ question: { id, params }, answer }: AnswerProps) {
  const url = typeof params['url'] === 'string' ? params['url'] : '';
  const host = hostOfLink(url);
  return (
    <AnswerForm id={id} answer={answer} accept="I opened it" onAccept={() => answer.mutate({ question: id, action: 'accept' })}>
      <code className="min-w-0 text-sm break-all">{url}</code>
      {host === null ? (
        <p className="text-sm text-muted">Only http and https links can be opened.</p>
      ) : (
        <Button size="sm" asChild className="self-start">
          <a href={url} target="_blank" rel="noopener noreferrer nofollow">
            <ExternalLink />
            Open {host}
          </a>
        </Button>
      )}
    </AnswerForm>
  );
}

function MessageAnswer({ question: { id, params }, answer }: AnswerProps) {
  const [text, setText] = useState('');
  const messages: readonly unknown[] = Array.isArray(params['messages']) ? params['messages'] : [];
  const system = params['systemPrompt'];
  return (
    <AnswerForm id={id} answer={answer} accept="Send message" onAccept={() => answer.mutate({ question: id, action: 'accept', text })}>
      <ol aria-label="Messages for the model" className="flex min-w-0 flex-col gap-2 rounded bg-panel p-3">
        {typeof system === 'string' && system !== '' ? <PromptMessage by="system" content={{ type: 'text', text: system }} /> : null}
        {[...messages.entries()].map(([at, message]) =>
          isJsonObject(message) ? <PromptMessage key={at} by={String(message['role'])} content={message['content']} /> : null,
        )}
      </ol>
      <Field label="Message in place of the model" required>
        <Textarea required value={text} onChange={(event) => setText(event.target.value)} />
      </Field>
    </AnswerForm>
  );
}

function PromptMessage({ by, content }: { by: string; content: unknown }) {
  const parts = (Array.isArray(content) ? content : [content]).flatMap((part: unknown) =>
    isJsonObject(part) && typeof part['type'] === 'string' ? [{ ...part, type: part['type'] }] : [],
  );
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <span className="text-xs font-medium text-muted">{by}</span>
      <McpContentView result={{ content: parts, structuredContent: undefined, isError: false }} label={`Message of ${by}`} />
    </li>
  );
}

interface AnswerFormProps {
  id: string;
  answer: AnswerProps['answer'];
  accept: string;
  onAccept: () => void;
  root?: Ref<HTMLFormElement> | undefined;
  children: ReactNode;
}

function AnswerForm({ id, answer, accept, onAccept, root, children }: AnswerFormProps) {
  return (
    <Form ref={root} noValidate={root !== undefined} onSubmit={onAccept} className="flex min-w-0 flex-col gap-3">
      {children}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" pending={answer.isPending}>
          {accept}
        </Button>
        <Button onClick={() => answer.mutate({ question: id, action: 'decline' })}>Decline</Button>
      </div>
    </Form>
  );
}
