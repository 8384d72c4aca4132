const EXPRESSION = /\{[+#./;?&]?([^{}]+)\}/g;

/** Names of the variables of a URI template (RFC 6570), each once. */
export function variablesOf(template: string): readonly string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, list = '']) =>
    list.split(',').map((variable) => variable.replace(/(?:\*|:\d+)$/, '').trim()),
  );
  return [...new Set(names.filter((name) => name !== ''))];
}
