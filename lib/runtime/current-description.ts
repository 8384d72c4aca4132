import type { ExtensionLog } from './extension-log.ts';
import type { DescribeExtension, ExtensionDescription, Incident, RawDescription } from './runtime.ts';

/** What an extension describes of itself at this moment, and the place of each tool in it. */
export interface CurrentDescription {
  readonly value: ExtensionDescription;
  place(tool: string): number | undefined;
  /** The new description when it is another one; null when nothing changes. */
  take(raw: RawDescription): ExtensionDescription | null;
}

export interface CurrentDescriptionOptions {
  readonly first: ExtensionDescription;
  /** Absent: what it describes later is not listened to. */
  readonly describe: DescribeExtension | undefined;
  readonly log: ExtensionLog;
  readonly onIncident: (incident: Incident) => void;
}

export function createCurrentDescription({ first, describe, log, onIncident }: CurrentDescriptionOptions): CurrentDescription {
  let value = first;
  let places = placesOf(first);
  return {
    get value() {
      return value;
    },
    place: (tool) => places.get(tool),
    take(raw) {
      const outcome = describe?.(raw) ?? null;
      if (outcome === null) return null;
      if (!outcome.ok) {
        log.write('error', 'host', `It describes itself anew, which is not taken: ${outcome.failure.message}`, null);
        return null;
      }
      if (JSON.stringify(outcome.description) === JSON.stringify(value)) return null;
      value = outcome.description;
      places = placesOf(value);
      onIncident({ type: 'described', description: value });
      return value;
    },
  };
}

function placesOf({ tools }: ExtensionDescription): ReadonlyMap<string, number> {
  return new Map(tools.map((tool, place) => [tool.name, place]));
}
