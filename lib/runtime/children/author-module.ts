/** What `import … from 'switchboard'` is at run time: the one value an extension's author may want. The types are in the contract. */
export { ToolError } from '#lib/contract/extension-api.ts';
