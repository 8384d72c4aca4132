import { startCompletion } from '@codemirror/autocomplete';
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { EditorView, Tooltip } from '@codemirror/view';
import { visibleText } from '#components/ui/visible-text.ts';
import type { FormSchema } from '../field-plan.ts';
import { comesByItself, offersAt, wordsAt } from './json-offers.ts';
import type { Offer } from './json-offers.ts';

/** What the schema offers at the cursor. */
export function complete(context: CompletionContext, form: FormSchema): CompletionResult | null {
  const text = context.state.doc.toString();
  const found = offersAt(form, text, context.pos);
  if (!context.explicit && !comesByItself(text, context.pos, found)) return null;
  return { from: found.from, to: context.pos, filter: false, options: found.offers.map((offer) => toCompletion(offer, found.to)) };
}

function toCompletion(offer: Offer, to: number): Completion {
  return {
    label: visibleText(offer.label),
    ...(offer.detail === '' ? {} : { detail: visibleText(offer.detail) }),
    ...(offer.description === null ? {} : { info: visibleText(offer.description) }),
    apply(view, _completion, from) {
      const end = Math.min(Math.max(to, view.state.selection.main.head), view.state.doc.length);
      view.dispatch({
        changes: { from, to: end, insert: offer.insert },
        selection: { anchor: from + offer.caret },
        scrollIntoView: true,
        userEvent: 'input.complete',
      });
      if (offer.leadsOn) startCompletion(view);
    },
  };
}

/** What the schema says where the mouse rests; as text, since it is foreign. */
export function hoverAt(view: EditorView, pos: number, form: FormSchema): Tooltip | null {
  const words = wordsAt(form, view.state.doc.toString(), pos);
  if (words === null) return null;
  return {
    pos: words.from,
    end: words.to,
    above: true,
    create() {
      const dom = document.createElement('div');
      dom.className = 'foreign max-w-80 p-2 text-sm';
      for (const [index, line] of [words.title, ...words.lines].entries()) {
        const row = dom.appendChild(document.createElement('p'));
        row.textContent = visibleText(line);
        if (index === 0) row.className = 'font-medium';
      }
      return { dom };
    },
  };
}
