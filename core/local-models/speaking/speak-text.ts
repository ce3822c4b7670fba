import { type Host, RequestRefused } from '#core/host';
import type { ApiError } from '#core/http';
import { toApiError } from '../base/engine-errors.ts';
import { FieldError } from '../base/field-error.ts';
import { findVoice, voiceFiles } from '../base/voice-files.ts';
import { type RunOutput, startRun } from '../generation/run.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import type { EventRun } from '../runs/events.ts';
import { requireInstalled } from '../runs/model-name.ts';
import type { SpeakTextRequest, SpokenEvent } from '../runs/speak-request.ts';
import { loadOptions } from '../scheduler/load-options.ts';
import type { Lease, Scheduler } from '../scheduler/scheduler.ts';

/**
 * Starts to say a text, on a model that the scheduler loads. Resolves when the request is queued.
 * Rejects with ApiError: 403 and 404 for the model's name, 503 for a full queue, 400 for an unknown voice. A model that
 * does not speak rejects with 400, too. The run fails with ApiError 400 for a text without a word that the model can say.
 */
export async function speakText(
  { host, registry, scheduler }: { host: Host; registry: ModelRegistry; scheduler: Scheduler },
  { model, text, voice: requestedVoice, speed }: SpeakTextRequest,
  signal: AbortSignal,
): Promise<EventRun<SpokenEvent>> {
  const installed = await requireInstalled(registry, model);
  const name = registry.display(installed.name);
  const voices = [...(voiceFiles(installed.files)?.voices.keys() ?? [])];
  if (!installed.capabilities.includes('speech') || voices.length === 0) throw speaksNothing(name);
  const voice = findVoice(voices, requestedVoice);
  if (voice === undefined)
    throw new FieldError(
      400,
      `Invalid voice '${requestedVoice}'. The voices of ${name} are: ${voices.join(', ')}.`,
      'voice',
      'invalid_value',
    );
  const load = await loadOptions(host, await registry.metadata(installed), installed.parameters);
  const work = async (turn: Promise<Lease>, output: RunOutput<SpokenEvent>) => {
    const lease = await turn;
    try {
      if (!lease.model.speak) throw speaksNothing(name);
      for await (const part of lease.model.speak({ text, voice, speed }, output.signal)) {
        if (part.isLast) lease.release();
        await output.emit({ type: 'speech', ...part });
      }
      lease.release();
      await output.emit({ type: 'done' });
    } catch (error) {
      if (error instanceof RequestRefused)
        throw new FieldError(400, `Invalid 'input': ${error.message}.`, 'input', 'invalid_value', {
          cause: error,
        });
      throw toApiError(error, name);
    } finally {
      lease.release();
    }
  };
  // Outside of the async function: a full queue must refuse the request before there is a run.
  return startRun<SpokenEvent>(
    (output) => work(scheduler.acquire(installed, load, undefined, output.signal), output),
    signal,
  );
}

const speaksNothing = (name: string): ApiError =>
  new FieldError(
    400,
    `${name} does not speak: /api/tags shows the models with the capability 'speech'`,
    'model',
    undefined,
  );
