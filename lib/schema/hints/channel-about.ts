import type { ChannelAbout } from '#lib/contract/run-plan.ts';
import { docBefore, parseDoc } from './doc-comment.ts';
import type { ModuleText } from './module-text.ts';

/** Description of a channel: the doc comment at the top of its file, else that of `connect`. */
export function readChannelAbout(module: ModuleText): ChannelAbout {
  return { description: topDoc(module) || docOfFunction(module, 'connect') };
}

/** Before the first statement; directly before a function the comment describes that function. */
function topDoc(module: ModuleText): string {
  const first = module.body[0]?.start ?? module.source.length;
  const top = module.comments.find((comment) => comment.end <= first && comment.type === 'Block' && comment.value.startsWith('*'));
  if (top === undefined) return '';
  const belongsToFirst = /^[^\S\n]*\n?[^\S\n]*$/.test(module.source.slice(top.end, first));
  if (belongsToFirst && functionName(module.body[0]) !== null) return '';
  return parseDoc(top.value, top.start).text;
}

function docOfFunction(module: ModuleText, name: string): string {
  const found = module.body.find((statement) => functionName(statement) === name);
  return found === undefined ? '' : docBefore(module, found.start).text;
}

function functionName(statement: ModuleText['body'][number] | undefined): string | null {
  const declared = statement?.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declared?.type === 'FunctionDeclaration') return declared.id?.name ?? null;
  if (declared?.type !== 'VariableDeclaration') return null;
  const [variable] = declared.declarations;
  const isFunction = variable?.init?.type === 'ArrowFunctionExpression' || variable?.init?.type === 'FunctionExpression';
  return isFunction && variable.id.type === 'Identifier' ? variable.id.name : null;
}
