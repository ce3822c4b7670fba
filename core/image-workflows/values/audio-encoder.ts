import type { Audio } from '../audio/audio.ts';
import type { FloatTensor } from './tensor.ts';

/** A value of type AUDIO_ENCODER: a network that describes speech. */
export interface AudioEncoder {
  /** Rejects with the signal's reason, and with an error for audio that is too short. */
  encode(audio: Audio, signal: AbortSignal): Promise<AudioEncoderOutput>;
}

/** A value of type AUDIO_ENCODER_OUTPUT. */
export interface AudioEncoderOutput {
  /** The input of each layer and the result, [layers, batch, steps, width]. 50 steps are a second. */
  readonly layers: FloatTensor;
  /** The length of the audio: samples of 16 kHz. */
  readonly samples: number;
}
