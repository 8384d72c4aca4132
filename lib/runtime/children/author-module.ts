/** The runtime exports of `import … from 'switchboard'`. The types are in the contract. */
export { ToolError } from '#lib/contract/extension-api.ts';
