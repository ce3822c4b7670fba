/** Runs Code nodes in the sandbox, and does for them what needs the server. */
import type { Clock, Network } from '#core/host';
import type { Binary } from '#core/workflow-format';
import type { CodeScope } from '../expressions/code-scope.ts';
import { packItem, packShared } from '../expressions/pack.ts';
import { currentItems } from '../expressions/read-path.ts';
import type { CodeRequest, CodeReturn } from '../node-api/node-context.ts';
import { CodeError, NodeError } from '../node-api/node-error.ts';
import type { CodeFailure, CodeOutcome, CodeScript } from './code-script.ts';
import { readCode } from './code-syntax.ts';
import { httpRequest } from './http-request.ts';
import type { SandboxPool } from './pool.ts';
import { SandboxFailure } from './thread-client.ts';

export async function runCode(
  request: CodeRequest,
  scope: CodeScope,
  parts: { pool: SandboxPool; network: Network; clock: Clock },
  signal: AbortSignal,
): Promise<CodeReturn[]> {
  const syntax = readCode(request.code);
  if ('mistake' in syntax) return [{ error: new CodeError(syntax.mistake, { name: 'SyntaxError' }) }];
  const indexes = request.mode === 'eachItem' ? currentItems(scope).map((_, index) => index) : [0];
  const { uses } = syntax;
  const script: CodeScript = {
    code: request.code,
    mode: request.mode,
    ...(request.given !== undefined && { given: JSON.stringify(request.given) }),
    shared: packShared(scope, uses),
    items: indexes.map((index) => packItem(scope, uses, index)),
    goOn: scope.goOn,
    staticData: {
      global: JSON.stringify(scope.staticData('global')),
      node: JSON.stringify(scope.staticData('node')),
    },
  };
  const call = (method: string, args: unknown[]) => serve(method, args, scope, parts, signal);
  try {
    const result = await parts.pool.runCode(script, { call, console: scope.console }, signal);
    for (const kind of ['global', 'node'] as const) {
      const changed = result.staticData?.[kind];
      if (changed !== undefined) replace(scope.staticData(kind), JSON.parse(changed));
    }
    Object.assign(scope.execution.customData, result.customData);
    return result.outcomes.map(returned);
  } catch (error) {
    if (!(error instanceof SandboxFailure)) throw error;
    return [{ error: codeError(error.failure) }];
  }
}

function returned(outcome: CodeOutcome): CodeReturn {
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
  // What the server's own variables refuse is no mistake in a line.
  const plain = line === undefined || failure.name === 'ExpressionError';
  return new CodeError(plain ? message : `${message} [line ${line}]`, {
    name: failure.name === 'ExpressionError' ? failure.name : 'WrappedExecutionError',
    description: failure.description ?? null,
  });
}

/** What code asks for while it runs. */
async function serve(
  method: string,
  args: unknown[],
  scope: CodeScope,
  parts: { network: Network; clock: Clock },
  signal: AbortSignal,
): Promise<unknown> {
  switch (method) {
    case 'httpRequest':
      return httpRequest(args[0] as never, parts, signal);
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

function replace(target: Record<string, unknown>, values: Record<string, unknown>): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, values);
}
