/** Runs the code of nodes in the sandbox, and serves its calls of the server. */
import type { Clock, Network } from '#core/host';
import type { Binary } from '#core/workflow-format';
import type { CodeScope } from '../expressions/code-scope.ts';
import { packItem, packShared } from '../expressions/pack-scope.ts';
import { currentItems } from '../expressions/read-path.ts';
import type { CodeReturn, CodeRunRequest } from '../node-api/node-context.ts';
import { CodeError, NodeError } from '../node-api/node-error.ts';
import type { CodeFailure, CodeOutcome, CodeScript } from './code-script.ts';
import { parseCode } from './code-syntax.ts';
import { sandboxHttpRequest } from './http-request.ts';
import type { SandboxPool } from './pool.ts';
import { noPython } from './python/no-python.ts';
import type { PythonPool } from './python/python-pool.ts';
import { pythonUses } from './python/python-uses.ts';
import { SandboxError } from './thread-client.ts';

/**
 * Runs code once for all items, or once for each. Static data and custom data that the code changed are written back to
 * the scope. Rejects with the signal's reason; failures of the code are among the results.
 */
export async function runCode(
  request: CodeRunRequest,
  scope: CodeScope,
  parts: { pool: SandboxPool; python?: PythonPool | undefined; network: Network; clock: Clock },
  signal: AbortSignal,
): Promise<CodeReturn[]> {
  const isPython = request.language === 'python';
  const pool = isPython ? parts.python : parts.pool;
  if (!pool) throw new NodeError(noPython());
  const syntax = isPython ? { uses: pythonUses(request.code) } : parseCode(request.code);
  if ('syntaxError' in syntax) return [{ error: new CodeError(syntax.syntaxError, { name: 'SyntaxError' }) }];
  const indexes = request.mode === 'eachItem' ? currentItems(scope).map((_, index) => index) : [0];
  const { uses } = syntax;
  const script: CodeScript = {
    code: request.code,
    mode: request.mode,
    ...(request.input !== undefined && { input: JSON.stringify(request.input) }),
    shared: packShared(scope, uses),
    items: indexes.map((index) => packItem(scope, uses, index)),
    continueOnFail: scope.continueOnFail,
    staticData: {
      global: JSON.stringify(scope.staticData('global')),
      node: JSON.stringify(scope.staticData('node')),
    },
  };
  const call = (method: string, args: unknown[]) => serveCall(method, args, scope, parts, signal);
  try {
    const result = await pool.runCode(script, { call, console: scope.console }, signal);
    for (const kind of ['global', 'node'] as const) {
      const changed = result.staticData?.[kind];
      if (changed !== undefined) replaceEntries(scope.staticData(kind), JSON.parse(changed));
    }
    Object.assign(scope.execution.customData, result.customData);
    return result.outcomes.map(codeReturn);
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return [{ error: codeError(error.failure) }];
  }
}

function codeReturn(outcome: CodeOutcome): CodeReturn {
  if ('failure' in outcome) return { error: codeError(outcome.failure) };
  return { value: outcome.json === undefined ? undefined : JSON.parse(outcome.json) };
}

function codeError(failure: CodeFailure): NodeError {
  const { kind, message, line, itemIndex } = failure;
  if (kind !== 'thrown') {
    return new NodeError(`The code was stopped: ${message}`, {
      description:
        kind === 'crashed'
          ? 'Run it again; when it happens again, make the code smaller.'
          : 'Look for a loop that does not end, or work on fewer items at a time (Loop Over Items).',
    });
  }
  if (failure.refused) {
    return new NodeError(`${message} [line ${line ?? 1}, for item ${itemIndex ?? 0}]`, {
      description: failure.description ?? null,
    });
  }
  // Errors of the server's own variables do not name a line.
  const withoutLine = line === undefined || failure.name === 'ExpressionError';
  return new CodeError(withoutLine ? message : `${message} [line ${line}]`, {
    name: failure.name === 'ExpressionError' ? failure.name : 'WrappedExecutionError',
    description: failure.description ?? null,
  });
}

/** Answers a call that code makes while it runs. */
async function serveCall(
  method: string,
  args: unknown[],
  scope: CodeScope,
  parts: { network: Network; clock: Clock },
  signal: AbortSignal,
): Promise<unknown> {
  switch (method) {
    case 'httpRequest':
      return sandboxHttpRequest(args[0] as never, parts, signal);
    case 'binaryBytes':
      return scope.binary.bytes(args[0] as Binary);
    case 'prepareBinary': {
      const [data, fileName, mimeType] = args as [Uint8Array, string | null, string | null];
      return scope.binary.prepare(data, {
        ...(fileName && { fileName }),
        ...(mimeType && { mimeType }),
      });
    }
    default:
      throw new Error(`${method} does not exist`);
  }
}

function replaceEntries(target: Record<string, unknown>, values: Record<string, unknown>): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, values);
}
