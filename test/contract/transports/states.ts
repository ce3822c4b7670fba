/** The models and settings of each state of a real server. */

import { join } from 'node:path';
import type { Files } from '#core/host';
import { DiskFiles } from '#shim/storage/disk-files.ts';
import { modelVariant } from '../../support/local-models/model-variants.ts';
import { SPEAKING_MODEL } from '../../support/local-models/speaking/speaking-host.ts';
import { tinyVoice } from '../../support/local-models/speaking/tiny-voice.ts';
import { HEARING_MODEL } from '../../support/local-models/whisper/hearing-host.ts';
import { tinyWhisper } from '../../support/local-models/whisper/tiny-whisper.ts';
import { writeTinyDiffusion } from '../../support/model-files/tiny-diffusion.ts';
import { type HomeModel, makeHome } from '../../support/processes/node-home.ts';
import type { State } from '../exchange.ts';

/**
 * Models whose graphs are formulas. The recorded models had random weights, so only messages, order, files and errors
 * are compared.
 */
const CHECKPOINTS = ['tiny_sd15.safetensors', 'v1-5-pruned-emaonly.safetensors'];

/** The template of the variant with a template of its own, if the recordings have it. */
export async function makeStateHome(state: State, nativeTemplate?: string): Promise<string> {
  const home = await makeHome(await modelsOf(state, nativeTemplate));
  await writeCheckpoints(new DiskFiles(join(home, 'files')));
  return home;
}

export async function writeCheckpoints(files: Pick<Files, 'write'>): Promise<void> {
  for (const name of CHECKPOINTS) await writeTinyDiffusion(files, `models/checkpoints/${name}`);
}

export async function modelsOf(state: State, nativeTemplate?: string): Promise<HomeModel[]> {
  if (['fresh', 'transcripts', 'previews', 'scripted'].includes(state)) return [];
  if (state === 'embeds') {
    return [{ name: 'smollm2-embed:135m', path: await modelVariant('smollm2-embed-quick') }];
  }
  if (state === 'hears') return [{ name: HEARING_MODEL, files: tinyWhisper() }];
  if (state === 'speaks') return [{ name: SPEAKING_MODEL, files: tinyVoice() }];
  const base = { name: 'smollm2:135m', path: await modelVariant('smollm2') };
  if (state !== 'variants') return [base];
  return [
    base,
    { name: 'smollm2-embed:135m', path: await modelVariant('smollm2-embed') },
    { name: 'smollm2-native:135m', path: await modelVariant('smollm2-native', nativeTemplate) },
  ];
}

export function settingsOfState(state: State): Record<string, string> {
  return {
    OLLAMA_NO_CLOUD: '1',
    ...(state === 'origins' && { OLLAMA_ORIGINS: 'https://app.example.com' }),
    ...(state === 'scripted' && { TABD_ALLOW_PRIVATE_ADDRESSES: 'true', GENERIC_TIMEZONE: 'UTC' }),
    ...(state === 'previews' && { TABD_IMAGE_PREVIEWS: 'latent2rgb' }),
  };
}

/** Opens each state once, when it is first needed. */
export class ByState<T> {
  readonly #opened = new Map<State, Promise<T>>();

  constructor(private readonly open: (state: State) => Promise<T>) {}

  get(state: State): Promise<T> {
    let opened = this.#opened.get(state);
    if (!opened) {
      opened = this.open(state);
      this.#opened.set(state, opened);
    }
    return opened;
  }

  async close(closeOne: (opened: T) => Promise<void>): Promise<void> {
    for (const opened of this.#opened.values()) {
      const server = await opened.catch(() => undefined);
      if (server !== undefined) await closeOne(server);
    }
    this.#opened.clear();
  }
}
