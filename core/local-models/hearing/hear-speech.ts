import { AudioUnreadable, decodeSpeech, SPEECH_RATE } from '#core/audio';
import { type Host, RequestRefused } from '#core/host';
import { ApiError } from '#core/http';
import { runnerError, toApiError } from '../base/engine-errors.ts';
import { FieldError } from '../base/field-error.ts';
import { languageCode } from '../base/languages.ts';
import { type RunOutput, startRun } from '../generation/run.ts';
import type { ModelRegistry } from '../registry/model-registry.ts';
import type { EventRun } from '../runs/events.ts';
import type { HeardEvent, HearSpeechRequest } from '../runs/hear-request.ts';
import { requireInstalled } from '../runs/model-name.ts';
import { loadOptions } from '../scheduler/load-options.ts';
import type { Lease, Scheduler } from '../scheduler/scheduler.ts';

/** Seconds. */
const SHORTEST = 0.1;

/**
 * Starts to write the speech of an audio file down, on a model that the scheduler loads. Resolves when the request is
 * queued. The file is decoded in the request's turn: many waiting hours of audio would not fit in memory.
 * Rejects with ApiError: 403 and 404 for the model's name, 400 for the language, 503 for a full queue. The run fails with
 * ApiError 400 for a file that cannot be read.
 */
export async function hearSpeech(
  { host, registry, scheduler }: { host: Host; registry: ModelRegistry; scheduler: Scheduler },
  request: HearSpeechRequest,
  signal: AbortSignal,
): Promise<EventRun<HeardEvent>> {
  const installed = await requireInstalled(registry, request.model);
  if (!installed.capabilities.includes('audio')) throw hearsNothing();
  const language = request.language === undefined ? undefined : requireLanguage(request.language);
  const load = await loadOptions(host, await registry.metadata(installed), installed.parameters);
  const { audio, task, prompt, temperature, words } = request;
  const work = async (turn: Promise<Lease>, output: RunOutput<HeardEvent>) => {
    const lease = await turn;
    try {
      if (!lease.model.hear) throw hearsNothing();
      const samples = await readSpeech(audio, host, output.signal);
      const heard = {
        samples,
        task,
        words,
        ...(language !== undefined && { language }),
        ...(prompt && { prompt }),
        ...(temperature !== undefined && { temperature }),
      };
      for await (const event of lease.model.hear(heard, output.signal)) await output.emit(event);
      lease.release();
      await output.emit({ type: 'done', duration: samples.length / SPEECH_RATE });
    } catch (error) {
      if (error instanceof RequestRefused) throw new ApiError(400, error.message, { cause: error });
      throw toApiError(error, registry.display(installed.name));
    } finally {
      lease.release();
    }
  };
  // Outside of the async function: a full queue must refuse the request before there is a run.
  return startRun<HeardEvent>(
    (output) => work(scheduler.acquire(installed, load, undefined, output.signal), output),
    signal,
  );
}

const hearsNothing = () => runnerError(500, 'audio input is not supported by this model', 'server_error');

/** @throws FieldError 400 */
function requireLanguage(text: string): string {
  const code = languageCode(text);
  if (code !== undefined) return code;
  throw new FieldError(
    400,
    `Invalid language '${text}'. Language parameter must be specified in ISO-639-1 format.`,
    'language',
    'invalid_language_format',
  );
}

async function readSpeech(
  file: Uint8Array,
  { mediaCodecs }: Pick<Host, 'mediaCodecs'>,
  signal: AbortSignal,
): Promise<Float32Array> {
  let samples: Float32Array;
  try {
    samples = await decodeSpeech(file, signal, mediaCodecs);
  } catch (error) {
    if (!(error instanceof AudioUnreadable)) throw error;
    throw new FieldError(
      400,
      `The audio file could not be decoded or its format is not supported: ${error.message}`,
      'file',
      undefined,
      { cause: error },
    );
  }
  if (samples.length < SHORTEST * SPEECH_RATE)
    throw new FieldError(
      400,
      `Audio file is too short. Minimum audio length is ${SHORTEST} seconds.`,
      'file',
      'audio_too_short',
    );
  return samples;
}
