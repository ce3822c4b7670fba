/** Audio files and waveforms. Decoders return `PcmAudio` of `core/host`, and encoders take its parts. */

export { isAudioFile } from './audio-signature.ts';
export { AudioUnreadable, MAX_SAMPLES } from './audio-unreadable.ts';
export { decodeAudio } from './decode.ts';
export { decodeSpeech, SPEECH_RATE } from './decode-speech.ts';
export { pcm16, wavHead } from './encode-wav.ts';
export { encodeFlac } from './flac/encode.ts';
export { meanChannel } from './mean-channel.ts';
export { resample } from './resample.ts';
export { bandSpectrogram, type SpectrogramOptions } from './spectrogram/spectrogram.ts';
export {
  toWhisperLoudness,
  WHISPER_HOP,
  WHISPER_RATE,
  WHISPER_STEPS,
  WHISPER_WINDOW,
  whisperBands,
} from './spectrogram/whisper-loudness.ts';
export { SpeechResampler } from './speech-resampler.ts';
