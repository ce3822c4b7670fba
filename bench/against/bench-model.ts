/** The model of the comparison on an Ollama: the same file that tabd runs, sent through the API. */
import { openAsBlob } from 'node:fs';
import { smollm2, smollm2Digest } from '#test/support/model-files/weights.ts';
import { type OwnSide, startOwnSide } from '../sides/own-side.ts';
import { ask, askAny, askJson, type Side, SideError } from '../sides/side.ts';

export const BENCH_MODEL = 'tabd-bench:135m';
/** Answers at once. A peer needs as many slots: `OLLAMA_NUM_PARALLEL=4 ollama serve`. */
export const TOGETHER = 4;

/** Starts tabd with the model. */
export async function startOwnModel(signal: AbortSignal): Promise<OwnSide> {
  const models = [{ name: BENCH_MODEL, path: await smollm2() }];
  return startOwnSide('local-models', signal, { models, env: { OLLAMA_NUM_PARALLEL: String(TOGETHER) } });
}

/** Creates the model from the weights. @throws SideError */
export async function createBenchModel(side: Side): Promise<void> {
  const path = `/api/blobs/${smollm2Digest}`;
  const existing = await askAny(side, path, { method: 'HEAD' });
  if (!existing.ok) await ask(side, path, { method: 'POST', body: await openAsBlob(await smollm2()) });
  const { status } = await askJson<{ status?: string }>(side, '/api/create', {
    json: { model: BENCH_MODEL, files: { 'smollm2.gguf': smollm2Digest }, stream: false },
  });
  if (status !== 'success') throw new SideError(side, `/api/create ended with ${JSON.stringify(status)}`);
}

/** Removes the model. A side that no longer answers keeps it. */
export async function removeBenchModel(side: Side): Promise<void> {
  const still = { ...side, signal: AbortSignal.timeout(10_000) };
  await ask(still, '/api/delete', { method: 'DELETE', json: { model: BENCH_MODEL } }).catch((error) => {
    console.error(`${BENCH_MODEL} stays on ${side.name}: ${error.message}`);
  });
}
