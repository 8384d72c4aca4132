import { isValidName, NAME_RULE } from '#lib/contract/names.ts';
import { LIMITS } from '#lib/contract/limits.ts';
import { ok, refuse } from '#lib/contract/result.ts';
import type { Result } from '#lib/contract/result.ts';
import type { Tool } from '#lib/contract/tool.ts';
import { estimateTokens, faultOfToolset, listedTools, scopeTools } from '#lib/contract/toolset.ts';
import type { PutToolset, ScopedTool, Toolset, ToolsetDetail, ToolsetList } from '#lib/contract/toolset.ts';
import type { ToolsetRow } from '#lib/store/toolset-repository.ts';
import type { Store } from '#lib/store/store.ts';
import type { Actor } from './host.ts';

/** Selections of tools for agents. A toolset stays when its tools are removed, and works again when they return. */
export interface HostToolsets {
  list(): ToolsetList;
  /**
   * Refused if it does not exist or is not for this member; the cost does not depend on the number of its tools.
   * @param member null without accounts
   */
  find(name: string, member: string | null): Result<null>;
  get(name: string): Result<ToolsetDetail>;
  /** Its tools as agents see them, and its instructions; null if it does not exist. */
  scope(name: string): { readonly tools: readonly ScopedTool[]; readonly instructions: string } | null;
  put(name: string, asked: PutToolset, actor: Actor): Promise<Result<ToolsetDetail>>;
  /** Returns the removed toolset. Its tokens no longer work. */
  remove(name: string, actor: Actor): Promise<Result<Toolset>>;
}

export interface RunningHostToolsets {
  readonly host: HostToolsets;
  /** Reads all toolsets again, because another server changed one. */
  refresh(): Promise<void>;
}

/** @param changed called after each change; `isOwn`: made on this server */
export async function createHostToolsets(
  toolsets: Store['toolsets'],
  tools: { list(): { readonly tools: readonly Tool[] } },
  changed: (isOwn: boolean) => void,
): Promise<RunningHostToolsets> {
  let known = new Map<string, ToolsetRow>();
  const read = async (): Promise<void> => {
    known = new Map((await toolsets.list()).map((row) => [row.name, row]));
  };
  await read();

  const finder = (): ((name: string) => Tool | undefined) => {
    const byName = new Map(tools.list().tools.map((tool) => [tool.name, tool]));
    return (name) => byName.get(name);
  };

  const show = (row: ToolsetRow, find: (name: string) => Tool | undefined): ToolsetDetail => {
    const preview = listedTools(scopeTools(row.tools, find));
    const { name, title, instructions } = row;
    return {
      name,
      title,
      instructions,
      tools: row.tools,
      members: row.members ?? null,
      estimated_tokens: estimateTokens(preview, instructions),
      missing: [...new Set(row.tools.map(({ tool }) => tool).filter((tool) => find(tool) === undefined))],
      updated_at: row.updatedAt,
      updated_by: row.updatedBy,
      preview: preview.map((tool) => ({ ...tool })),
    };
  };

  const summary = (row: ToolsetRow, find: (name: string) => Tool | undefined): Toolset => {
    const { preview: _preview, ...shown } = show(row, find);
    return shown;
  };

  return {
    async refresh() {
      await read();
      changed(false);
    },
    host: {
      list() {
        const find = finder();
        return { toolsets: [...known.values()].map((row) => summary(row, find)) };
      },
      find(name, member) {
        const row = known.get(name);
        if (row === undefined) return unknown(name);
        const { members = null } = row;
        if (members === null || member === null || members.includes(member)) return ok(null);
        return refuse('not_allowed', `Toolset “${name}” is limited to some members. Ask an author to add you.`);
      },
      get(name) {
        const row = known.get(name);
        return row === undefined ? unknown(name) : ok(show(row, finder()));
      },
      scope(name) {
        const row = known.get(name);
        return row === undefined ? null : { tools: scopeTools(row.tools, finder()), instructions: row.instructions };
      },
      async put(name, asked, actor) {
        if (!isValidName(name))
          return refuse('resource_name_invalid', `“${name.slice(0, 80)}” cannot be the name of a toolset. A name is ${NAME_RULE}.`);
        const find = finder();
        const fault = faultOfToolset(asked, find);
        if (fault !== null) return refuse('body_fields_invalid', `${fault.path}: ${fault.message}`, { extra: { issues: [fault] } });
        const row: ToolsetRow = { name, ...asked, updatedAt: new Date().toISOString(), updatedBy: actor.name };
        if ((await toolsets.put(row, LIMITS.toolsets)) === 'full')
          return refuse('state_conflict', `There are ${LIMITS.toolsets} toolsets already. Delete one that is not used.`);
        known = new Map([...known, [name, row] as const].toSorted(([one], [other]) => (one < other ? -1 : 1)));
        changed(true);
        return ok(show(row, find));
      },
      async remove(name) {
        const row = known.get(name);
        if (!(await toolsets.remove(name)) || row === undefined) return unknown(name);
        known.delete(name);
        changed(true);
        return ok(summary(row, finder()));
      },
    },
  };
}

function unknown(name: string): Result<never> {
  return refuse('toolset_not_found', `Toolset “${name.slice(0, 80)}” not found. GET /api/v1/toolsets lists all toolsets.`);
}
