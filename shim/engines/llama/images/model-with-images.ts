import type { Device, EngineEvent, GenerateRequest, LanguageModel, Log } from '#core/host';
import type { NodeLlamaModel } from '../node-llama-model.ts';
import type { LoadCommand } from '../protocol.ts';
import { ImageAnswers } from './image-answers.ts';

/**
 * A model with a projector. Prompts without images are answered by node-llama-cpp, as for any model. Prompts with images
 * have a process of their own, whose end ends no other answer.
 */
export class ModelWithImages implements LanguageModel {
  readonly contextLength: number;
  readonly parallel: number;
  readonly memory: { total: number; gpu: number };
  readonly gone: Promise<Error>;
  readonly #images: ImageAnswers;

  /**
   * @param command how `text` was loaded, with the path of the projector
   * @param projectorSize bytes of the projector
   */
  constructor(
    private readonly text: NodeLlamaModel,
    command: LoadCommand,
    projectorSize: number,
    log: Log | undefined,
  ) {
    this.contextLength = text.contextLength;
    this.parallel = text.parallel;
    const { total, gpu } = text.memory;
    this.memory = { total: total + projectorSize, gpu: gpu > 0 ? gpu + projectorSize : 0 };
    this.gone = text.gone;
    this.#images = new ImageAnswers({ ...command, gpu: text.loaded.gpu }, log);
  }

  get device(): Device {
    return this.text.device;
  }

  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<EngineEvent> {
    const hasImages = request.media !== undefined && request.media.length > 0;
    return hasImages ? this.#images.generate(request, signal) : this.text.generate(request, signal);
  }

  tokenize(text: string, signal?: AbortSignal): Promise<number[]> {
    return this.text.tokenize(text, signal);
  }

  detokenize(tokens: number[], signal?: AbortSignal): Promise<string> {
    return this.text.detokenize(tokens, signal);
  }

  async dispose(): Promise<void> {
    await Promise.all([this.#images.dispose(), this.text.dispose()]);
  }
}
