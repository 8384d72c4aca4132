import type { ProblemCode } from '#lib/contract/problems.ts';
import type { QueryName, SchemaName } from './api-schemas.ts';

/**
 * What a route takes and gives, as the OpenAPI document says it. What follows from the route table (a body, the admin token),
 * and what any request can be refused for, is not repeated.
 */
export interface Operation {
  /** Unique; what generated clients call it. */
  readonly id: string;
  readonly summary: string;
  readonly tag:
    | 'calls'
    | 'tools'
    | 'saved calls'
    | 'extensions'
    | 'snapshots'
    | 'channels'
    | 'failures'
    | 'sources'
    | 'accounts'
    | 'server';
  /** What stands in the path. */
  readonly parameter?: string;
  readonly query?: QueryName;
  readonly body?: SchemaName;
  readonly answer: SchemaName | MediaType;
  /** Refusals of its own. */
  readonly problems?: readonly ProblemCode[];
}

/** An answer that is not JSON of a named shape. */
export interface MediaType {
  readonly mediaType: string;
  readonly description: string;
}
