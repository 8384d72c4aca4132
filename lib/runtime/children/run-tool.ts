import { RUN_PLAN_EXPORT } from '#lib/contract/run-plan.ts';
import type { RunPlan } from '#lib/contract/run-plan.ts';
import { createDateReviver } from './revive-dates.ts';

/** The builder's plan in the program of a one-file tool; null in other programs. */
export function runPlanOf(exports: Readonly<Record<string, unknown>>): RunPlan | null {
  // From the builder, of the same version as this program: trusted.
  return Object.hasOwn(exports, RUN_PLAN_EXPORT) ? (exports[RUN_PLAN_EXPORT] as RunPlan) : null;
}

/** The exported `run` as a tool: maps the arguments of a call to the function's parameters, in order. */
export function createRunTool(exports: Readonly<Record<string, unknown>>): object | null {
  const plan = runPlanOf(exports);
  if (plan === null) return null;
  const revive = createDateReviver(plan.hints?.parameters ?? {}, plan.dates);
  return {
    name: plan.name,
    execute(args: Record<string, unknown>, context: unknown): unknown {
      const { run } = exports;
      if (typeof run !== 'function') throw new Error(`\`run\` of ${plan.name} is no longer a function; something in the file replaced it`);
      return Reflect.apply(run, undefined, inOrder(plan, revive(args), context));
    },
  };
}

function inOrder(plan: RunPlan, args: unknown, context: unknown): readonly unknown[] {
  const given = typeof args === 'object' && args !== null ? args : {};
  const read = (name: string): unknown => (Object.hasOwn(given, name) ? Reflect.get(given, name) : undefined);
  return plan.arguments.flatMap((argument): readonly unknown[] => {
    switch (argument.from) {
      case 'parameter':
        return [read(argument.name)];
      case 'rest': {
        const values = read(argument.name);
        return Array.isArray(values) ? values : [];
      }
      case 'object':
        return [argument.names === null ? given : pick(given, argument.names)];
      case 'context':
        return [context];
    }
  });
}

function pick(given: object, names: readonly string[]): object {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, Reflect.get(given, name)]));
}
