/** The files of a Whisper model, as repositories of ONNX exports name them. */

/** Names of graphs, without the ending that says their precision. */
export const ENCODER_FILE = 'encoder_model';
export const MERGED_DECODER_FILE = 'decoder_model_merged';

const ENCODER = new RegExp(`(^|/)${ENCODER_FILE}(_[^/]*)?\\.onnx$`);
const DECODER = new RegExp(`(^|/)${MERGED_DECODER_FILE}(_[^/]*)?\\.onnx$`);

/** Whether a path is that of an encoder or a decoder. */
export const isWhisperGraph = (path: string): boolean => ENCODER.test(path) || DECODER.test(path);

/** Finds the graphs of encoder and decoder. Undefined: the files are those of another kind of model. */
export function whisperGraphs<F extends { role: string; name?: string }>(
  files: readonly F[],
): { encoder: F; decoder: F } | undefined {
  const graph = (pattern: RegExp) =>
    files.find(({ role, name = '' }) => role === 'weights' && pattern.test(name));
  const [encoder, decoder] = [graph(ENCODER), graph(DECODER)];
  return encoder && decoder && { encoder, decoder };
}
