/** The workflows of the comparison on an n8n, through its public API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, askAny, askJson, readText, type Side, SideError, shortened } from '../sides/side.ts';
import { WEBHOOK_BODY, WEBHOOK_MODES, type WebhookMode } from '../webhook-modes.ts';

/** Milliseconds until a published webhook answers. */
const PUBLISH_LIMIT = 15_000;

export interface BenchWorkflows {
  /** The path of a mode's webhook. */
  pathOf(mode: WebhookMode): string;
  /** Removes the workflows. A side that no longer answers keeps them. */
  remove(): Promise<void>;
}

/** Publishes a workflow for each mode, under addresses of this run. @throws SideError */
export async function publishWorkflows(side: Side, run: string): Promise<BenchWorkflows> {
  const ids: string[] = [];
  const pathOf = ({ id }: WebhookMode) => `/webhook/tabd-bench-${run}-${id}`;
  const remove = async () => {
    const still = { ...side, signal: AbortSignal.timeout(20_000) };
    const deletions = ids.map((id) => ask(still, `/api/v1/workflows/${id}`, { method: 'DELETE' }));
    const failed = (await Promise.allSettled(deletions)).find((result) => result.status === 'rejected');
    if (failed)
      console.error(`workflows of the bench stay there; delete those named 'Bench …': ${failed.reason}`);
  };
  try {
    for (const mode of WEBHOOK_MODES) {
      const json = mode.workflow(`tabd-bench-${run}-${mode.id}`);
      const { id } = await askJson<{ id: string }>(side, '/api/v1/workflows', { json });
      ids.push(id);
      await askJson(side, `/api/v1/workflows/${id}/activate`, { method: 'POST' });
      await firstAnswer(side, pathOf(mode));
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { pathOf, remove };
}

/** An n8n may register a webhook after it answered that it is active. */
async function firstAnswer(side: Side, path: string): Promise<void> {
  const end = Date.now() + PUBLISH_LIMIT;
  for (;;) {
    const response = await askAny(side, path, { json: JSON.parse(WEBHOOK_BODY) });
    const text = await readText(side, path, response);
    if (response.ok) return;
    if (response.status !== 404 || Date.now() > end)
      throw new SideError(
        side,
        `the published webhook ${path} answered ${response.status}: ${shortened(text)}`,
      );
    await sleep(200, undefined, { signal: side.signal });
  }
}
