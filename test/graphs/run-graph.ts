/** Runs a prompt on a server, and says how it ended. */

import type { ApiPrompt } from './graph-files.ts';
import type { ImageServer } from './graph-server.ts';

export type Outcome =
  | { kind: 'ran'; seconds: number }
  /** `reason` of a graph that the server refuses, or of the node that failed. */
  | { kind: 'refused' | 'failed' | 'cancelled'; reason: string };

/** A graph with small files takes no longer. */
const LIMIT = 300_000;

export async function runGraph(server: ImageServer, prompt: ApiPrompt): Promise<Outcome> {
  const start = performance.now();
  const answer = await server.ask('POST', '/prompt', { prompt });
  const body = (await answer.json()) as {
    prompt_id: string;
    node_errors?: NodeErrors;
    error?: { message: string };
  };
  if (answer.status !== 200) return { kind: 'refused', reason: refusal(body) };
  for (;;) {
    const entry = await server.history(body.prompt_id);
    if (entry) {
      const failure = failureOf(entry.status.messages);
      if (failure) return { kind: 'failed', reason: failure };
      return { kind: 'ran', seconds: (performance.now() - start) / 1000 };
    }
    if (performance.now() - start > LIMIT) {
      await server.ask('POST', '/interrupt', {});
      return { kind: 'cancelled', reason: `longer than ${LIMIT / 1000} s` };
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

type NodeErrors = Record<string, { class_type: string; errors: { message: string; details: string }[] }>;

function refusal({
  node_errors = {},
  error,
}: {
  node_errors?: NodeErrors;
  error?: { message: string };
}): string {
  const reasons = Object.values(node_errors).flatMap(({ class_type, errors }) =>
    errors.map(({ message, details }) => `${class_type}: ${message} ${details}`),
  );
  return [...new Set(reasons)].join('; ') || (error?.message ?? 'no reason');
}

function failureOf(messages: readonly [string, Record<string, unknown>][]): string | undefined {
  const failure = messages.find(([name]) => name === 'execution_error')?.[1];
  return failure && `${failure.node_type}: ${failure.exception_message}`.trim();
}
