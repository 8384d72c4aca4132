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
  readonly answer: SchemaName | MediaType | Redirection;
  /** Refusals of its own. */
  readonly problems?: readonly ProblemCode[];
}

/** An answer that is not JSON of a named shape. */
export interface MediaType {
  /** Which of them it is the request says. */
  readonly mediaTypes: readonly string[];
  readonly description: string;
}

/** An answer that leads a browser on. */
export interface Redirection {
  /** In words: where to. */
  readonly redirects: string;
}
