import type { LoadedProcess } from './loaded-process.ts';
import type { PendingCall } from './pending-call.ts';
import type { ExtensionDescription } from './runtime.ts';
import type { SchemaGuard } from './schema-guard.ts';

/**
 * A process whose language has no validator of its own: arguments are checked, and their defaults filled in, on their way
 * there, results that have a schema on their way back. To its owner it is a loaded process like any other.
 */
export function createCheckedProcess(loaded: LoadedProcess, description: ExtensionDescription, guard: SchemaGuard): LoadedProcess {
  const schemas = description.tools.map((tool) => ({
    parameters: JSON.stringify(tool.parameters),
    result: tool.outputSchema === null ? null : JSON.stringify(tool.outputSchema),
  }));
  const carried = new WeakMap<PendingCall, PendingCall>();

  const withCheckedResult = (call: PendingCall, schema: string | null): PendingCall => ({
    tool: call.tool,
    hooks: call.hooks,
    isSettled: call.isSettled,
    progress: call.progress,
    settle(outcome) {
      carried.delete(call);
      if (schema === null || outcome.status !== 'succeeded') return call.settle(outcome);
      void guard.check(schema, 'result', outcome.resultText).then((checked) => {
        call.settle(checked.ok ? outcome : { status: 'failed', error: checked.error });
      });
    },
  });

  return {
    ...loaded,
    begin(call, tool, argsText) {
      const schema = schemas[tool];
      if (schema === undefined) return loaded.begin(call, tool, argsText);
      void guard.check(schema.parameters, 'arguments', argsText).then((checked) => {
        if (call.isSettled()) return;
        if (!checked.ok) return call.settle({ status: 'failed', error: checked.error });
        const carrier = withCheckedResult(call, schema.result);
        carried.set(call, carrier);
        loaded.begin(carrier, tool, checked.text);
      });
    },
    async validate(tool, argsText) {
      const schema = schemas[tool];
      if (schema === undefined) return null;
      const checked = await guard.check(schema.parameters, 'arguments', argsText);
      if (checked.ok) return [];
      return checked.error.issues ?? [{ path: '', keyword: 'unavailable', message: checked.error.message }];
    },
    abandon(call, reason) {
      const carrier = carried.get(call);
      carried.delete(call);
      if (carrier !== undefined) loaded.abandon(carrier, reason);
    },
  };
}
