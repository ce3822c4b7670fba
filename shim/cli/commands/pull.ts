import type { ApiClient } from '../client/api-client.ts';
import { type Progress, ProgressView, type Terminal } from '../progress.ts';
import type { Command } from './command.ts';
import { progressOutput, writeResult } from './write-json.ts';

/** Runs `tabd pull MODEL`. */
export const pull: Command = async (call) => {
  const { args, client } = call;
  const model = args.operands[0]!;
  await pullWithProgress(client, model, progressOutput(call), { insecure: args.options.insecure === true });
  writeResult(call, '', { pulled: model });
};

/** Downloads a model and shows the progress. */
export function pullWithProgress(
  client: ApiClient,
  model: string,
  out: Terminal,
  options: { insecure?: boolean } = {},
): Promise<void> {
  return showProgress(client.stream('/api/pull', { model, insecure: options.insecure ?? false }), out);
}

/** Runs `tabd push MODEL`. */
export const push: Command = async (call) => {
  const { args, client } = call;
  const body = { model: args.operands[0], insecure: args.options.insecure === true };
  await showProgress(client.stream('/api/push', body), progressOutput(call));
  writeResult(call, '', { pushed: body.model });
};

/** Shows the progress of a long task until it ends. */
export async function showProgress(progress: AsyncIterable<Progress>, out: Terminal): Promise<void> {
  const view = new ProgressView(out);
  try {
    for await (const step of progress) view.show(step);
  } finally {
    view.end();
  }
}
